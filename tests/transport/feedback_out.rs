//! feedback_out: Verilog against golden model, and its promises: at most one telemetry response in
//! an interval, the first at once, the newest telemetry when the time is up, nothing lost.

use nic_harness::lockstep::{LockStep, Stepper};
use nic_models::golden::transport::feedback::output::{
    FeedbackOut, FeedbackOutIn, FeedbackOutOut, WatchPorts,
};
use nic_models::ports::Wide;
use nic_models::streams::Telemetry;
use nic_spec::rows::QpRow;
use nic_spec::wire::bth::opcode;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, gbe, lock_step};

/// Cycles that a telemetry response may come behind its time, with nothing in its way but others.
const LATE_CYCLES: u64 = 250;
const FLOWS: usize = 64;

#[test]
fn feedback_out_matches_golden() {
    assert_matches_golden("feedback_out", 0..4, 100_000, &[]);
}

#[test]
fn feedback_out_breaks_are_caught() {
    let breaks = [
        ("age >= {4'd0, interval}", "1'b1"),
        ("joins_next = !is_busy", "joins_next = 1'b1"),
        ("joins_next = is_pending", "joins_next = 1'b0"),
        ("watch_opcode == 8'd14", "watch_opcode == 8'd17"),
        ("loading_next = is_pending", "loading_next = 1'b1"),
        ("flags_write_data[2] = 1'b0", "flags_write_data[2] = is_pending"),
        ("flags_write_data[1] = is_pending", "flags_write_data[1] = is_busy"),
        ("flags_write_data[0] = has_telemetry", "flags_write_data[0] = 1'b1"),
        ("flags_write_data = 3'd0", "flags_write_data = 3'd1"),
        ("|(scrub & top)", "1'b1"),
        ("is_open & (op ==", "(op =="),
        ("is_open & (takes_probe", "(takes_probe"),
        ("cfg_row[0] & cfg_row[1]", "cfg_row[0]"),
        ("due_s_valid = full & m_feedback_ready", "due_s_valid = full"),
        ("m_feedback_ready & !answer", "m_feedback_ready"),
        ("((full | loading) &", "(1'b0 &"),
        ("(|answers_count) |", ""),
        ("answer_joins |", ""),
        ("held_busy | s_probe_valid |", "held_busy |"),
        ("(!queue_m_valid | !answer)", "1'b1"),
        ("accepts & answers_s_ready", "accepts"),
        ("& !row_waits", ""),
        ("answer_out + 4'd1", "answer_out + 4'd2"),
        ("probe_valid & !held", "probe_valid"),
        ("is_probe_next = takes_probe", "is_probe_next = 1'b0"),
    ];
    assert_catches("feedback_out", 100_000, &breaks);
}

/// Pins and engine of a directed test.
struct Rig {
    engine: LockStep<FeedbackOut>,
    pins: FeedbackOutIn,
    out: FeedbackOutOut,
    cycle: u64,
}

impl Rig {
    fn new(seed: u64, interval: u32) -> Self {
        let source = bench_and_verilog("feedback_out").1;
        let engine = lock_step(FeedbackOut::new(&gbe()), &source, seed);
        let mut pins = FeedbackOutIn { cfg_feedback_cycles: interval, ..FeedbackOutIn::default() };
        (pins.m_feedback.ready, pins.m_cfg.ready) = (true, true);
        let mut rig = Self { engine, pins, out: FeedbackOutOut::default(), cycle: 0 };
        // The flags are cleared.
        (0..FLOWS).for_each(|_| rig.step());
        rig
    }

    fn step(&mut self) {
        self.out = self.engine.step(&self.pins).unwrap_or_else(|e| panic!("{e}"));
        self.cycle += 1;
        self.pins.watch.valid = false;
    }

    fn row(&mut self, flow: usize, telemetry: bool) {
        let (qpn, remote_ip) = (qpn(flow), ip(flow));
        let row = QpRow { valid: true, telemetry, qpn, remote_ip, ..QpRow::default() }.to_row();
        let word = |n: usize| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32;
        self.pins.cfg_index = flow as u16;
        self.pins.cfg_row = Wide(core::array::from_fn(word));
        self.pins.s_cfg.valid = true;
        let start = self.cycle;
        while !self.out.s_cfg.ready {
            self.step();
            assert!(self.cycle < start + 50, "the row is never taken");
        }
        self.step();
        self.pins.s_cfg.valid = false;
    }

    fn answer(&mut self, flow: usize, psn: u32) {
        let hop = [psn.into(); 5];
        let tel = Telemetry { valid: true, hops: 5, path: psn as u16 & 0xfff, hop };
        let opcode = opcode::READ_RESPONSE_MIDDLE;
        let (qpn, src_ip) = (qpn(flow), ip(flow));
        let ready = true;
        self.pins.watch = WatchPorts { valid: true, ready, opcode, qpn, psn, src_ip, tel };
    }

