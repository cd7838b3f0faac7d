//! read_reply: Verilog against golden model, and golden model against the design's rules.

use nic_harness::bench::Stimulus;
use nic_models::golden::transport::read::reply::{ReadReply, ReadReplyIn, ReadReplyOut};
use nic_models::ports::{Golden, Wide};
use nic_models::streams::{ReadJob, ReadJobEnd, ReadyPort, Reply};
use nic_sim::bench::read_reply::Readers;
use nic_spec::rows::{QpRow, Table};
use rdma_nic::{assert_catches, assert_matches_golden, gbe};
use std::collections::VecDeque;

/// Nothing is known of bytes in flight.
const STILL: &[&str] = &["m_work_inflight_bytes"];

#[test]
fn read_reply_matches_golden() {
    assert_matches_golden("read_reply", 0..4, 200_000, STILL);
}

#[test]
fn read_reply_bench_notices_broken_verilog() {
    let breaks = [
        ("job_bytes <= mtu", "job_bytes < mtu"),
        ("dead <= generations_read_data != job_generation", "dead <= 1'b0"),
        ("distance[23]", "distance[22]"),
        ("age < known", "age <= known"),
        ("reach <= length", "reach < length"),
        ("reach <= length", "1'b1"),
        ("packets <= left", "1'b1"),
        ("left <=\n        half", "left <= 24'hffffff"),
        ("(!(|offset_high))", "1'b1"),
        ("row_key == rkey", "1'b1"),
        ("negative = zero - turned", "negative = zero - turned - 1"),
        ("armed_q_next = 1'b1", "armed_q_next = 1'b0"),
        ("last_flow == flow", "1'b0"),
        ("base = without_aeth", "base = with_aeth"),
        ("is_old = mark_q != fail_mark", "is_old = 1'b0"),
        ("mark_q_next = mark_q + 4'd1", "mark_q_next = mark_q"),
    ];
    assert_catches("read_reply", 400_000, &breaks);
}

/// The golden block with a prompt scheduler and tx.
struct Rig {
    reply: ReadReply,
    out: ReadReplyOut,
    input: ReadReplyIn,
    jobs: VecDeque<ReadJob>,
    grants: VecDeque<u16>,
    holds: bool,
    works: Vec<u16>,
    packets: Vec<Reply>,
    ends: Vec<ReadJobEnd>,
    cycle: u64,
}

const FLOW: u16 = 9;

impl Rig {
    fn new(mtu_code: u8, telemetry: bool, format: u8) -> Self {
        let mut reply = ReadReply::new(&gbe());
        let out = reply.step(&ReadReplyIn { reset: true, ..ReadReplyIn::default() });
        let input = ReadReplyIn {
            cfg_tel_data: format,
            m_pkt: ReadyPort { ready: true },
            m_read: ReadyPort { ready: true },
            m_work: ReadyPort { ready: true },
            m_end: ReadyPort { ready: true },
            ..ReadReplyIn::default()
        };
        let mut rig = Self {
            reply,
            out,
            input,
            jobs: VecDeque::new(),
            grants: VecDeque::new(),
            holds: false,
            works: Vec::new(),
            packets: Vec::new(),
            ends: Vec::new(),
            cycle: 0,
        };
        rig.write_qp(QpRow { mtu_code, telemetry, ..QpRow::default() });
        rig.ends.clear();
        rig
    }

    fn write_qp(&mut self, qp: QpRow) {
        let row = qp.to_row();
        let word = |n: usize| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32;
        self.input.cfg_row = Wide(core::array::from_fn(word));
        (self.input.cfg_table, self.input.cfg_index) = (Table::Qp as u8, FLOW);
        self.input.s_cfg_valid = true;
        while !self.out.s_cfg_ready {
            self.step();
        }
        self.step();
        self.input.s_cfg_valid = false;
        self.run(20);
    }

    fn job(&mut self, psn: u32, bytes: u32, restart: bool) {
        self.part(psn, u64::from(psn) * 256, bytes, restart);
    }

