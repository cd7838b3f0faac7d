//! feedback_in: Verilog against golden model, and its rules one by one.

mod samples;

use nic_harness::lockstep::{LockStep, Stepper};
use nic_models::golden::transport::feedback::input::{FeedbackIn, FeedbackInIn, FeedbackInOut};
use nic_models::ports::Wide;
use nic_models::streams::{back, AckTelemetry, Feedback, Telemetry};
use nic_spec::rows::QpRow;
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, gbe, lock_step};

const QPN: u32 = 0x01_0205;

const PEER: u32 = 0x0a00_0002;

/// The peer's QPN, whose low bits are of another flow.
const REMOTE_QPN: u32 = 0x5a_5a5a;

const FLOW: u16 = (QPN % 64) as u16;

/// UDP source port: the flow and bits that do not matter.
const PORT: u16 = 0xd3c0 | FLOW;

const FIRST_PSN: u32 = 0xff_fffe;

#[test]
fn feedback_in_matches_golden() {
    assert_matches_golden("feedback_in", 0..4, 100_000, &[]);
}

#[test]
fn feedback_in_breaks_are_caught() {
    let breaks = [
        ("(from_cc | cfg_by_time) & !full &", "(from_cc | cfg_by_time) &"),
        ("!is_void & has_room", "!is_void"),
        ("has_room = m_window_ready", "has_room = !full"),
        ("(!full & is_idle & from_cc)", "(is_idle & from_cc)"),
        ("(!full & is_idle & from_cc)", "(!full & is_idle)"),
        ("(!full & is_idle & from_cc)", "(!full & from_cc)"),
        ("& (from_cc | cfg_by_time) &", "&"),
        ("!from_cc", "1'b1"),
        ("(!(|rest))", "1'b1"),
        ("!cfg_by_time & (!cfg_worst_hop | s_cc_valid)", "!cfg_by_time"),
        ("!cfg_by_time & (!cfg_worst_hop | s_cc_valid)", "!cfg_worst_hop | s_cc_valid"),
        ("cc_peer_next = is_request", "cc_peer_next = 1'b0"),
        ("(cfg_by_time | is_request)", "cfg_by_time"),
        ("span = cfg_feedback_cycles", "span = one"),
        ("row_qpn == qpn", "1'b1"),
        ("row_ip == src_ip", "1'b1"),
        ("behind[23] | window", "1'b1"),
        ("is_ours & (request |", "is_ours & (1'b0 |"),
        ("from_peer & is_right", "from_peer"),
        ("s_feedback_direct & !s_feedback_probe;", "s_feedback_direct;"),
        ("s_feedback_probe & judge_m_is_ours", "judge_m_is_ours"),
        ("dropped_next = !m_probe_accepted", "dropped_next = 1'b0"),
        ("answer_flow <= flow", "answer_flow <= s_feedback_qpn[5:0]"),
        ("known & from_peer", "from_peer"),
        ("is_on & may", "is_on"),
        ("may_next = cfg_by_time", "may_next = 1'b1"),
        ("window & !is_seen", "window"),
        ("window & !is_seen", "1'b0"),
        ("steps_back & !fresh", "steps_back"),
        ("behind[23] | window", "behind[23]"),
        ("is_window & (row_valid | row_comes)", "is_window & row_comes"),
        ("row_hits | row_stands", "row_hits"),
        ("req_valid & s_feedback_tel_valid", "req_valid"),
        ("!sampled", "1'b1"),
        ("(!req_valid | !req_ready)", "1'b1"),
        ("load_feedback & !is_request", "load_feedback"),
        ("is_good & !window & !request", "is_good & !window"),
        ("is_idle & !from_cc))", "1'b0))"),
        ("acks & !cfg_by_time", "acks"),
        ("(load_ack & !cfg_by_time)", "load_ack"),
        ("load_feedback & !is_window)", "load_feedback)"),
        ("fills_next = is_good & !window", "fills_next = is_good"),
        ("now + {4'd0, span}", "now"),
        ("sent_before + 24'd1", "sent_before"),
        ("row_remote == qpn", "1'b1"),
        ("!by_port & own", "own"),
        ("& !is_stale", ""),
        ("steps_back | (!(|step))", "steps_back"),
        ("steps_back | (!(|step))", "(!(|step))"),
        ("first_psn - 24'd1", "first_psn"),
        ("& !acks &", "&"),
        ("& !acks & !counting", "& !acks"),
        (".ack(flows_ack)", ".ack(1'b0)"),
        ("of_row = top", "of_row = 7'd0"),
        ("row_writes & row_replies", "row_writes"),
        ("rows_read_data[80] &", ""),
        ("sent_read_data[24] | of_data", "1'b1"),
        ("seen_read_data[24] | of_data", "1'b1"),
        ("{24'd0, !row_writes}", "{24'd0, 1'b1}"),
        ("|(scrub & top)", "1'b1"),
        ("scrub + 7'd1", "scrub + 7'd2"),
        // The last flow has all bits of an index.
        ("rows_write_address = scrub[5:0]", "rows_write_address = {1'b0, scrub[4:0]}"),
        ("far_step = 24'h40_0000", "far_step = 24'h20_0000"),
        ("count & count_ahead", "count"),
        ("!feedback_next |", "1'b1 |"),
        ("stale | row_hits", "stale"),
    ];
    assert_catches("feedback_in", 400_000, &breaks);
    // These take a row in the very cycle.
    let breaks = [
        ("is_window & (row_valid | row_comes)", "is_window & row_valid"),
        ("judge_m_is_ours & !is_void", "judge_m_is_ours"),
    ];
    assert_catches("feedback_in", 1_000_000, &breaks);
}

