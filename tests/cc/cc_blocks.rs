//! cc_hop, cc_ewma, cc_wind: Verilog against golden models, golden models against the draft.

use nic_models::golden::cc::ewma::ewma;
use nic_models::golden::cc::hop::hop_utilisation;
use nic_models::golden::cc::unit::CcUnit;
use nic_models::golden::cc::wind::compute_wind;
use nic_models::reference::hpcc;
use nic_sim::replay::cc_trace::reference_params;
use nic_spec::cc_params::{CcConfig, CcParams, U_ONE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{assert_catches, assert_matches_golden};

#[test]
fn cc_hop_matches_golden() {
    assert_matches_golden("cc_hop", 0..4, 50_000, &[]);
}

#[test]
fn cc_ewma_matches_golden() {
    assert_matches_golden("cc_ewma", 0..4, 50_000, &[]);
}

#[test]
fn cc_wind_matches_golden() {
    assert_matches_golden("cc_wind", 0..4, 50_000, &[]);
}

#[test]
fn cc_hop_breaks_are_caught() {
    let breaks = [
        ("above_3 > most_3", "above_3 >= most_3"),
        ("new_queue > queue_max", "new_queue >= queue_max"),
        ("tau_1[23]", "tau_1[22]"),
        ("21'd74", "21'd73"),
        ("exponent + rate_shift", "exponent"),
        ("tau_wide << 1", "tau_wide"),
        ("rest_1[24]", "rest_1[23]"),
    ];
    assert_catches("cc_hop", 400_000, &breaks);
}

#[test]
fn cc_ewma_breaks_are_caught() {
    let breaks = [
        ("falls_1 ^ share_1[33]", "falls_1"),
        ("fine_2[4]", "fine_2[3]"),
        ("if (!update)", "if (1'b0)"),
    ];
    assert_catches("cc_ewma", 50_000, &breaks);
}

#[test]
fn cc_wind_breaks_are_caught() {
    let breaks = [
        ("scaled_15[79:48]", "{31'd0, scaled_15[48]}"),
        ("never_fits_15 <= above[48]", "never_fits_15 <= 1'b0"),
        ("if (below[48])", "if (1'b0)"),
    ];
    assert_catches("cc_wind", 50_000, &breaks);
}

fn config() -> CcConfig {
    CcConfig { w_init_bytes: 162_500, t_ns: 13_000, ..CcConfig::for_line(100e9, 100, 250_000_000) }
}

/// A value whose magnitude is as likely as any other.
fn spread(rng: &mut ChaCha8Rng, bits: u32) -> u64 {
    rng.gen::<u64>() >> (64 - bits) >> rng.gen_range(0..bits)
}

#[test]
fn cc_hop_is_the_drafts_to_2_pow_minus_17() {
    let params = CcParams::derive(&config()).unwrap();
    let draft = reference_params(&config());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..200_000 {
        let old: u64 = rng.gen();
        let code = [0, 1, 2, 3, 4, 7][rng.gen_range(0..6)];
        let ts = (old >> 3) + spread(&mut rng, 24);
        let sent = (old >> 27) + spread(&mut rng, 20);
        let word = code | (ts & 0xff_ffff) << 3 | (sent & 0xf_ffff) << 27;
        let new = word | spread(&mut rng, 17) << 47;
        let golden = hop_utilisation(params.queue_gain, params.util_gain, old, new);
        let reference = hpcc::hop_utilisation(&draft, old, new);
        assert_eq!(golden.map(|(_, tau)| f64::from(tau)), reference.map(|(_, tau)| tau));
        let (Some((is, _)), Some((should_be, _))) = (golden, reference) else { continue };
        let is = is as f64 / U_ONE as f64;
        // Three truncations of 2^-36 in units of 25/1024.
        let bound = should_be * 2_f64.powi(-17) + 3.0 / U_ONE as f64;
        assert!((is - should_be).abs() <= bound, "{old:x} {new:x}: {is} {should_be}");
    }
}

/// u' = qlen/(B T) + utilisation, where hops tell that.
#[test]
fn cc_hop_takes_utilisation() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for full in [1, 100, 10_000, (1 << 20) - 1] {
        let config = CcConfig { utilisation_full: Some(full), ..config() };
        let (params, draft) = (CcParams::derive(&config).unwrap(), reference_params(&config));
        for _ in 0..50_000 {
            let (old, field) = (rng.gen(), spread(&mut rng, 20));
            let word = rng.gen_range(0..8) | rng.gen_range(0..1 << 24) << 3 | field << 27;
            let new = word | spread(&mut rng, 17) << 47;
            let golden = hop_utilisation(params.queue_gain, params.util_gain, old, new);
            let reference = hpcc::hop_utilisation(&draft, old, new);
            assert_eq!(golden.map(|(_, tau)| f64::from(tau)), reference.map(|(_, tau)| tau));
            let (Some((is, _)), Some((should_be, _))) = (golden, reference) else { continue };
            let is = is as f64 / U_ONE as f64;
            let bound = should_be * 2_f64.powi(-17) + 3.0 / U_ONE as f64;
            assert!((is - should_be).abs() <= bound, "{old:x} {new:x}: {is} {should_be}");
        }
    }
    // By hand: 5000 of 10000 and 1250 units of 80 bytes queued at 100 Gb/s over 13 us.
    let config = CcConfig { utilisation_full: Some(10_000), ..config() };
    let params = CcParams::derive(&config).unwrap();
    let (old, new) = (2 | 1250 << 47, 2 | 1000 << 3 | 5000 << 27 | 2000 << 47);
    let (u, tau_ns) = hop_utilisation(params.queue_gain, params.util_gain, old, new).unwrap();
    assert_eq!(tau_ns, 1000);
    let should_be = 0.5 + 100_000.0 / 162_500.0;
    assert!((u as f64 / U_ONE as f64 - should_be).abs() < 1e-5);
}

