//! frame_fifo: Verilog against golden model.

use nic_harness::lockstep::{LockStep, Stepper};
use nic_models::golden::util::frame_fifo::{FrameFifo, FrameFifoIn, FrameFifoOut};
use nic_models::ports::Data;
use nic_models::streams::{AxisUser, TreadyPort};
use nic_sim::bench::util::FRAME_FIFO_BEATS;
use rdma_nic::{
    assert_catches, assert_matches_golden, bench_and_verilog, hundred, lock_step, Runs,
};

type Twin = FrameFifo<(Data, u64)>;

#[test]
fn frame_fifo_matches_golden() {
    assert_matches_golden("frame_fifo", 0..6, 50_000, &[]);
    Runs::of_block("frame_fifo", &hundred(), 0..4, 50_000).assert_match_golden(&[]);
}

fn engine() -> LockStep<Twin> {
    let (_, source) = bench_and_verilog("frame_fifo");
    lock_step(Twin::new(FRAME_FIFO_BEATS, false), &source, 1)
}

/// Offers a frame of `beat_count` beats and then idles; all outputs from its first beat on.
fn send(
    engine: &mut LockStep<Twin>,
    beat_count: usize,
    bad: bool,
    drop_when_full: bool,
    m_ready: bool,
) -> Vec<FrameFifoOut> {
    let mut outs = Vec::new();
    let mut sent = 0;
    let mut ready = true;
    for _ in 0..4 * FRAME_FIFO_BEATS + 20 {
        let pins = FrameFifoIn {
            cfg_drop_when_full: drop_when_full,
            s_axis: AxisUser {
                tdata: (sent as u64).into(),
                tkeep: 0xff,
                tvalid: sent < beat_count,
                tlast: sent + 1 == beat_count,
                tuser: bad,
            },
            s_open: false,
            m_axis: TreadyPort { tready: m_ready },
            reset: false,
        };
        sent += usize::from(ready && sent < beat_count);
        let out = engine.step(&pins).expect("equal");
        ready = out.s_axis.tready;
        outs.push(out);
    }
    assert_eq!(sent, beat_count, "the sink never hangs");
    outs
}

#[test]
fn frame_fifo_holds_a_frame_of_its_depth_and_sends_it_without_a_gap() {
    let outs = send(&mut engine(), FRAME_FIFO_BEATS, false, false, true);
    let first = outs.iter().position(|o| o.m_axis.tvalid).expect("it comes out");
    assert_eq!(first, FRAME_FIFO_BEATS, "nothing before the last beat was taken");
    for (n, out) in outs[first..first + FRAME_FIFO_BEATS].iter().enumerate() {
        assert_eq!((out.m_axis.tvalid, out.m_axis.tdata), (true, Data::from(n as u64)));
        assert_eq!(out.m_axis.tlast, n + 1 == FRAME_FIFO_BEATS);
    }
}

#[test]
fn frame_fifo_drops_oversize_and_bad_frames_with_one_pulse() {
    for drop_when_full in [false, true] {
        let mut engine = engine();
        for beat_count in [FRAME_FIFO_BEATS + 1, FRAME_FIFO_BEATS + 2, 3 * FRAME_FIFO_BEATS] {
            let outs = send(&mut engine, beat_count, false, drop_when_full, true);
            assert!(outs.iter().all(|o| !o.m_axis.tvalid && !o.event_bad));
            assert_eq!(outs.iter().filter(|o| o.event_overflow).count(), 1, "{beat_count}");
        }
        for beat_count in [1, 2, FRAME_FIFO_BEATS] {
            let outs = send(&mut engine, beat_count, true, drop_when_full, true);
            assert!(outs.iter().all(|o| !o.m_axis.tvalid && !o.event_overflow));
            assert_eq!(outs.iter().filter(|o| o.event_bad).count(), 1, "{beat_count}");
        }
        let outs = send(&mut engine, 2, false, drop_when_full, true);
        assert_eq!(outs.iter().filter(|o| o.m_axis.tvalid).count(), 2, "good again");
    }
}

#[test]
fn frame_fifo_full_drops_the_newcomer_and_keeps_the_rest() {
    let mut engine = engine();
    send(&mut engine, FRAME_FIFO_BEATS - 2, false, true, false);
    let outs = send(&mut engine, 10, false, true, false);
    assert_eq!(outs.iter().filter(|o| o.event_overflow).count(), 1);
    let outs = send(&mut engine, 0, false, true, true);
    let valid_count = outs.iter().filter(|o| o.m_axis.tvalid).count();
    assert_eq!(valid_count, FRAME_FIFO_BEATS - 3, "one beat left in the first cycle");
}

#[test]
fn frame_fifo_open_frame_longer_than_the_buffer_passes() {
    let mut engine = engine();
    let (mut sent, mut received) = (0, 0);
    for cycle in 0..4 * FRAME_FIFO_BEATS as u64 {
        let pins = FrameFifoIn {
            s_axis: AxisUser {
                tdata: Data::from(sent),
                tvalid: cycle >= 1,
                // A frame that is open has no bad end.
                tuser: true,
                ..AxisUser::default()
            },
            s_open: cycle == 6,
            m_axis: TreadyPort { tready: true },
            ..FrameFifoIn::default()
        };
        let out = engine.step(&pins).expect("equal");
        sent += u64::from(cycle >= 1);
        assert_eq!(out.m_axis.tvalid, cycle >= 7, "two cycles behind s_open, then each cycle");
        if out.m_axis.tvalid {
            assert_eq!(out.m_axis.tdata, Data::from(received));
            received += 1;
        }
    }
    assert!(received > 3 * FRAME_FIFO_BEATS as u64);
}

#[test]
fn frame_fifo_breaks_are_caught() {
    let breaks = [
        ("opens = s_open | is_open;", "opens = is_open;"),
        ("is_open <= opens", "is_open <= s_open"),
        ("no_room | oversize", "no_room"),
        ("used != last_place", "1'b1"),
        // A frame of one beat is not in the memory when it is complete.
        ("write_index != start_index", "1'b1"),
        ("start_index_next = next_write_index", "start_index_next = write_index"),
    ];
    assert_catches("frame_fifo", 50_000, &breaks);
}
