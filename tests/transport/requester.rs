//! Requester against its golden twin, and the golden twin against the standard.

mod driver;
mod read;

use driver::{Driver, QP};
use nic_harness::lockstep::{StepError, Stepper};
use nic_harness::verilator::Source;
use nic_models::golden::transport::requester::{Requester, RequesterIn, RequesterOut};
use nic_models::ports::Golden;
use nic_models::streams::{Answer, Telemetry};
use nic_spec::rows::{Operation, QpRow};
use rdma_nic::{
    assert_matches_golden, assert_runs_catch, bench_and_verilog, brief_lock_step, gbe, hundred,
    Runs,
};

#[test]
fn requester_matches_golden() {
    assert_matches_golden(
        "requester",
        1..5,
        200_000,
        &["m_order_op", "m_order_addr", "m_order_bytes"],
    );
}

#[test]
fn requester_breaks_are_caught() {
    let breaks = [
        // A rewind keeps the work request; a READ begins anew after a loss.
        ("r_current_next = r_head", "r_current_next = r_current"),
        ("remote_address + {32'd0, offset}", "remote_address"),
        // A timer is never restarted; the longest one is late at once; RNR retries have no end.
        ("r_deadline_next = retry_deadline", "r_deadline_next = r_deadline"),
        ("is_late = !late[32]", "is_late = !late[31]"),
        ("is_nak_rnr & rnr_out", "is_nak_rnr & 1'b0"),
        // A completion is not signalled; an ACK ends a READ; READs stay open.
        ("order_signalled_next = signalled", "order_signalled_next = 1'b0"),
        ("covered = ack_covered & !requests_is_read", "covered = ack_covered & 1'b1"),
        ("r_open_reads_next = r_open_reads - 5'd1", "r_open_reads_next = r_open_reads"),
        // A packet, a work request that was made ready for another flow; one that holds up others.
        ("takes_grant = grant_valid & (grant_flow == now_flow)", "takes_grant = grant_valid"),
        ("takes_wr = wr_valid & (wr_flow == now_flow)", "takes_wr = wr_valid"),
        ("rests = prepares | (now_state == STATE_AWAIT)", "rests = (now_state == STATE_AWAIT)"),
        // An error of an old row counts.
        ("ctl_is_old = (|s_fail_mark) & (s_fail_mark != qp_mark)", "ctl_is_old = 1'b0"),
        // A response: before the READ lands, not compared, MIDDLE in the place of FIRST.
        ("in_turn_next = !(|index)", "in_turn_next = 1'b1"),
        ("fits <= has_place & (payload_bytes == due_bytes)", "fits <= has_place & 1'b1"),
        (
            "has_place = (opcode == read_first) | ((opcode == read_middle) & !first)",
            "has_place = (opcode == read_first) | (opcode == read_middle)",
        ),
        // A gap is answered again and again.
        ("else if (!had_gap)", "else if (1'b1)"),
        ("gap = r_gap", "gap = 1'b0"),
        // Answers go before all else.
        ("ack_waits & (!(answered & others))", "ack_waits"),
        // What is done is chosen again; a row is read while it is written; the next message's first
        // packet is taken for one of the message before, or its work request is not read.
        ("was_ack <= answers", "was_ack <= 1'b0"),
        ("was_grant <= own == OP_GRANT", "was_grant <= 1'b0"),
        ("was_row <= (own == OP_QP) |", "was_row <="),
        ("opens & picked & !is_held", "opens & picked"),
        ("else if (begins)", "else if (1'b0)"),
        (
            "STATE_SEND: begin\n                position = probe",
            "STATE_SEND: begin\n                position = head",
        ),
        // Deeper send queues are no deeper, or share places: with others, or with themselves.
        ("depth_next = least_depth << 4", "depth_next = least_depth << 3"),
        ("first_place_next = wide_flow << 4", "first_place_next = wide_flow << 3"),
        ("places_next = most_places", "places_next = more_places"),
        // Work requests of a flow in a row: beyond its places, one is missing, many before an answer;
        // one is taken twice. Behind the head the head again.
        ("takes_wr & !sq_full &", "takes_wr &"),
        (
            "now_state == STATE_POST1) & (pending | armed | is_rnr)",
            "now_state == STATE_POST1) & 1'b1",
        ),
        ("(answer_waits & (&posts))", "answer_waits"),
        ("has_posted & takes_wr", "takes_wr"),
        ("position = second", "position = head"),
        // An ACK that waits for CC stays before a newer one of its flow, or goes before another's.
        ("(!cc_valid | emits)", "(!cc_valid)"),
        ("has_tel & !is_same", "1'b0"),
        // CC hears of one that is not worked on; the next PSN is the one that was to be sent again.
        ("& has_tel & outstanding", "& has_tel"),
        ("if (beyond_nxt[23])", "if (1'b1)"),
        // More than half of the PSNs are on their way.
        ("far <= total > half", "far <= 1'b0"),
        // Subscriptions to telemetry; the fourth seed has none at all.
        ("r_stamped_next = cfg_psn", "r_stamped_next = r_stamped"),
        ("if (cfg_tel_every == 8'd255)", "if (1'b0)"),
        ("& !acked[23]", "& 1'b1"),
        ("out_ack_req = packet_ack_req | stamp_asks", "out_ack_req = packet_ack_req"),
        // Inline payload: of a READ, one byte more, from host memory.
        ("(cfg_row[1:0] != read)", "1'b1"),
        ("inline_bytes_max = 32'd24", "inline_bytes_max = 32'd25"),
        ("row[63:0] = cfg_row[383:320]", "row[63:0] = cfg_row[127:64]"),
    ];
    let seeds = [1, 2, 3, 5, 6, 7, 9, 10];
    assert_runs_catch(&[Runs::of_block("requester", &gbe(), seeds, 1_000_000)], &breaks);
    let bursts = [
        // 4 KiB: without room, with less of the message, in a window of another flow or of before;
        // a packet too few, or into an output that is not free.
        ("fits = has_room", "fits = 1'b1"),
        ("is_long <= |rest_bytes[31:12]", "is_long <= |rest_bytes[31:11]"),
        ("was_told_next = watch & (watch_flow == read_flow)", "was_told_next = watch"),
        ("was_told_next = watch & (watch_flow == read_flow)", "was_told_next = 1'b0"),
        ("count_next = 7'd16", "count_next = 7'd15"),
        ("goes_on = |left", "goes_on = 1'b0"),
        // All messages: without room, instead of a long one that is posted, beside others, more than 4
        // KiB, one, a header too few; after a rewind as many others.
        ("waiting_bytes[12:8] + 5'd2", "5'd0"),
        ("are_plain & !posts", "are_plain"),
        ("post_is_plain & (r_plain | (r_used == 9'd0))", "post_is_plain"),
        ("post_is_plain & (r_plain | (r_used == 9'd0))", "r_plain | post_is_plain"),
        ("are_small <= are_several & is_within", "are_small <= are_several"),
        ("are_plain & (|waiting[8:1])", "are_plain"),
        ("small_high <= headers_of_2 + headers_of_3", "small_high <= headers_of_3"),
        ("count_next = {1'b0, leaving}", "count_next = 7'd2"),
        // A part of them: what is looked at comes to hand, another part, of another place, with the
        // bytes of all, with the headers of less.
        ("if (!has_looked) begin", "if (1'b1) begin"),
        ("max_next = 6'd32", "max_next = 6'd16"),
        ("max_next = 6'd2;", "max_next = 6'd4;"),
        ("current + {3'd0, max}", "current"),
        ("end_seq = part_seq", "end_seq = r_tail_seq"),
        ("leaving = messages_max", "leaving = waiting[5:0]"),
        ("small_top <= headers_of_4 + headers_of_5", "small_top <= headers_of_4"),
        // An ACK of all that was sent shortens the arm that is out; a rewind does not.
        ("(overtakes & is_resend)", "overtakes"),
        ("(rewind | (overtakes & is_resend))", "(1'b0)"),
        ("plain <= (packets == 24'd1) &", "plain <="),
        ("if (packet_free) begin", "if (1'b1) begin"),
        ("has_imm & is_whole", "has_imm"),
    ];
    assert_runs_catch(&[Runs::of_block("requester", &hundred(), seeds, 400_000)], &bursts);
    // Places in the queue have two bits too few: 128 work requests, and a rewind.
    let eighth = Runs::of_block("requester", &gbe(), [8], 400_000);
    let places = [("reg  [8:0]  r_head_next", "reg  [6:0]  r_head_next")];
    assert_runs_catch(&[eighth], &places);
    let fourth = Runs::of_block("requester", &gbe(), [4], 400_000);
    assert_runs_catch(&[fourth], &[("if (cfg_tel_every == 8'd0)", "if (1'b0)")]);
}

