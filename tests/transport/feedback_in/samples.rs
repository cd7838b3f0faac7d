//! What the congestion control and the receiver get to see of requests and ACKs.

use super::{direct, packet, row, Rig, FIRST_PSN, FLOW, PEER, PORT, QPN, REMOTE_QPN};
use nic_models::streams::{AckTelemetry, Feedback, Telemetry};

/// A request's telemetry goes to the congestion control as its data's, with the time and T behind it, also if the request
/// is taken as soon as it stands; each once, and only with windows of the receiver.
#[test]
fn feedback_in_samples_requests() {
    let mut rig = Rig::new(12, true);
    rig.pins.cfg_feedback_cycles = 625;
    let request = Feedback { valid: false, direct: true, probe: true, ..packet(9) };
    let sample = |rig: &mut Rig, request: Feedback, cycles: usize| {
        let heard = rig.heard.len();
        rig.pins.s_feedback = request;
        for cycle in 0..cycles {
            (rig.pins.req.valid, rig.pins.req.ready) = (true, cycle + 1 == cycles);
            rig.step();
        }
        rig.pins.req.valid = false;
        // What comes next at the same place is no request; samples are 64 cycles apart.
        rig.pins.s_feedback = Feedback::default();
        (0..70).for_each(|_| rig.step());
        rig.heard[heard..].to_vec()
    };
    assert!(sample(&mut rig, request, 1).is_empty(), "windows of the sender");
    rig.pins.cfg_by_time = true;
    rig.step();
    let mut last = None;
    for cycles in [1, 2, 3, 5, 40] {
        let heard = sample(&mut rig, request, cycles);
        let [cc] = heard[..] else { panic!("{} in {cycles} cycles", heard.len()) };
        assert!(rig.peers.pop().expect("one"));
        assert_eq!((cc.flow, cc.tel.path, cc.tel.hop), (FLOW, 0xabc, [1, 2, 3, 4, 5]));
        assert_eq!(cc.snd_nxt, cc.psn + 625);
        // The rig runs 70 cycles more and what the one before was short of.
        if let Some((psn, before)) = last.replace((cc.psn, cycles as u32)) {
            assert_eq!(cc.psn - psn, before + 70, "{cycles}");
        }
    }
    for bad in [
        Feedback { qpn: REMOTE_QPN, ..request },
        Feedback { qpn: QPN ^ 1 << 23, ..request },
        Feedback { src_ip: PEER ^ 1, ..request },
        Feedback { tel: Telemetry { valid: false, ..request.tel }, ..request },
    ] {
        assert!(sample(&mut rig, bad, 20).is_empty(), "{bad:?}");
    }
    // Without room it is missed, and nothing waits.
    rig.pins.m_cc.ready = false;
    sample(&mut rig, request, 1);
    assert!(sample(&mut rig, request, 1).is_empty());
    rig.pins.m_cc.ready = true;
    (0..4).for_each(|_| rig.step());
    assert_eq!(rig.heard.len(), 6);
    assert_eq!(rig.events, [0, 0], "requests are no telemetry responses");
    rig.row(&row(false));
    assert!(sample(&mut rig, request, 20).is_empty(), "a queue pair without telemetry");
}

