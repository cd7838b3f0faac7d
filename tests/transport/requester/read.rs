//! RDMA READ. The first PSN of the queue pair is 0xfffffe and the MTU 256, so that every message of
//! some packets is over the wrap.

use super::driver::{address, work, Driver, Order, QP, VA};
use nic_models::streams::{Answer, Telemetry};
use nic_spec::rows::{Operation, QpRow};

const FIRST: u8 = 0x0d;
const MIDDLE: u8 = 0x0e;
const LAST: u8 = 0x0f;
const ONLY: u8 = 0x10;
const READ: u8 = 0x0c;

const OK: u8 = 0;
const RETRY_EXCEEDED: u8 = 1;
const LOCAL_DMA: u8 = 5;
const FLUSHED: u8 = 6;
const RNR_EXCEEDED: u8 = 7;
const BAD_RESPONSE: u8 = 8;

/// No retransmission timer: what is sent again was asked for.
const UNTIMED: QpRow = QpRow { timeout_exponent: 0, ..QP };
/// Longer than the timer of [`QP`]: 2 ticks of 512 cycles, one for rounding, and its scan.
const TIMEOUT_CYCLES: usize = 4_000;

/// Opcodes, PSNs and lengths of the packets since the last call.
fn sent(d: &mut Driver) -> Vec<(u8, u32, u32)> {
    d.run(300);
    core::mem::take(&mut d.pkts).iter().map(|p| (p.opcode, p.psn, p.dma_len)).collect()
}

#[test]
fn requester_read_is_one_request_whose_responses_land() {
    let mut d = Driver::new(UNTIMED);
    d.read(1, 600);
    d.run(100);
    let p = d.pkts[0];
    assert_eq!((p.opcode, p.psn, p.payload_bytes, p.ack_req), (READ, 0xff_fffe, 0, true));
    assert_eq!((p.va, p.dma_len, p.rkey), (VA, 600, 0xabcd));
    assert!(d.reads.is_empty(), "no byte leaves");
    // Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4.
    assert_eq!((d.works[0].len_bytes, d.works[0].inflight_bytes), (74, 0));
    d.response(FIRST, 0xff_fffe, 256);
    d.response(MIDDLE, 0xff_ffff, 256);
    assert_eq!(d.orders(), [Order::Land(0x1000, 256), Order::Land(0x1100, 256)]);
    d.response(LAST, 0, 88);
    assert_eq!(d.orders(), [Order::Land(0x1200, 88), Order::End(1, OK)]);
    assert_eq!((d.cqes[0].byte_len, d.cqes[0].signalled, d.inflight), (600, true, 0));
}

#[test]
fn requester_read_of_nothing_lands_nothing() {
    let mut d = Driver::new(UNTIMED);
    d.read(1, 0);
    d.read(2, 256);
    assert_eq!(sent(&mut d), [(READ, 0xff_fffe, 0), (READ, 0xff_ffff, 256)]);
    d.response(ONLY, 0xff_fffe, 0);
    assert_eq!(d.orders(), [Order::End(1, OK)]);
    d.response(ONLY, 0xff_ffff, 256);
    assert_eq!(d.orders(), [Order::Land(0x2000, 256), Order::End(2, OK)]);
}

#[test]
fn requester_read_and_write_end_in_order() {
    let mut d = Driver::new(UNTIMED);
    d.post(1, 300);
    d.read(2, 300);
    d.post(3, 10);
    d.read(4, 10);
    d.post(5, 10);
    let due = [
        (6, 0xff_fffe, 300),
        (8, 0xff_ffff, 300),
        (READ, 0, 300),
        (10, 2, 10),
        (READ, 3, 10),
        (10, 4, 10),
    ];
    assert_eq!(sent(&mut d), due);
    // The response acknowledges the WRITE before it, before it lands.
    d.response(FIRST, 0, 256);
    assert_eq!(d.orders(), [Order::End(1, OK), Order::Land(0x2000, 256)]);
    d.response(LAST, 1, 44);
    assert_eq!(d.orders(), [Order::Land(0x2100, 44), Order::End(2, OK)]);
    d.response(ONLY, 3, 10);
    assert_eq!(d.orders(), [Order::End(3, OK), Order::Land(0x4000, 10), Order::End(4, OK)]);
    d.ack(4, 0x1f);
    assert_eq!(d.orders(), [Order::End(5, OK)]);
    assert_eq!(d.inflight, 0);
}

