//! READ requests: how they are answered, repeated, refused and forgotten.

use super::{
    only, qp, region, request, Rig, ACCEPTED, ACCESS, DUPLICATE, HOST, INVALID, LENGTH, NO_QP,
    OPERATION, PSN, RKEY,
};
use nic_models::streams::{ReadCommand, Reply, Request};
use nic_spec::rows::{MrRow, QpRow};
use nic_spec::wire::bth::opcode;

/// QP and region that may be read.
fn read_qp() -> QpRow {
    QpRow { remote_read: true, ..qp() }
}

fn read_region() -> MrRow {
    MrRow { remote_read: true, ..region() }
}

fn read_rig() -> Rig {
    Rig::with(read_qp(), read_region())
}

fn read(psn_offset: u32, offset: u64, bytes: u32) -> Request {
    request(opcode::READ_REQUEST, psn_offset, offset, bytes, 0)
}

const FIRST: u8 = opcode::READ_RESPONSE_FIRST;

const MIDDLE: u8 = opcode::READ_RESPONSE_MIDDLE;

const LAST: u8 = opcode::READ_RESPONSE_LAST;

const ONLY: u8 = opcode::READ_RESPONSE_ONLY;

impl Rig {
    /// Sends requests and waits; opcode, PSN offset, offset in the region and bytes of the responses.
    fn responses(&mut self, requests: &[Request]) -> Vec<(u8, u32, u64, u16)> {
        self.packets.clear();
        self.answers(requests);
        let packet = |(pkt, read): &(Reply, ReadCommand)| {
            assert_eq!((pkt.flow, read.valid), (5, pkt.payload_bytes > 0));
            assert!(!read.valid || read.bytes == pkt.payload_bytes);
            let offset = if read.valid { read.addr - HOST } else { 0 };
            let psn = pkt.psn.wrapping_sub(PSN) & 0xff_ffff;
            (pkt.opcode, psn, offset, pkt.payload_bytes)
        };
        self.packets.iter().map(packet).collect()
    }
}

#[test]
fn responder_answers_reads_over_the_psn_wrap() {
    let mut rig = read_rig();
    let expected = [(FIRST, 0, 5, 256), (MIDDLE, 1, 261, 256), (LAST, 2, 517, 88)];
    assert_eq!(rig.responses(&[read(0, 5, 600)]), expected);
    let aeth = |p: &(Reply, ReadCommand)| (p.0.syndrome, p.0.msn);
    assert_eq!(rig.packets.iter().map(aeth).collect::<Vec<_>>(), [(0x1f, 1), (0, 0), (0x1f, 1)]);
    let expected = [(ONLY, 3, 0, 256), (FIRST, 4, 0, 256), (LAST, 5, 256, 1)];
    assert_eq!(rig.responses(&[read(3, 0, 256), read(4, 0, 257)]), expected);
    assert_eq!(rig.answers(&[only(6, 4)]), [(0x1f, 6, 4)]);
    assert_eq!((rig.count(ACCEPTED), rig.acks.len()), (4, 1));
}

#[test]
fn responder_answers_a_read_of_nothing_without_a_key() {
    let mut rig = read_rig();
    let empty = Request { rkey: 0xdead_beef, va: 0, ..read(0, 0, 0) };
    assert_eq!(rig.responses(&[empty]), [(ONLY, 0, 0, 0)]);
    assert_eq!((rig.packets[0].0.syndrome, rig.packets[0].0.msn), (0x1f, 1));
    assert_eq!(rig.answers(&[only(1, 4)]), [(0x1f, 1, 2)]);
}

/// A READ of 2^31 bytes takes this many PSNs; a few of its responses, its repetition from the start
/// and from its last response on, and what comes behind it.
fn assert_longest_read(mtu_code: u8, packets: u32) {
    let region = MrRow { length_bytes: 1 << 31, ..read_region() };
    let mut rig = Rig::with(QpRow { mtu_code, ..read_qp() }, region);
    rig.holds_replies = true;
    let whole = read(0, 0, 1 << 31);
    assert_eq!(rig.answers(&[whole, whole, only(packets, 4)]), []);
    assert_eq!((rig.count(ACCEPTED), rig.count(DUPLICATE)), (2, 1));
    let mtu = 256 << mtu_code;
    rig.holds_replies = false;
    rig.run(120);
    let first: Vec<_> = rig.packets.iter().map(|p| (p.0.opcode, p.0.payload_bytes)).collect();
    assert_eq!(first[..2], [(FIRST, mtu), (MIDDLE, mtu)]);
    rig.holds_replies = true;
    // What was on its way comes, then the last response alone, asked for twice.
    rig.run(50);
    let last = read(packets - 1, (1 << 31) - u64::from(mtu), mtu.into());
    rig.answers(&[last]);
    let beyond = Request { dma_len: u32::from(mtu) + 3, ..last };
    rig.answers(&[beyond]);
    rig.holds_replies = false;
    let offset = (1 << 31) - u64::from(mtu);
    let expected = (LAST, packets - 1, offset, mtu);
    assert_eq!(rig.responses(&[]), []);
    rig.run(100);
    assert_eq!(rig.responses(&[last]), [expected]);
    assert_eq!(rig.acks.last().map(|a| a.psn), Some((PSN + packets) & 0xff_ffff));
    // From its first PSN on it starts anew, though all PSNs that can be told apart lie in between.
    if packets < 1 << 23 {
        rig.packets.clear();
        rig.send(whole);
        rig.run(100);
        assert_eq!(rig.packets[0].0.opcode, FIRST);
    }
}

