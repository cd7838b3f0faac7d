//! probe_out: Verilog against golden model, and its rules one by one.

use nic_harness::lockstep::{LockStep, Stepper};
use nic_models::golden::transport::probe_out::{ProbeOut, ProbeOutIn, ProbeOutOut};
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, gbe, lock_step};

/// Cycles from one turn of a queue pair to the next one.
const TURN_CYCLES: u32 = 64 * 8;

#[test]
fn probe_out_matches_golden() {
    assert_matches_golden("probe_out", 0..4, 100_000, &[]);
}

#[test]
fn probe_out_breaks_are_caught() {
    let breaks = [
        ("sent_ready & sent_bare", "sent_ready"),
        ("& (|sent_payload_bytes)", ""),
        ("& (!(|sent_top))", ""),
        ("(inflight_bytes == nothing)", "1'b1"),
        ("if (!answered) begin", "begin"),
        ("if (!row) begin", "begin"),
        ("if (!sent) begin", "begin"),
        ("& !full & !sends", "& !full"),
        ("& !full &", "&"),
        ("is_time & (|period)", "is_time"),
        ("next_elapsed >= period", "next_elapsed > period"),
        ("elapsed_next = 14'd1", "elapsed_next = 14'd0"),
        ("round_next = round + 2'd1", "round_next = round"),
        ("is_new & (!is_open | is_lost)", "is_new"),
        ("turns & is_new &", "turns &"),
        ("notes_write_data = 4'd0 |", "notes_write_data = 4'd1 |"),
        ("notes_write_data[0] = 1'b0", "notes_write_data[0] = notes_read_data[0]"),
        ("clears_next = !is_last", "clears_next = 1'b0"),
        ("psn_next = psns_read_data", "psn_next = psn"),
        ("row_next = 1'b1", "row_next = 1'b0"),
        ("lost_event <= turns & is_lost", "lost_event <= turns & is_open"),
    ];
    assert_catches("probe_out", 100_000, &breaks);
}

/// Pins and engine of a directed test.
struct Rig {
    engine: LockStep<ProbeOut>,
    pins: ProbeOutIn,
    out: ProbeOutOut,
    /// Cycle, flow and PSN of each probe.
    probes: Vec<(u32, u16, u32)>,
    /// Probes sent and lost, by their events.
    events: [u32; 2],
    cycle: u32,
}

impl Rig {
    fn new(seed: u64) -> Self {
        let source = bench_and_verilog("probe_out").1;
        let engine = lock_step(ProbeOut::new(&gbe()), &source, seed);
        let mut pins = ProbeOutIn { cfg_probe_cycles: TURN_CYCLES, ..ProbeOutIn::default() };
        pins.m_probe.ready = true;
        let (out, events) = (ProbeOutOut::default(), [0; 2]);
        let mut rig = Self { engine, pins, out, probes: vec![], events, cycle: 0 };
        // What comes while the notes are cleared is not noticed.
        rig.run(64);
        rig
    }

    fn run(&mut self, cycles: u32) {
        for _ in 0..cycles {
            let m = self.out.m_probe;
            if m.valid && self.pins.m_probe.ready {
                self.probes.push((self.cycle, m.flow, m.psn));
            }
            self.out = self.engine.step(&self.pins).unwrap_or_else(|e| panic!("{e}"));
            self.events[0] += u32::from(self.out.event_probe.sent);
            self.events[1] += u32::from(self.out.event_probe.lost);
            (self.pins.sent.valid, self.pins.inflight.valid) = (false, false);
            (self.pins.answer.valid, self.pins.row.valid) = (false, false);
            self.cycle += 1;
        }
    }

    /// A data packet without telemetry.
    fn send(&mut self, flow: u16, psn: u32) {
        let sent = &mut self.pins.sent;
        (sent.valid, sent.ready, sent.bare) = (true, true, true);
        (sent.flow, sent.psn, sent.payload_bytes) = (flow, psn, 1);
    }

    fn inflight(&mut self, flow: u16, bytes: u32) {
        let inflight = &mut self.pins.inflight;
        (inflight.valid, inflight.ready, inflight.flow, inflight.bytes) = (true, true, flow, bytes);
    }

    fn answer(&mut self, flow: u16) {
        (self.pins.answer.valid, self.pins.answer.flow) = (true, flow);
    }

    fn row(&mut self, flow: u16) {
        (self.pins.row.valid, self.pins.row.ready, self.pins.cfg_index) = (true, true, flow);
    }

    /// Flow and PSN of the probes of so many turns.
    fn turns(&mut self, count: u32) -> Vec<(u16, u32)> {
        let before = self.probes.len();
        self.run(count * TURN_CYCLES);
        self.probes[before..].iter().map(|(_, flow, psn)| (*flow, *psn)).collect()
    }
}

