//! RDMA READ.
//!
//! A function of rows is a table, so its length is that of the table.

use super::{answer, write3, Act, Row, Sent, Step, SPOILT};
use crate::conformance::frames::*;
use nic_driver::Status;
use nic_spec::wire::aeth::syndrome::*;
use nic_spec::wire::bth::opcode::*;

const FIRST: u8 = READ_RESPONSE_FIRST;
const MIDDLE: u8 = READ_RESPONSE_MIDDLE;
const LAST: u8 = READ_RESPONSE_LAST;
const ONLY: u8 = READ_RESPONSE_ONLY;

const OK: Status = Status::Ok;

/// A response of `len` bytes, all `fill`. MIDDLE has no AETH.
fn response(opcode: u8, psn: u32, fill: u8, len: usize) -> Packet {
    let packet = Packet::new(opcode, psn & 0xff_ffff).payload(fill, len);
    if opcode == MIDDLE {
        packet
    } else {
        packet.aeth(ACK, 1)
    }
}

/// The responses to a READ of 600 bytes; they bring 1, 2 and 3.
fn three(psn: u32) -> [Packet; 3] {
    [
        response(FIRST, psn, 1, 256),
        response(MIDDLE, psn + 1, 2, 256),
        response(LAST, psn + 2, 3, 88),
    ]
}

/// The request for what is missing of a READ of 600 bytes at [`PSN`], from this response on.
fn rest(index: u32) -> Sent {
    (READ_REQUEST, PSN + index, 600 - 256 * index as usize)
}

impl Row {
    /// A READ whose request leaves at `psn`.
    fn read(self, psn: u32, len: usize) -> Self {
        self.step(Act::Read(len), &[(READ_REQUEST, psn & 0xff_ffff, len)], &[])
    }

    /// A READ of 600 bytes: three responses from [`PSN`] on.
    fn read3(self) -> Self {
        self.read(PSN, 600)
    }

    /// A WRITE of 10 bytes.
    fn write1(self, psn: u32) -> Self {
        self.step(Act::Post(10), &[(WRITE_ONLY, psn, 10)], &[])
    }

    /// A packet of the peer after which nothing leaves.
    fn peer(self, packet: Packet, ended: &[Status]) -> Self {
        self.peers(&[packet], ended)
    }

    fn peers(self, packets: &[Packet], ended: &[Status]) -> Self {
        self.step(Act::Peer(packets.to_vec()), &[], ended)
    }

    /// Packets with one missing: `sent` asks for it, at once or after the timeout.
    fn gap(self, packets: &[Packet], sent: &[Sent]) -> Self {
        self.step(Act::Gap(packets.to_vec()), sent, &[])
    }

    /// As [`Row::gap`]; what is asked for depends on when.
    fn gap_any(mut self, packets: &[Packet]) -> Self {
        let act = Act::Gap(packets.to_vec());
        self.steps.push(Step { act, sent: None, ended: Vec::new() });
        self
    }

    /// All of a READ of 600 bytes, the first work request, has landed.
    fn landed3(self) -> Self {
        self.landed(0, 0..256, 1).landed(0, 256..512, 2).landed(0, 512..600, 3)
    }
}