/// What left of these PSNs with telemetry, each with the PSN's place behind the first one; an ACK is
/// asked for then.
fn with_telemetry(d: &mut Driver) -> Vec<u32> {
    d.run(600);
    let pkts = std::mem::take(&mut d.pkts);
    let works = std::mem::take(&mut d.works);
    assert_eq!(pkts.len(), works.len());
    for (pkt, work) in pkts.iter().zip(&works) {
        assert!(pkt.bare || pkt.ack_req || d.telemetry.1 < 2);
        // None, paper, authors, INT-MD by DSCP, IOAM, IFA, INT-MD by port.
        let header_bytes = [0, 2, 42, 16, 12, 8, 16][usize::from(d.telemetry.0)];
        let tel_bytes = if pkt.bare { 0 } else { header_bytes };
        let headers = if matches!(pkt.opcode, 0x06 | 0x0a) { 74 } else { 58 };
        assert_eq!(work.len_bytes, headers + tel_bytes + pkt.payload_bytes);
    }
    let place = |psn: u32| psn.wrapping_sub(QP.sq_psn) & 0xff_ffff;
    pkts.iter().filter(|pkt| !pkt.bare).map(|pkt| place(pkt.psn)).collect()
}

/// None, each packet, each fourth one, or the first one behind what is acknowledged; what is sent again
/// counts from there.
#[test]
fn requester_leaves_room_for_telemetry_as_subscribed() {
    let qp = QpRow { telemetry: true, ack_interval_log2: 15, timeout_exponent: 0, ..QP };
    for (every, first, behind_ack, again) in [
        (0, vec![], vec![], vec![]),
        (1, (0..12).collect::<Vec<_>>(), vec![12, 13], (5..14).collect::<Vec<_>>()),
        (4, vec![0, 4, 8], vec![12], vec![5, 9, 13]),
        (255, vec![0], vec![12], vec![12]),
    ] {
        for form in 1..=6 {
            let mut d = Driver::new(qp);
            d.telemetry = (form, every);
            d.post(1, 12 * 256);
            assert_eq!(with_telemetry(&mut d), first, "every {every}");
            // The ACK of PSN 4 covers the first packet with telemetry, but not the others.
            d.ack(QP.sq_psn.wrapping_add(4) & 0xff_ffff, 0x1f);
            d.post(2, 2 * 256);
            assert_eq!(with_telemetry(&mut d), behind_ack, "every {every}");
            d.ack(QP.sq_psn.wrapping_add(5) & 0xff_ffff, 0x60);
            assert_eq!(with_telemetry(&mut d), again, "every {every}");
        }
    }
    // Without telemetry nothing is bare.
    let mut d = Driver::new(QpRow { telemetry: false, ..qp });
    d.telemetry = (2, 4);
    d.post(1, 12 * 256);
    d.run(600);
    assert!(d.pkts.len() == 12 && d.pkts.iter().all(|pkt| !pkt.bare));
}

