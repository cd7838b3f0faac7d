//! Latency and throughput of the NIC, counted in cycles on the golden model (which the Verilog
//! equals in every cycle).

use nic_driver::{MrRow, Nic, Qp, QpConfig, Write};
use nic_harness::verilator::Source;
use nic_sim::engine::EngineKind;
use nic_sim::env::station::{Manners, Station};
use nic_sim::net::latency::{self, Measure, MEASURES};
use nic_spec::NicConfig;
use rdma_nic::gbe;

const BEAT_BYTES: u64 = 8;
const MAC: [u64; 2] = [0x0200_0000_0001, 0x0200_0000_0002];
const IP: [u32; 2] = [0x0a00_0001, 0x0a00_0002];
const RKEY: u32 = 0x100;
const HOST: u64 = 0x1_0000_0000;
const REGION_BYTES: u64 = 1 << 24;
/// NIC `me` of two, with a region that the other may write.
fn nic(me: usize) -> Nic<Station> {
    let engine = EngineKind::Golden.nic(&gbe(), &Source::new("nic", ""), 1).unwrap();
    let mut nic = Nic::probe(Station::new(engine, Manners::Prompt, 1).unwrap()).unwrap();
    nic.set_address(MAC[me], IP[me]).unwrap();
    nic.create_mr(&MrRow {
        valid: true,
        remote_write: true,
        remote_read: true,
        rkey: RKEY,
        va: 0,
        length_bytes: REGION_BYTES,
        host_address: HOST,
    })
    .unwrap();
    nic
}

fn connect(nic: &mut Nic<Station>, me: usize, qpn: u32) -> Qp {
    nic.create_qp(&config(me, qpn)).unwrap()
}

fn config(me: usize, qpn: u32) -> QpConfig {
    QpConfig {
        remote_write: true,
        remote_read: true,
        mtu_code: 2,
        qpn,
        remote_qpn: qpn,
        remote_ip: IP[1 - me],
        remote_mac: MAC[1 - me],
        udp_source_port: 0xc000,
        window_bytes: 1 << 20,
        rate_uq8_24: (BEAT_BYTES as u32) << 24,
        ..QpConfig::default()
    }
}

fn write(length_bytes: u32) -> Write {
    Write { local_address: HOST, length_bytes, rkey: RKEY, ..Write::default() }
}

/// Most cycles of each measure, for `gbe` and `hundred`.
const LIMITS: [(Measure, [u64; 2]); 5] = [
    (Measure::Ack, [74, 64]),
    (Measure::Commit, [74, 74]),
    // 1 register, 4 `sq_fetch`, 1 `read_mux`, 2 `dma_read`, 1 (memory), 3 `dma_read`,
    // 1 `read_mux`, 4 for the work request's other beats, 1 `sq_fetch`, 5 to 8 requester,
    // 1 `work_mux`, 15 to 18 scheduler (its slot for work comes every fourth cycle), 1 `grants`,
    // 2 requester, 1 `pkt_mux`, 1 `read_mux`, 2 `dma_read`, 1 (memory), 3 `dma_read`, 1 `read_mux`,
    // 7 for the payload's other beats, 13 tx pipe.
    (Measure::Doorbell, [80, 80]),
    (Measure::Resend, [120, 120]),
    (Measure::Decision, [200, 120]),
];

#[test]
fn latencies_are_within_their_limits() {
    for (at, preset) in ["gbe", "hundred"].iter().enumerate() {
        let config = NicConfig::preset(preset).expect("preset");
        for ((name, measure), (limited, limits)) in MEASURES.iter().zip(LIMITS) {
            assert_eq!(*measure, limited);
            let [least, most] = latency::cycles(&config, *measure).expect("it comes");
            println!("{preset}: {name}: {least} to {most} cycles, of {}", limits[at]);
            assert!(most <= limits[at], "{preset}: {name}: {most} cycles");
        }
    }
}

/// Beats that NIC 0 and NIC 1 send in 100 cycles, each writing to the other over `qp_count` QPs.
fn line_use(qp_count: u32) -> [f64; 2] {
    const MESSAGE_BYTES: u32 = 1 << 16;
    const WARM_CYCLES: u64 = 40_000;
    const END_CYCLES: u64 = 200_000;
    let mut nics = [nic(0), nic(1)];
    let mut qps: Vec<Vec<Qp>> = nics
        .iter_mut()
        .enumerate()
        .map(|(me, nic)| (0..qp_count).map(|q| connect(nic, me, q)).collect())
        .collect();
    let per_qp = if qp_count == 1 { 6 } else { 1 };
    let mut start = [(0, 0); 2];
    for (nic, qps) in nics.iter_mut().zip(&mut qps) {
        for qp in qps.iter_mut() {
            (0..per_qp).for_each(|_| {
                nic.post_write(qp, &write(MESSAGE_BYTES)).unwrap();
            });
        }
    }
    // The set-up takes a different time on each: from here on both keep step.
    let mut cycle = 0;
    while cycle < END_CYCLES {
        let before = nics[0].bus().cycle();
        for me in 0..2 {
            if cycle % 512 == 0 {
                while let Some(done) = nics[me].poll().unwrap() {
                    let qp = &mut qps[me][usize::from(done.flow_index)];
                    qp.complete(&done);
                    nics[me].post_write(qp, &write(MESSAGE_BYTES)).unwrap();
                }
            }
            nics[me].bus().tick().unwrap();
            let frames: Vec<_> = nics[me].bus().sent.drain(..).collect();
            for (_, frame) in frames {
                nics[1 - me].bus().deliver(frame.bytes, false);
            }
        }
        cycle += 1;
        if cycle == WARM_CYCLES {
            start = [0, 1].map(|me| (nics[me].bus().cycle(), nics[me].bus().tx_beats()));
        }
        let _ = before;
    }
    [0, 1].map(|me| {
        let bus = nics[me].bus();
        assert!(bus.undelivered() < 200, "the rx side does not keep up");
        (bus.tx_beats() - start[me].1) as f64 / (bus.cycle() - start[me].0) as f64
    })
}

#[test]
fn writes_fill_the_line_both_ways() {
    for qp_count in [1, 64] {
        let used = line_use(qp_count);
        println!("MTU 1024, {qp_count} QPs: {:.4} and {:.4} of the beats", used[0], used[1]);
        assert!(used.iter().all(|u| *u >= 0.98), "{qp_count} QPs: {used:?}");
    }
}