/// Pins and engine of a directed test.
struct Rig {
    engine: LockStep<FeedbackIn>,
    pins: FeedbackInIn,
    out: FeedbackInOut,
    /// Flows whose probe is answered.
    answered: Vec<u16>,
    /// Flows of windows that were taken.
    windows: Vec<u16>,
    /// What the congestion control heard, and how many were accepted and dropped.
    heard: Vec<AckTelemetry>,
    /// Whether that was of the peer's data.
    peers: Vec<bool>,
    events: [u32; 2],
}

impl Rig {
    fn new(seed: u64, telemetry: bool) -> Self {
        let source = bench_and_verilog("feedback_in").1;
        let engine = lock_step(FeedbackIn::new(&gbe()), &source, seed);
        let mut pins = FeedbackInIn::default();
        pins.m_cc.ready = true;
        let out = FeedbackInOut::default();
        let (answered, windows, heard) = (vec![], vec![], vec![]);
        let peers = vec![];
        let mut rig = Self { engine, pins, out, answered, windows, heard, peers, events: [0; 2] };
        // The tables are cleared.
        (0..=64).for_each(|_| rig.step());
        rig.row(&row(telemetry));
        rig
    }

    fn step(&mut self) {
        if self.out.m_cc.valid && self.pins.m_cc.ready {
            self.heard.push(self.out.m_cc);
            self.peers.push(self.out.m_cc_peer);
        }
        if self.out.m_window.valid && self.pins.m_window.ready {
            self.windows.push(self.out.m_window.flow);
        }
        self.out = self.engine.step(&self.pins).unwrap_or_else(|e| panic!("{e}"));
        self.answered.extend(self.out.m_answer.valid.then_some(self.out.m_answer.flow));
        self.events[0] += u32::from(self.out.event_feedback.accepted);
        self.events[1] += u32::from(self.out.event_feedback.dropped);
    }

    fn row(&mut self, row: &QpRow) {
        let row = row.to_row();
        let word = |n: usize| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32;
        self.pins.cfg_index = FLOW;
        self.pins.cfg_row = Wide(core::array::from_fn(word));
        (self.pins.row.valid, self.pins.row.ready) = (true, true);
        self.step();
        self.pins.row.valid = false;
        // Rows are 12 cycles apart.
        (0..11).for_each(|_| self.step());
    }

    /// A READ response.
    fn send(&mut self, psn: u32) {
        self.send_on(64 + FLOW, psn);
    }