/// The row of a queue pair some cycles behind a read error of the same or another one, in lock-step.
pub fn row_behind_an_error<G>(
    golden: G,
    source: &Source,
    [error_flow, row_flow]: [u16; 2],
) -> Result<(), StepError>
where
    G: Golden<In = RequesterIn, Out = RequesterOut>,
{
    let mut engine = brief_lock_step(golden, source, 1);
    for gap in 0..8 {
        let mut i = RequesterIn::default();
        for _ in 0..200 {
            engine.step(&i)?;
        }
        (i.s_fail.valid, i.s_fail.flow, i.cfg_index) = (true, error_flow, row_flow);
        while !engine.last_out().s_fail.ready {
            engine.step(&i)?;
        }
        engine.step(&i)?;
        i.s_fail.valid = false;
        for _ in 0..gap {
            engine.step(&i)?;
        }
        i.s_cfg.valid = true;
        while !engine.last_out().s_cfg.ready {
            engine.step(&i)?;
        }
    }
    Ok(())
}

#[test]
fn requester_row_waits_for_errors_on_their_way() {
    let (_, mut source) = bench_and_verilog("requester");
    let run = |source: &Source| row_behind_an_error(Requester::new(&gbe()), source, [0, 0]);
    run(&source).expect("equal");
    let broken = source.text.replacen("!(|fails)", "1'b1", 1);
    assert_ne!(source.text, broken);
    source.text = broken;
    assert!(run(&source).is_err(), "a row that does not wait is noticed");
}