/// One probe of what is new, with the latest PSN; the next one once that is answered, and data are new again.
#[test]
fn probe_out_sends_one_at_a_time() {
    let mut rig = Rig::new(1);
    assert_eq!(rig.turns(2), []);
    for psn in [0xff_fffe, 0xff_ffff, 0] {
        rig.send(5, psn);
        rig.run(3);
    }
    rig.send(63, 7);
    rig.run(3);
    let mut probes = rig.turns(2);
    probes.sort();
    assert_eq!(probes, [(5, 0), (63, 7)]);
    rig.answer(5);
    rig.run(3);
    assert_eq!(rig.turns(1), [], "nothing is new");
    for flow in [5, 63] {
        rig.send(flow, 9);
        rig.run(3);
    }
    assert_eq!(rig.turns(1), [(5, 9)], "the other has no answer yet");
    assert_eq!(rig.turns(1), [(63, 9)], "now it is lost");
    assert_eq!(rig.events, [4, 1]);
}

/// READ responses, packets with telemetry and those without payload are not probed for, nor is what is
/// acknowledged, nor what a row has forgotten.
#[test]
fn probe_out_needs_data_in_flight() {
    let mut rig = Rig::new(2);
    for change in 0..3 {
        rig.send(5, 1);
        let sent = &mut rig.pins.sent;
        match change {
            0 => sent.flow = 64 + 5,
            1 => sent.bare = false,
            _ => sent.payload_bytes = 0,
        }
        rig.run(3);
    }
    assert_eq!(rig.turns(2), []);
    rig.send(5, 1);
    rig.run(1);
    rig.inflight(5, 0);
    rig.run(4);
    assert_eq!(rig.turns(2), [], "all is acknowledged");
    rig.send(5, 2);
    rig.run(1);
    rig.inflight(5, 1);
    rig.run(4);
    rig.inflight(6, 0);
    rig.run(4);
    assert_eq!(rig.turns(1), [(5, 2)]);
    rig.send(5, 3);
    rig.run(3);
    rig.row(5);
    rig.run(12);
    assert_eq!(rig.turns(6), [], "the row has forgotten");
    assert_eq!(rig.events, [1, 0], "the probe of before is nobody's any more");
    rig.send(5, 4);
    rig.run(3);
    assert_eq!(rig.turns(1), [(5, 4)]);
}

/// Without an answer the next probe comes four turns later, to the cycle; an answer in the last of them is in time.
#[test]
fn probe_out_counts_a_probe_as_lost_after_four_turns() {
    let mut rig = Rig::new(3);
    let mut psn = 0;
    let mut busy = |rig: &mut Rig, turns: u32| {
        for _ in 0..turns * TURN_CYCLES / 4 {
            rig.send(40, psn);
            psn += 1;
            rig.run(4);
        }
    };
    busy(&mut rig, 10);
    let at: Vec<u32> = rig.probes.iter().map(|(cycle, ..)| *cycle).collect();
    assert!((2..=3).contains(&at.len()), "{at:?}");
    // A turn is put off by what is noted, some cycles at most.
    assert!(at.windows(2).all(|w| (w[1] - w[0]).abs_diff(4 * TURN_CYCLES) < 8), "{at:?}");
    assert_eq!(rig.events[1] + 1, rig.events[0]);
    let lost = rig.events[1];
    while rig.probes.len() == at.len() {
        busy(&mut rig, 1);
    }
    let sent = rig.probes.len();
    busy(&mut rig, 2);
    rig.answer(40);
    busy(&mut rig, 1);
    assert_eq!((rig.probes.len(), rig.events[1]), (sent + 1, lost + 1));
}

/// A probe that the tx pipe does not take holds up the turns, and is not changed.
#[test]
fn probe_out_waits_for_the_tx_pipe() {
    let mut rig = Rig::new(4);
    rig.pins.m_probe.ready = false;
    for flow in 0..64 {
        rig.send(flow, 100 + u32::from(flow));
        rig.run(3);
    }
    rig.run(3 * TURN_CYCLES);
    let first = rig.out.m_probe;
    assert!(first.valid && rig.probes.is_empty() && first.psn == 100 + u32::from(first.flow));
    rig.send(first.flow, 900);
    rig.run(TURN_CYCLES);
    assert_eq!(rig.out.m_probe, first);
    rig.pins.m_probe.ready = true;
    let probes = rig.turns(1);
    assert_eq!((probes.len(), probes[0]), (64, (first.flow, first.psn)));
    let next = (0..64).map(|step| (first.flow + step) % 64);
    assert!(probes.iter().map(|(flow, _)| *flow).eq(next), "in turn");
}