#[test]
fn requester_read_waits_while_too_many_are_open() {
    for (read_limit, open) in [(0, 1), (1, 1), (3, 3), (16, 5), (31, 5)] {
        let mut d = Driver::new(QpRow { read_limit, ..UNTIMED });
        (1..6).for_each(|wr_id| d.read(wr_id, 256));
        d.post(6, 10);
        let first = sent(&mut d).len();
        let all = if open == 5 { 6 } else { open };
        assert_eq!(first, all, "limit {read_limit}: a WRITE does not overtake");
        let mut later = 0;
        for n in 0..5 {
            d.response(ONLY, (0xff_fffe + n) & 0xff_ffff, 256);
            later += sent(&mut d).len();
        }
        assert_eq!(first + later, 6, "limit {read_limit}");
        assert_eq!(d.ends().len(), 5);
    }
}

#[test]
fn requester_read_asks_again_for_what_is_lost() {
    let responses = [(FIRST, 0xff_fffe, 256), (MIDDLE, 0xff_ffff, 256), (LAST, 0, 88)];
    for lost in 0..3 {
        let mut d = Driver::new(QpRow { retry_limit: 7, ..QP });
        d.read(1, 600);
        assert_eq!(sent(&mut d), [(READ, 0xff_fffe, 600)]);
        for (n, (opcode, psn, bytes)) in responses.into_iter().enumerate() {
            if n != lost {
                d.response(opcode, psn, bytes);
            }
        }
        d.run(TIMEOUT_CYCLES);
        let (psn, done) = ((0xff_fffe + lost as u32) & 0xff_ffff, 256 * lost as u32);
        let again = d.pkts.clone();
        assert_eq!(sent(&mut d)[0], (READ, psn, 600 - done), "lost {lost}");
        assert_eq!(again[0].va, VA + u64::from(done));
        // Peers differ: to some a READ begins anew, with FIRST or ONLY.
        for (n, (opcode, psn, bytes)) in responses.into_iter().enumerate().skip(lost) {
            let anew = if n == lost { opcode ^ if n == 2 { 0x1f } else { 0 } } else { opcode };
            d.response(if n == 1 && lost == 1 { FIRST } else { anew }, psn, bytes);
        }
        let lands: Vec<_> =
            d.orders().into_iter().filter(|o| !matches!(o, Order::Drop(_))).collect();
        let land = |n: u64, bytes| Order::Land(0x1000 + 256 * n, bytes);
        assert_eq!(lands, [land(0, 256), land(1, 256), land(2, 88), Order::End(1, OK)]);
    }
}

#[test]
fn requester_read_asks_again_at_once_for_what_a_response_shows_to_be_lost() {
    let mut d = Driver::new(UNTIMED);
    d.read(1, 1024);
    d.read(2, 10);
    sent(&mut d);
    d.response(FIRST, 0xff_fffe, 256);
    d.response(MIDDLE, 0, 256);
    assert_eq!(d.orders(), [Order::Land(0x1000, 256), Order::Drop(256)]);
    assert_eq!(sent(&mut d), [(READ, 0xff_ffff, 768), (READ, 2, 10)], "both are asked for again");
    d.response(LAST, 1, 256);
    d.response(ONLY, 2, 10);
    assert_eq!(d.orders(), [Order::Drop(256), Order::Drop(10)]);
    assert!(sent(&mut d).is_empty(), "once until there is progress");
    d.response(MIDDLE, 0xff_ffff, 256);
    d.response(LAST, 1, 256);
    assert_eq!(d.orders(), [Order::Land(0x1100, 256), Order::Drop(256)]);
    assert_eq!(sent(&mut d), [(READ, 0, 512), (READ, 2, 10)], "another gap");
    d.response(MIDDLE, 0, 256);
    d.response(LAST, 1, 256);
    d.response(ONLY, 2, 10);
    assert_eq!(d.ends(), [(1, OK), (2, OK)]);
    // A response without payload shows it, too, and so does one of a later READ.
    let mut d = Driver::new(UNTIMED);
    d.post(1, 10);
    d.read(2, 600);
    d.read(3, 0);
    sent(&mut d);
    d.response(ONLY, 2, 0);
    let again = [(10, 0xff_fffe, 10), (READ, 0xff_ffff, 600), (READ, 2, 0)];
    assert_eq!((sent(&mut d), d.orders()), (again.to_vec(), vec![]));
}

