//! Twin of `hdl/src/host/csr.rs`: register decode.

use crate::golden::host::axil_port::{Access, Answer};
use crate::ports::Golden;
use nic_spec::regs;
use nic_spec::NicConfig;

crate::ports! {
    /// Inputs.
    pub struct CsrIn {
        pub reset: bool,
        pub s: Access,
        pub regs_hit: bool,
        pub regs_data: u32,
        pub window_word: u32,
        pub window_busy: bool,
        pub window_refused: bool,
        pub queue_valid: bool,
        pub queue_head: u128,
        pub queue_count: u16,
        pub watch_window: u32,
        pub watch_rate: u32,
        pub counter_done: bool,
        pub counter_data: u32,
        pub cq_landed: u16,
        pub host_status: u32,
        pub doorbell_ready: bool,
    }
}
crate::ports! {
    /// Outputs.
    pub struct CsrOut {
        pub s: Answer,
        pub regs_wr_valid: bool,
        pub window_write: bool,
        pub window_commit: bool,
        pub queue_pop: bool,
        pub counter_valid: bool,
        pub doorbell_valid: bool,
        pub consumer_write: bool,
        pub clear_write: bool,
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Step {
    #[default]
    Start,
    LookUp,
    Decide,
    WaitCounter,
    WaitDoorbell,
    Finish,
}

/// The decode.
#[derive(Clone, Debug)]
pub struct Csr {
    sizes: u32,
    clock_hz: u32,
    step: Step,
    out: CsrOut,
}

impl Csr {
    /// The decode of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            sizes: config.sizes_word(),
            clock_hz: config.clock_hz as u32,
            step: Step::Start,
            out: CsrOut::default(),
        }
    }

    /// Value of the register at `offset`, `None` where there is none.
    fn read(&self, offset: u16, i: &CsrIn) -> Option<u32> {
        let in_row = (regs::ROW_DATA..regs::ROW_DATA + 64).contains(&offset);
        let in_entry = (regs::CQ_ENTRY..regs::CQ_ENTRY + 16).contains(&offset);
        Some(match offset {
            regs::ID => regs::ID_VALUE,
            regs::VERSION => regs::VERSION_VALUE,
            regs::SIZES => self.sizes,
            regs::CLOCK_HZ => self.clock_hz,
            regs::ROW_STATUS => u32::from(i.window_busy) | u32::from(i.window_refused) << 1,
            regs::CC_WINDOW => i.watch_window,
            regs::CC_RATE => i.watch_rate,
            regs::CQ_COUNT if i.queue_valid => u32::from(i.queue_count),
            regs::CQ_COUNT | regs::ROW_COMMIT | regs::CQ_POP => 0,
            regs::DOORBELL | regs::CQ_CONSUMER | regs::HOST_CLEAR => 0,
            regs::CQ_PRODUCER => i.cq_landed.into(),
            regs::HOST_STATUS => i.host_status,
            _ if in_entry => (i.queue_head >> (8 * (offset - regs::CQ_ENTRY))) as u32,
            _ if in_row => i.window_word,
            _ => return i.regs_hit.then_some(i.regs_data),
        })
    }

    /// Starts the write to `offset`; false where it is not allowed.
    fn write(&mut self, offset: u16, i: &CsrIn) -> bool {
        let special = regs::SPECIAL_REGISTERS
            .iter()
            .find(|r| (r.offset..r.offset + 4 * r.count).contains(&offset));
        match offset {
            regs::ROW_COMMIT => {
                self.out.window_commit = true;
                true
            }
            regs::CQ_POP => {
                self.out.queue_pop = true;
                true
            }
            regs::CQ_CONSUMER => {
                self.out.consumer_write = true;
                true
            }
            regs::HOST_CLEAR => {
                self.out.clear_write = true;
                true
            }
            _ if special.is_some_and(|r| r.name == "row_data") => {
                self.out.window_write = true;
                !i.window_busy
            }
            _ => {
                self.out.regs_wr_valid = true;
                i.regs_hit
            }
        }
    }
}

impl Golden for Csr {
    type In = CsrIn;
    type Out = CsrOut;

    fn step(&mut self, i: &CsrIn) -> CsrOut {
        let (counting, ringing) = (self.out.counter_valid, self.out.doorbell_valid);
        self.out = CsrOut::default();
        if i.reset {
            self.step = Step::Start;
            return self.out;
        }
        match self.step {
            Step::Start if i.s.valid && i.s.write && i.s.addr == regs::DOORBELL => {
                // Nothing has to be looked up for it.
                self.out.doorbell_valid = true;
                self.step = Step::WaitDoorbell;
            }
            Step::Start if i.s.valid => self.step = Step::LookUp,
            Step::Start => {}
            Step::LookUp => self.step = Step::Decide,
            Step::Decide => {
                self.step = Step::Finish;
                self.out.s.done = true;
                let offset = i.s.addr;
                let counters = regs::COUNTERS..regs::COUNTERS + 4 * regs::EVENTS.len() as u16;
                if offset >= 0x400 || !offset.is_multiple_of(4) {
                    self.out.s.error = true;
                } else if i.s.write {
                    self.out.s.error = !self.write(offset, i);
                } else if counters.contains(&offset) {
                    self.out.s.done = false;
                    self.out.counter_valid = true;
                    self.step = Step::WaitCounter;
                } else {
                    let value = self.read(offset, i);
                    self.out.s.error = value.is_none();
                    self.out.s.rdata = value.unwrap_or(0);
                }
            }
            Step::WaitCounter if i.counter_done => {
                self.out.s.done = true;
                self.out.s.rdata = i.counter_data;
                self.step = Step::Finish;
            }
            Step::WaitCounter => self.out.counter_valid = counting,
            Step::WaitDoorbell if i.doorbell_ready => {
                self.out.s.done = true;
                self.step = Step::Finish;
            }
            Step::WaitDoorbell => self.out.doorbell_valid = ringing,
            Step::Finish if !i.s.valid => self.step = Step::Start,
            Step::Finish => {}
        }
        self.out
    }
}
