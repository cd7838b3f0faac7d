//! Two NICs whose telemetry comes back by direct responses, probes, windows of the receiver, or
//! the most loaded hop.

use super::{crowded, exchange, plan, PAPER};
use nic_driver::CcMode;
use nic_sim::engine::EngineKind;
use nic_sim::env::station::Manners;
use nic_sim::net::switch::{Faults, Format};
use nic_sim::net::writes::{Plan, Report};
use nic_sim::net::Ack;

/// A NIC of 50 Gb/s WRITEs through a port of 25 Gb/s whose switch answers one in `every` data packets.
fn answered(every: u32, message_count: u32, seed: u64) -> Plan {
    let format = Format::Direct { every };
    Plan {
        stamping: plan(Some(format), Manners::Prompt, seed).stamping,
        read_percent: 0,
        message_bytes: (100_000, 120_000),
        ..crowded(None, message_count, seed)
    }
}

/// Direct responses bring the rate of WRITEs down to the port's and bound its queue, with no telemetry in any
/// data packet or ACK; cut off, the sender goes on at 50 Gb/s in windows that nothing closes.
#[test]
fn nic_pair_writes_follow_direct_responses() {
    let line_rate = 8 << 24;
    let run = |every: u32, cut_opcode| {
        let report = exchange(&Plan { cut_opcode, ..answered(every, 5, 61) }, EngineKind::Golden);
        assert!(report.is_good(), "{every}: {report:?}");
        println!(
            "one in {every}, cut {cut_opcode:?}: queue at most {} bytes, answered {}, {:.2} Gb/s, W and R {:?}",
            report.switch.queue_bytes_max,
            report.switch.answered,
            report.goodput_gbps(),
            report.nics[0].flow0
        );
        report
    };
    let cut = run(1, Some(0xc1));
    assert_eq!(cut.switch.cut, cut.switch.answered);
    for every in [1, 4] {
        let report = run(every, None);
        let [sender, receiver] = &report.nics[..] else { panic!("two NICs") };
        let answered = report.switch.answered;
        assert_eq!(answered, u64::from(sender.counter("tx_data") / every), "one in {every}");
        assert_eq!(u64::from(sender.counter("rx_feedback")), answered);
        assert_eq!(u64::from(sender.counter("feedback_accepted")), answered);
        assert_eq!(receiver.counter("tx_feedback") + receiver.counter("rx_feedback"), 0);
        assert_eq!(report.switch.stamped, 0, "no telemetry on any other way");
        let (_, rate) = sender.flow0.expect("watched");
        // The port's rate, half of the line, is that of the flow that is the last one; it seeks a bit more.
        assert!(rate < line_rate / 8 * 5 && report.goodput_gbps() > 15.0, "{rate}");
        let queues = [&report, &cut].map(|report| report.switch.queue_bytes_max);
        assert!(queues[0] < queues[1], "{queues:?}");
    }
    assert_eq!(cut.nics[0].flow0.expect("watched").1, line_rate - 1, "nothing slowed it down");
}

/// The same in lock-step, with losses, duplicates and overtaking: each response that is not dropped is used once.
#[test]
fn nic_pair_direct_responses_in_lock_step() {
    let faults =
        Faults { loss_ppm: 5000, duplicate_ppm: 5000, reorder_ppm: 5000, ..Faults::default() };
    let plan = Plan { faults, timeout_exponent: 6, ..answered(2, 2, 62) };
    let report = exchange(&plan, EngineKind::Both);
    assert!(report.is_good(), "{report:?}");
    let sender = &report.nics[0];
    let [used, dropped] =
        ["feedback_accepted", "feedback_dropped"].map(|name| sender.counter(name));
    assert_eq!(used + dropped, sender.counter("rx_feedback"));
    assert!(used > 100 && dropped > 0, "{used} used, {dropped} dropped");
}