    fn send_on(&mut self, flow: u16, psn: u32) {
        self.pins.sent.flow = flow;
        (self.pins.sent.psn, self.pins.sent.valid, self.pins.sent.ready) = (psn, true, true);
        self.step();
        self.pins.sent.valid = false;
        (0..2).for_each(|_| self.step());
    }

    /// An ACK with telemetry.
    fn acknowledge(&mut self, psn: u32) {
        self.pins.s_cc.tel = Telemetry { valid: true, ..Telemetry::default() };
        (self.pins.s_cc.valid, self.pins.s_cc.flow, self.pins.s_cc.psn) = (true, FLOW, psn);
        while !self.out.s_cc.ready {
            self.step();
        }
        self.step();
        self.pins.s_cc.valid = false;
        self.step();
    }

    /// A telemetry response; PSN and snd_nxt that the congestion control hears.
    fn receive(&mut self, packet: Feedback) -> Option<(u32, u32)> {
        let heard = self.heard.len();
        self.pins.s_feedback = packet;
        let mut cycles = 0;
        while !self.out.s_feedback.ready {
            self.step();
            cycles += 1;
            assert!(cycles < 20, "it is never taken");
        }
        self.step();
        self.pins.s_feedback.valid = false;
        self.step();
        self.heard.get(heard).map(|cc| {
            let flow = if packet.direct { FLOW } else { 64 + FLOW };
            assert_eq!((cc.flow, cc.tel.valid, cc.tel.hops), (flow, true, 2));
            assert_eq!((cc.tel.path, cc.tel.hop), (0xabc, [1, 2, 3, 4, 5]));
            (cc.psn, cc.snd_nxt)
        })
    }
}

fn row(telemetry: bool) -> QpRow {
    QpRow {
        valid: true,
        telemetry,
        qpn: QPN,
        remote_qpn: REMOTE_QPN,
        remote_ip: PEER,
        sq_psn: FIRST_PSN,
        ..QpRow::default()
    }
}

/// A switch's answer to a data packet.
fn direct(psn: u32) -> Feedback {
    Feedback { qpn: REMOTE_QPN, direct: true, port: PORT, ..packet(psn) }
}

fn packet(psn: u32) -> Feedback {
    let tel = Telemetry { valid: true, hops: 2, path: 0xabc, hop: [1, 2, 3, 4, 5] };
    // The port of a peer's telemetry response says nothing.
    let (direct, probe, window, port) = (false, false, false, 0x3f);
    Feedback { valid: true, qpn: QPN, psn, src_ip: PEER, direct, probe, window, port, tel }
}

/// What is not an answer to a READ response of the queue pair is dropped, each counted once.
#[test]
fn feedback_in_drops_what_does_not_belong() {
    let mut rig = Rig::new(1, true);
    assert_eq!(rig.receive(packet(5)), None, "nothing was sent");
    rig.send(0xff_ffff);
    assert_eq!(rig.receive(packet(0)), None, "PSN 0 was not sent");
    assert_eq!(rig.receive(packet(0xff_ffff)), Some((0xff_ffff, 0)));
    let good = packet(0xff_ffff);
    let other_qpn = Feedback { qpn: QPN + 64, ..good };
    let other_ip = Feedback { src_ip: PEER + 1, ..good };
    let no_tel = Feedback { tel: Telemetry { valid: false, ..good.tel }, ..good };
    for bad in [other_qpn, other_ip, no_tel] {
        assert_eq!(rig.receive(bad), None, "{bad:?}");
    }
    assert_eq!(rig.events, [1, 5]);
    // A row, valid or not, forgets what was sent; one without telemetry hears nothing.
    rig.row(&row(true));
    assert_eq!(rig.receive(good), None);
    let mut rig = Rig::new(2, false);
    rig.send(0xff_ffff);
    assert_eq!(rig.receive(good), None);
    assert_eq!(rig.events, [0, 1]);
}

