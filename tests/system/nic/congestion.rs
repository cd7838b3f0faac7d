//! Two NICs at a crowded switch: writes and READ responses follow the congestion control.

use super::{
    crowded, exchange, exchange_watched, plan, sourced, AUTHORS, INT_MD, INT_MD_BY_PORT, PAPER,
    SOURCED,
};
use nic_sim::engine::EngineKind;
use nic_sim::env::station::Manners;
use nic_sim::net::switch::{Faults, Format};
use nic_sim::net::writes::Plan;
use nic_spec::cc_params::CcConfig;

/// The NIC's own header does what the switch's does: as many packets have it as were to, each comes back
/// with one hop, and the windows follow.
#[test]
fn nic_pair_writes_follow_congestion_as_source_of_telemetry() {
    for format in SOURCED {
        for (every, share) in [(1, 1..=1), (4, 4..=4), (255, 2..=200)] {
            let plan = sourced(Plan {
                stamping: plan(Some(format), Manners::Prompt, 45).stamping,
                telemetry_every: every,
                read_percent: 0,
                message_bytes: (100_000, 120_000),
                ..crowded(None, 5, 45)
            });
            let report = exchange(&plan, EngineKind::Golden);
            assert!(report.is_good(), "{format:?}: {report:?}");
            let (stamped, data) = (report.switch.stamped, report.nics[0].counter("tx_data"));
            let (queue, rate) =
                (report.switch.queue_bytes_max, report.nics[0].flow0.expect("watched").1);
            println!(
                "{format:?}, every {every}: {stamped} of {data} stamped, queue at most {queue} bytes, \
                 {:.2} Gb/s, rate {rate}",
                report.goodput_gbps()
            );
            assert!(share.contains(&u64::from(data).div_ceil(stamped)), "{format:?}, {every}");
            assert!(queue < 300_000 && rate < 8 << 24 && report.goodput_gbps() > 15.0);
            for nic in &report.nics {
                for event in ["rx_telemetry_unusable", "cc_psn", "cc_time", "cc_bytes", "cc_queue"]
                {
                    assert_eq!(nic.counter(event), 0, "{format:?}: {event}");
                }
            }
        }
    }
}

/// A NIC of 50 Gb/s WRITEs to another behind ports of 25 Gb/s: whatever the switch writes, its
/// queue stays below what the windows would fill, and the rate comes down to the port's.
#[test]
fn nic_pair_writes_follow_congestion_with_each_format() {
    let run = |format| {
        let plan = Plan {
            stamping: plan(format, Manners::Prompt, 41).stamping,
            read_percent: 0,
            message_bytes: (100_000, 120_000),
            ..crowded(None, 5, 41)
        };
        let report = exchange(&plan, EngineKind::Golden);
        assert!(report.is_good(), "{format:?}: {report:?}");
        // An honest network, in which nothing overtakes.
        let ignored = ["cc_psn", "cc_time", "cc_bytes", "cc_queue"];
        for (nic, event) in report.nics.iter().flat_map(|nic| ignored.map(|event| (nic, event))) {
            assert_eq!(nic.counter(event), 0, "{format:?}: {event}");
        }
        let rate = report.nics[0].flow0.expect("watched").1;
        let queue = report.switch.queue_bytes_max;
        println!(
            "{format:?}: queue at most {queue} bytes, {:.2} Gb/s, rate {rate}",
            report.goodput_gbps()
        );
        (queue, rate, report.goodput_gbps())
    };
    let (queue, _, _) = run(None);
    for format in [PAPER, AUTHORS, INT_MD, INT_MD_BY_PORT, Format::Ioam, Format::Ifa] {
        let (bounded, rate, goodput) = run(Some(format));
        assert!(bounded < queue * 3 / 4 && rate < 8 << 24 && goodput > 15.0, "{format:?}");
    }
}

/// The same with telemetry in few packets: so many of them have it as were to, the wire carries less, and
/// the windows follow all the same.
#[test]
fn nic_pair_writes_follow_congestion_with_sparse_telemetry() {
    let run = |format, telemetry_every, faults| {
        let plan = Plan {
            stamping: plan(format, Manners::Prompt, 43).stamping,
            telemetry_every,
            faults,
            read_percent: 0,
            message_bytes: (100_000, 120_000),
            ..crowded(None, 5, 43)
        };
        let report = exchange(&plan, EngineKind::Golden);
        assert!(report.is_good(), "{telemetry_every}: {report:?}");
        let (stamped, data) = (report.switch.stamped, report.nics[0].counter("tx_data"));
        let (queue, rate) =
            (report.switch.queue_bytes_max, report.nics[0].flow0.expect("watched").1);
        println!(
            "{format:?}, every {telemetry_every}: {stamped} of {data} stamped, queue at most \
             {queue} bytes, {:.2} Gb/s, rate {rate}",
            report.goodput_gbps()
        );
        (stamped, u64::from(data), queue, rate, report.goodput_gbps())
    };
    let none = Faults::default();
    let (_, _, unbounded, _, _) = run(None, 1, none);
    for (every, share) in [(1, 1..=1), (4, 4..=4), (255, 2..=200)] {
        let (stamped, data, queue, rate, goodput) = run(Some(AUTHORS), every, none);
        assert!(share.contains(&data.div_ceil(stamped)), "{every}: {stamped} of {data}");
        assert!(queue < unbounded * 3 / 4 && rate < 8 << 24 && goodput > 15.0, "{every}: {queue}");
    }
    // A lost packet with telemetry is sent again with it, so nothing stops.
    let faults = Faults { loss_ppm: 15_000, ..none };
    let (stamped, data, _, rate, _) = run(Some(PAPER), 255, faults);
    assert!(
        stamped > 20 && stamped < data * 2 / 3 && rate < 8 << 24,
        "{stamped} of {data}, {rate}"
    );
}