#[test]
fn requester_read_gap_without_an_answer_is_left_to_the_timer() {
    let mut d = Driver::new(QP);
    d.read(1, 600);
    sent(&mut d);
    d.response(LAST, 0, 88);
    d.run(TIMEOUT_CYCLES);
    let request = (READ, 0xff_fffe, 600);
    assert_eq!(sent(&mut d), [request, request], "gap, timer");
    d.run(TIMEOUT_CYCLES);
    assert!(sent(&mut d).is_empty());
    assert_eq!(d.ends(), [(1, RETRY_EXCEEDED)], "two retries");
}

#[test]
fn requester_read_gap_without_a_retry_ends() {
    for behind_a_write in [false, true] {
        let mut d = Driver::new(QpRow { retry_limit: 0, ..UNTIMED });
        if behind_a_write {
            d.post(1, 10);
        }
        d.read(2, 1024);
        sent(&mut d);
        d.response(MIDDLE, 1, 256);
        let ends = [Order::End(1, RETRY_EXCEEDED), Order::End(2, FLUSHED)];
        let only = [Order::End(2, RETRY_EXCEEDED)];
        let ends = if behind_a_write { &ends[..] } else { &only };
        assert_eq!(d.orders(), [&[Order::Drop(256)], ends].concat());
        assert!(sent(&mut d).is_empty());
    }
}

#[test]
fn requester_read_drops_what_is_not_due() {
    let mut d = Driver::new(UNTIMED);
    d.post(1, 300);
    d.read(2, 600);
    d.read(3, 10);
    sent(&mut d);
    // PSNs: 0xfffffe, 0xffffff WRITE; 0, 1, 2 READ; 3 READ; the others none.
    for psn in [0xff_fffd, 0xff_fffe, 0xff_ffff, 1, 2, 3, 4, 0x7f_ffff, 0x80_0000] {
        d.response(MIDDLE, psn, 256);
        assert_eq!(d.orders(), [Order::Drop(256)], "PSN {psn:#x}");
        d.response(MIDDLE, psn, 0);
        assert_eq!(d.orders(), [], "PSN {psn:#x}: no payload, no order");
    }
    d.response(FIRST, 0, 256);
    assert_eq!(d.orders(), [Order::End(1, OK), Order::Land(0x2000, 256)]);
    for psn in [0, 2, 3, 0xff_ffff] {
        d.response(FIRST, psn, 256);
        assert_eq!(d.orders(), [Order::Drop(256)], "PSN {psn:#x}");
    }
    let stranger = Answer { qpn: QP.qpn ^ 0x1000, opcode: MIDDLE, psn: 1, ..Answer::default() };
    d.answer(Answer { payload_bytes: 256, ..stranger });
    assert_eq!(d.orders(), [Order::Drop(256)], "another queue pair's");
    d.response(MIDDLE, 1, 256);
    d.response(LAST, 2, 88);
    d.response(ONLY, 3, 10);
    let due = [
        Order::Land(0x2100, 256),
        Order::Land(0x2200, 88),
        Order::End(2, OK),
        Order::Land(0x3000, 10),
        Order::End(3, OK),
    ];
    assert_eq!(d.orders(), due);
    d.response(ONLY, 3, 10);
    assert_eq!(d.orders(), [Order::Drop(10)], "no READ is open");
}

#[test]
fn requester_read_is_not_acknowledged_by_an_ack_behind_it() {
    let mut d = Driver::new(UNTIMED);
    d.post(1, 10);
    d.read(2, 600);
    d.post(3, 10);
    assert_eq!(sent(&mut d).len(), 3);
    assert_eq!(d.inflight, 0);
    d.ack(2, 0x1f);
    assert_eq!((d.orders(), d.inflight), (vec![Order::End(1, OK)], 10), "only the WRITE before it");
    d.response(FIRST, 0xff_ffff, 256);
    d.ack(0, 0x1f);
    d.ack(2, 0x1f);
    assert_eq!(d.orders(), [Order::Land(0x2000, 256)], "nor of the rest");
    d.response(MIDDLE, 0, 256);
    d.response(LAST, 1, 88);
    let due = [Order::Land(0x2100, 256), Order::Land(0x2200, 88), Order::End(2, OK)];
    assert_eq!(d.orders(), due);
    assert!(sent(&mut d).is_empty());
    d.ack(2, 0x1f);
    assert_eq!((d.orders(), d.inflight), (vec![Order::End(3, OK)], 0));
}