#[test]
fn responder_takes_the_longest_read() {
    assert_longest_read(4, 1 << 19);
    assert_longest_read(0, 1 << 23);
    let region = MrRow { length_bytes: u64::MAX, ..read_region() };
    let mut rig = Rig::with(read_qp(), region);
    assert_eq!(rig.answers(&[read(0, 0, (1 << 31) + 1)]), [(0x61, 0, 0)]);
}

#[test]
fn responder_refuses_reads_that_it_cannot_answer() {
    let cases: &[(u8, usize, QpRow, MrRow, Request)] = &[
        (0x61, INVALID, qp(), read_region(), read(0, 0, 4)),
        (0x61, INVALID, read_qp(), read_region(), read(0, 0, u32::MAX)),
        (0x61, INVALID, read_qp(), read_region(), Request { payload_bytes: 4, ..read(0, 0, 4) }),
        (0x62, ACCESS, read_qp(), region(), read(0, 0, 4)),
        (0x62, ACCESS, read_qp(), MrRow { valid: false, ..read_region() }, read(0, 0, 4)),
        (0x62, ACCESS, read_qp(), read_region(), Request { rkey: RKEY ^ 1, ..read(0, 0, 4) }),
        (0x62, ACCESS, read_qp(), read_region(), Request { rkey: RKEY + 0x100, ..read(0, 0, 4) }),
        (0x62, ACCESS, read_qp(), read_region(), read(0, LENGTH, 1)),
        (0x62, ACCESS, read_qp(), read_region(), read(0, LENGTH - 4, 5)),
        (0x62, ACCESS, read_qp(), read_region(), read(0, 0, LENGTH as u32 + 1)),
        (0x62, ACCESS, read_qp(), read_region(), read(0, u64::MAX, 2)),
    ];
    for (syndrome, event, qp, mr, request) in cases {
        let mut rig = Rig::with(*qp, *mr);
        assert_eq!(rig.answers(&[*request]), [(*syndrome, 0, 0)], "{request:?}");
        assert_eq!(rig.answers(&[read(0, 0, 4)]), []);
        assert_eq!((rig.packets.len(), rig.count(*event), rig.count(NO_QP)), (0, 1, 1));
    }
    let mut rig = read_rig();
    let first = request(opcode::WRITE_FIRST, 0, 0, 600, 256);
    assert_eq!(rig.answers(&[first, read(1, 0, 4)]), [(0x1f, 0, 0), (0x61, 1, 0)]);
    let mut rig = read_rig();
    assert_eq!(
        rig.answers(&[read(1, 0, 4), read(0, 0, 4), only(1, 4)]),
        [(0x60, 0, 0), (0x1f, 1, 2)]
    );
    // Regions and queue pairs that may be read and not written.
    let mr = MrRow { remote_write: false, ..read_region() };
    let mut rig = Rig::with(QpRow { remote_write: false, ..read_qp() }, mr);
    assert_eq!(rig.responses(&[read(0, 0, 4)]), [(ONLY, 0, 0, 4)]);
    assert_eq!(rig.answers(&[only(1, 4)]), [(0x61, 1, 1)]);
}

#[test]
fn responder_reads_nothing_before_earlier_writes_have_landed() {
    let mut rig = read_rig();
    rig.holds_dones = true;
    assert_eq!(rig.responses(&[only(0, 40), read(1, 0, 40)]), []);
    rig.holds_dones = false;
    assert_eq!(rig.responses(&[read(2, 0, 1)]), [(ONLY, 1, 0, 40), (ONLY, 2, 0, 1)]);
    // The READ's response is the WRITE's acknowledgement.
    assert!(rig.acks.len() <= 1);
    // A WRITE that fails takes the READ behind it along.
    let mut rig = read_rig();
    (rig.holds_dones, rig.error) = (true, true);
    rig.answers(&[only(0, 4), read(1, 0, 4), read(1, 0, 4)]);
    rig.holds_dones = false;
    assert_eq!(rig.answers(&[]), []);
    rig.run(50);
    assert_eq!(rig.acks.iter().map(|a| (a.syndrome, a.psn)).collect::<Vec<_>>(), [(0x63, PSN)]);
    assert_eq!((rig.packets.len(), rig.count(OPERATION)), (0, 2));
}