    /// A job whose virtual address is that of its PSN at the MTU 256, or another.
    fn part(&mut self, psn: u32, va: u64, bytes: u32, restart: bool) {
        let (valid, flow, msn, addr, rkey) = (true, FLOW, psn + 1, u64::from(psn) << 20, 3 << 8);
        self.jobs.push_back(ReadJob { valid, flow, psn, msn, addr, bytes, restart, va, rkey });
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step());
    }

    fn step(&mut self) {
        let before = self.out;
        let mut i = self.input;
        i.s_job = self.jobs.front().copied().unwrap_or_default();
        let grant = self.grants.front().filter(|_| !self.holds);
        (i.s_grant.valid, i.s_grant.flow) = (grant.is_some(), grant.copied().unwrap_or(0));
        if before.s_job.ready {
            self.jobs.pop_front();
        }
        if before.s_grant.ready {
            self.grants.pop_front();
        }
        if before.m_work.valid && i.m_work.ready {
            self.grants.push_back(before.m_work.flow);
            self.works.push(before.m_work.len_bytes);
        }
        if before.m_pkt.valid && i.m_pkt.ready {
            self.packets.push(before.m_pkt);
        }
        if before.m_end.valid && i.m_end.ready {
            self.ends.push(before.m_end);
        }
        self.out = self.reply.step(&i);
        self.cycle += 1;
    }

    fn opcodes(&mut self) -> Vec<(u8, u32)> {
        self.packets.drain(..).map(|p| (p.opcode, p.psn)).collect()
    }
}

#[test]
fn read_reply_asks_for_whole_frames() {
    // Ethernet 14, IPv4 20, UDP 8, BTH 12, AETH 4 but in a MIDDLE, payload and pad, ICRC 4.
    let mut rig = Rig::new(0, false, 2);
    rig.job(0, 256 + 256 + 5, false);
    rig.job(3, 0, false);
    rig.run(200);
    assert_eq!(rig.works, [62 + 256, 58 + 256, 62 + 8, 62]);
    for (format, bytes) in [(0, 0), (1, 2), (2, 42), (3, 16), (4, 12), (5, 8), (6, 16)] {
        let mut rig = Rig::new(4, true, format);
        rig.job(0, 4096, false);
        rig.run(50);
        assert_eq!(rig.works, [62 + 4096 + bytes]);
    }
}

#[test]
fn read_reply_takes_the_cycles_it_names() {
    use nic_hdl::transport::read::reply::{GRANT_CYCLES, JOB_CYCLES};
    let mut rig = Rig::new(0, false, 0);
    rig.job(0, 1 << 20, false);
    rig.holds = true;
    let start = rig.cycle;
    while rig.works.is_empty() {
        rig.step();
    }
    // m_work stands one cycle before the last, and is seen one cycle later.
    assert_eq!(rig.cycle - start, JOB_CYCLES as u64);
    rig.run(10);
    rig.holds = false;
    let start = rig.cycle;
    while rig.works.len() < 2 {
        rig.step();
    }
    assert_eq!(rig.cycle - start, GRANT_CYCLES as u64);
    rig.packets.clear();
    rig.run(1000);
    let packets = rig.packets.len();
    assert!((1000 / (GRANT_CYCLES + 3)..=1000 / GRANT_CYCLES + 1).contains(&packets), "{packets}");
}

#[test]
fn read_reply_ends_a_job_once_its_last_packet_is_taken() {
    let mut rig = Rig::new(0, false, 0);
    rig.input.m_pkt.ready = false;
    rig.job(0, 4, false);
    rig.run(100);
    assert!(rig.out.m_pkt.valid && rig.ends.is_empty());
    // Nothing waits for tx but grants.
    rig.job(1, 4, false);
    rig.run(20);
    assert!(rig.jobs.is_empty());
    rig.input.m_pkt.ready = true;
    rig.run(3);
    let end = ReadJobEnd { valid: true, flow: FLOW, jobs: 1, reads: 1, ..ReadJobEnd::default() };
    assert_eq!(rig.ends, [end]);
    rig.run(50);
    assert_eq!(rig.ends, [end, end]);
}

#[test]
fn read_reply_remembers_sixteen_reads() {
    let mut rig = Rig::new(0, false, 0);
    (0..17).for_each(|n| rig.job(0xff_fff8 + n, 4, false));
    rig.jobs.iter_mut().for_each(|j| j.psn &= 0xff_ffff);
    rig.run(1000);
    assert_eq!(rig.opcodes().len(), 17);
    // The first of all is forgotten.
    rig.job(0xff_fff8, 4, true);
    rig.run(100);
    assert_eq!(rig.opcodes(), []);
    rig.job(0xff_fff9, 4, true);
    rig.run(100);
    assert_eq!(rig.opcodes(), [(0x10, 0xff_fff9)]);
    let restarts = rig.ends.iter().filter(|e| e.reads == 0 && e.jobs == 1).count();
    assert_eq!((restarts, rig.ends.len()), (2, 19));
}

