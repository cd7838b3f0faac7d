//! Requests that the standard refuses: the NAK, and what the queue pair does afterwards.

use super::{
    only, qp, region, request, Rig, ACCESS, HOST, INVALID, LENGTH, NO_QP, OUT_OF_SEQUENCE, PEER_IP,
    PSN, QPN, RKEY, VA,
};
use nic_models::streams::Request;
use nic_spec::rows::{MrRow, QpRow};
use nic_spec::wire::bth::opcode;

#[test]
fn responder_sends_one_nak_a_gap() {
    let mut rig = Rig::new();
    assert_eq!(rig.answers(&[only(0, 5), only(2, 5), only(3, 5)]), [(0x1f, 0, 1), (0x60, 1, 1)]);
    assert_eq!(rig.answers(&[only(1, 5), only(2, 5)]), [(0x1f, 1, 2), (0x1f, 2, 3)]);
    assert_eq!(rig.answers(&[only(5, 5), only(4, 5)]), [(0x60, 3, 3)]);
    assert_eq!(rig.answers(&[only(3, 5), only(5, 5)]), [(0x1f, 3, 4), (0x60, 4, 4)]);
    assert_eq!((rig.writes.len(), rig.count(OUT_OF_SEQUENCE)), (4, 5));
}

/// The requests get their first answers, then this fatal NAK and nothing more, and write nothing
/// from the fatal one on.
fn assert_fatal(requests: &[Request], syndrome: u8, event: usize) {
    let mut rig = Rig::new();
    let (last, good) = requests.split_last().expect("at least one");
    assert_eq!(rig.answers(good).len(), good.len(), "{requests:?}");
    let written = rig.writes.len();
    let answers = rig.answers(&[*last]);
    let psn = last.psn.wrapping_sub(PSN) & 0xff_ffff;
    assert_eq!(answers.iter().map(|a| (a.0, a.1)).collect::<Vec<_>>(), [(syndrome, psn)]);
    assert_eq!(rig.answers(&[only(good.len() as u32, 4), only(0, 4)]), [], "{last:?}");
    assert_eq!((rig.writes.len(), rig.count(event), rig.count(NO_QP)), (written, 1, 2));
    // Software starts the queue pair anew.
    rig.write_qp(qp());
    rig.run(100);
    assert_eq!(rig.answers(&[only(0, 4)]), [(0x1f, 0, 1)]);
}

#[test]
fn responder_refuses_wrong_opcode_sequences() {
    let first = request(opcode::WRITE_FIRST, 0, 0, 600, 256);
    for code in [opcode::WRITE_MIDDLE, opcode::WRITE_LAST, opcode::WRITE_LAST_IMM] {
        assert_fatal(&[request(code, 0, 0, 0, 256)], 0x61, INVALID);
    }
    for code in [opcode::WRITE_FIRST, opcode::WRITE_ONLY, opcode::WRITE_ONLY_IMM] {
        assert_fatal(&[first, request(code, 1, 0, 256, 256)], 0x61, INVALID);
    }
}

#[test]
fn responder_refuses_what_it_does_not_support_at_the_expected_psn() {
    let codes = (opcode::SEND_FIRST..=opcode::SEND_ONLY_IMM).chain([
        opcode::COMPARE_SWAP,
        opcode::FETCH_ADD,
        opcode::SEND_LAST_INVALIDATE,
        opcode::SEND_ONLY_INVALIDATE,
    ]);
    for code in codes {
        assert_fatal(&[Request { opcode: code, ..only(0, 4) }], 0x61, INVALID);
    }
    let mut rig = Rig::new();
    let read = Request { opcode: opcode::READ_REQUEST, ..only(1, 0) };
    assert_eq!(rig.answers(&[read, only(0, 4)]), [(0x60, 0, 0), (0x1f, 0, 1)]);
}

#[test]
fn responder_refuses_wrong_lengths() {
    let first = request(opcode::WRITE_FIRST, 0, 0, 600, 256);
    let middle = |payload| request(opcode::WRITE_MIDDLE, 1, 0, 0, payload);
    let last = |psn, payload| request(opcode::WRITE_LAST, psn, 0, 0, payload);
    let bad: &[&[Request]] = &[
        &[request(opcode::WRITE_FIRST, 0, 0, 600, 255)],
        &[request(opcode::WRITE_FIRST, 0, 0, 600, 257)],
        &[request(opcode::WRITE_FIRST, 0, 0, 256, 256)],
        &[request(opcode::WRITE_FIRST, 0, 0, 100, 256)],
        &[first, middle(255)],
        &[first, middle(0)],
        &[first, last(1, 88)],
        &[first, middle(256), last(2, 87)],
        &[first, middle(256), last(2, 89)],
        &[first, middle(256), last(2, 0)],
        &[first, middle(256), request(opcode::WRITE_MIDDLE, 2, 0, 0, 256)],
        &[request(opcode::WRITE_ONLY, 0, 0, 10, 9)],
        &[request(opcode::WRITE_ONLY, 0, 0, 9, 10)],
        &[request(opcode::WRITE_ONLY, 0, 0, 257, 257)],
        &[request(opcode::WRITE_FIRST, 0, 0, (1 << 31) + 1, 256)],
        &[request(opcode::WRITE_FIRST, 0, 0, u32::MAX, 256)],
    ];
    bad.iter().for_each(|requests| assert_fatal(requests, 0x61, INVALID));
}