#[test]
fn responder_holds_answers_back_until_reads_are_answered() {
    let mut rig = read_rig();
    rig.holds_replies = true;
    assert_eq!(rig.answers(&[read(0, 0, 300), only(2, 4), only(3, 4), only(6, 4)]), []);
    rig.holds_replies = false;
    rig.run(100);
    let all: Vec<_> = rig.acks.iter().map(|a| (a.syndrome, a.psn, a.msn)).collect();
    assert_eq!(all, [(0x60, 2, 3), (0x1f, 1, 3)]);
    assert_eq!(rig.packets.len(), 2);
    // A fatal NAK waits as well.
    rig.holds_replies = true;
    assert_eq!(rig.answers(&[read(4, 0, 300), only(6, 4), read(7, LENGTH, 4)]), []);
    rig.holds_replies = false;
    rig.run(100);
    let all: Vec<_> = rig.acks[2..].iter().map(|a| (a.syndrome, a.psn, a.msn)).collect();
    assert_eq!(all, [(0x62, 5, 5), (0x1f, 4, 5)]);
}

#[test]
fn responder_answers_repeated_reads_from_where_they_are_asked() {
    let mut rig = read_rig();
    rig.responses(&[read(0, 5, 600), only(3, 4), read(4, 0, 4)]);
    let whole = [(FIRST, 0, 5, 256), (MIDDLE, 1, 261, 256), (LAST, 2, 517, 88)];
    assert_eq!(rig.responses(&[read(0, 5, 600)]), whole);
    assert_eq!(rig.responses(&[read(1, 261, 344)]), whole[1..]);
    assert_eq!(rig.responses(&[read(2, 517, 88)]), whole[2..]);
    assert_eq!(rig.responses(&[read(4, 0, 4)]), [(ONLY, 4, 0, 4)]);
    // The MSN is the present one.
    assert_eq!(rig.packets[0].0.msn, 3);
    // Asked for again while it waits: answered once, from the last request on; those behind it only if
    // they are asked for again as well.
    rig.holds_replies = true;
    rig.answers(&[read(5, 0, 600), read(8, 0, 600), read(5, 0, 600), read(6, 256, 344)]);
    rig.holds_replies = false;
    let rest = [(MIDDLE, 6, 256, 256), (LAST, 7, 512, 88)];
    assert_eq!(rig.responses(&[read(8, 0, 600)])[..2], rest);
    let behind = [(FIRST, 8, 0, 256), (MIDDLE, 9, 256, 256), (LAST, 10, 512, 88)];
    assert_eq!(rig.responses(&[read(8, 0, 600)]), behind);
    assert_eq!(rig.answers(&[only(11, 4)]), [(0x1f, 11, 6)]);
}

#[test]
fn responder_drops_repeated_reads_that_are_not_in_order() {
    let mut rig = read_rig();
    rig.responses(&[read(0, 0, 600), only(3, 4)]);
    let first = rig.count(DUPLICATE);
    let bad = [
        read(0, 0, 4 * 256 + 1),
        read(3, 0, 257),
        read(0, LENGTH - 4, 5),
        read(0, 0, u32::MAX),
        Request { rkey: RKEY ^ 1, ..read(0, 0, 600) },
        Request { payload_bytes: 4, ..read(0, 0, 600) },
        Request { psn: (PSN - 1) & 0xff_ffff, ..read(0, 0, 600) },
    ];
    assert_eq!(rig.responses(&bad), []);
    assert_eq!((rig.count(DUPLICATE) - first, rig.acks.len()), (bad.len(), 1));
    assert_eq!(rig.answers(&[only(4, 4)]), [(0x1f, 4, 3)]);
    // A READ and the WRITE behind it are no READ that may be asked for again.
    assert_eq!(rig.responses(&[read(0, 0, 4 * 256)]), []);
    assert_eq!(rig.responses(&[read(0, 0, 600)]).len(), 3);
}

