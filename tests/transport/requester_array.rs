//! Requesters side by side against their golden twin, and what they promise together.

use crate::requester::row_behind_an_error;
use nic_harness::lockstep::{StepError, Stepper};
use nic_harness::verilator::Source;
use nic_models::golden::transport::requester::array::RequesterArray;
use nic_models::golden::transport::requester::{RequesterIn, RequesterOut};
use nic_models::ports::{Golden, Wide};
use nic_models::streams::Flow;
use nic_spec::rows::{QpRow, Row, WrRow};
use nic_spec::wire::bth::opcode;
use rdma_nic::{assert_runs_catch, brief_lock_step, hundred, Runs};

#[test]
fn requester_array_matches_golden() {
    Runs::of_block("requester_array", &hundred(), 1..5, 60_000).assert_match_golden(&[]);
}

#[test]
fn requester_array_breaks_are_caught() {
    let breaks = [
        // A flow, a QPN of another engine.
        ("one_flow = high_flow | low_bits_1", "one_flow = high_flow | low_bits_0"),
        // The lowest always goes first.
        ("above <= later", "above <= {COUNT{1'b0}}"),
        // A pair of packet and read command is torn apart.
        ("pkt_done & read_done;", "pkt_done;"),
        ("read_taken <= packets_m_valid &", "read_taken <= 1'b0 &"),
        // A packet that has none brings the command of one before.
        ("m_read_valid = packets_m_valid & head[415]", "m_read_valid = packets_m_valid"),
        // Bytes in flight arm, too.
        ("work_frame_count_next = 7'd0", "work_frame_count_next = 7'd1"),
        // A payload's order leaves before it is its turn.
        ("payloads_m_data[0]", "1'b1"),
        // An ACK gives way to a NAK or one without telemetry, or with nothing before it.
        ("& (!(|s_data[63:61])) &", "&"),
        ("& (s_data[109] | !last[109])", "& 1'b1"),
        ("is_empty = !(|fifo_count)", "is_empty = 1'b0"),
        // One that has given way does not count.
        ("one_pulses[0] = any_merged", "one_pulses[0] = 1'b0"),
        // A window of another engine's flow.
        ("window_flow = watch_flow >> 3", "window_flow = watch_flow"),
        // READ responses follow each other at once.
        ("pause_next = response_pause", "pause_next = 3'd0"),
        // A work request enters twice, another row does.
        ("row_room & !takes_row", "row_room"),
        ("& !has_entered", "& 1'b1"),
        // Events of the same cycle are one.
        ("sum = sum + {3'd0, pulses[at]}", "sum = {3'd0, |sum | pulses[at]}"),
    ];
    let seeds = [1, 2];
    assert_runs_catch(&[Runs::of_block("requester_array", &hundred(), seeds, 60_000)], &breaks);
    // What seldom stands behind one another.
    let rare = [
        ("& !newer[23]", "& 1'b1"),
        ("(!(|last[63:61])) &", "1'b1 &"),
        // Work requests of a flow go before an answer that waits, however many.
        ("(answer_waits & (&posts))", "1'b0"),
        // A row finds no room.
        ("is_own & rows_0_s_ready", "is_own"),
    ];
    let seeds = 1..=20;
    assert_runs_catch(&[Runs::of_block("requester_array", &hundred(), seeds, 200_000)], &rare);
}

/// The Verilog goes through the run in lock-step, and with a break of one place no longer.
fn assert_notices(run: impl Fn(&Source) -> Result<(), StepError>, (from, to): (&str, &str)) {
    let runs = Runs::of_block("requester_array", &hundred(), [], 0);
    run(runs.source()).expect("equal");
    let text = runs.source().text.replacen(from, to, 1);
    assert_ne!(runs.source().text, text, "{from} stands in the Verilog");
    let broken = Source { text, ..runs.source().clone() };
    assert!(run(&broken).is_err(), "not noticed: {from} -> {to}");
}

#[test]
fn requester_array_row_waits_for_errors_of_all() {
    // Flows of different engines.
    let run =
        |source: &Source| row_behind_an_error(RequesterArray::new(&hundred()), source, [3, 6]);
    assert_notices(run, ("(is_qp & (|errors))", "1'b0"));
}

/// The row of a queue pair some cycles behind a work request, in lock-step.
fn row_behind_a_request(source: &Source) -> Result<(), StepError> {
    let mut engine = brief_lock_step(RequesterArray::new(&hundred()), source, 1);
    let flow = 8;
    let qp = QpRow { valid: true, qpn: flow.into(), ..QpRow::default() }.to_row();
    let wr = WrRow { length_bytes: 64, ..WrRow::default() }.to_row();
    for gap in 0..4 {
        let mut i = RequesterIn::default();
        i.m_work.ready = true;
        for _ in 0..200 {
            engine.step(&i)?;
        }
        for (table, row, pause) in [(0, qp, 200), (2, wr, gap), (0, qp, 200)] {
            (i.cfg_table, i.cfg_index, i.cfg_row, i.s_cfg.valid) = (table, flow, wide(row), true);
            while !engine.last_out().s_cfg.ready {
                engine.step(&i)?;
            }
            engine.step(&i)?;
            i.s_cfg.valid = false;
            for _ in 0..pause {
                engine.step(&i)?;
            }
        }
    }
    Ok(())
}

