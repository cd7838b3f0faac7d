//! A golden requester with one queue pair, and what comes out of it.

use nic_models::golden::transport::requester::{order, Requester, RequesterIn, RequesterOut};
use nic_models::ports::{Golden, Wide};
use nic_models::streams::{self, Answer, Packet, PayloadSource, Work};
use nic_spec::rows::{Operation, QpRow, Row, WrRow};
use nic_spec::NicConfig;
use rdma_nic::gbe;

/// Remote address of every work request.
pub const VA: u64 = 0x7f00_0000_2000;

/// Local address of a work request.
pub fn address(wr_id: u32) -> u64 {
    0x1000 * u64::from(wr_id)
}

pub fn work(operation: Operation, wr_id: u32, length_bytes: u32) -> WrRow {
    WrRow {
        operation,
        signalled: true,
        solicited: false,
        wr_id,
        local_address: address(wr_id),
        length_bytes,
        rkey: 0xabcd,
        remote_va: VA,
        immediate: 0,
        ..WrRow::default()
    }
}

/// An order for the completer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Address and bytes.
    Land(u64, u16),
    /// Bytes.
    Drop(u16),
    /// Work request and status.
    End(u32, u8),
}

pub const QP: QpRow = QpRow {
    valid: true,
    telemetry: false,
    remote_write: false,
    remote_read: false,
    mtu_code: 0,
    timeout_exponent: 1,
    retry_limit: 2,
    dscp: 0,
    ack_interval_log2: 2,
    qpn: 0x1405,
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
pub struct Driver {
    golden: Requester,
    pub out: RequesterOut,
    pub pkts: Vec<Packet>,
    pub reads: Vec<PayloadSource>,
    /// Arms.
    pub works: Vec<Work>,
    /// Completions.
    pub cqes: Vec<streams::Order>,
    /// All orders since [`Driver::orders`].
    orders: Vec<Order>,
    /// Telemetry that went on to the CC unit, if that takes it.
    pub ccs: usize,
    pub takes_cc: bool,
    /// Bytes in flight as told after an answer.
    pub inflight: u32,
    /// Form of the telemetry header, and PSNs from one packet with it to the next one.
    pub telemetry: (u8, u8),
    /// Grant whatever is armed.
    pub grants: bool,
    armed: usize,
    offered: bool,
    /// Cycles so far.
    pub cycle: usize,
}

impl Driver {
    /// With flow 5 as in [`QP`].
    pub fn new(qp: QpRow) -> Self {
        Self::of(&gbe(), qp)
    }

    /// The same of another configuration.
    pub fn of(config: &NicConfig, qp: QpRow) -> Self {
        let mut golden = Requester::new(config);
        let out = golden.step(&RequesterIn { reset: true, ..RequesterIn::default() });
        let mut driver = Self {
            golden,
            out,
            pkts: vec![],
            reads: vec![],
            works: vec![],
            cqes: vec![],
            orders: vec![],
            ccs: 0,
            takes_cc: true,
            inflight: 0,
            telemetry: (0, 0),
            grants: true,
            armed: 0,
            offered: false,
            cycle: 0,
        };
        driver.row(0, &qp.to_row());
        driver
    }

    pub fn step(&mut self, mut i: RequesterIn) {
        (i.m_pkt.ready, i.m_read.ready, i.m_work.ready) = (true, true, true);
        (i.cfg_tel_data, i.cfg_tel_every) = self.telemetry;
        (i.m_cc.ready, i.m_order.ready) = (self.takes_cc, true);
        if !self.offered && self.armed > 0 && self.grants {
            (self.offered, self.armed) = (true, self.armed - 1);
        }
        (i.s_grant.valid, i.s_grant.flow) = (self.offered, 5);
        self.offered &= !self.out.s_grant.ready;
        self.out = self.golden.step(&i);
        let out = &self.out;
        self.pkts.extend(out.m_pkt.valid.then_some(out.m_pkt));
        self.reads.extend(out.m_read.valid.then_some(out.m_read));
        let (work, arms) = (out.m_work, out.m_work.frame_count > 0);
        if work.valid && arms {
            self.works.push(work);
            self.armed += 1;
        } else if work.valid {
            self.inflight = work.inflight_bytes;
        }
        let m_order = out.m_order;
        if m_order.valid {
            self.orders.push(match m_order.op {
                order::LAND => Order::Land(m_order.addr, m_order.bytes),
                order::DROP => Order::Drop(m_order.bytes),
                _ => Order::End(m_order.wr_id, m_order.status),
            });
        }
        if m_order.valid && m_order.op == order::COMPLETION {
            self.cqes.push(m_order);
        }
        self.ccs += usize::from(out.m_cc.valid && self.takes_cc);
        self.cycle += 1;
    }

    /// The scheduler takes a window of flow 5.
    pub fn window(&mut self, bytes: u32) {
        self.step(RequesterIn {
            watch_valid: true,
            watch_ready: true,
            watch_flow: 5,
            watch_window: bytes,
            ..RequesterIn::default()
        });
    }

    pub fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step(RequesterIn::default()));
    }

    pub fn row(&mut self, table: u8, row: &Row) {
        let mut i = RequesterIn { cfg_table: table, cfg_index: 5, ..RequesterIn::default() };
        i.cfg_row =
            Wide(core::array::from_fn(|n| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32));
        i.s_cfg.valid = true;
        while !self.out.s_cfg.ready {
            self.step(i);
        }
        self.step(i);
    }

    pub fn post(&mut self, wr_id: u32, length_bytes: u32) {
        self.post_as(Operation::Write, wr_id, length_bytes);
    }

    pub fn post_unsignalled(&mut self, wr_id: u32, length_bytes: u32) {
        let row = WrRow { signalled: false, ..work(Operation::Write, wr_id, length_bytes) };
        self.row(2, &row.to_row());
    }

    pub fn read(&mut self, wr_id: u32, length_bytes: u32) {
        self.post_as(Operation::Read, wr_id, length_bytes);
    }

    pub fn post_as(&mut self, operation: Operation, wr_id: u32, length_bytes: u32) {
        self.row(2, &work(operation, wr_id, length_bytes).to_row());
    }

    pub fn ack(&mut self, psn: u32, syndrome: u8) {
        self.answer(Answer { psn, syndrome, opcode: 0x11, ..Answer::default() });
    }

    /// A READ response of `payload_bytes`.
    pub fn response(&mut self, opcode: u8, psn: u32, payload_bytes: u16) {
        let ports = Answer { opcode, psn, syndrome: 0x1f, payload_bytes, ..Answer::default() };
        self.answer(ports);
    }

    /// From the peer, to the queue pair, if the ports don't say otherwise.
    pub fn answer(&mut self, ports: Answer) {
        let qpn = if ports.qpn == 0 { QP.qpn } else { ports.qpn };
        let s_ack = Answer { valid: true, qpn, src_ip: QP.remote_ip, ..ports };
        let i = RequesterIn { s_ack, ..RequesterIn::default() };
        while !self.out.s_ack.ready {
            self.step(i);
        }
        self.step(i);
    }

    /// Host memory refused an access of the queue pair.
    pub fn fail(&mut self) {
        let mut i = RequesterIn::default();
        (i.s_fail.valid, i.s_fail.flow) = (true, 5);
        while !self.out.s_fail.ready {
            self.step(i);
        }
        self.step(i);
    }

    /// Host memory has refused accesses of the queue pair `times` times; the errors stand one behind
    /// the other, with `gap` cycles between them, while rows are written.
    pub fn rows_while_failing(&mut self, rows: &[(u8, Row)], mut times: usize, gap: usize) {
        let (mut rows, mut gap_left) = (rows.iter().peekable(), 0);
        while let Some((table, row)) = rows.peek() {
            let mut i = RequesterIn { cfg_table: *table, cfg_index: 5, ..RequesterIn::default() };
            let words = |n: usize| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32;
            i.cfg_row = Wide(core::array::from_fn(words));
            i.s_cfg.valid = true;
            (i.s_fail.valid, i.s_fail.flow) = (times > 0 && gap_left == 0, 5);
            gap_left = usize::saturating_sub(gap_left, 1);
            if self.out.s_fail.ready {
                (times, gap_left) = (times - 1, gap);
            }
            if self.out.s_cfg.ready {
                rows.next();
            }
            self.step(i);
        }
        assert_eq!(times, 0, "all errors were taken");
    }

    /// Runs to where no timer scan is near.
    pub fn settle(&mut self) {
        self.run(40);
        while self.cycle % 32 != 12 {
            self.run(1);
        }
    }

    /// Orders since the last call.
    pub fn orders(&mut self) -> Vec<Order> {
        self.run(20);
        core::mem::take(&mut self.orders)
    }

    /// Work requests that ended, and how.
    pub fn ends(&self) -> Vec<(u32, u8)> {
        self.cqes.iter().map(|c| (c.wr_id, c.status)).collect()
    }

    pub fn psns(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.pkts).iter().map(|p| p.psn).collect()
    }
}