/// Additive steps that are right for one flow are too much for four, unless the NIC counts its flows.
#[test]
fn nic_pair_additive_steps_follow_the_number_of_active_flows() {
    let run = |flows: u32, active_t: Option<f64>| {
        let mut plan = Plan {
            stamping: plan(Some(AUTHORS), Manners::Prompt, 44).stamping,
            read_percent: 0,
            message_bytes: (100_000, 120_000),
            ..crowded(None, 5, 44)
        };
        plan.cc = CcConfig::for_line(50e9, flows, plan.clock_hz);
        plan.cc.active_window_ns = active_t.map(|t| t * f64::from(plan.cc.t_ns));
        let report = exchange(&plan, EngineKind::Golden);
        assert!(report.is_good(), "{report:?}");
        let queue = report.switch.queue_bytes_max;
        let window = report.nics[0].flow0.expect("watched").0;
        println!(
            "{flows} {active_t:?}: queue {queue}, {:.2} Gb/s, W {window}",
            report.goodput_gbps()
        );
        (queue, report.goodput_gbps())
    };
    let (alone, four) = (run(1, None), run(4, None));
    assert!(four.0 < alone.0, "W_ai makes no difference here");
    for window in [4.0, 16.0] {
        let counted = run(1, Some(window));
        assert!(counted.0 <= four.0 + four.0 / 50 && counted.1 > 0.97 * four.1, "{window} T");
    }
}

/// without them the sender goes on at 50 Gb/s and the queue grows as far as open READs let it.
#[test]
fn nic_pair_read_responses_follow_congestion() {
    let line_rate = 8 << 24;
    let long =
        |cut_opcode| Plan { message_bytes: (100_000, 120_000), ..crowded(cut_opcode, 5, 31) };
    let report = exchange_watched(&long(None));
    assert!(report.is_good(), "{report:?}");
    let cut = exchange(&long(Some(0xc0)), EngineKind::Golden);
    assert!(cut.is_good(), "{cut:?}");
    for (name, report) in [("with", &report), ("without", &cut)] {
        let rates = report.nics.iter().map(|n| n.flow0.expect("watched"));
        println!(
            "{name} telemetry responses: queue at most {} bytes, overflowed {}, cut {}, {:.2} Gb/s, rates {:?}",
            report.switch.queue_bytes_max,
            report.switch.overflowed,
            report.switch.cut,
            report.goodput_gbps(),
            rates.collect::<Vec<_>>()
        );
    }
    let [reader, sender] = &report.nics[..] else { panic!("two NICs") };
    let (_, rate) = sender.flow0.expect("watched");
    // At the end it may be the last of four, at a port of half its line; halfway all are there.
    assert!(rate < line_rate / 2, "the last flow at {rate}");
    let periods = report.history.as_ref().expect("kept").samples();
    let halfway = periods[periods.len() / 2][1].paces[0][1].rate_uq8_24;
    assert!(halfway < line_rate / 4, "one of four flows at {halfway}");
    let [sent, received] = [reader.counter("tx_feedback"), sender.counter("rx_feedback")];
    assert!(sent > 100 && received == sent, "{sent} sent, {received} received");
    assert_eq!(sender.counter("feedback_accepted"), received);
    assert_eq!(sender.counter("tx_feedback") + reader.counter("rx_feedback"), 0);
    assert!(cut.nics.iter().all(|nic| nic.counter("rx_feedback") == 0));
    assert_eq!(u64::from(cut.nics[0].counter("tx_feedback")), cut.switch.cut);
    assert_eq!(cut.nics[1].flow0.expect("watched").1, line_rate - 1, "nothing slowed it down");
    let [with, without] = [&report, &cut].map(|report| report.switch.queue_bytes_max);
    assert!(with < 256_000 && without > 3 * with, "{with} and {without} bytes");
    assert!(report.goodput_gbps() > 18.0, "{:.2} Gb/s", report.goodput_gbps());
}
