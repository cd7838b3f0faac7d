//! Requester against its golden twin, and the golden twin against the standard.

use nic_sim::golden::transport::requester::{
    OrderPorts, PktPorts, ReadPorts, Requester, RequesterIn, RequesterOut, WorkPorts,
};
use nic_sim::ports::{Golden, Wide};
use nic_spec::rows::{Operation, QpRow, Row, WrRow};
use rdma_nic::{assert_catches, assert_matches_golden, gbe};

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
fn requester_catches_a_rewind_that_keeps_the_work_request() {
    assert_catches("requester", "r_current_next = r_head", "r_current_next = r_current", 60_000);
}

#[test]
fn requester_catches_a_timer_that_is_never_restarted() {
    let from = "r_deadline_next = retry_deadline";
    assert_catches("requester", from, "r_deadline_next = r_deadline", 400_000);
}

#[test]
fn requester_catches_a_completion_that_is_not_signalled() {
    assert_catches(
        "requester",
        "order_signalled_next = signalled",
        "order_signalled_next = 1'b0",
        60_000,
    );
}

const QP: QpRow = QpRow {
    valid: true,
    telemetry: false,
    remote_write: false,
    remote_read: false,
    mtu_code: 0,
    timeout_exponent: 1,
    retry_limit: 2,
    dscp: 0,
    ack_interval_log2: 2,
    qpn: 0x1105,
    remote_qpn: 0,
    remote_ip: 0x0a00_0002,
    remote_mac: 0,
    udp_source_port: 0,
    rq_psn: 0,
    sq_psn: 0xff_fffe,
    window_bytes: 0,
    rate_uq8_24: 0,
    rnr_retry_limit: 7,
    read_limit: 4,
    sq_log2: 0,
    sq_address: 0,
};

/// A requester whose outputs are all taken at once, and what came out of it.
struct Driver {
    golden: Requester,
    out: RequesterOut,
    pkts: Vec<PktPorts>,
    reads: Vec<ReadPorts>,
    works: Vec<WorkPorts>,
    cqes: Vec<OrderPorts>,
    inflight: u32,
    /// Grant whatever is armed.
    grants: bool,
    armed: usize,
    offered: bool,
}

impl Driver {
    /// With flow 5 as in [`QP`].
    fn new(qp: QpRow) -> Self {
        let mut golden = Requester::new(&gbe());
        let out = golden.step(&RequesterIn { reset: true, ..RequesterIn::default() });
        let (pkts, reads, works, cqes) = (vec![], vec![], vec![], vec![]);
        let (inflight, grants, armed, offered) = (0, true, 0, false);
        let mut driver =
            Self { golden, out, pkts, reads, works, cqes, inflight, grants, armed, offered };
        driver.row(0, &qp.to_row());
        driver
    }

    fn step(&mut self, mut i: RequesterIn) {
        (i.m_pkt.ready, i.m_read.ready, i.m_work.ready) = (true, true, true);
        (i.m_inflight.ready, i.m_cc.ready, i.m_order.ready) = (true, true, true);
        if !self.offered && self.armed > 0 && self.grants {
            (self.offered, self.armed) = (true, self.armed - 1);
        }
        (i.s_grant.valid, i.s_grant.flow) = (self.offered, 5);
        self.offered &= !self.out.s_grant.ready;
        self.out = self.golden.step(&i);
        let out = &self.out;
        self.pkts.extend(out.m_pkt.valid.then_some(out.m_pkt));
        self.reads.extend(out.m_read.valid.then_some(out.m_read));
        self.works.extend(out.m_work.valid.then_some(out.m_work));
        self.cqes.extend(out.m_order.valid.then_some(out.m_order));
        self.armed += usize::from(out.m_work.valid);
        if out.m_inflight.valid {
            self.inflight = out.m_inflight.inflight_bytes;
        }
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step(RequesterIn::default()));
    }

    fn row(&mut self, table: u8, row: &Row) {
        let mut i = RequesterIn { cfg_table: table, cfg_index: 5, ..RequesterIn::default() };
        i.cfg_row =
            Wide(core::array::from_fn(|n| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32));
        i.s_cfg.valid = true;
        while !self.out.s_cfg.ready {
            self.step(i);
        }
        self.step(i);
    }

    fn post(&mut self, wr_id: u32, length_bytes: u32) {
        let (local_address, remote_va) = (0x1000, 0x7f00_0000_2000);
        let wr = WrRow { signalled: true, wr_id, length_bytes, local_address, remote_va, ..WR };
        self.row(2, &wr.to_row());
    }

    fn ack(&mut self, psn: u32, syndrome: u8) {
        let mut i = RequesterIn::default();
        i.s_ack.valid = true;
        (i.s_ack.qpn, i.s_ack.src_ip) = (QP.qpn, QP.remote_ip);
        (i.s_ack.psn, i.s_ack.syndrome, i.s_ack.opcode) = (psn, syndrome, 0x11);
        while !self.out.s_ack.ready {
            self.step(i);
        }
        self.step(i);
    }

    fn psns(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.pkts).iter().map(|p| p.psn).collect()
    }
}

const WR: WrRow = WrRow {
    operation: Operation::Write,
    signalled: true,
    solicited: false,
    wr_id: 0,
    local_address: 0,
    length_bytes: 0,
    rkey: 0xabcd,
    remote_va: 0,
    immediate: 0,
};

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
    assert_eq!(reads, [(0x1000, 256), (0x1100, 256), (0x1200, 88)]);
    // Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, RETH 16 on the first.
    let works: Vec<_> = d.works.iter().map(|w| (w.len_bytes, w.inflight_bytes)).collect();
    assert_eq!(works, [(58 + 16 + 256, 0), (58 + 256, 256), (58 + 88, 512)]);
    d.ack(0, 0x1f);
    d.run(60);
    assert_eq!((d.cqes[0].wr_id, d.cqes[0].status, d.cqes[0].byte_len), (7, 0, 600));
    assert_eq!(d.inflight, 0);
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
    assert_eq!(d.reads[0].addr, 0x1100);
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
    let ends = |d: &Driver| d.cqes.iter().map(|c| (c.wr_id, c.status)).collect::<Vec<_>>();
    assert_eq!(ends(&d), [(1, 1), (2, 6)]);
    d.post(3, 10);
    d.run(100);
    assert_eq!(ends(&d)[2..], [(3, 6)], "a queue pair in error flushes what is posted");
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
        let ends: Vec<_> = d.cqes.iter().map(|c| (c.wr_id, c.status)).collect();
        assert_eq!(ends, [(1, 0), (2, status)], "syndrome {syndrome:#x}");
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