fn answered_rows() -> Vec<Row> {
    let [a, b, c] = three(PSN);
    vec![
        Row::new("READ of nothing").read(PSN, 0).peer(response(ONLY, PSN, 1, 0), &[OK]),
        Row::new("READ of one byte").read(PSN, 1).peer(response(ONLY, PSN, 1, 1), &[OK]).landed(
            0,
            0..1,
            1,
        ),
        Row::new("READ of one MTU").read(PSN, 256).peer(response(ONLY, PSN, 1, 256), &[OK]).landed(
            0,
            0..256,
            1,
        ),
        Row::new("READ of one byte more than the MTU")
            .read(PSN, 257)
            .peer(response(FIRST, PSN, 1, 256), &[])
            .peer(response(LAST, PSN + 1, 2, 1), &[OK])
            .landed(0, 0..256, 1)
            .landed(0, 256..257, 2),
        Row::new("READ of three packets")
            .read3()
            .peer(a.clone(), &[])
            .peer(b.clone(), &[])
            .peer(c.clone(), &[OK])
            .landed3(),
        Row::new("PSN wraps inside a READ")
            .qp(|qp| qp.sq_psn = 0xff_fffe)
            .read(0xff_fffe, 600)
            .peers(&three(0xff_fffe), &[OK])
            .write1(1)
            .answer(1, ACK, &[], &[OK])
            .landed3(),
        Row::new("two READs end in order")
            .read3()
            .read(PSN + 3, 10)
            .peers(&three(PSN), &[OK])
            .peer(response(ONLY, PSN + 3, 4, 10), &[OK])
            .landed3()
            .landed(1, 0..10, 4),
        Row::new("a READ waits while as many as may be are outstanding")
            .qp(|qp| qp.read_limit = 1)
            .read3()
            .step(Act::Read(10), &[], &[])
            .peers(&[a.clone(), b.clone()], &[])
            .step(Act::Peer(vec![c.clone()]), &[(READ_REQUEST, PSN + 3, 10)], &[OK])
            .peer(response(ONLY, PSN + 3, 4, 10), &[OK])
            .landed3()
            .landed(1, 0..10, 4),
        Row::new("a response acknowledges the WRITEs before its READ")
            .post3(PSN)
            .write1(PSN + 3)
            .read(PSN + 4, 10)
            .peer(response(ONLY, PSN + 4, 1, 10), &[OK, OK, OK])
            .landed(2, 0..10, 1),
        Row::new("the first response acknowledges them, the last ends the READ")
            .write1(PSN)
            .read(PSN + 1, 600)
            .peer(response(FIRST, PSN + 1, 1, 256), &[OK])
            .peers(&[response(MIDDLE, PSN + 2, 2, 256), response(LAST, PSN + 3, 3, 88)], &[OK])
            .landed(1, 0..256, 1)
            .landed(1, 256..512, 2)
            .landed(1, 512..600, 3),
        Row::new("an ACK before a READ ends the WRITE")
            .write1(PSN)
            .read(PSN + 1, 10)
            .answer(PSN, ACK, &[], &[OK])
            .peer(response(ONLY, PSN + 1, 1, 10), &[OK])
            .landed(1, 0..10, 1),
        Row::new("an ACK behind a READ does not end it")
            .read3()
            .write1(PSN + 3)
            .gap(&[answer(PSN + 3, ACK)], &[rest(0), (WRITE_ONLY, PSN + 3, 10)])
            .peers(&three(PSN), &[OK])
            .answer(PSN + 3, ACK, &[], &[OK])
            .landed3(),
        Row::new("an ACK inside a READ does not end any of it")
            .read3()
            .gap(&[answer(PSN + 1, ACK)], &[rest(0)])
            .peers(&three(PSN), &[OK])
            .landed3(),
        Row::new("an ACK behind a READ acknowledges the WRITE before it")
            .write1(PSN)
            .read(PSN + 1, 10)
            .write1(PSN + 2)
            .step(
                Act::Gap(vec![answer(PSN + 2, ACK)]),
                &[(READ_REQUEST, PSN + 1, 10), (WRITE_ONLY, PSN + 2, 10)],
                &[OK],
            )
            .peers(&[response(ONLY, PSN + 1, 1, 10), answer(PSN + 2, ACK)], &[OK, OK])
            .landed(1, 0..10, 1),
    ]
}