#[test]
fn requester_read_is_asked_for_again_after_a_nak_in_it_or_behind_it() {
    for psn in [0, 1, 2] {
        let mut d = Driver::new(UNTIMED);
        d.post(1, 10);
        d.read(2, 600);
        d.post(3, 10);
        sent(&mut d);
        d.response(FIRST, 0xff_ffff, 256);
        d.ack(psn, 0x60);
        assert_eq!(sent(&mut d), [(READ, 0, 344), (10, 2, 10)], "NAK {psn}");
        assert_eq!(d.orders(), [Order::End(1, OK), Order::Land(0x2000, 256)]);
    }
    let mut d = Driver::new(UNTIMED);
    d.post(1, 10);
    d.read(2, 600);
    sent(&mut d);
    d.ack(0xff_ffff, 0x60);
    assert_eq!((d.orders(), sent(&mut d)), (vec![Order::End(1, OK)], vec![(READ, 0xff_ffff, 600)]));
}

#[test]
fn requester_read_takes_late_responses_after_a_rewind() {
    let mut d = Driver::new(UNTIMED);
    d.read(1, 1024);
    sent(&mut d);
    d.grants = false;
    d.ack(0xff_fffe, 0x60);
    d.response(FIRST, 0xff_fffe, 256);
    d.response(MIDDLE, 0xff_ffff, 256);
    d.grants = true;
    assert_eq!(sent(&mut d), [(READ, 0, 512)], "asked for from where it is");
    d.response(MIDDLE, 0, 256);
    d.response(LAST, 1, 256);
    let lands = (0..4).map(|n| Order::Land(0x1000 + 256 * n, 256));
    assert_eq!(d.orders(), lands.chain([Order::End(1, OK)]).collect::<Vec<_>>());
}

#[test]
fn requester_read_ends_with_a_bad_response() {
    // Opcode, bytes, syndrome of the second of three responses, then of the last.
    let bad_middle = [
        (MIDDLE, 255, 0x1f),
        (MIDDLE, 0, 0x1f),
        (LAST, 256, 0x1f),
        (ONLY, 256, 0),
        (MIDDLE, 256, 0x62),
    ];
    let bad_last = [(LAST, 89, 0x1f), (LAST, 87, 0x1f), (MIDDLE, 88, 0x1f), (FIRST, 88, 0x1f)];
    let bad_last = bad_last.into_iter().chain([(LAST, 88, 0x60), (LAST, 88, 0x20)]);
    let all = bad_middle.into_iter().map(|b| (false, b)).chain(bad_last.map(|b| (true, b)));
    for (is_last, (opcode, payload_bytes, syndrome)) in all {
        let mut d = Driver::new(UNTIMED);
        d.post(1, 10);
        d.read(2, 600);
        d.post(3, 10);
        sent(&mut d);
        d.response(FIRST, 0xff_ffff, 256);
        if is_last {
            d.response(MIDDLE, 0, 256);
        }
        d.orders();
        let psn = u32::from(is_last);
        let ports = Answer { opcode, psn, syndrome, payload_bytes, ..Answer::default() };
        d.answer(ports);
        let dropped = (payload_bytes > 0).then_some(Order::Drop(payload_bytes));
        let ends = [Order::End(2, BAD_RESPONSE), Order::End(3, FLUSHED)];
        let due: Vec<_> = dropped.into_iter().chain(ends).collect();
        assert_eq!(d.orders(), due, "{opcode:#x} {payload_bytes} {syndrome:#x}");
        d.response(MIDDLE, 0, 256);
        assert_eq!(d.orders(), [Order::Drop(256)], "in error");
        d.read(4, 10);
        assert_eq!(d.orders(), [Order::End(4, FLUSHED)]);
    }
}

#[test]
fn requester_read_begins_with_first_or_only() {
    for (bytes, opcode, payload_bytes) in
        [(600, MIDDLE, 256), (600, LAST, 256), (600, ONLY, 256), (10, LAST, 10), (10, FIRST, 10)]
    {
        let mut d = Driver::new(UNTIMED);
        d.post(1, 10);
        d.read(2, bytes);
        sent(&mut d);
        d.response(opcode, 0xff_ffff, payload_bytes);
        let due = [Order::End(1, OK), Order::Drop(payload_bytes), Order::End(2, BAD_RESPONSE)];
        assert_eq!(d.orders(), due, "{opcode:#x} of {bytes} bytes");
    }
}