/// WRITEs of the peer take PSNs too: however many, the congestion control sees the next telemetry
/// response ahead of all that it knows; an overtaken one is shown as it is.
#[test]
fn feedback_in_shows_psns_ahead_after_any_gap() {
    let mut rig = Rig::new(3, true);
    let mut sent = 100;
    rig.send(sent);
    assert_eq!(rig.receive(packet(sent)), Some((100, 101)));
    for gap in [1, 1000, (1 << 22) - 1, 1 << 22, 1 << 23, (1 << 23) + 5, (1 << 24) - (1 << 16) - 1]
    {
        let before = sent;
        sent = (sent + gap) & 0xff_ffff;
        rig.send(sent);
        let (psn, snd_nxt) = rig.receive(packet(sent)).expect("it counts");
        let ahead = psn.wrapping_sub(before) & 0xff_ffff;
        assert_eq!((ahead, snd_nxt), (gap.min(1 << 22), (sent + 1) & 0xff_ffff), "gap {gap}");
    }
    let overtaken = sent.wrapping_sub(1 << 16) & 0xff_ffff;
    assert_eq!(rig.receive(packet(overtaken)).map(|(psn, _)| psn), Some(overtaken));
    // It does not count as the latest: the next is compared with the one before it.
    sent = (sent + (1 << 22)) & 0xff_ffff;
    rig.send(sent);
    assert_eq!(rig.receive(packet(sent)).map(|(psn, _)| psn), Some(sent));
}

/// Telemetry responses and ACKs wait together: they take turns, and neither is lost.
#[test]
fn feedback_in_takes_turns() {
    let mut rig = Rig::new(4, true);
    rig.send(7);
    rig.pins.s_feedback = packet(7);
    rig.pins.s_cc.valid = true;
    rig.pins.s_cc.flow = 9;
    (0..300).for_each(|_| rig.step());
    let of_acks = rig.heard.iter().filter(|cc| cc.flow == 9).count();
    assert!(rig.heard.len() > 60, "{} in 300 cycles", rig.heard.len());
    assert!(of_acks.abs_diff(rig.heard.len() - of_acks) <= 1);
}

/// A direct response counts for data of the queue pair that its port names, if the peer's queue pair and
/// address are those of the row and the packet was sent since; others are dropped, each counted once.
#[test]
fn feedback_in_takes_direct_responses_for_data() {
    let mut rig = Rig::new(5, true);
    assert_eq!(rig.receive(direct(FIRST_PSN)), None, "nothing was sent");
    rig.send(FIRST_PSN);
    assert_eq!(rig.receive(direct(FIRST_PSN)), None, "it was a READ response");
    rig.send_on(FLOW + 1, FIRST_PSN);
    assert_eq!(rig.receive(direct(FIRST_PSN)), None, "it was another flow's");
    rig.send_on(FLOW, FIRST_PSN);
    assert_eq!(rig.receive(direct(FIRST_PSN + 1)), None, "this PSN was not sent");
    assert_eq!(rig.receive(direct(FIRST_PSN - 1)), None, "nor was this one");
    let good = direct(FIRST_PSN);
    let bad = [
        Feedback { qpn: QPN, ..good },
        Feedback { qpn: REMOTE_QPN ^ 1 << 23, ..good },
        Feedback { src_ip: PEER ^ 1, ..good },
        Feedback { port: PORT ^ 1, ..good },
        Feedback { tel: Telemetry { valid: false, ..good.tel }, ..good },
    ];
    for bad in bad {
        assert_eq!(rig.receive(bad), None, "{bad:?}");
    }
    assert_eq!(rig.events, [0, 10]);
    assert_eq!(rig.receive(good), Some((FIRST_PSN, FIRST_PSN + 1)));
    assert_eq!(rig.receive(good), None, "twice");
    // The PSN wraps; what was sent between is still good, what is behind the latest is not.
    for psn in [FIRST_PSN + 1, 0, 1, 2] {
        rig.send_on(FLOW, psn);
    }
    assert_eq!(rig.receive(direct(1)), Some((1, 3)));
    assert_eq!(rig.receive(direct(0)), None, "overtaken");
    assert_eq!(rig.receive(direct(2)), Some((2, 3)));
    assert_eq!(rig.events, [3, 12]);
    // A telemetry response of the READ response still counts: the two do not meet.
    assert_eq!(rig.receive(packet(FIRST_PSN)), Some((FIRST_PSN, FIRST_PSN + 1)));
    // A row forgets what was sent and seen.
    rig.row(&row(true));
    assert_eq!(rig.receive(direct(2)), None);
    rig.send_on(FLOW, FIRST_PSN);
    assert_eq!(rig.receive(good), Some((FIRST_PSN, FIRST_PSN + 1)));
    rig.row(&row(false));
    rig.send_on(FLOW, FIRST_PSN);
    assert_eq!(rig.receive(good), None, "a queue pair without telemetry");
}