/// u' = sojourn/T + txRate/B, or + utilisation, where the queue's field says how long a packet waited.
#[test]
fn cc_hop_takes_sojourn_times() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for (unit_ns, full) in [(1.0, None), (16.0, None), (1.0, Some(10_000)), (0.125, Some(1))] {
        let config =
            CcConfig { utilisation_full: full, sojourn_unit_ns: Some(unit_ns), ..config() };
        let (params, draft) = (CcParams::derive(&config).unwrap(), reference_params(&config));
        for _ in 0..50_000 {
            let (old, field): (u64, u64) = (rng.gen(), spread(&mut rng, 20));
            let sent = if full.is_some() { field } else { (old >> 27) + field };
            let ts = (old >> 3) + spread(&mut rng, 24);
            let word = rng.gen_range(0..8_u64) | (ts & 0xff_ffff) << 3 | (sent & 0xf_ffff) << 27;
            let new = word | spread(&mut rng, 17) << 47;
            let golden = hop_utilisation(params.queue_gain, params.util_gain, old, new);
            let reference = hpcc::hop_utilisation(&draft, old, new);
            assert_eq!(golden.map(|(_, tau)| f64::from(tau)), reference.map(|(_, tau)| tau));
            let (Some((is, _)), Some((should_be, _))) = (golden, reference) else { continue };
            let is = is as f64 / U_ONE as f64;
            // Half a unit of the gain, 2^-41, for each unit of the field.
            let waited = (old >> 47).min(new >> 47) as f64;
            let gain = waited * 2_f64.powi(-41) * 1024.0 / 25.0;
            let bound = should_be * 2_f64.powi(-17) + gain + 3.0 / U_ONE as f64;
            assert!((is - should_be).abs() <= bound, "{old:x} {new:x}: {is} {should_be}");
        }
    }
    // By hand: at 100 Gb/s half of 1000 ns is sent (6250 bytes, 48.8 units: 49), at 25 Gb/s
    // all of 1024 ns (25 units); 1300 ns waited, T is 13 us.
    let config = CcConfig { sojourn_unit_ns: Some(1.0), ..config() };
    let params = CcParams::derive(&config).unwrap();
    for (code, tau, sent, part) in [(2, 1000, 49, 0.50176), (0, 1024, 25, 1.0)] {
        let (old, new) = (code | 1300 << 47, code | tau << 3 | sent << 27 | 2000 << 47);
        let (u, _) = hop_utilisation(params.queue_gain, params.util_gain, old, new).unwrap();
        assert!((u as f64 / U_ONE as f64 - part - 0.1).abs() < 1e-5, "{u}");
    }
}