#[test]
fn requester_read_first_response_may_be_bad_behind_a_write() {
    let mut d = Driver::new(UNTIMED);
    d.post(1, 10);
    d.read(2, 600);
    sent(&mut d);
    d.response(FIRST, 0xff_ffff, 200);
    let due = [Order::End(1, OK), Order::Drop(200), Order::End(2, BAD_RESPONSE)];
    assert_eq!(d.orders(), due, "the WRITE was done");
}

#[test]
fn requester_read_retries_end() {
    let mut d = Driver::new(QP);
    d.read(1, 600);
    d.post(2, 10);
    d.run(300);
    d.response(FIRST, 0xff_fffe, 256);
    d.run(20_000);
    let again = [(READ, 0xff_ffff, 344), (10, 1, 10)];
    let due = [(READ, 0xff_fffe, 600), (10, 1, 10)].into_iter().chain(again).chain(again);
    assert_eq!(sent(&mut d), due.collect::<Vec<_>>(), "two retries from the PSN that is missing");
    assert_eq!(d.ends(), [(1, RETRY_EXCEEDED), (2, FLUSHED)]);
}

#[test]
fn requester_read_response_ends_a_row_of_retries() {
    let mut d = Driver::new(QP);
    d.read(1, 256 * 4);
    for n in 0..4_u32 {
        // Once a timeout more would be one too many.
        d.run(2 * TIMEOUT_CYCLES - 2000);
        let opcode = [FIRST, MIDDLE, MIDDLE, LAST][n as usize];
        d.response(opcode, (0xff_fffe + n) & 0xff_ffff, 256);
    }
    d.run(100);
    assert_eq!(d.ends(), [(1, OK)]);
    assert!(d.psns().len() > 4);
}

#[test]
fn requester_rnr_naks_are_counted() {
    for (rnr_retry_limit, retries) in [(0, 0), (1, 1), (6, 6), (7, 20)] {
        let mut d = Driver::new(QpRow { rnr_retry_limit, ..UNTIMED });
        d.post(1, 10);
        d.read(2, 10);
        d.run(300);
        for _ in 0..20 {
            // Code 1 is 10 us: 1250 cycles, two ticks more, and the scan.
            d.ack(0xff_fffe, 0x21);
            d.run(6_000);
        }
        let count = d.psns().len();
        assert_eq!(count, 2 * (retries + 1), "limit {rnr_retry_limit}");
        let ends =
            if rnr_retry_limit == 7 { vec![] } else { vec![(1, RNR_EXCEEDED), (2, FLUSHED)] };
        assert_eq!(d.ends(), ends);
    }
}

#[test]
fn requester_rnr_naks_are_counted_anew_after_progress() {
    let mut d = Driver::new(QpRow { rnr_retry_limit: 2, ..UNTIMED });
    (1..6).for_each(|wr_id| d.post(wr_id, 10));
    d.run(500);
    for psn in [0xff_fffe, 0xff_fffe, 0xff_ffff, 0xff_ffff, 0] {
        d.ack(psn, 0x21);
        d.run(6_000);
    }
    assert_eq!(d.ends(), [(1, OK), (2, OK)]);
    d.ack(0, 0x21);
    d.run(6_000);
    assert_eq!(d.ends(), [(1, OK), (2, OK)], "the second in a row");
    d.ack(0, 0x21);
    d.run(6_000);
    assert_eq!(d.ends()[2..], [(3, RNR_EXCEEDED), (4, FLUSHED), (5, FLUSHED)]);
}

#[test]
fn requester_nak_that_acknowledges_something_counts_as_the_first() {
    let mut d = Driver::new(QpRow { retry_limit: 1, ..UNTIMED });
    (1..5).for_each(|wr_id| d.post(wr_id, 10));
    d.run(500);
    d.ack(0xff_ffff, 0x60);
    d.run(300);
    d.ack(0, 0x60);
    d.run(300);
    assert_eq!(d.ends(), [(1, OK), (2, OK)]);
    d.ack(0, 0x60);
    d.run(300);
    assert_eq!(d.ends()[2..], [(3, RETRY_EXCEEDED), (4, FLUSHED)]);
}