/// Four WRITE flows of 50 Gb/s together on a port of 25, data without telemetry, a probe each T.
fn probed(probe_t: f64, message_count: u32, seed: u64) -> Plan {
    let crowded = crowded(None, message_count, seed);
    let t_cycles = f64::from(crowded.cc.t_ns) * 1e-9 * crowded.clock_hz as f64;
    Plan {
        stamping: plan(Some(PAPER), Manners::Prompt, seed).stamping,
        telemetry_every: 0,
        probe_cycles: (probe_t * t_cycles) as u32,
        read_percent: 0,
        message_bytes: (100_000, 120_000),
        ..crowded
    }
}

/// Probes alone bring the rate of WRITEs down to the port's and bound its queue: no data packet and no ACK has
/// telemetry. Cut off, each of them counts as lost, and the sender goes on at 50 Gb/s.
#[test]
fn nic_pair_writes_follow_probes() {
    let line_rate = 8 << 24;
    let run = |probe_t: f64, cut_opcode| {
        let report = exchange(&Plan { cut_opcode, ..probed(probe_t, 5, 61) }, EngineKind::Golden);
        assert!(report.is_good(), "{probe_t}: {report:?}");
        let sender = &report.nics[0];
        println!(
            "a probe in {probe_t} T, cut {cut_opcode:?}: queue at most {} bytes, {:.2} Gb/s, {} probes \
             for {} data packets, {} lost, W and R {:?}",
            report.switch.queue_bytes_max,
            report.goodput_gbps(),
            sender.counter("probe_sent"),
            sender.counter("tx_data") - sender.counter("probe_sent"),
            sender.counter("probe_lost"),
            sender.flow0
        );
        report
    };
    let cut = run(1.0, Some(0xc3));
    let [sender, receiver] = &cut.nics[..] else { panic!("two NICs") };
    assert_eq!(u64::from(receiver.counter("tx_feedback")), cut.switch.cut);
    // The last of each of the four flows need not have run out of time.
    let (sent, lost) = (sender.counter("probe_sent"), sender.counter("probe_lost"));
    assert!(sent > 20 && (sent - 4..=sent).contains(&lost), "{sent} sent, {lost} lost");
    assert_eq!(sender.flow0.expect("watched").1, line_rate - 1, "nothing slowed it down");
    for probe_t in [0.5, 1.0] {
        let report = run(probe_t, None);
        let [sender, receiver] = &report.nics[..] else { panic!("two NICs") };
        let probes = sender.counter("probe_sent");
        assert_eq!(report.switch.stamped, u64::from(probes), "no telemetry on any other way");
        assert_eq!(
            (receiver.counter("rx_feedback"), receiver.counter("tx_feedback")),
            (probes, probes)
        );
        assert_eq!(receiver.counter("feedback_accepted"), probes);
        // While the queue is long an answer may take longer than four turns.
        let (answers, lost) = (sender.counter("rx_feedback"), sender.counter("probe_lost"));
        assert_eq!(answers, probes);
        assert!(lost < probes / 50, "{lost} of {probes}");
        let used = sender.counter("feedback_accepted");
        assert_eq!(used + sender.counter("feedback_dropped"), probes);
        assert!(probes > 50 && used > probes * 9 / 10, "{used} of {probes}");
        let (_, rate) = sender.flow0.expect("watched");
        assert!(rate < line_rate / 2 && report.goodput_gbps() > 15.0, "{rate}");
        let queues = [&report, &cut].map(|report| report.switch.queue_bytes_max);
        assert!(queues[0] < queues[1] * 3 / 4, "{queues:?}");
    }
}

/// The same in lock-step, with losses, duplicates and overtaking: what is lost is made up for by the next probe.
#[test]
fn nic_pair_probes_in_lock_step() {
    let faults =
        Faults { loss_ppm: 20_000, duplicate_ppm: 5000, reorder_ppm: 5000, ..Faults::default() };
    let plan = Plan { faults, timeout_exponent: 6, ..probed(0.5, 2, 62) };
    let report = exchange(&plan, EngineKind::Both);
    assert!(report.is_good(), "{report:?}");
    let [sender, receiver] = &report.nics[..] else { panic!("two NICs") };
    for nic in [sender, receiver] {
        let [used, dropped] =
            ["feedback_accepted", "feedback_dropped"].map(|name| nic.counter(name));
        assert_eq!(used + dropped, nic.counter("rx_feedback"));
    }
    let [sent, lost] = ["probe_sent", "probe_lost"].map(|name| sender.counter(name));
    assert!(sent > 50 && lost > 0 && lost < sent / 5, "{sent} sent, {lost} lost");
}