#[test]
fn cc_ewma_is_the_drafts_and_stays_between() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for t_ns in [257, 1000, 13_000, (1 << 20) - 1] {
        let params =
            CcParams::derive(&CcConfig { t_ns, clock_hz: 1_000_000_000, ..config() }).unwrap();
        for _ in 0..50_000 {
            let (old, hop) = (spread(&mut rng, 57), spread(&mut rng, 57));
            let tau = rng.gen_range(1..2 * t_ns);
            let is = ewma(params.t_ns, params.inv_t, old, hop, tau);
            assert!(is >= old.min(hop) && is <= old.max(hop));
            let weight = f64::from(tau.min(t_ns)) / f64::from(t_ns);
            let distance = hop as f64 - old as f64;
            let error = is as f64 - (old as f64 + distance * weight);
            // 1/T is exact to 2^-41; the share of the way from the nearer one is cut below 2^-32, or 2^-24 of it.
            let share = weight.min(1.0 - weight);
            let cut = if share > 2_f64.powi(-9) { 2_f64.powi(-32) } else { 0.0 };
            let bound = distance.abs() * (share * f64::from(t_ns) * 2_f64.powi(-41) + cut);
            assert!(error.abs() <= bound + old.max(hop) as f64 * 2_f64.powi(-50) + 2.0);
        }
        // Whatever U was before, what is left of it is right to 2^-20 of itself and two steps.
        for (old, hop) in [((1 << 57) - 1, 0), (0, (1 << 57) - 1)] {
            for part in (0..20).map(|bit| 1 << bit).filter(|part| *part < t_ns) {
                let tau = if hop == 0 { t_ns - part } else { part };
                let left = ewma(params.t_ns, params.inv_t, old, hop, tau) as f64;
                let right = old.max(hop) as f64 * f64::from(part) / f64::from(t_ns);
                assert!((left - right).abs() <= right * 2_f64.powi(-20) + 2.0, "{left} {right}");
            }
        }
        let (old, hop) = (77 << 30, 5 << 33);
        assert_eq!(ewma(params.t_ns, params.inv_t, old, hop, t_ns), hop);
        assert_eq!(ewma(params.t_ns, params.inv_t, old, hop, 0xff_ffff), hop);
    }
}

#[test]
fn cc_wind_is_the_drafts_to_a_thousandth_or_16_bytes() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for round in 0..200 {
        let line_rate_bps = [1e9, 10e9, 100e9, 400e9][round % 4];
        let t_ns = [1000, 5000, 13_000, 1_000_000][round / 4 % 4];
        let w_init = line_rate_bps * f64::from(t_ns) / 8e9;
        let c = CcConfig {
            t_ns,
            eta: rng.gen_range(0.3..1.5),
            max_stage: rng.gen_range(0..7),
            w_ai_bytes: w_init * rng.gen_range(0.0001..0.05),
            w_init_bytes: w_init as u32,
            rate_min_bps: line_rate_bps / rng.gen_range(10.0..10_000.0),
            ..CcConfig::for_line(line_rate_bps, 64, 250_000_000)
        };
        let cfg = CcUnit::cfg(CcParams::derive(&c).unwrap());
        let draft = reference_params(&c);
        let least = c.w_min_bytes();
        for _ in 0..500 {
            let wc = ((rng.gen_range(least.ln()..=w_init.ln())).exp() * 65536.0) as u64;
            let u = spread(&mut rng, 57);
            let inc_stage = rng.gen_range(0..8);
            let wind = compute_wind(&cfg, false, u, wc, inc_stage);
            let (real_u, real_wc) = (u as f64 / U_ONE as f64, wc as f64 / 65536.0);
            let multiplicative = real_u >= c.eta || u32::from(inc_stage) >= draft.max_stage;
            let base = if multiplicative { real_wc / (real_u / c.eta) } else { real_wc };
            let should_be = (base + c.w_ai_bytes).max(draft.w_min_bytes).min(draft.w_init_bytes);
            let is = wind.w as f64 / 65536.0;
            let bound = (should_be * 1e-3).max(16.0);
            assert!((is - should_be).abs() <= bound, "{c:?} {u} {wc}: {is} {should_be}");
            let rate_bps = f64::from(wind.rate) / 2_f64.powi(24) * 8.0 * 250e6;
            let rate = (is * 8e9 / f64::from(t_ns)).clamp(draft.rate_min_bps, draft.line_rate_bps);
            assert!((rate_bps - rate).abs() <= rate * 1e-5 + 200.0, "{c:?}: {rate_bps} {rate}");
        }
    }
}