fn lost_rows() -> Vec<Row> {
    let [a, b, c] = three(PSN);
    let nine: Vec<Packet> = (0..9)
        .map(|n| {
            let opcode = [FIRST, MIDDLE, LAST][(n > 0) as usize + (n == 8) as usize];
            response(opcode, PSN + n, n as u8 + 1, 256)
        })
        .collect();
    let late_first = [&nine[1..8], &nine[..1], &nine[8..]].concat();
    let landed9 =
        |row: Row| (0..9).fold(row, |row, n| row.landed(0, 256 * n..256 * (n + 1), n as u8 + 1));
    vec![
        Row::new("lost READ request, or all its responses")
            .read3()
            .timer(&[rest(0)], &[])
            .peers(&three(PSN), &[OK])
            .landed3(),
        Row::new("lost first response")
            .read3()
            .gap(&[b.clone(), c.clone()], &[rest(0)])
            .peers(&three(PSN), &[OK])
            .landed3(),
        Row::new("lost middle response, the peer resumes with FIRST")
            .read3()
            .peer(a.clone(), &[])
            .gap(std::slice::from_ref(&c), &[rest(1)])
            .peers(&[response(FIRST, PSN + 1, 2, 256), c.clone()], &[OK])
            .landed3(),
        Row::new("lost middle response, the peer resumes with MIDDLE")
            .read3()
            .peer(a.clone(), &[])
            .gap(std::slice::from_ref(&c), &[rest(1)])
            .peers(&[b.clone(), c.clone()], &[OK])
            .landed3(),
        Row::new("lost last response, the peer resumes with ONLY")
            .read3()
            .peers(&[a.clone(), b.clone()], &[])
            .timer(&[rest(2)], &[])
            .peer(response(ONLY, PSN + 2, 3, 88), &[OK])
            .landed3(),
        Row::new("lost last response, the peer resumes with LAST")
            .read3()
            .peers(&[a.clone(), b.clone()], &[])
            .timer(&[rest(2)], &[])
            .peer(c.clone(), &[OK])
            .landed3(),
        Row::new("lost last response, noticed at the next READ's")
            .read3()
            .read(PSN + 3, 10)
            .peers(&[a.clone(), b.clone()], &[])
            .gap(&[response(ONLY, PSN + 3, 4, 10)], &[rest(2), (READ_REQUEST, PSN + 3, 10)])
            .peers(&[c.clone(), response(ONLY, PSN + 3, 4, 10)], &[OK, OK])
            .landed3()
            .landed(1, 0..10, 4),
        Row::new("lost response over the wrap of the PSN")
            .qp(|qp| qp.sq_psn = 0xff_fffe)
            .read(0xff_fffe, 600)
            .peer(response(FIRST, 0xff_fffe, 1, 256), &[])
            .gap(&[response(LAST, 0, 3, 88)], &[(READ_REQUEST, 0xff_ffff, 344)])
            .peers(&[response(MIDDLE, 0xff_ffff, 2, 256), response(LAST, 0, 3, 88)], &[OK])
            .landed3(),
        Row::new("a READ that is asked for again takes the WRITEs behind it along")
            .read3()
            .write1(PSN + 3)
            .peers(&[a.clone(), b.clone()], &[])
            .timer(&[rest(2), (WRITE_ONLY, PSN + 3, 10)], &[])
            .peers(&[c.clone(), answer(PSN + 3, ACK)], &[OK, OK])
            .landed3(),
        Row::new("responses that come twice land once")
            .read3()
            .peers(&[a.clone(), a.clone().payload(9, 256)], &[])
            .peers(&[b.clone(), a.clone().payload(9, 256), b.clone().payload(9, 256)], &[])
            .peers(&[c.clone(), c.clone().payload(9, 88), a.clone().payload(9, 256)], &[OK])
            .landed3(),
        Row::new("late responses and those to the repeated request mix")
            .read3()
            .timer(&[rest(0)], &[])
            .peers(&[a.clone(), b.clone(), a.clone().payload(9, 256)], &[])
            .peers(&[c.clone(), b.clone().payload(9, 256), c.clone().payload(9, 88)], &[OK])
            .landed3(),
        Row::new("response reordered by 1")
            .read3()
            .gap_any(&[b.clone(), a.clone(), c.clone()])
            .peers(&three(PSN), &[OK])
            .landed3(),
        landed9(
            Row::new("response reordered by 7")
                .read(PSN, 9 * 256)
                .gap_any(&late_first)
                .peers(&nine, &[OK]),
        ),
        Row::new("retries without a response run out, the rest is flushed")
            .read3()
            .write1(PSN + 3)
            .timer(&[rest(0), (WRITE_ONLY, PSN + 3, 10)], &[])
            .timer(&[rest(0), (WRITE_ONLY, PSN + 3, 10)], &[])
            .timer(&[], &[Status::RetryExceeded, Status::Flushed])
            .peers(&three(PSN), &[]),
        Row::new("a response gives all retries back")
            .read3()
            .timer(&[rest(0)], &[])
            .timer(&[rest(0)], &[])
            .peer(a.clone(), &[])
            .timer(&[rest(1)], &[])
            .timer(&[rest(1)], &[])
            .timer(&[], &[Status::RetryExceeded])
            .landed(0, 0..256, 1),
        Row::new("no retries allowed for a READ")
            .qp(|qp| qp.retry_limit = 0)
            .read3()
            .timer(&[], &[Status::RetryExceeded]),
    ]
}

