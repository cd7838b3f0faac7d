//! The scheduler of eight engines, for a datapath of 512 bits: against its golden model, one grant a
//! cycle, and its rate promise.

use nic_hdl::sched::wide::scheduler_wide::LATENCY_CYCLES;
use nic_models::golden::sched::scheduler::SchedulerIn;
use nic_models::golden::sched::wide::scheduler_wide::SchedulerWide;
use nic_models::ports::Golden;
use nic_models::streams::{Rate, ReadyPort, Work};
use nic_sim::bench::sched::{restless_wide, scheduler_wide, OP_CREATE};
use nic_spec::NicConfig;
use rdma_nic::{assert_runs_catch, hundred, Runs};

fn config(flow_count: usize) -> NicConfig {
    NicConfig { flow_count, ..hundred() }
}

#[test]
fn scheduler_wide_matches_golden() {
    for (flow_count, seeds, cycles) in [(64, 1..=4, 250_000), (1024, 1..=3, 150_000)] {
        Runs::of(scheduler_wide(&config(flow_count)), seeds, cycles).reports();
    }
}

#[test]
fn scheduler_wide_turns_match_golden() {
    for (flow_count, seeds) in [(64, 1..=4), (1024, 1..=2)] {
        Runs::of(restless_wide(&config(flow_count)), seeds, 800_000).reports();
    }
}

/// Work in every cycle of a pair, alone: the grant comes after 17 cycles, 18 in the first of a pair.
#[test]
fn scheduler_wide_grants_within_its_latency() {
    let rate =
        Rate { valid: true, flow: 77, op: OP_CREATE, window_bytes: u32::MAX, rate: 64 << 24 };
    let work = Work { valid: true, flow: 77, len_bytes: 1082, inflight_bytes: 0 };
    let mut seen = vec![];
    for delay in 0..4 {
        let mut unit = SchedulerWide::new(&config(1024));
        let m_grant = ReadyPort { ready: true };
        let steps = |unit: &mut SchedulerWide, cycles, inputs: SchedulerIn| {
            (0..cycles).map(|_| unit.step(&SchedulerIn { m_grant, ..inputs })).last()
        };
        steps(&mut unit, 1, SchedulerIn { reset: true, ..SchedulerIn::default() });
        steps(&mut unit, 200, SchedulerIn::default());
        steps(&mut unit, 1, SchedulerIn { s_rate: rate, ..SchedulerIn::default() });
        // A first visit, so that the flow has credit.
        let empty = Work { len_bytes: 0, ..work };
        steps(&mut unit, 1, SchedulerIn { s_work: empty, ..SchedulerIn::default() });
        steps(&mut unit, 4000 + delay, SchedulerIn::default());
        let mut out = steps(&mut unit, 1, SchedulerIn { s_work: work, ..SchedulerIn::default() });
        let mut cycles = 1;
        while !out.expect("a step").m_grant.valid {
            out = steps(&mut unit, 1, SchedulerIn::default());
            cycles += 1;
            assert!(cycles < 100, "no grant");
        }
        assert_eq!(out.expect("a step").m_grant.flow, 77);
        seen.push(cycles);
    }
    seen.sort_unstable();
    assert_eq!(seen, [17, 17, 18, 18].map(|n| n + LATENCY_CYCLES - 17));
}

#[test]
fn scheduler_wide_breaks_are_caught() {
    let breaks = [
        // Fast flows wait for turns.
        ("turns_m_is_settled | !turns_m_is_kept", "turns_m_is_settled"),
        // A flow's work goes to the next engine, too.
        (
            "(pairs_m_first_work_flow[2:0] == number_0)",
            "(pairs_m_first_work_flow[2:0] == number_1)",
        ),
        // Of the grants of one cycle only the first is remembered to be served.
        ("fifo_m_ready = s_take & (!(|others))", "fifo_m_ready = s_take"),
        // Engine and flow change places.
        ("oldest_flow} << 3", "oldest_flow} << 2"),
        ("!held & (is_same_work | is_same_inflight", "!held & (is_same_inflight"),
        ("!held & (is_same_work | is_same_inflight", "!held & (is_same_work"),
        // The clock misses an engine's grants.
        ("granted_5 = s_beats_5", "granted_5 = 12'd0"),
    ];
    // Turns come after 1 ms; of these flows some are remembered and some are too fast for it.
    let runs = [
        Runs::of(scheduler_wide(&config(64)), [1], 100_000),
        Runs::of(restless_wide(&config(64)), [3], 500_000),
    ];
    assert_runs_catch(&runs, &breaks);
}