#[test]
fn responder_refuses_writes_outside_of_regions() {
    let at = |offset, len| request(opcode::WRITE_ONLY, 0, offset, len, len as u16);
    assert_fatal(&[Request { rkey: RKEY ^ 1, ..at(0, 4) }], 0x62, ACCESS);
    assert_fatal(&[Request { rkey: RKEY ^ 1 << 31, ..at(0, 4) }], 0x62, ACCESS);
    assert_fatal(&[Request { rkey: RKEY + 0x100, ..at(0, 4) }], 0x62, ACCESS);
    assert_fatal(&[at(LENGTH, 1)], 0x62, ACCESS);
    assert_fatal(&[at(LENGTH - 4, 5)], 0x62, ACCESS);
    assert_fatal(&[at(u64::MAX, 1)], 0x62, ACCESS);
    assert_fatal(&[at(u64::MAX, 2)], 0x62, ACCESS);
    assert_fatal(&[at(VA.wrapping_neg(), 4)], 0x62, ACCESS);
    assert_fatal(&[at(u64::MAX - VA, 4)], 0x62, ACCESS);
    // The whole message is checked before its first byte is written.
    assert_fatal(&[request(opcode::WRITE_FIRST, 0, 0, LENGTH as u32 + 1, 256)], 0x62, ACCESS);
    let mut rig = Rig::new();
    assert_eq!(rig.answers(&[at(LENGTH - 4, 4)]), [(0x1f, 0, 1)]);
    assert_eq!(rig.writes[0].0, HOST + LENGTH - 4);
}

#[test]
fn responder_checks_permissions() {
    let no_write = MrRow { remote_write: false, ..region() };
    let invalid = MrRow { valid: false, ..region() };
    for mr in [no_write, invalid] {
        let mut rig = Rig::with(qp(), mr);
        assert_eq!(rig.answers(&[only(0, 4)]), [(0x62, 0, 0)]);
    }
    let mut rig = Rig::with(QpRow { remote_write: false, ..qp() }, region());
    assert_eq!(rig.answers(&[only(0, 4)]), [(0x61, 0, 0)]);
    assert!(rig.writes.is_empty());
}

#[test]
fn responder_writes_nothing_more_once_a_region_is_revoked() {
    let mut rig = Rig::new();
    let first = request(opcode::WRITE_FIRST, 0, 0, 600, 256);
    assert_eq!(rig.answers(&[first]), [(0x1f, 0, 0)]);
    rig.write_region(MrRow { valid: false, ..region() });
    rig.run(50);
    let middle = request(opcode::WRITE_MIDDLE, 1, 0, 0, 256);
    assert_eq!(rig.answers(&[middle]), [(0x62, 1, 0)]);
    assert_eq!(rig.writes.len(), 1);
}

#[test]
fn responder_is_silent_to_strangers() {
    let mut rig = Rig::new();
    let strangers = [
        Request { src_ip: PEER_IP + 1, ..only(0, 4) },
        Request { qpn: QPN + 64, ..only(0, 4) },
        Request { qpn: QPN + 1, ..only(0, 4) },
        Request { qpn: QPN ^ 0x80_0000, ..only(0, 4) },
    ];
    assert_eq!(rig.answers(&strangers), []);
    assert_eq!((rig.writes.len(), rig.count(NO_QP)), (0, 4));
    assert_eq!(rig.answers(&[only(0, 4)]), [(0x1f, 0, 1)]);
    rig.write_qp(QpRow { valid: false, ..qp() });
    rig.run(50);
    assert_eq!(rig.answers(&[only(1, 4)]), []);
}

#[test]
fn responder_keeps_a_nak_before_the_acks() {
    let mut rig = Rig::new();
    rig.holds_acks = true;
    rig.answers(&[only(0, 4)]);
    [only(2, 4), only(1, 4), only(2, 4)].iter().for_each(|r| {
        rig.send(*r);
    });
    rig.run(200);
    rig.holds_acks = false;
    rig.run(50);
    let all: Vec<_> = rig.acks.iter().map(|a| (a.syndrome, a.msn)).collect();
    assert_eq!(all, [(0x1f, 1), (0x60, 1), (0x1f, 3)]);
}