/// Four WRITE flows of 50 Gb/s together on a port of 25, telemetry in every data packet.
fn windowed(by_receiver: bool, message_count: u32, seed: u64) -> Plan {
    Plan {
        stamping: plan(Some(PAPER), Manners::Prompt, seed).stamping,
        cc_mode: if by_receiver { CcMode::Receiver } else { CcMode::Sender },
        read_percent: 0,
        message_bytes: (100_000, 120_000),
        ..crowded(None, message_count, seed)
    }
}

/// Windows that the receiver computes bring the rate of WRITEs down to the port's and bound its queue as ACKs with
/// telemetry do, with no telemetry in any ACK; cut off, nothing slows the sender down.
#[test]
fn nic_pair_writes_follow_windows_of_the_receiver() {
    let line_rate = 8 << 24;
    let run = |by_receiver: bool, cut_opcode| {
        let plan = Plan { cut_opcode, ..windowed(by_receiver, 5, 61) };
        let report = exchange(&plan, EngineKind::Golden);
        assert!(report.is_good(), "{by_receiver}: {report:?}");
        println!(
            "by receiver {by_receiver}, cut {cut_opcode:?}: queue at most {} bytes, {:.2} Gb/s, {} windows \
             for {} data packets and {} ACKs, W and R {:?}",
            report.switch.queue_bytes_max,
            report.goodput_gbps(),
            report.nics[1].counter("window_sent"),
            report.nics[0].counter("tx_data"),
            report.nics[1].counter("tx_ack"),
            report.nics[0].flow0
        );
        report
    };
    let (by_sender, by_receiver) = (run(false, None), run(true, None));
    let cut = run(true, Some(0xc4));
    let [sender, receiver] = &by_receiver.nics[..] else { panic!("two NICs") };
    let windows = receiver.counter("window_sent");
    assert_eq!(sender.counter("rx_feedback"), windows);
    assert_eq!(sender.counter("feedback_accepted"), windows, "none is lost or overtaken");
    assert_eq!(sender.counter("window_sent") + receiver.counter("rx_feedback"), 0);
    // At most one of each of the four flows in T.
    let t_count = by_receiver.busy_ns / 5000.0;
    assert!(f64::from(windows) < 4.0 * t_count + 4.0, "{windows} in {t_count} T");
    assert!(f64::from(windows) > 2.0 * t_count, "{windows} in {t_count} T");
    let (_, rate) = sender.flow0.expect("watched");
    assert!(rate < line_rate / 2 && by_receiver.goodput_gbps() > 15.0, "{rate}");
    let queues = [&by_receiver, &by_sender, &cut].map(|report| report.switch.queue_bytes_max);
    assert!(queues[0] < queues[1] * 5 / 4 && queues[0] < queues[2] * 3 / 4, "{queues:?}");
    assert_eq!(cut.switch.cut, u64::from(cut.nics[1].counter("window_sent")));
    assert_eq!(cut.nics[0].flow0.expect("watched").1, line_rate - 1, "nothing slowed it down");
}

/// `plan` in lock-step, both ways and with READs beside the WRITEs, with losses, duplicates and overtaking.
fn in_lock_step(plan: Plan, manners: Manners) -> Report {
    let faults =
        Faults { loss_ppm: 10_000, duplicate_ppm: 5000, reorder_ppm: 5000, ..Faults::default() };
    let (one_way, read_percent, timeout_exponent) = (false, 30, 6);
    let plan = Plan { faults, manners, one_way, read_percent, timeout_exponent, ..plan };
    let report = exchange(&plan, EngineKind::Both);
    assert!(report.is_good(), "{report:?}");
    report
}