fn ghost_rows() -> Vec<Row> {
    let [a, b, c] = three(PSN);
    let ghost = |psn| response(ONLY, psn, 9, 10);
    vec![
        Row::new("ghost response with nothing outstanding")
            .peers(&[ghost(PSN), ghost(PSN - 1), ghost(PSN + 0x80_0000)], &[])
            .read3()
            .peers(&three(PSN), &[OK])
            .peers(&[ghost(PSN + 2), ghost(PSN + 3)], &[])
            .landed3(),
        Row::new("ghost response of a PSN that was never sent")
            .read3()
            .peers(&[a.clone(), b.clone(), ghost(PSN + 3), ghost(PSN + 0x10_0000)], &[])
            .peer(c.clone(), &[OK])
            .landed3(),
        Row::new("response from before the oldest PSN")
            .read3()
            .peers(&[ghost(PSN - 1), ghost(PSN + 0x80_0001)], &[])
            .peers(&three(PSN), &[OK])
            .landed3(),
        Row::new("response at the PSN of a WRITE, no READ outstanding")
            .post3(PSN)
            .peers(&[ghost(PSN), response(FIRST, PSN + 1, 9, 256)], &[])
            .answer(PSN + 2, ACK, &[], &[OK]),
        Row::new("response at the PSN of a WRITE before the READ")
            .write1(PSN)
            .read(PSN + 1, 10)
            .peer(ghost(PSN), &[])
            .peer(response(ONLY, PSN + 1, 1, 10), &[OK, OK])
            .landed(1, 0..10, 1),
        Row::new("response at the PSN of a WRITE behind the READ")
            .read3()
            .write1(PSN + 3)
            .peers(&[a, b, c], &[OK])
            .peer(ghost(PSN + 3), &[])
            .answer(PSN + 3, ACK, &[], &[OK])
            .landed3(),
        Row::new("response of another host is not ours")
            .read(PSN, 10)
            .peers(&[ghost(PSN).spoilt(Spoilt::SourceAddress), ghost(PSN).spoilt(Spoilt::Qpn)], &[])
            .peer(response(ONLY, PSN, 1, 10), &[OK])
            .landed(0, 0..10, 1),
        Row::new("responses that are wrong below the transport")
            .read3()
            .peers(&SPOILT.map(|spoilt| response(FIRST, PSN, 9, 256).spoilt(spoilt)), &[])
            .peer(response(FIRST, PSN, 1, 256), &[])
            .peers(&SPOILT.map(|spoilt| response(MIDDLE, PSN + 1, 9, 256).spoilt(spoilt)), &[])
            .peer(response(MIDDLE, PSN + 1, 2, 256), &[])
            .peers(&SPOILT.map(|spoilt| response(LAST, PSN + 2, 9, 88).spoilt(spoilt)), &[])
            .peer(response(LAST, PSN + 2, 3, 88), &[OK])
            .landed3(),
        Row::new("responses of the same PSN twice, the first of them spoilt")
            .read3()
            .peers(
                &[
                    response(FIRST, PSN, 9, 256).spoilt(Spoilt::Icrc),
                    response(FIRST, PSN, 1, 256),
                    response(MIDDLE, PSN + 1, 9, 256).spoilt(Spoilt::Pkey),
                    response(MIDDLE, PSN + 1, 2, 256),
                    response(LAST, PSN + 2, 3, 88),
                ],
                &[OK],
            )
            .landed3(),
    ]
}