/// What an ACK's telemetry has told already is stale; one that is behind by more than 2^16 tells of a flow that
/// had no telemetry for 2^24 packets or so, and counts.
#[test]
fn feedback_in_drops_direct_responses_behind_the_latest_telemetry() {
    let mut rig = Rig::new(6, true);
    let psn_add = |psn: u32, step: u32| psn.wrapping_add(step) & 0xff_ffff;
    let mut sent = psn_add(FIRST_PSN, 1000);
    rig.send_on(FLOW, sent);
    let acked = psn_add(FIRST_PSN, 500);
    rig.acknowledge(acked);
    assert_eq!(rig.receive(direct(psn_add(acked, 0))), None);
    assert_eq!(rig.receive(direct(psn_add(acked, u32::MAX))), None);
    assert_eq!(rig.receive(direct(psn_add(acked, 1))), Some((psn_add(acked, 1), psn_add(sent, 1))));
    let last = psn_add(acked, 1);
    for (back, counts) in [(1 << 16, false), ((1 << 16) + 1, true)] {
        sent = last.wrapping_sub(back) & 0xff_ffff;
        rig.send_on(FLOW, sent);
        let heard = rig.receive(direct(sent));
        assert_eq!(heard, counts.then_some((sent, psn_add(sent, 1))), "{back} behind");
    }
}

/// The answer to a probe: as a direct response, but for our own queue pair, whatever the port. Late or not, the
/// probe is answered; by another it is not.
#[test]
fn feedback_in_takes_answers_to_probes() {
    let mut rig = Rig::new(8, true);
    rig.send_on(FLOW, FIRST_PSN);
    rig.send_on(FLOW, FIRST_PSN + 1);
    let answer = |psn| Feedback { direct: true, probe: true, ..packet(psn) };
    let good = answer(FIRST_PSN);
    for bad in [
        Feedback { qpn: REMOTE_QPN, ..good },
        Feedback { qpn: QPN ^ 1 << 23, ..good },
        Feedback { src_ip: PEER ^ 1, ..good },
        Feedback { tel: Telemetry { valid: false, ..good.tel }, ..good },
    ] {
        assert_eq!(rig.receive(bad), None, "{bad:?}");
    }
    assert!(rig.answered.is_empty());
    assert_eq!(rig.receive(good), Some((FIRST_PSN, 0)));
    assert_eq!(rig.receive(good), None, "twice");
    assert_eq!(rig.receive(answer(5)), None, "this PSN was not sent");
    assert_eq!((&rig.answered[..], rig.events), (&[FLOW; 3][..], [1, 6]));
    assert_eq!(rig.receive(direct(FIRST_PSN + 1)), Some((FIRST_PSN + 1, 0)), "others still count");
    assert_eq!(rig.answered.len(), 3);
}

/// A probe with telemetry is offered to who answers it, until that one has said what becomes of it.
#[test]
fn feedback_in_passes_probes() {
    let mut rig = Rig::new(9, true);
    let probe = Feedback { probe: true, ..packet(77) };
    for (tel, verdict, events) in
        [(true, true, [1, 0]), (true, false, [1, 1]), (false, true, [1, 2])]
    {
        rig.pins.s_feedback = Feedback { tel: Telemetry { valid: tel, ..probe.tel }, ..probe };
        rig.step();
        for _ in 0..if tel { 20 } else { 0 } {
            rig.step();
            assert!(rig.out.m_probe.valid && !rig.out.s_feedback.ready);
        }
        rig.pins.m_probe = back::ProbeOffer { ready: tel, accepted: verdict };
        if tel {
            rig.step();
        }
        assert!(rig.out.s_feedback.ready && !rig.out.m_probe.valid);
        (rig.pins.s_feedback.valid, rig.pins.m_probe.ready) = (true, false);
        rig.step();
        rig.pins.s_feedback.valid = false;
        (0..5).for_each(|_| rig.step());
        assert_eq!((rig.events, rig.heard.len(), rig.answered.len()), (events, 0, 0));
    }
}