#[test]
fn responder_keeps_sixteen_reads_and_refuses_another() {
    let mut rig = read_rig();
    rig.holds_replies = true;
    let reads: Vec<_> = (0..16).map(|n| read(n, 0, 4)).collect();
    assert_eq!(rig.answers(&reads), []);
    assert_eq!(rig.count(ACCEPTED), 16);
    // Asked for again they are no more than sixteen, and there is room for new ones as they leave.
    rig.answers(&reads);
    rig.holds_replies = false;
    let expected: Vec<_> = (0..16).map(|n| (ONLY, n, 0, 4)).collect();
    rig.run(1000);
    assert_eq!(rig.packets.len(), 16);
    assert_eq!(rig.responses(&reads), expected);
    rig.holds_replies = true;
    let reads: Vec<_> = (16..33).map(|n| read(n, 0, 4)).collect();
    rig.packets.clear();
    assert_eq!(rig.answers(&reads), []);
    assert_eq!((rig.count(ACCEPTED), rig.count(INVALID)), (32, 1));
    rig.holds_replies = false;
    rig.run(1000);
    assert_eq!((rig.packets.len(), rig.acks.len()), (16, 1));
    assert_eq!((rig.acks[0].syndrome, rig.acks[0].psn), (0x61, (PSN + 32) & 0xff_ffff));
}

#[test]
fn responder_reads_nothing_by_a_revoked_row() {
    let mut rig = read_rig();
    rig.holds_replies = true;
    assert_eq!(rig.answers(&[read(0, 0, 600), read(3, 0, 4), only(4, 4)]), []);
    rig.write_region(MrRow { valid: false, ..read_region() });
    rig.run(50);
    assert!(rig.rows.is_empty(), "a row does not wait for READs");
    rig.holds_replies = false;
    assert_eq!(rig.responses(&[read(0, 0, 600)]), []);
    assert_eq!(rig.acks.len(), 1);
    // With a new row the peer's repetition is answered by that.
    rig.write_region(MrRow { host_address: HOST + 0x1_0000, ..read_region() });
    rig.run(50);
    let expected = [(MIDDLE, 1, 0x1_0100, 256), (LAST, 2, 0x1_0200, 88)];
    assert_eq!(rig.responses(&[read(1, 256, 344)]), expected);
    // Another region's row does not matter.
    rig.holds_replies = true;
    rig.answers(&[read(5, 0, 4)]);
    rig.write_region(MrRow { rkey: RKEY + 0x100, ..read_region() });
    rig.run(50);
    rig.holds_replies = false;
    assert_eq!(rig.responses(&[]), []);
    rig.run(50);
    assert_eq!(rig.packets.len(), 1);
}

#[test]
fn responder_forgets_reads_when_its_row_is_written() {
    let mut rig = read_rig();
    rig.holds_replies = true;
    let reads: Vec<_> = (0..16).map(|n| read(n, 0, 4)).collect();
    rig.answers(&reads);
    rig.answers(&[only(16, 4)]);
    rig.write_qp(read_qp());
    rig.run(100);
    assert!(rig.rows.is_empty());
    rig.holds_replies = false;
    assert_eq!(rig.responses(&[]), []);
    rig.run(500);
    assert_eq!((rig.packets.len(), rig.acks.len()), (0, 0));
    let expected: Vec<_> = (0..16).map(|n| (ONLY, n, 0, 4)).collect();
    assert_eq!(rig.responses(&reads), expected);
    assert_eq!(rig.answers(&[only(16, 4)]), [(0x1f, 16, 17)]);
}

#[test]
fn responder_closes_a_flow_whose_bytes_cannot_be_read() {
    let mut rig = read_rig();
    rig.holds_replies = true;
    rig.answers(&[read(0, 0, 600), read(3, 0, 600), only(6, 4)]);
    rig.fail = Some(5);
    rig.run(100);
    rig.holds_replies = false;
    assert_eq!(rig.responses(&[read(0, 0, 600), only(7, 4)]), []);
    assert_eq!((rig.acks.len(), rig.count(NO_QP)), (0, 2));
    rig.write_qp(read_qp());
    rig.run(100);
    assert_eq!(rig.responses(&[read(0, 0, 4)]), [(ONLY, 0, 0, 4)]);
    assert_eq!(rig.answers(&[only(1, 4)]), [(0x1f, 1, 2)]);
}

#[test]
fn responder_takes_requests_while_reads_wait_for_tx() {
    let mut rig = read_rig();
    rig.holds_replies = true;
    rig.answers(&[read(0, 0, 600)]);
    let start = rig.cycle;
    (3..500).for_each(|n| {
        rig.send(only(n, 0));
    });
    while !rig.requests.is_empty() {
        rig.step();
    }
    assert!(rig.cycle - start <= 8 * 500, "{} cycles", rig.cycle - start);
}