/// Responses that end the queue pair: the READ as bad, what is behind it flushed.
fn bad_rows() -> Vec<Row> {
    // A READ of 600 bytes with `good` responses, then `packet`.
    let bad = |name, good: usize, packet: Packet| {
        let row = (0..good).fold(Row::new(name), |row, n| {
            let range = [0..256, 256..512][n].clone();
            row.landed(0, range, n as u8 + 1)
        });
        row.read3()
            .write1(PSN + 3)
            .peers(&three(PSN)[..good], &[])
            .peer(packet, &[Status::BadResponse, Status::Flushed])
            .peers(&three(PSN)[good..], &[])
            .step(Act::Read(10), &[], &[Status::Flushed])
    };
    let single =
        |name, len, packet| Row::new(name).read(PSN, len).peer(packet, &[Status::BadResponse]);
    vec![
        bad("MIDDLE without FIRST", 0, response(MIDDLE, PSN, 9, 256)),
        bad("ONLY where FIRST is due", 0, response(ONLY, PSN, 9, 256)),
        bad("LAST where FIRST is due", 0, response(LAST, PSN, 9, 256)),
        bad("LAST too early", 1, response(LAST, PSN + 1, 9, 256)),
        bad("ONLY where MIDDLE is due", 1, response(ONLY, PSN + 1, 9, 256)),
        bad("FIRST where LAST is due", 2, response(FIRST, PSN + 2, 9, 88)),
        bad("MIDDLE where LAST is due", 2, response(MIDDLE, PSN + 2, 9, 88)),
        bad("FIRST shorter than the MTU", 0, response(FIRST, PSN, 9, 252)),
        bad("FIRST longer than the MTU", 0, response(FIRST, PSN, 9, 260)),
        bad("empty FIRST", 0, response(FIRST, PSN, 9, 0)),
        bad("MIDDLE shorter than the MTU", 1, response(MIDDLE, PSN + 1, 9, 255)),
        bad("MIDDLE longer than the MTU", 1, response(MIDDLE, PSN + 1, 9, 257)),
        bad("empty MIDDLE", 1, response(MIDDLE, PSN + 1, 9, 0)),
        bad("LAST longer than the READ", 2, response(LAST, PSN + 2, 9, 89)),
        bad("LAST shorter than the READ", 2, response(LAST, PSN + 2, 9, 87)),
        bad("empty LAST", 2, response(LAST, PSN + 2, 9, 0)),
        bad("NAK in a response", 0, response(FIRST, PSN, 9, 256).aeth(NAK_REMOTE_ACCESS, 1)),
        bad("RNR NAK in a response", 2, response(LAST, PSN + 2, 9, 88).aeth(RNR_NAK | 4, 1)),
        single("LAST where ONLY is due", 10, response(LAST, PSN, 9, 10)),
        single("MIDDLE where ONLY is due", 256, response(MIDDLE, PSN, 9, 256)),
        single("FIRST where ONLY is due", 256, response(FIRST, PSN, 9, 256)),
        single("ONLY longer than the READ", 10, response(ONLY, PSN, 9, 11)),
        single("ONLY shorter than the READ", 10, response(ONLY, PSN, 9, 9)),
        single("bytes for a READ of nothing", 0, response(ONLY, PSN, 9, 4)),
        single("nothing for a READ of bytes", 4, response(ONLY, PSN, 9, 0)),
        Row::new("a bad response acknowledges the WRITE before it")
            .write1(PSN)
            .read(PSN + 1, 10)
            .peer(response(ONLY, PSN + 1, 9, 9), &[OK, Status::BadResponse]),
        Row::new("FIRST after FIRST: peers resume so")
            .read3()
            .peers(
                &[
                    response(FIRST, PSN, 1, 256),
                    response(FIRST, PSN + 1, 2, 256),
                    response(ONLY, PSN + 2, 3, 88),
                ],
                &[OK],
            )
            .landed3(),
    ]
}