    /// The telemetry response that is taken in this cycle: flow and PSN.
    fn taken(&self) -> Option<(usize, u32)> {
        let m = self.out.m_feedback;
        assert_eq!(m.tel.valid, m.valid);
        let is_whole = m.tel.hop == [u64::from(m.psn); 5] && m.tel.path == m.psn as u16 & 0xfff;
        assert!(!m.valid || is_whole, "{m:?} is a mixture");
        (m.valid && self.pins.m_feedback.ready).then_some((m.flow.into(), m.psn))
    }
}

fn qpn(flow: usize) -> u32 {
    0x01_0000 + 64 * 3 + flow as u32
}

fn ip(flow: usize) -> u32 {
    0x0a00_0100 + flow as u32
}

/// The first leaves after [`LATENCY_CYCLES`], the next when the interval is over, with what came last.
#[test]
fn feedback_out_sends_the_first_at_once_and_then_the_newest() {
    use nic_hdl::transport::feedback::output::LATENCY_CYCLES;
    let mut rig = Rig::new(1, 625);
    rig.row(5, true);
    rig.answer(5, 1);
    let start = rig.cycle;
    while rig.taken().is_none() {
        rig.step();
    }
    assert_eq!((rig.taken(), rig.cycle - start), (Some((5, 1)), LATENCY_CYCLES as u64));
    let start = rig.cycle;
    rig.step();
    for psn in 2..12 {
        rig.answer(5, psn);
        (0..50).for_each(|_| rig.step());
        assert_eq!(rig.taken(), None);
    }
    while rig.taken().is_none() {
        rig.step();
    }
    assert_eq!(rig.taken(), Some((5, 11)));
    let waited = rig.cycle - start;
    assert!((625..625 + 16).contains(&waited), "{waited} cycles");
    // Nothing came since: nothing leaves, and the next that comes leaves at once again.
    rig.step();
    for _ in 0..2000 {
        rig.step();
        assert_eq!(rig.taken(), None);
    }
    rig.answer(5, 12);
    (0..LATENCY_CYCLES).for_each(|_| rig.step());
    assert_eq!(rig.taken(), Some((5, 12)));
}

/// A row forgets; one without telemetry sends nothing, whatever comes.
#[test]
fn feedback_out_rows_forget() {
    let mut rig = Rig::new(2, 300);
    rig.row(9, true);
    rig.answer(9, 1);
    let mut sent = vec![];
    let mut run = |rig: &mut Rig, cycles: u32| {
        for _ in 0..cycles {
            sent.extend(rig.taken());
            rig.step();
        }
        sent.len()
    };
    assert_eq!(run(&mut rig, 20), 1);
    rig.answer(9, 2);
    assert_eq!(run(&mut rig, 20), 1);
    rig.row(9, true);
    assert_eq!(run(&mut rig, 1000), 1, "what came before the row is forgotten");
    rig.row(9, false);
    for psn in 3..20 {
        rig.answer(9, psn);
        assert_eq!(run(&mut rig, 100), 1);
    }
    // A row waits for the frame of its flow that stands at the tx pipe, not for others'.
    rig.row(9, true);
    rig.answer(9, 20);
    rig.pins.m_feedback.ready = false;
    (0..30).for_each(|_| rig.step());
    assert!(rig.out.m_feedback.valid);
    rig.row(10, true);
    rig.pins.cfg_index = 9;
    rig.pins.s_cfg.valid = true;
    (0..100).for_each(|_| rig.step());
    assert!(!rig.out.m_cfg.valid && !rig.out.s_cfg.ready);
    rig.pins.m_feedback.ready = true;
    (0..3).for_each(|_| rig.step());
    (0..3).for_each(|_| {
        if !rig.out.m_cfg.valid {
            rig.step()
        }
    });
    assert!(rig.out.m_cfg.valid);
}