/// For the echo of one hop telemetry of requests and ACKs go side by side: the former as the peer's, with the time and 1 behind it,
/// an ACK as ever, a cycle later; it does not wait for samples.
#[test]
fn feedback_in_samples_requests_beside_acks() {
    let mut rig = Rig::new(14, true);
    (rig.pins.cfg_worst_hop, rig.pins.cfg_feedback_cycles) = (true, 625);
    rig.pins.s_feedback = Feedback { valid: false, ..packet(9) };
    let mut samples = vec![];
    for round in 0..400 {
        // A request that is taken as soon as it stands, in each cycle; an ACK now and then.
        (rig.pins.req.valid, rig.pins.req.ready) = (true, true);
        let (heard, psn) = (rig.heard.len(), round * 7);
        if round % 5 == 0 {
            let tel = Telemetry { valid: true, hops: 2, path: 0x123, hop: [6, 7, 8, 9, 10] };
            rig.pins.s_cc = AckTelemetry { valid: true, flow: 9, psn, snd_nxt: psn + 3, tel };
        }
        let mut waited = 0;
        for _ in 0..11 {
            let is_taken = rig.out.s_cc.ready && rig.pins.s_cc.valid;
            rig.step();
            rig.pins.s_cc.valid &= !is_taken;
            waited += u32::from(rig.pins.s_cc.valid);
        }
        assert!(waited < 9, "an ACK waits for {waited} cycles");
        for (cc, peer) in rig.heard[heard..].iter().zip(&rig.peers[heard..]) {
            match peer {
                true => {
                    samples.push(cc.psn);
                    assert_eq!((cc.flow, cc.snd_nxt), (FLOW, cc.psn + 1));
                    assert_eq!((cc.tel.path, cc.tel.hop), (0xabc, [1, 2, 3, 4, 5]));
                }
                false => {
                    assert_eq!((cc.flow, cc.snd_nxt), (9, cc.psn + 3));
                    assert_eq!((cc.tel.path, cc.tel.hop), (0x123, [6, 7, 8, 9, 10]));
                }
            }
        }
    }
    let acks = rig.peers.iter().filter(|peer| !**peer).count();
    assert_eq!((acks, rig.events), (80, [0, 0]));
    assert!(samples.windows(2).all(|pair| pair[1] - pair[0] >= 64), "{samples:?}");
    assert!(samples.len() > 55, "{}", samples.len());
}

/// With windows of the receiver ACKs and what else tells of data goes nowhere; telemetry responses go by the time.
#[test]
fn feedback_in_leaves_data_to_the_receiver() {
    let mut rig = Rig::new(13, true);
    (rig.pins.cfg_by_time, rig.pins.cfg_feedback_cycles) = (true, 625);
    rig.send_on(FLOW, FIRST_PSN);
    rig.acknowledge(FIRST_PSN);
    assert_eq!(rig.receive(direct(FIRST_PSN)), None);
    let answer = Feedback { direct: true, probe: true, ..packet(FIRST_PSN) };
    assert_eq!(rig.receive(answer), None);
    assert!(rig.heard.is_empty() && rig.answered.is_empty());
    rig.send(FIRST_PSN);
    let (psn, snd_nxt) = rig.receive(packet(FIRST_PSN)).expect("of a READ response");
    assert_eq!(snd_nxt, psn + 625);
    (0..100).for_each(|_| rig.step());
    let (later, _) = rig.receive(packet(FIRST_PSN)).expect("again");
    assert!((100..120).contains(&(later - psn)), "{psn}, then {later}");
}

/// A row, a packet, an ACK and a telemetry response in one cycle: none is lost, the row is in force behind them.
#[test]
fn feedback_in_row_waits_for_the_tables() {
    for shift in 0..6 {
        let mut rig = Rig::new(7, true);
        rig.send_on(FLOW, FIRST_PSN);
        rig.pins.s_feedback = direct(FIRST_PSN);
        (0..shift).for_each(|_| rig.step());
        // A row of another flow.
        rig.pins.row.valid = true;
        rig.pins.cfg_index = FLOW + 1;
        rig.step();
        rig.pins.row.valid = false;
        rig.pins.s_feedback.valid &= !rig.out.s_feedback.ready;
        rig.send_on(64 + FLOW, 77);
        for _ in 0..20 {
            rig.pins.s_feedback.valid &= !rig.out.s_feedback.ready;
            rig.step();
        }
        assert_eq!(rig.heard.len(), 1, "shift {shift}");
        assert_eq!(rig.receive(packet(77)), Some((77, 78)), "shift {shift}");
        // The row is that of FLOW with the same queue pair: what is sent there is known.
        rig.send_on(FLOW + 1, FIRST_PSN);
        rig.pins.s_feedback = Feedback { port: PORT + 1, ..direct(FIRST_PSN) };
        for _ in 0..20 {
            rig.pins.s_feedback.valid &= !rig.out.s_feedback.ready;
            rig.step();
        }
        let last = rig.heard.last().expect("heard");
        assert_eq!((last.flow, last.psn), (FLOW + 1, FIRST_PSN), "shift {shift}");
    }
}
