//! feedback_in: Verilog against golden model, and its rules one by one.

use nic_sim::golden::rx::rx_pipe::{FeedbackPorts, TelPorts};
use nic_sim::golden::transport::feedback_in::{FeedbackIn, FeedbackInIn, FeedbackInOut};
use nic_sim::golden::transport::requester::CcPorts;
use nic_sim::lockstep::{LockStep, Stepper};
use nic_sim::ports::Wide;
use nic_spec::rows::QpRow;
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, gbe, lock_step};

const QPN: u32 = 0x01_0205;
const PEER: u32 = 0x0a00_0002;

#[test]
fn feedback_in_matches_golden() {
    assert_matches_golden("feedback_in", 0..4, 100_000, &[]);
}

#[test]
fn feedback_in_breaks_are_caught() {
    for (from, to) in [
        ("s_cc_valid & !full", "s_cc_valid"),
        ("!is_void & !full", "!is_void"),
        ("(!full & !is_judged)", "(!is_judged)"),
        ("(row_qpn == qpn)", "1'b1"),
        ("(row_ip == src_ip)", "1'b1"),
        ("known & behind[23]", "known"),
        ("is_on & tel_valid", "is_on"),
        ("sent_psn + 24'd1", "sent_psn"),
        ("far_step = 24'h40_0000", "far_step = 24'h20_0000"),
        ("count & count_ahead", "count"),
        ("!feedback_next |", "1'b1 |"),
        ("stale | row_hits", "stale"),
    ] {
        assert_catches("feedback_in", from, to, 100_000);
    }
}

/// Pins and engine of a directed test.
struct Rig {
    engine: LockStep<FeedbackIn>,
    pins: FeedbackInIn,
    out: FeedbackInOut,
    /// What the congestion control heard, and how many were accepted and dropped.
    heard: Vec<CcPorts>,
    events: [u32; 2],
}

impl Rig {
    fn new(seed: u64, telemetry: bool) -> Self {
        let source = bench_and_verilog("feedback_in").1;
        let engine = lock_step(FeedbackIn::new(&gbe()), &source, seed);
        let mut pins = FeedbackInIn::default();
        pins.m_cc.ready = true;
        let out = FeedbackInOut::default();
        let mut rig = Self { engine, pins, out, heard: vec![], events: [0; 2] };
        rig.row(&QpRow { valid: true, telemetry, qpn: QPN, remote_ip: PEER, ..QpRow::default() });
        rig
    }

    fn step(&mut self) {
        if self.out.m_cc.valid && self.pins.m_cc.ready {
            self.heard.push(self.out.m_cc);
        }
        self.out = self.engine.step(&self.pins).unwrap_or_else(|e| panic!("{e}"));
        self.events[0] += u32::from(self.out.event_feedback.accepted);
        self.events[1] += u32::from(self.out.event_feedback.dropped);
    }

    fn row(&mut self, row: &QpRow) {
        let row = row.to_row();
        let word = |n: usize| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32;
        self.pins.cfg_index = (QPN % 64) as u16;
        self.pins.cfg_row = Wide(core::array::from_fn(word));
        (self.pins.row.valid, self.pins.row.ready) = (true, true);
        self.step();
        self.pins.row.valid = false;
        // A row counts from the next cycle.
        self.step();
    }

    fn send(&mut self, psn: u32) {
        let flow = (QPN % 64) as u16;
        self.pins.sent.flow = flow;
        (self.pins.sent.psn, self.pins.sent.valid, self.pins.sent.ready) = (psn, true, true);
        self.step();
        self.pins.sent.valid = false;
    }

    /// A telemetry response; PSN and snd_nxt that the congestion control hears.
    fn receive(&mut self, packet: FeedbackPorts) -> Option<(u32, u32)> {
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
            assert_eq!((cc.flow, cc.tel.valid, cc.tel.hops), (64 + (QPN % 64) as u16, true, 2));
            assert_eq!((cc.tel.path, cc.tel.hop), (0xabc, [1, 2, 3, 4, 5]));
            (cc.psn, cc.snd_nxt)
        })
    }
}

fn packet(psn: u32) -> FeedbackPorts {
    let tel = TelPorts { valid: true, hops: 2, path: 0xabc, hop: [1, 2, 3, 4, 5] };
    FeedbackPorts { valid: true, qpn: QPN, psn, src_ip: PEER, tel }
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
    let other_qpn = FeedbackPorts { qpn: QPN + 64, ..good };
    let other_ip = FeedbackPorts { src_ip: PEER + 1, ..good };
    let no_tel = FeedbackPorts { tel: TelPorts { valid: false, ..good.tel }, ..good };
    for bad in [other_qpn, other_ip, no_tel] {
        assert_eq!(rig.receive(bad), None, "{bad:?}");
    }
    assert_eq!(rig.events, [1, 5]);
    // A row, valid or not, forgets what was sent; one without telemetry hears nothing.
    rig.row(&QpRow { valid: true, telemetry: true, qpn: QPN, remote_ip: PEER, ..QpRow::default() });
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
