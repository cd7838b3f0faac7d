//! Latency and throughput of the NIC, counted in cycles on the golden model (which the Verilog
//! equals in every cycle).

use nic_driver::rings::Work;
use nic_driver::{MrRow, Nic, Qp, QpConfig, Write};
use nic_harness::verilator::Source;
use nic_sim::engine::EngineKind;
use nic_sim::env::axi_mem::AxiMem;
use nic_sim::env::station::{Manners, Station};
use nic_spec::wire::{bth, bth::opcode, ethernet, ipv4, reth, roce::FrameRepr};
use rdma_nic::gbe;

const BEAT_BYTES: u64 = 8;
const MAC: [u64; 2] = [0x0200_0000_0001, 0x0200_0000_0002];
const IP: [u32; 2] = [0x0a00_0001, 0x0a00_0002];
const RKEY: u32 = 0x100;
const HOST: u64 = 0x1_0000_0000;
const REGION_BYTES: u64 = 1 << 24;
/// Submission ring of the queue pair that has one.
const SQ: u64 = 0x10_0000;
const SQ_LOG2: u8 = 4;
/// Largest latency that the NIC may have, host memory's own left out.
const LATENCY_CYCLES_MAX: u64 = 74;
/// The way through the submission ring is longer.
const RING_CYCLES_MAX: u64 = 80;
/// Starts that are tried: the requester looks at a timer every 32 cycles.
const PHASES: u64 = 32;

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

/// Runs until a frame has left; the cycle of its first beat.
fn first_beat(nic: &mut Nic<Station>) -> u64 {
    let start = nic.bus().cycle();
    while nic.bus().sent.is_empty() {
        nic.bus().tick().unwrap();
        assert!(nic.bus().cycle() < start + 10_000, "nothing leaves");
    }
    let (last, frame) = nic.bus().sent.pop_front().unwrap();
    last + 1 - (frame.bytes.len() as u64).div_ceil(BEAT_BYTES)
}

/// Least and most cycles of `measure`, whose second argument is when it starts: work in the
/// background takes turns with it. Host memory's cycles are left out: its latency, which enters in
/// proportion to the accesses that the path waits for, is taken away. The cycle that its output
/// register takes beside is not.
fn without_memory(measure: impl Fn(u64, u64) -> u64) -> [u64; 2] {
    let all = |memory_cycles| {
        let cycles: Vec<u64> = (0..PHASES).map(|phase| measure(memory_cycles, phase)).collect();
        [*cycles.iter().min().unwrap(), *cycles.iter().max().unwrap()]
    };
    let (fast, slow) = (all(8), all(24));
    let accesses = (slow[0] - fast[0]) / 16;
    fast.map(|cycles| cycles - 8 * accesses)
}

/// A WRITE ONLY of 64 bytes from the peer: last beat in to first beat of its ACK out.
fn ack_latency(memory_cycles: u64, phase: u64) -> u64 {
    let mut nic = nic(0);
    nic.bus().memory = AxiMem::new(gbe().data_bytes(), 1).without_stalls(memory_cycles);
    connect(&mut nic, 0, 1);
    nic.bus().run(2000 + phase).unwrap();
    let repr = FrameRepr {
        ethernet: ethernet::Repr { dst: MAC[0], src: MAC[1], ..Default::default() },
        ip: ipv4::Repr { src: IP[1], dst: IP[0], ttl: 64, ..Default::default() },
        bth: bth::Repr {
            opcode: opcode::WRITE_ONLY,
            pkey: 0xffff,
            qpn: 1,
            ack_req: true,
            ..Default::default()
        },
        reth: Some(reth::Repr { va: 0, rkey: RKEY, dma_len: 64 }),
        payload: &[7; 64],
        ..Default::default()
    };
    let mut frame = vec![0; repr.buffer_len()];
    repr.emit(&mut frame);
    nic.bus().deliver(frame, false);
    let first = first_beat(&mut nic);
    first - nic.bus().rx_end_cycle()
}

/// Work of a queue pair that has sent before, and was idle since: the register write that commits
/// it to the first beat out. (The first packet of a new queue pair waits for up to a packet's time
/// at its rate beside: its credit begins at 0.)
fn post_latency(
    sq_log2: u8,
    memory_cycles: u64,
    phase: u64,
    post: fn(&mut Nic<Station>, &mut Qp),
) -> u64 {
    let mut nic = nic(0);
    nic.bus().memory = AxiMem::new(gbe().data_bytes(), 1).without_stalls(memory_cycles);
    let ring = QpConfig { sq_log2, sq_address: SQ, ..config(0, 1) };
    let mut qp = nic.create_qp(&ring).unwrap();
    post(&mut nic, &mut qp);
    first_beat(&mut nic);
    nic.bus().run(2000 + phase).unwrap();
    post(&mut nic, &mut qp);
    let commit = nic.bus().write_cycle();
    first_beat(&mut nic) - commit
}

#[test]
fn latency_of_messages_of_64_bytes_is_within_its_limits() {
    let ack = without_memory(ack_latency);
    let post = without_memory(|memory_cycles, phase| {
        post_latency(0, memory_cycles, phase, |nic, qp| {
            nic.post_write(qp, &write(64)).unwrap();
        })
    });
    let ring = without_memory(|memory_cycles, phase| {
        post_latency(SQ_LOG2, memory_cycles, phase, |nic, qp| {
            nic.submit(qp, &[Work::Write(write(64))]).unwrap();
        })
    });
    for (what, [least, most], limit) in [
        ("WRITE ONLY, last beat in to first beat of its ACK out", ack, LATENCY_CYCLES_MAX),
        ("WRITE, work request committed to first beat out", post, LATENCY_CYCLES_MAX),
        // 1 register, 4 `sq_fetch`, 1 `read_mux`, 2 `dma_read`, 1 (memory), 3 `dma_read`,
        // 1 `read_mux`, 4 for the work request's other beats, 1 `sq_fetch`, 5 to 8 requester,
        // 1 `work_mux`, 15 to 18 scheduler (its slot for work comes every fourth cycle), 1 `grants`, 2 requester, 1 `pkt_mux`, 1 `read_mux`,
        // 2 `dma_read`, 1 (memory), 3 `dma_read`, 1 `read_mux`, 7 for the payload's other beats,
        // 13 tx pipe.
        ("WRITE, doorbell of the submission ring to first beat out", ring, RING_CYCLES_MAX),
    ] {
        println!("{what}: {least} to {most} cycles, of {limit}");
        assert!(most <= limit, "{what}: {most} cycles");
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