/// Lengths of the arms, their frames and what was in flight, and payload bytes of the packets.
fn arms_of(d: &mut Driver) -> (Vec<(u16, u8, u32)>, Vec<u16>) {
    d.run(600);
    let works = std::mem::take(&mut d.works);
    let pkts = std::mem::take(&mut d.pkts);
    (
        works.iter().map(|w| (w.len_bytes, w.frame_count, w.inflight_bytes)).collect(),
        pkts.iter().map(|p| p.payload_bytes).collect(),
    )
}

#[test]
fn requester_sends_4_kib_at_once_within_the_window() {
    let qp = QpRow { mtu_code: 2, timeout_exponent: 0, ..QP };
    // Two times 4 KiB and the rest; the first of its message has 16 bytes more.
    let mut d = Driver::of(&hundred(), qp);
    d.window(12_543);
    d.post(1, 8192 + 100);
    let (arms, packets) = arms_of(&mut d);
    let each = 4096 + 4 * 58;
    assert_eq!(arms, [(each + 16, 4, 0), (each, 4, 4096), (58 + 100, 1, 8192)]);
    assert_eq!(packets, [[1024; 8].as_slice(), &[100]].concat());
    // 100 bytes count as a block: 17 blocks are left for the next 4 KiB, but not 16.
    d.post(2, 5120);
    assert_eq!(arms_of(&mut d).0[0], (58 + 16 + 1024, 1, 8292));
    // A block less, and no window at all.
    for window_bytes in [4096 + 255, 0] {
        let mut d = Driver::of(&hundred(), qp);
        d.window(window_bytes);
        d.post(1, 8192);
        assert_eq!(arms_of(&mut d).0[0], (58 + 16 + 1024, 1, 0), "{window_bytes} bytes");
    }
    // 4 KiB that are the whole message, with telemetry in each packet; with it in some packet by
    // packet.
    let mut d = Driver::of(&hundred(), QpRow { telemetry: true, ..qp });
    (d.telemetry, d.grants) = ((2, 1), true);
    d.window(1 << 20);
    d.post(1, 4096);
    assert_eq!(arms_of(&mut d), (vec![(each + 16 + 4 * 42, 4, 0)], vec![1024; 4]));
    d.telemetry = (2, 4);
    d.post(2, 4096);
    assert_eq!(arms_of(&mut d).0.iter().map(|arm| arm.1).collect::<Vec<_>>(), [1; 4]);
}

/// Messages that wait leave at once if each is a packet, a WRITE without padding or immediate data, and
/// the window has room for them.
#[test]
fn requester_sends_all_small_messages_at_once() {
    let qp = QpRow { mtu_code: 2, timeout_exponent: 0, ..QP };
    let arms = |window_bytes, post: &dyn Fn(&mut Driver)| {
        let mut d = Driver::of(&hundred(), qp);
        d.window(window_bytes);
        d.grants = false;
        d.post(1, 64);
        post(&mut d);
        d.grants = true;
        let (arms, packets) = arms_of(&mut d);
        (arms[1..].to_vec(), packets[1..].to_vec())
    };
    let three = |d: &mut Driver| [64, 0, 400].into_iter().for_each(|bytes| d.post(2, bytes));
    let together = (vec![(3 * 74 + 464, 3, 64)], vec![64, 0, 400]);
    // 64 bytes are in flight, 464 are to leave: a block of each may be begun.
    assert_eq!(arms(3 * 256, &three), together);
    assert_eq!(arms(3 * 256 - 1, &three).0[0], (74 + 64, 1, 64));
    let counts = |post: &dyn Fn(&mut Driver)| -> Vec<u8> {
        arms(1 << 20, post).0.iter().map(|arm| arm.1).collect()
    };
    assert_eq!(counts(&|d| (0..4).for_each(|_| d.post(2, 1024))), [4], "4 KiB");
    // More than 4 KiB hold of such as the first: as many as that, the first of them.
    let five =
        |d: &mut Driver| [1024, 1020, 1024, 1024, 512].into_iter().for_each(|b| d.post(2, b));
    assert_eq!(counts(&five), [4, 1]);
    assert_eq!(arms(1 << 20, &five).0[0], (4 * 74 + 4092, 4, 64));
    assert_eq!(counts(&|d| (0..12).for_each(|n| d.post(2, 260 + 4 * n))), [8, 4]);
    // Of which those are more than 4 KiB.
    assert_eq!(counts(&|d| (0..6).for_each(|n| d.post(2, 500 + 100 * n))), [1, 4, 1]);
    assert_eq!(counts(&|d| [64, 65, 64].into_iter().for_each(|bytes| d.post(2, bytes))), [1; 3]);
    assert_eq!(counts(&|d| [64, 2048].into_iter().for_each(|bytes| d.post(2, bytes))), [1; 3]);
    let immediate = |d: &mut Driver| {
        d.post_as(Operation::WriteImmediate, 2, 64);
        d.post(3, 64);
    };
    assert_eq!(counts(&immediate), [1; 2]);
    let read = |d: &mut Driver| {
        d.post(2, 64);
        d.read(3, 64);
    };
    assert_eq!(counts(&read), [1; 2]);
}