/// A window: of the peer, to our queue pair; the first of a row whatever its time, then what is newer, or older by so much
/// that the time has come round.
#[test]
fn feedback_in_offers_windows() {
    let mut rig = Rig::new(10, true);
    rig.pins.cfg_by_time = true;
    let window = |psn| Feedback { window: true, ..packet(psn) };
    let mut taken = 0;
    let mut receive = |rig: &mut Rig, packet: Feedback| {
        let events = rig.events;
        rig.pins.m_window.ready = true;
        assert_eq!(rig.receive(packet), None, "no window goes to the congestion control");
        let counts = rig.events == [events[0] + 1, events[1]];
        assert!(counts || rig.events == [events[0], events[1] + 1]);
        assert_eq!(rig.windows.len(), taken + usize::from(counts));
        taken = rig.windows.len();
        counts
    };
    // Its time may be that of the PSN before the first one of the row; nothing was sent.
    assert!(receive(&mut rig, window(FIRST_PSN - 1)));
    for (psn, counts) in [
        (FIRST_PSN - 1, false),
        (FIRST_PSN - 2, false),
        (FIRST_PSN - 1 - (1 << 16), false),
        (FIRST_PSN - 2 - (1 << 16), true),
        (0x7f_0000, true),
        (0xff_0000, true),
        (5, true),
        (0xff_ffff, false),
    ] {
        assert_eq!(receive(&mut rig, window(psn)), counts, "{psn:#x}");
    }
    let good = window(6);
    for bad in [
        Feedback { qpn: REMOTE_QPN, ..good },
        Feedback { qpn: QPN ^ 1 << 23, ..good },
        Feedback { src_ip: PEER ^ 1, ..good },
    ] {
        assert!(!receive(&mut rig, bad), "{bad:?}");
    }
    assert!(receive(&mut rig, Feedback { tel: Telemetry::default(), ..good }), "no telemetry");
    rig.row(&row(true));
    assert!(receive(&mut rig, good), "another row");
    rig.row(&row(false));
    assert!(!receive(&mut rig, window(7)), "a queue pair without telemetry");
    rig.row(&row(true));
    rig.pins.cfg_by_time = false;
    assert!(!receive(&mut rig, window(8)), "who computes its windows itself");
    assert!(rig.windows.iter().all(|flow| *flow == FLOW) && rig.heard.is_empty());
}

/// A window waits for its room, and is dropped if any row waits or comes meanwhile: it may be that queue pair's.
#[test]
fn feedback_in_drops_windows_beside_a_row() {
    for shift in 0..8 {
        let mut rig = Rig::new(11, true);
        rig.pins.cfg_by_time = true;
        rig.pins.s_feedback = Feedback { window: true, ..packet(5) };
        (0..shift).for_each(|_| rig.step());
        // Of another queue pair; it is not taken yet.
        (rig.pins.row.valid, rig.pins.row.ready, rig.pins.cfg_index) = (true, false, FLOW + 1);
        rig.step();
        rig.pins.row.valid = false;
        rig.pins.m_window.ready = true;
        for _ in 0..10 {
            let is_taken = rig.out.s_feedback.ready;
            rig.step();
            rig.pins.s_feedback.valid &= !is_taken;
        }
        // In the first cycle nothing has been looked up yet.
        let counts = shift == 0;
        assert_eq!(rig.events, if counts { [1, 0] } else { [0, 1] }, "shift {shift}");
        assert_eq!(rig.windows.len(), usize::from(counts));
    }
}
