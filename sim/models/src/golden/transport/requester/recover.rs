//! NAKs, timers, errors.

use super::flow::Timer;
use super::ports::*;
use super::step::{cycles, Step};
use super::Requester;

/// Status of a completion.
pub mod status {
    pub const OK: u8 = 0;
    pub const RETRY_EXCEEDED: u8 = 1;
    pub const REMOTE_ACCESS: u8 = 2;
    pub const REMOTE_INVALID_REQUEST: u8 = 3;
    pub const REMOTE_OPERATION: u8 = 4;
    pub const LOCAL_DMA: u8 = 5;
    pub const FLUSHED: u8 = 6;
    pub const RNR_RETRY_EXCEEDED: u8 = 7;
    pub const BAD_RESPONSE: u8 = 8;
}

/// RNR retry limit that is none.
const RNR_UNLIMITED: u8 = 7;

/// RNR timer codes in units of 10 us (InfiniBand, volume 1, table 45).
const RNR_10_US: [u32; 32] = [
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
    2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
];

impl Requester {
    /// The head fails with `status`, the rest of the queue is flushed, the queue pair is in error.
    pub(super) fn fail(&mut self, flow: usize, status: u8) {
        let f = &mut self.flows[flow];
        for (at, posted) in f.queue.drain(..).enumerate() {
            let status = if at == 0 { status } else { status::FLUSHED };
            self.script.push_back(Step::Wait(cycles::READ));
            self.script.push_back(Step::completion(&posted.wr, status));
        }
        (f.failed, f.timer, f.current, f.open_reads) = (true, Timer::Off, 0, 0);
        self.wait(1);
        self.save();
    }

    /// An error of a packet that was made by a row of before is of no queue pair that is there.
    pub(super) fn local_error(&mut self, flow: usize, mark: u8) {
        self.wait(cycles::JUDGE_ROW);
        let is_old = mark != 0 && mark != self.flows[flow].mark;
        if is_old || self.flows[flow].queue.is_empty() {
            self.save();
        } else {
            self.fail(flow, status::LOCAL_DMA);
        }
    }

    /// A NAK that acknowledges something is the first one without progress.
    pub(super) fn rnr(&mut self, flow: usize, code: u8) {
        let now = self.now();
        let f = &mut self.flows[flow];
        if f.qp.rnr_retry_limit != RNR_UNLIMITED {
            if f.rnr_retries == f.qp.rnr_retry_limit {
                return self.fail(flow, status::RNR_RETRY_EXCEEDED);
            }
            f.rnr_retries += 1;
        }
        f.rewind();
        f.timer = Timer::Rnr;
        f.deadline = now + u64::from(RNR_10_US[usize::from(code)] * 5 / 2 + 2);
        self.inflight(flow);
        self.save();
    }

    pub(super) fn nak_sequence(&mut self, flow: usize, i: &RequesterIn) {
        let f = &mut self.flows[flow];
        if f.retries == f.qp.retry_limit {
            return self.fail(flow, status::RETRY_EXCEEDED);
        }
        f.retries += 1;
        if f.timer != Timer::Rnr {
            f.timer = Timer::Off;
        }
        self.resend(flow, i);
    }

    /// Goes back to the oldest unacknowledged PSN.
    fn resend(&mut self, flow: usize, i: &RequesterIn) {
        self.flows[flow].rewind();
        self.inflight(flow);
        if self.flows[flow].may_arm() {
            self.arm(flow, i);
        } else {
            self.save();
        }
    }

    pub(super) fn scan(&mut self, flow: usize, i: &RequesterIn) {
        let now = self.now();
        if self.flows[flow].timer == Timer::Off {
            return self.wait(cycles::JUDGE_ROW);
        }
        self.wait(cycles::JUDGE_ACK);
        let f = &mut self.flows[flow];
        if now < f.deadline {
            self.wait(1);
        } else if f.timer == Timer::Rnr {
            f.timer = Timer::Off;
            self.wait(1);
            if self.flows[flow].may_arm() {
                self.arm(flow, i);
            } else {
                self.save();
            }
        } else {
            let is_out = f.retries == f.qp.retry_limit;
            self.events(|e| e.timeout = true);
            if is_out {
                return self.fail(flow, status::RETRY_EXCEEDED);
            }
            let f = &mut self.flows[flow];
            f.retries += 1;
            f.timer = Timer::Off;
            self.wait(1);
            self.resend(flow, i);
        }
    }
}