/// What is sent again may be larger than what was armed: one packet of it leaves.
#[test]
fn requester_sends_one_packet_if_an_arm_is_overtaken() {
    let mut d = Driver::of(&hundred(), QpRow { mtu_code: 2, timeout_exponent: 0, ..QP });
    d.window(1 << 20);
    d.post(1, 1024);
    d.post(2, 1024);
    assert_eq!(arms_of(&mut d).1, [1024; 2]);
    d.grants = false;
    d.post(3, 64);
    d.post(4, 64);
    d.post(5, 64);
    d.grants = true;
    while d.pkts.is_empty() {
        d.run(1);
    }
    d.grants = false;
    d.run(100);
    assert_eq!(d.works.last().map(|w| w.frame_count), Some(2));
    d.ack(QP.sq_psn, 0x60);
    d.grants = true;
    let packets = arms_of(&mut d).1;
    assert_eq!(packets, [64, 1024, 1024, 64, 64, 64], "the arm is for one packet");
}

#[test]
fn requester_sends_a_packet_of_a_burst_that_is_overtaken() {
    let mut d = Driver::of(&hundred(), QpRow { mtu_code: 2, timeout_exponent: 0, ..QP });
    d.window(1 << 20);
    d.grants = false;
    d.post(1, 1024);
    d.post(2, 4096);
    d.grants = true;
    let (arms, packets) = arms_of(&mut d);
    assert_eq!((arms[1].1, packets.len()), (4, 5));
    d.grants = false;
    d.post(3, 4096);
    d.run(100);
    assert_eq!(d.works[0].frame_count, 4);
    // What was armed as 4 KiB is the last packet of the message before.
    d.ack(2, 0x60);
    d.grants = true;
    let (arms, packets) = arms_of(&mut d);
    assert_eq!((arms[1].1, packets), (4, vec![1024; 5]));
}

#[test]
fn requester_cuts_a_message_at_the_mtu_over_the_psn_wrap() {
    let mut d = Driver::new(QP);
    d.post(7, 600);
    d.run(200);
    let seen: Vec<_> =
        d.pkts.iter().map(|p| (p.opcode, p.psn, p.payload_bytes, p.ack_req)).collect();
    let expected = [(6, 0xff_fffe, 256, false), (7, 0xff_ffff, 256, true), (8, 0, 88, true)];
    assert_eq!(seen, expected);
    let reads: Vec<_> = d.reads.iter().map(|r| (r.addr, r.bytes)).collect();
    assert_eq!(reads, [(0x7000, 256), (0x7100, 256), (0x7200, 88)]);
    // Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, RETH 16 on the first.
    let works: Vec<_> = d.works.iter().map(|w| (w.len_bytes, w.inflight_bytes)).collect();
    assert_eq!(works, [(58 + 16 + 256, 0), (58 + 256, 256), (58 + 88, 512)]);
    d.ack(0, 0x1f);
    d.run(60);
    assert_eq!((d.cqes[0].wr_id, d.cqes[0].status, d.cqes[0].byte_len), (7, 0, 600));
    assert_eq!(d.inflight, 0);
}

/// The newest ACK of a flow waits for congestion control, and holds nothing up.
#[test]
fn requester_keeps_the_newest_ack_while_congestion_control_is_busy() {
    let mut d = Driver::new(QP);
    d.takes_cc = false;
    d.post(7, 600);
    d.run(200);
    for psn in [0xff_fffe, 0xff_ffff, 0] {
        let tel = Telemetry { valid: true, hops: 1, path: psn as u16, ..Telemetry::default() };
        d.answer(Answer { psn, syndrome: 0x1f, opcode: 0x11, tel, ..Answer::default() });
        let cc = d.out.m_cc;
        assert_eq!((cc.valid, cc.psn, cc.tel.path), (true, psn, tel.path));
    }
    assert_eq!((d.cqes.len(), d.inflight), (1, 0));
}