/// A restart asks for a READ of those that were answered, or a part of one.
#[test]
fn read_reply_drops_a_restart_that_is_in_no_read() {
    let mut rig = Rig::new(0, false, 0);
    // PSNs 0..4, a WRITE's 4 and 5, 6..8.
    rig.job(0, 1024, false);
    rig.job(6, 512, false);
    rig.run(400);
    rig.opcodes();
    rig.ends.clear();
    let (all, rest) = (1024, 512);
    for (psn, va, bytes) in [
        (4, 1024, 0),
        (5, 5 * 256, 4),
        (3, 3 * 256, 257),
        (2, 512, rest + 1),
        (0, 0, all + 1),
        (0, 1, all),
        (0, u64::MAX, 1),
        (0, 1 << 32, 1),
        (6, 0, 4),
    ] {
        rig.part(psn, va, bytes, true);
    }
    rig.part(1, 256, 4, true);
    rig.jobs.back_mut().unwrap().rkey += 1;
    rig.run(600);
    assert_eq!((rig.opcodes(), rig.ends.len()), (vec![], 10));
    rig.part(2, 512, rest, true);
    rig.run(200);
    assert_eq!(rig.opcodes(), [(0x0e, 2), (0x0f, 3)]);
    // The bytes may be others of the same READ.
    rig.part(0, 1023, 1, true);
    rig.run(200);
    assert_eq!(rig.opcodes(), [(0x10, 0)]);
}

#[test]
fn read_reply_restarts_only_what_is_behind() {
    let mut rig = Rig::new(0, false, 0);
    rig.holds = true;
    (0..5).for_each(|n| rig.job(4 * n, 1024, false));
    rig.run(200);
    rig.job(9, 768, true);
    rig.run(100);
    let end = ReadJobEnd { valid: true, flow: FLOW, jobs: 3, reads: 3, ..ReadJobEnd::default() };
    assert_eq!(rig.ends, [end]);
    rig.holds = false;
    rig.run(1000);
    let expected = (0..12).filter(|psn| *psn != 8).map(|psn| match psn {
        0 | 4 => (0x0d, psn),
        3 | 7 | 11 => (0x0f, psn),
        _ => (0x0e, psn),
    });
    assert_eq!(rig.opcodes(), expected.collect::<Vec<_>>());
    assert_eq!(rig.ends.iter().map(|e| (e.jobs, e.reads)).sum_pairs(), (6, 5));
}

trait SumPairs {
    fn sum_pairs(self) -> (u32, u32);
}

impl<I: Iterator<Item = (u8, u8)>> SumPairs for I {
    fn sum_pairs(self) -> (u32, u32) {
        self.fold((0, 0), |sum, (a, b)| (sum.0 + u32::from(a), sum.1 + u32::from(b)))
    }
}

#[test]
fn read_reply_ignores_grants_that_nobody_asked_for() {
    let mut rig = Rig::new(0, false, 0);
    rig.grants.extend([FLOW, 3, FLOW]);
    rig.run(50);
    rig.job(0, 1024, false);
    rig.run(300);
    assert_eq!((rig.packets.len(), rig.works.len()), (4, 4));
}

/// Every job that was taken ends exactly once, or with its flow's row.
#[test]
fn read_reply_ends_every_job_once_under_random_traffic() {
    for seed in 0..4 {
        println!("seed {seed}");
        let mut stimulus = Readers::new(&gbe(), seed).without_resets();
        let mut reply = ReadReply::new(&gbe());
        let mut out = reply.step(&ReadReplyIn { reset: true, ..ReadReplyIn::default() });
        let mut waiting = [(0_i32, 0_i32); 64];
        let mut ended = 0;
        for cycle in 0..300_000 {
            let i = stimulus.next(cycle, &out);
            if i.s_job.valid && out.s_job.ready {
                let of_flow = &mut waiting[usize::from(i.s_job.flow)];
                of_flow.0 += 1;
                of_flow.1 += i32::from(!i.s_job.restart);
            }
            if out.m_end.valid && i.m_end.ready {
                let end = out.m_end;
                let of_flow = &mut waiting[usize::from(end.flow)];
                of_flow.0 -= i32::from(end.jobs);
                of_flow.1 -= i32::from(end.reads);
                assert!(of_flow.0 >= of_flow.1 && of_flow.1 >= 0, "cycle {cycle}: {of_flow:?}");
                assert!(of_flow.0 <= 18, "cycle {cycle}: {of_flow:?}");
                if end.cleared {
                    *of_flow = (0, 0);
                }
                ended += u32::from(end.jobs);
            }
            out = reply.step(&i);
        }
        assert!(ended > 1000, "{ended}");
    }
}
