//! Updates per second of the HPCC++ models, beats per second of the frame parser.
//!
//! The parser is the rx pipe, fed with the committed captures' frames back to back.

use criterion::{criterion_group, criterion_main, BatchSize, Criterion, Throughput};
use nic_harness::lockstep::{Dut, GoldenOnly, Stepper};
use nic_harness::verilator::Flavour;
use nic_models::golden::cc::unit::{CcUnit, FlowState, OP_CREATE};
use nic_models::golden::rx::pipe::{RxPipe, RxPipeIn, RxPipeOut};
use nic_models::reference::hpcc::{Flow, Telemetry};
use nic_models::streams::{self, AckTelemetry, AxisUser, FlowCommand, ReadyPort, TreadyPort};
use nic_sim::bench;
use nic_sim::bench::rx::captured_frames;
use nic_sim::env::stream::frame_to_beats;
use nic_sim::replay::cc_trace::reference_params;
use nic_spec::cc_params::{CcConfig, CcParams};
use nic_spec::config::NicConfig;

const UPDATES: u32 = 10_000;
/// Width of the rx pipe's stream.
const BEAT_BYTES: usize = 8;

/// A record of the native layout: 100G link, `n` packets of 1 KB each 100 ns, some queue.
fn record(n: u32) -> u64 {
    let (time_ns, tx_128, queue_80) = (n * 100, n * 8, n % 50);
    let time = u64::from(time_ns & 0xff_ffff) << 3;
    let tx = u64::from(tx_128 & 0xf_ffff) << 27;
    2 | time | tx | u64::from(queue_80) << 47
}

fn cc_updates(criterion: &mut Criterion) {
    let config = CcConfig::for_line(25e9, 64, 125_000_000);
    let params = CcParams::derive(&config).expect("in range");
    let mut group = criterion.benchmark_group("cc");
    group.throughput(Throughput::Elements(UPDATES.into()));

    let reference = reference_params(&config);
    let telemetry = |n: u32| Telemetry { hop_count: 5, path: 7, hops: [record(n); 5] };
    group.bench_function("reference", |b| {
        b.iter(|| {
            let mut flow = Flow::new(&reference);
            for n in 0..UPDATES {
                flow.new_ack(&reference, n, n + 10, &telemetry(n));
            }
            flow
        });
    });

    let cfg = CcUnit::cfg(params);
    let tel = |n: u32| streams::Telemetry { valid: true, hops: 5, path: 7, hop: [record(n); 5] };
    let create =
        FlowCommand { valid: true, op: OP_CREATE, telemetry: true, ..FlowCommand::default() };
    let create = FlowCommand { window_bytes: config.w_init_bytes, ..create };
    group.bench_function("golden", |b| {
        b.iter(|| {
            let mut flow = FlowState::default();
            flow.command(&cfg, &create);
            for n in 0..UPDATES {
                let ack =
                    AckTelemetry { valid: true, flow: 0, psn: n, snd_nxt: n + 10, tel: tel(n) };
                flow.new_ack(&cfg, &ack).expect("honest telemetry");
            }
            flow.u
        });
    });
    group.finish();
}

/// The captures' frames as inputs with every sink open.
fn beats() -> Vec<RxPipeIn> {
    let input = |frame: Vec<u8>| {
        let beats = frame_to_beats(&frame, BEAT_BYTES, false);
        beats.into_iter().map(|beat| RxPipeIn {
            s_axis: AxisUser {
                tdata: beat.tdata,
                tkeep: beat.tkeep,
                tvalid: true,
                tlast: beat.tlast,
                ..AxisUser::default()
            },
            m_host: TreadyPort { tready: true },
            m_payload: TreadyPort { tready: true },
            m_req: ReadyPort { ready: true },
            m_ack: ReadyPort { ready: true },
            ..RxPipeIn::default()
        })
    };
    captured_frames().into_iter().flat_map(input).collect()
}

/// Offers all beats; returns the cycles that it took.
fn parse(engine: &mut impl Stepper<In = RxPipeIn, Out = RxPipeOut>, beats: &[RxPipeIn]) -> u64 {
    let mut out = engine.reset().expect("resets");
    let (mut at, mut cycles) = (0, 0);
    while at < beats.len() {
        let ready = out.s_axis.tready;
        out = engine.step(&beats[at]).expect("steps");
        at += usize::from(ready);
        cycles += 1;
    }
    cycles
}

fn parser_beats(criterion: &mut Criterion) {
    let config = NicConfig::preset("gbe").expect("preset");
    let beats = beats();
    let source = bench::emitted("rx_pipe", &config).expect("the block is emitted");
    let model = source.model(Flavour::Fast).expect("builds");
    let mut group = criterion.benchmark_group("parser");
    group.throughput(Throughput::Elements(beats.len() as u64));
    group.bench_function("golden", |b| {
        let fresh = || GoldenOnly(RxPipe::new(BEAT_BYTES));
        b.iter_batched(fresh, |mut golden| parse(&mut golden, &beats), BatchSize::LargeInput);
    });
    group.bench_function("rtl", |b| {
        let mut dut = Dut::<RxPipeIn, RxPipeOut>::new(&model, 1).expect("starts");
        b.iter(|| parse(&mut dut, &beats));
    });
    group.finish();
}

criterion_group!(models, cc_updates, parser_beats);
criterion_main!(models);