fn nak_rows() -> Vec<Row> {
    let [a, b, c] = three(PSN);
    let write: Sent = (WRITE_ONLY, PSN + 3, 10);
    let fatal = |name, syndrome, status| {
        Row::new(name)
            .read3()
            .write1(PSN + 3)
            .answer(PSN, syndrome, &[], &[status, Status::Flushed])
            .peers(&three(PSN), &[])
            .step(Act::Read(10), &[], &[Status::Flushed])
    };
    vec![
        Row::new("sequence NAK of a READ")
            .read3()
            .answer(PSN, NAK_SEQUENCE, &[rest(0)], &[])
            .peers(&three(PSN), &[OK])
            .landed3(),
        Row::new("sequence NAK of a READ acknowledges the WRITE before it")
            .write1(PSN)
            .read(PSN + 1, 10)
            .answer(PSN + 1, NAK_SEQUENCE, &[(READ_REQUEST, PSN + 1, 10)], &[OK])
            .peer(response(ONLY, PSN + 1, 1, 10), &[OK])
            .landed(1, 0..10, 1),
        Row::new("sequence NAK inside a READ acknowledges nothing of it")
            .read3()
            .answer(PSN + 1, NAK_SEQUENCE, &[rest(0)], &[])
            .peers(&three(PSN), &[OK])
            .landed3(),
        Row::new("sequence NAK behind a READ whose responses are missing")
            .read3()
            .write1(PSN + 3)
            .answer(PSN + 3, NAK_SEQUENCE, &[rest(0), write], &[])
            .peers(&[a.clone(), b.clone(), c.clone(), answer(PSN + 3, ACK)], &[OK, OK])
            .landed3(),
        Row::new("sequence NAK behind a READ that has begun")
            .read3()
            .write1(PSN + 3)
            .peer(a.clone(), &[])
            .answer(PSN + 3, NAK_SEQUENCE, &[rest(1), write], &[])
            .peers(&[b.clone(), c.clone(), answer(PSN + 3, ACK)], &[OK, OK])
            .landed3(),
        Row::new("sequence NAK behind a READ that has ended")
            .read3()
            .write1(PSN + 3)
            .peers(&three(PSN), &[OK])
            .answer(PSN + 3, NAK_SEQUENCE, &[write], &[])
            .answer(PSN + 3, ACK, &[], &[OK])
            .landed3(),
        Row::new("NAKs of a READ run out, the rest is flushed")
            .read3()
            .write1(PSN + 3)
            .answer(PSN, NAK_SEQUENCE, &[rest(0), write], &[])
            .answer(PSN, NAK_SEQUENCE, &[rest(0), write], &[])
            .answer(PSN, NAK_SEQUENCE, &[], &[Status::RetryExceeded, Status::Flushed]),
        Row::new("stale NAK inside of what has come")
            .read3()
            .peers(&[a.clone(), b.clone()], &[])
            .ignored(PSN, NAK_REMOTE_ACCESS)
            .ignored(PSN + 1, NAK_SEQUENCE)
            .peer(c.clone(), &[OK])
            .landed3(),
        Row::new("RNR NAK of a READ: waits, then asks again")
            .read3()
            .answer(PSN, RNR_NAK | 4, &[], &[])
            .timer(&[rest(0)], &[])
            .peers(&three(PSN), &[OK])
            .landed3(),
        Row::new("RNR NAK inside a READ: waits, then asks for what is missing")
            .read3()
            .peer(a.clone(), &[])
            .answer(PSN + 1, RNR_NAK | 4, &[], &[])
            .timer(&[rest(1)], &[])
            .peers(&[b, c], &[OK])
            .landed3(),
        Row::new("RNR NAKs of a READ run out, the rest is flushed")
            .qp(|qp| qp.rnr_retry_limit = 1)
            .read3()
            .write1(PSN + 3)
            .answer(PSN, RNR_NAK | 4, &[], &[])
            .timer(&[rest(0), write], &[])
            .answer(PSN, RNR_NAK | 4, &[], &[Status::RnrRetryExceeded, Status::Flushed])
            .peers(&three(PSN), &[]),
        Row::new("a response gives all RNR retries back")
            .qp(|qp| qp.rnr_retry_limit = 1)
            .read3()
            .answer(PSN, RNR_NAK | 4, &[], &[])
            .timer(&[rest(0)], &[])
            .peer(a.clone(), &[])
            .answer(PSN + 1, RNR_NAK | 4, &[], &[])
            .timer(&[rest(1)], &[])
            .answer(PSN + 1, RNR_NAK | 4, &[], &[Status::RnrRetryExceeded])
            .landed(0, 0..256, 1),
        fatal("NAK of a READ: invalid request", NAK_INVALID_REQUEST, Status::RemoteInvalidRequest),
        fatal("NAK of a READ: remote access error", NAK_REMOTE_ACCESS, Status::RemoteAccess),
        fatal(
            "NAK of a READ: remote operational error",
            NAK_REMOTE_OPERATION,
            Status::RemoteOperation,
        ),
        Row::new("fatal NAK of a READ ends the WRITE before it well")
            .post3(PSN)
            .read(PSN + 3, 10)
            .step(Act::Post(0), &[(WRITE_ONLY, PSN + 4, 0)], &[])
            .answer(PSN + 3, NAK_REMOTE_ACCESS, &[], &[OK, Status::RemoteAccess, Status::Flushed]),
        Row::new("fatal NAK inside a READ that has begun")
            .read3()
            .write1(PSN + 3)
            .peer(a.clone(), &[])
            .answer(PSN + 1, NAK_REMOTE_OPERATION, &[], &[Status::RemoteOperation, Status::Flushed])
            .landed(0, 0..256, 1),
        Row::new("fatal NAK behind a READ ends the READ, too")
            .read3()
            .write1(PSN + 3)
            .peer(a, &[])
            .answer(PSN + 3, NAK_REMOTE_ACCESS, &[], &[Status::RemoteAccess, Status::Flushed])
            .landed(0, 0..256, 1),
        Row::new("a sequence NAK takes a WRITE of many packets behind a READ along")
            .read(PSN, 10)
            .post3(PSN + 1)
            .answer(
                PSN + 2,
                NAK_SEQUENCE,
                &[vec![(READ_REQUEST, PSN, 10)], write3(PSN + 1).to_vec()].concat(),
                &[],
            )
            .peers(&[response(ONLY, PSN, 1, 10), answer(PSN + 3, ACK)], &[OK, OK])
            .landed(0, 0..10, 1),
    ]
}

fn memory_rows() -> Vec<Row> {
    let [a, b, c] = three(PSN);
    let broken = |row: Row| row.step(Act::MemoryFails, &[], &[]);
    let failed = [Status::LocalDma, Status::Flushed];
    vec![
        broken(Row::new("local memory refuses the first response").read3().write1(PSN + 3))
            .peer(a.clone(), &failed)
            .peers(&[b.clone(), c.clone()], &[])
            .step(Act::Read(10), &[], &[Status::Flushed]),
        broken(
            Row::new("local memory refuses the last response")
                .read3()
                .write1(PSN + 3)
                .peers(&[a, b], &[]),
        )
        .peer(c, &failed)
        .step(Act::Post(10), &[], &[Status::Flushed])
        .landed(0, 0..256, 1)
        .landed(0, 256..512, 2),
        broken(Row::new("local memory is not needed for a READ of nothing"))
            .read(PSN, 0)
            .peer(response(ONLY, PSN, 1, 0), &[OK]),
    ]
}

pub(super) fn rows() -> Vec<Row> {
    let tables =
        [answered_rows(), lost_rows(), ghost_rows(), bad_rows(), nak_rows(), memory_rows()];
    tables.into_iter().flatten().collect()
}