/// Sixteen answers to probes wait for the tx pipe, in their order, whatever the interval; more probes are dropped, as
/// are all while a row waits. The row waits until the last answer has left.
#[test]
fn feedback_out_answers_probes() {
    let mut rig = Rig::new(3, 5000);
    let probe = |rig: &mut Rig, flow: usize, psn: u32, src_ip: u32| {
        rig.answer(flow, psn);
        (rig.pins.watch.valid, rig.pins.watch.ready) = (false, false);
        (rig.pins.watch.opcode, rig.pins.watch.src_ip) = (opcode::TELEMETRY_PROBE, src_ip);
        rig.pins.s_probe.valid = true;
        let start = rig.cycle;
        while !rig.out.s_probe.ready {
            rig.step();
            assert!(rig.cycle < start + 10, "it is never looked up");
        }
        let accepted = rig.out.s_probe.accepted;
        rig.step();
        rig.pins.s_probe.valid = false;
        accepted
    };
    for flow in [9, 10] {
        rig.row(flow, true);
    }
    rig.row(11, false);
    rig.pins.m_feedback.ready = false;
    assert!(!probe(&mut rig, 9, 1, ip(10)), "another address");
    assert!(!probe(&mut rig, 11, 1, ip(11)), "without telemetry");
    // One stands at the output, and sixteen wait.
    for psn in 100..117 {
        let flow = 9 + psn as usize % 2;
        assert!(probe(&mut rig, flow, psn, ip(flow)), "{psn}");
        (0..10).for_each(|_| rig.step());
    }
    assert!(!probe(&mut rig, 9, 117, ip(9)), "no room");
    rig.pins.cfg_index = 12;
    rig.pins.s_cfg.valid = true;
    let (mut sent, mut is_refused) = (vec![], false);
    rig.pins.m_feedback.ready = true;
    while !rig.out.m_cfg.valid {
        sent.extend(rig.taken().map(|(flow, psn)| (flow, psn, rig.out.m_feedback.answer)));
        rig.step();
        if sent.len() == 5 && !is_refused {
            is_refused = true;
            assert!(!probe(&mut rig, 9, 118, ip(9)), "a row waits");
        }
        assert!(rig.cycle < 2000, "the row is never taken");
    }
    let wanted = (100..117).map(|psn| (9 + psn as usize % 2, psn, true));
    assert!(sent.len() >= 12 && sent.iter().all(|one| wanted.clone().any(|w| w == *one)));
    assert!(sent.is_sorted_by_key(|(_, psn, _)| *psn));
    while !rig.out.s_cfg.ready {
        rig.step();
    }
    rig.step();
    rig.pins.s_cfg.valid = false;
    // Answers and others in turn: neither waits for more than one of the other.
    rig.row(9, true);
    rig.pins.m_feedback.ready = false;
    for psn in 200..204 {
        assert!(probe(&mut rig, 10, psn, ip(10)));
    }
    rig.answer(9, 300);
    (0..20).for_each(|_| rig.step());
    rig.pins.m_feedback.ready = true;
    let mut order = vec![];
    for _ in 0..100 {
        order.extend(rig.taken().map(|(_, psn)| psn));
        rig.step();
    }
    assert_eq!(order, [200, 300, 201, 202, 203]);
}

/// Random answers of all flows with stalls: intervals are kept, what leaves is the newest, and
/// nothing is late once nobody holds it up; flows without telemetry stay silent.
#[test]
fn feedback_out_keeps_its_promises_under_load() {
    for (seed, interval, pause) in [(3, 625, 8), (4, 3000, 40), (5, 0, 200), (6, 40, 8)] {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut rig = Rig::new(seed, interval);
        (0..FLOWS).for_each(|flow| rig.row(flow, flow % 8 != 7));
        let mut newest = [None; FLOWS];
        let mut last_taken = [None; FLOWS];
        let (mut since, mut count, mut next_psn, mut stalled_until) = (0, 0, 1, 0);
        for _ in 0..150_000 {
            since += 1;
            if since >= 8 && rng.gen_ratio(1, pause) {
                let flow = if rng.gen() { rng.gen_range(0..FLOWS) } else { rng.gen_range(0..4) };
                rig.answer(flow, next_psn);
                newest[flow] = Some((next_psn, rig.cycle));
                (since, next_psn) = (0, next_psn + 1);
            }
            let is_stalled = rng.gen_ratio(1, 400) || rig.cycle < stalled_until;
            if is_stalled && rig.cycle >= stalled_until {
                stalled_until = rig.cycle + rng.gen_range(1..600);
            }
            rig.pins.m_feedback.ready = !is_stalled;
            if let Some((flow, psn)) = rig.taken() {
                count += 1;
                assert_ne!(flow % 8, 7, "flow {flow} has no telemetry");
                if let Some(before) = last_taken[flow].replace(rig.cycle) {
                    assert!(
                        rig.cycle - before >= u64::from(interval),
                        "flow {flow} at {}",
                        rig.cycle
                    );
                }
                let (newest_psn, came) = newest[flow].expect("something came");
                // What came while it stood at the output leaves with the next.
                if psn == newest_psn {
                    newest[flow] = None;
                } else {
                    let stood_since = stalled_until.min(rig.cycle).saturating_sub(700);
                    assert!(came >= stood_since, "flow {flow} sends {psn}, {newest_psn} had come");
                }
            }
            rig.step();
            if rig.cycle > stalled_until + 700 {
                for flow in (0..FLOWS).filter(|flow| flow % 8 != 7) {
                    let Some((psn, came)) = newest[flow] else { continue };
                    let due = last_taken[flow].map_or(0, |at| at + u64::from(interval)).max(came);
                    let due = due.max(stalled_until + 700);
                    let late = rig.cycle.saturating_sub(due);
                    assert!(late < LATE_CYCLES, "seed {seed}: {psn} of flow {flow} is {late} late");
                }
            }
        }
        println!("seed {seed}: {count} telemetry responses for {next_psn} READ responses");
        assert!(count > 100);
    }
}