#[test]
fn requester_array_row_is_taken_when_its_engine_is_done() {
    assert_notices(row_behind_a_request, ("enters & is_request", "enters"));
}

/// ACKs of two queue pairs of one engine, one a cycle, in lock-step: none gives way to the other's.
fn acks_by_turns(source: &Source) -> Result<(), StepError> {
    let mut engine = brief_lock_step(RequesterArray::new(&hundred()), source, 1);
    let mut i = RequesterIn::default();
    for _ in 0..200 {
        engine.step(&i)?;
    }
    (i.s_ack.valid, i.s_ack.opcode, i.s_ack.syndrome) = (true, opcode::ACKNOWLEDGE, 0x1f);
    for turn in 0..100 {
        i.s_ack.qpn = 8 * (turn % 2);
        engine.step(&i)?;
    }
    Ok(())
}

#[test]
fn requester_array_keeps_acks_of_other_queue_pairs() {
    assert_notices(acks_by_turns, ("(s_data[23:0] == last[23:0])", "1'b1"));
}

/// A row as pins.
fn wide(row: Row) -> Wide<8> {
    Wide(core::array::from_fn(|n| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32))
}

/// While an engine sends 4 KiB, ACKs of its queue pair come; one is worked on for all of them.
#[test]
fn requester_array_takes_the_newest_ack() {
    let mut array = RequesterArray::new(&hundred());
    let mut i = RequesterIn { reset: true, ..RequesterIn::default() };
    for port in [&mut i.m_pkt, &mut i.m_read, &mut i.m_work, &mut i.m_cc] {
        port.ready = true;
    }
    i.m_order.ready = true;
    let mut out = array.step(&i);
    i.reset = false;
    let mut run = |i: &mut RequesterIn, cycles: usize| -> Vec<RequesterOut> {
        (0..cycles)
            .map(|_| {
                i.s_cfg.valid &= !out.s_cfg.ready;
                out = array.step(i);
                out
            })
            .collect()
    };
    run(&mut i, 200);
    let qp = QpRow { valid: true, mtu_code: 0, qpn: 0x1105, remote_ip: 7, ..QpRow::default() };
    let wr = WrRow { length_bytes: 1 << 20, ..WrRow::default() };
    for (table, row) in [(0, qp.to_row()), (2, wr.to_row())] {
        (i.cfg_table, i.cfg_index, i.s_cfg.valid) = (table, 0x105, true);
        i.cfg_row = wide(row);
        (i.watch_valid, i.watch_ready) = (true, true);
        (i.watch_flow, i.watch_window) = (0x105, 1 << 20);
        run(&mut i, 60);
    }
    i.s_grant = Flow { valid: true, flow: 0x105 };
    run(&mut i, 1);
    i.s_grant.valid = false;
    let sent = run(&mut i, 200).iter().filter(|o| o.m_pkt.valid).count();
    assert_eq!(sent, 16, "4 KiB are on their way");
    // One is taken, and while it is worked on the others come.
    let mut outs = vec![];
    for psn in 0..10 {
        (i.s_ack.valid, i.s_ack.psn, i.s_ack.qpn) = (true, psn, 0x1105);
        (i.s_ack.opcode, i.s_ack.syndrome, i.s_ack.src_ip) = (opcode::ACKNOWLEDGE, 0x1f, 7);
        outs.extend(run(&mut i, 1));
    }
    i.s_ack.valid = false;
    outs.extend(run(&mut i, 100));
    let told = outs.iter().map(|o| o.m_work).filter(|w| w.valid && w.frame_count == 0);
    let told: Vec<_> = told.map(|work| work.inflight_bytes).collect();
    assert_eq!(told, [15 * 256, 6 * 256], "the first and the last one");
    assert_eq!(outs.iter().filter(|o| o.event_reqr.ack).count(), 10, "all of them count");
}

/// Events of several engines in one cycle count one by one.
#[test]
fn requester_array_counts_every_event() {
    let mut array = RequesterArray::new(&hundred());
    let mut i = RequesterIn { reset: true, ..RequesterIn::default() };
    let mut out = array.step(&i);
    i.reset = false;
    let (mut offered, mut counted) = (0, 0);
    for cycle in 0..4000 {
        // At first behind the scrubbing, so that all engines begin at once.
        let is_more = offered < 500;
        (i.s_ack.valid, i.s_ack.qpn, i.s_ack.opcode) = (is_more, cycle, opcode::ACKNOWLEDGE);
        offered += u32::from(is_more && out.s_ack.ready);
        out = array.step(&i);
        counted += u32::from(out.event_reqr.no_qp);
    }
    assert_eq!((offered, counted), (500, 500));
}