/// The same in lock-step, both ways and with READs beside the WRITEs, with losses, duplicates and overtaking: each
/// window or telemetry response that comes is used or dropped once.
#[test]
fn nic_pair_windows_of_receivers_in_lock_step() {
    for (seed, manners) in [(62, Manners::Prompt), (63, Manners::Stalling)] {
        let report = in_lock_step(windowed(true, 2, seed), manners);
        for nic in &report.nics {
            let [used, dropped, sent] =
                ["feedback_accepted", "feedback_dropped", "window_sent"].map(|n| nic.counter(n));
            println!("{used} used, {dropped} dropped, {sent} windows sent");
            assert_eq!(used + dropped, nic.counter("rx_feedback"));
            assert!(used > 50 && dropped > 0 && sent > 50);
        }
    }
}

/// Four WRITE flows of 50 Gb/s over a port of 50 Gb/s and then one of 25, each of which stamps.
fn two_hops(cc_mode: CcMode, message_count: u32, seed: u64) -> Plan {
    Plan { cc_mode, first_rate_code: Some(1), ..windowed(false, message_count, seed) }
}

/// The record of the most loaded hop alone, the second one's, does for the sender what the whole stack does, in ACKs that are
/// 8 bytes shorter.
#[test]
fn nic_pair_writes_follow_the_most_loaded_hop() {
    let run = |cc_mode| {
        let report = exchange(&two_hops(cc_mode, 5, 61), EngineKind::Golden);
        assert!(report.is_good(), "{cc_mode:?}: {report:?}");
        println!(
            "{cc_mode:?}: queue at most {} bytes, {:.2} Gb/s, ACKs {:?}, W and R {:?}",
            report.switch.queue_bytes_max,
            report.goodput_gbps(),
            report.acks,
            report.nics[0].flow0
        );
        report
    };
    let (stack, alone) = (run(CcMode::Sender), run(CcMode::WorstHop));
    // 62 bytes, 2 of the header and 8 a record; the first port has rate code 1, the second one 0.
    let of_stack = Ack { bytes: 80, hop_count: 2, rate_code: Some(1) };
    let of_second = Ack { bytes: 72, hop_count: 1, rate_code: Some(0) };
    let count = |report: &Report, ack| report.acks.get(&ack).copied().unwrap_or(0);
    let all = u64::from(alone.nics[1].counter("tx_ack"));
    // An ACK that finds its flow's telemetry sent already has none.
    let bare = Ack { bytes: 62, hop_count: 0, rate_code: None };
    assert_eq!(count(&stack, of_stack) + count(&stack, bare), all);
    assert_eq!([of_second, of_stack, bare].map(|ack| count(&alone, ack)).iter().sum::<u64>(), all);
    // Each flow's stack is whole until two packets have named the hop.
    assert!(count(&alone, of_second) > all * 9 / 10, "{:?}", alone.acks);
    assert!((8..20).contains(&count(&alone, of_stack)), "{:?}", alone.acks);
    let queues = [&alone, &stack].map(|report| report.switch.queue_bytes_max);
    assert!(queues[0] < queues[1] * 5 / 4, "{queues:?}");
    assert!(alone.goodput_gbps() > stack.goodput_gbps() * 0.95);
    let (_, rate) = alone.nics[0].flow0.expect("watched");
    assert!(rate < 4 << 24, "{rate}");
}

/// The same in lock-step, both ways and with READs beside the WRITEs, with losses, duplicates and overtaking.
#[test]
fn nic_pair_echoes_of_the_most_loaded_hop_in_lock_step() {
    for (seed, manners) in [(64, Manners::Prompt), (65, Manners::Stalling)] {
        let report = in_lock_step(two_hops(CcMode::WorstHop, 2, seed), manners);
        let alone: u64 =
            report.acks.iter().filter(|(ack, _)| ack.hop_count == 1).map(|(_, n)| n).sum();
        println!("{alone} ACKs with one hop: {:?}", report.acks);
        assert!(alone > 100);
    }
}

/// The same in lock-step, with losses: telemetry responses are lost too.
#[test]
fn nic_pair_read_responses_in_lock_step() {
    let faults = Faults { loss_ppm: 5000, duplicate_ppm: 5000, ..Faults::default() };
    let plan = Plan { faults, timeout_exponent: 6, ..crowded(None, 2, 32) };
    let report = exchange(&plan, EngineKind::Both);
    assert!(report.is_good(), "{report:?}");
    assert!(report.nics[1].counter("feedback_accepted") > 20);
}