#[test]
fn requester_sends_one_packet_for_nothing_and_for_exactly_one_mtu() {
    let mut d = Driver::new(QP);
    d.post(1, 0);
    d.post(2, 256);
    d.post(3, 512);
    d.run(300);
    let seen: Vec<_> = d.pkts.iter().map(|p| (p.opcode, p.payload_bytes, p.dma_len)).collect();
    assert_eq!(seen, [(10, 0, 0), (10, 256, 256), (6, 256, 512), (8, 256, 512)]);
    assert_eq!(d.reads.len(), 3, "nothing is read for an empty packet");
}

#[test]
fn requester_resumes_at_the_psn_that_a_nak_names() {
    let mut d = Driver::new(QP);
    d.post(1, 100);
    d.post(2, 1024);
    d.run(300);
    assert_eq!(d.psns(), [0xff_fffe, 0xff_ffff, 0, 1, 2]);
    // PSN 0 is the second packet of the second message: no RETH, the address goes on.
    d.ack(0, 0x60);
    d.reads.clear();
    d.run(300);
    assert_eq!((d.pkts[0].opcode, d.pkts[0].psn), (7, 0));
    assert_eq!(d.reads[0].addr, 0x2100);
    assert_eq!(d.psns(), [0, 1, 2]);
    assert_eq!(d.cqes.iter().map(|c| c.wr_id).collect::<Vec<_>>(), [1]);
}

#[test]
fn requester_goes_on_behind_the_ack_of_a_duplicate() {
    let mut d = Driver::new(QP);
    d.post(1, 1024);
    d.run(300);
    assert_eq!(d.psns().len(), 4);
    d.grants = false;
    d.ack(0xff_fffe, 0x60);
    // The peer had all but the last packet: its ACK is ahead of where we resend.
    d.ack(0, 0x1f);
    d.grants = true;
    d.run(300);
    assert_eq!(d.psns(), [1]);
}

#[test]
fn requester_ignores_what_is_not_outstanding() {
    let mut d = Driver::new(QP);
    d.post(1, 512);
    d.run(200);
    for psn in [0xff_fffd, 0, 5, 0x7f_ffff] {
        d.ack(psn, 0x1f);
        d.ack(psn, 0x60);
        d.ack(psn, 0x62);
    }
    d.run(50);
    assert!(d.cqes.is_empty());
    d.ack(0xff_ffff, 0x1f);
    d.run(50);
    assert_eq!(d.cqes.len(), 1);
}

#[test]
fn requester_gives_up_after_the_retry_limit_and_flushes() {
    let mut d = Driver::new(QP);
    d.post(1, 10);
    d.post(2, 10);
    // 2 ticks of 512 cycles and one for rounding, three times, and the scans.
    d.run(20_000);
    assert_eq!(d.psns(), [0xff_fffe, 0xff_ffff].repeat(3), "two retries");
    assert_eq!(d.ends(), [(1, 1), (2, 6)]);
    d.post(3, 10);
    d.run(100);
    assert_eq!(d.ends()[2..], [(3, 6)], "a queue pair in error flushes what is posted");
    assert!(d.pkts.is_empty());
    d.row(0, &QP.to_row());
    d.post(4, 10);
    d.run(100);
    assert_eq!(d.psns(), [0xff_fffe], "its row makes it new");
}

#[test]
fn requester_ends_with_the_status_of_a_fatal_nak() {
    for (syndrome, status) in [(0x61, 3), (0x62, 2), (0x63, 4), (0x64, 3)] {
        let mut d = Driver::new(QP);
        d.post(1, 10);
        d.post(2, 10);
        d.run(200);
        d.ack(0xff_ffff, syndrome);
        d.run(100);
        assert_eq!(d.ends(), [(1, 0), (2, status)], "syndrome {syndrome:#x}");
    }
}

#[test]
fn requester_waits_out_an_rnr_nak() {
    let mut d = Driver::new(QP);
    d.post(1, 10);
    d.run(200);
    d.psns();
    d.ack(0xff_fffe, 0x20 | 12);
    // Code 12 is 0.64 ms: 80,000 cycles of 8 ns.
    d.run(79_900);
    assert!(d.pkts.is_empty() && d.cqes.is_empty());
    d.run(6_000);
    assert_eq!(d.psns(), [0xff_fffe]);
}