#[test]
fn requester_read_fails_with_its_host_memory() {
    let mut d = Driver::new(UNTIMED);
    d.read(1, 600);
    d.post(2, 10);
    d.run(300);
    d.response(FIRST, 0xff_fffe, 256);
    d.orders();
    d.fail();
    assert_eq!(d.orders(), [Order::End(1, LOCAL_DMA), Order::End(2, FLUSHED)]);
}

#[test]
fn requester_read_errors_of_a_queue_pair_come_before_its_new_row() {
    for gap in 0..4 {
        let mut d = Driver::new(UNTIMED);
        d.read(1, 600);
        sent(&mut d);
        let rows = [(0, UNTIMED.to_row()), (2, work(Operation::Read, 2, 10).to_row())];
        d.rows_while_failing(&rows, 3, gap);
        assert_eq!(d.orders(), [Order::End(1, LOCAL_DMA)], "gap {gap}");
        assert_eq!(sent(&mut d), [(READ, 0xff_fffe, 10)]);
        d.response(ONLY, 0xff_fffe, 10);
        assert_eq!(d.orders(), [Order::Land(0x2000, 10), Order::End(2, OK)]);
    }
}

#[test]
fn requester_read_is_alone_when_it_takes_half_of_the_psns() {
    let mut d = Driver::new(QpRow { read_limit: 16, ..UNTIMED });
    d.read(1, 1 << 31);
    d.post(2, 10);
    d.read(3, 1 << 31);
    assert_eq!(sent(&mut d), [(READ, 0xff_fffe, 1 << 31)], "2^23 PSNs");
    d.response(FIRST, 0xff_fffe, 256);
    assert_eq!(sent(&mut d), [(10, 0x7f_fffe, 10)], "room for one");
    d.response(MIDDLE, 0xff_ffff, 256);
    assert_eq!(sent(&mut d), []);
    d.ack(0xff_fffe - 1, 0x1f);
    d.ack(0, 0x60);
    assert_eq!(sent(&mut d)[0], (READ, 0, (1 << 31) - 512));
}

#[test]
fn requester_read_brings_no_telemetry_to_the_cc_unit() {
    let mut d = Driver::new(UNTIMED);
    d.read(1, 300);
    d.post(2, 10);
    sent(&mut d);
    let tel = Telemetry { valid: true, hops: 1, ..Telemetry::default() };
    let response =
        Answer { opcode: FIRST, psn: 0xff_fffe, payload_bytes: 256, tel, ..Answer::default() };
    d.answer(response);
    d.answer(Answer { opcode: LAST, psn: 0xff_ffff, payload_bytes: 44, ..response });
    assert_eq!((d.orders().len(), d.ccs), (3, 0));
    d.answer(Answer { opcode: 0x11, psn: 0, tel, ..Answer::default() });
    assert_eq!((d.orders().len(), d.ccs), (1, 1));
}

#[test]
fn requester_flushes_every_work_request_with_its_flag() {
    let mut d = Driver::new(UNTIMED);
    d.read(1, 10);
    d.post_unsignalled(2, 10);
    d.read(3, 10);
    sent(&mut d);
    d.ack(0xff_fffe, 0x62);
    d.run(100);
    let ends: Vec<_> = d.cqes.iter().map(|c| (c.wr_id, c.status, c.signalled)).collect();
    assert_eq!(ends, [(1, 2, true), (2, FLUSHED, false), (3, FLUSHED, true)]);
    assert_eq!(address(2), 0x2000);
}

#[test]
fn requester_takes_the_cycles_of_its_header() {
    // The golden model picks in its second cycle at the earliest: the first is that of the pick.
    let ready = |d: &mut Driver, start: usize| d.cycle - start - 1;
    let mut d = Driver::new(UNTIMED);
    d.grants = false;
    d.run(64);
    d.settle();
    let start = d.cycle;
    d.read(1, 300);
    assert_eq!(ready(&mut d, start), 8, "armed");
    d.settle();
    let start = d.cycle;
    d.post(2, 10);
    assert_eq!(ready(&mut d, start), 6, "not armed");
    d.grants = true;
    sent(&mut d);
    d.settle();
    let start = d.cycle;
    d.response(FIRST, 0xff_fffe, 256);
    assert_eq!(ready(&mut d, start), 14);
    d.settle();
    let start = d.cycle;
    d.response(LAST, 0xff_ffff, 44);
    assert_eq!(ready(&mut d, start), 15);
    d.settle();
    let start = d.cycle;
    d.ack(0, 0x1f);
    assert_eq!(ready(&mut d, start), 10);
}
