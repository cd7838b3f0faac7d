//! Register decode: one access of the AXI4-Lite port becomes one of the table window, the
//! completion queue, the event counters or the configuration registers.
//!
//! # Source            nic_spec::regs
//! # Interface timing  s_valid, s_write, s_addr, s_wdata hold until s_done
//! # Latency and rate  [`ACCESS_CYCLES`]; a counter read waits for the scan, a doorbell until the
//!                     submission rings take it
//! # Reset             synchronous, high: no access
//! # Twins             sim/models/src/golden/host/csr.rs, tests/host/csr.rs

use crate::{block, kernel, Reg};
use nic_spec::{regs, NicConfig};
use rust_hdl_core::prelude::*;

/// Cycles from `s_valid` to `s_done`, a counter read and a doorbell excepted.
pub const ACCESS_CYCLES: usize = 3;

/// The decode.
#[block(new(config: &NicConfig))]
pub struct Csr {
    /// An access is wanted.
    pub s_valid: Signal<In, Bit>,
    /// It is a write.
    pub s_write: Signal<In, Bit>,
    /// Its address, bytes.
    pub s_addr: Signal<In, Bits<16>>,
    /// Its data.
    pub s_wdata: Signal<In, Bits<32>>,
    /// The access is done.
    pub s_done: Signal<Out, Bit>,
    /// It failed; valid with `s_done`, else 0.
    pub s_error: Signal<Out, Bit>,
    /// What it read; valid with `s_done`, else 0.
    pub s_rdata: Signal<Out, Bits<32>>,
    /// To the configuration registers: write.
    pub regs_wr_valid: Signal<Out, Bit>,
    /// From the configuration registers: a register stands at the address.
    pub regs_hit: Signal<In, Bit>,
    /// From the configuration registers: its value.
    pub regs_data: Signal<In, Bits<32>>,
    /// To the table window: stage a word.
    pub window_write: Signal<Out, Bit>,
    /// To the table window: commit.
    pub window_commit: Signal<Out, Bit>,
    /// From the table window: staged word.
    pub window_word: Signal<In, Bits<32>>,
    /// From the table window: a commit is under way.
    pub window_busy: Signal<In, Bit>,
    /// From the table window: the last commit was refused.
    pub window_refused: Signal<In, Bit>,
    /// To the completion queue: drop the head.
    pub queue_pop: Signal<Out, Bit>,
    /// From the completion queue: head is valid.
    pub queue_valid: Signal<In, Bit>,
    /// From the completion queue: oldest completion.
    pub queue_head: Signal<In, Bits<128>>,
    /// From the completion queue: completions held.
    pub queue_count: Signal<In, Bits<16>>,
    /// From the CC watch: window.
    pub watch_window: Signal<In, Bits<32>>,
    /// From the CC watch: rate.
    pub watch_rate: Signal<In, Bits<32>>,
    /// To the event counters: read.
    pub counter_valid: Signal<Out, Bit>,
    /// From the event counters: answered.
    pub counter_done: Signal<In, Bit>,
    /// From the event counters: value.
    pub counter_data: Signal<In, Bits<32>>,
    /// From the completion ring: entries that have landed.
    pub cq_landed: Signal<In, Bits<16>>,
    /// From the interrupt: status.
    pub host_status: Signal<In, Bits<32>>,
    /// To the submission rings: a doorbell.
    pub doorbell_valid: Signal<Out, Bit>,
    /// It is taken.
    pub doorbell_ready: Signal<In, Bit>,
    /// To the completion ring: software's index is written.
    pub consumer_write: Signal<Out, Bit>,
    /// To the interrupt: clear.
    pub clear_write: Signal<Out, Bit>,
    ringing: Reg<Bit>,
    consumed: Reg<Bit>,
    cleared: Reg<Bit>,
    step: Reg<Bits<3>>,
    done: Reg<Bit>,
    error: Reg<Bit>,
    rdata: Reg<Bits<32>>,
    reg_write: Reg<Bit>,
    word_write: Reg<Bit>,
    commit: Reg<Bit>,
    pop: Reg<Bit>,
    counting: Reg<Bit>,
    word: Signal<Local, Bits<8>>,
    high: Signal<Local, Bits<6>>,
    low: Signal<Local, Bits<2>>,
    page: Signal<Local, Bits<2>>,
    counter: Signal<Local, Bits<6>>,
    row_page: Signal<Local, Bits<4>>,
    in_row: Signal<Local, Bit>,
    rings: Signal<Local, Bit>,
    in_counters: Signal<Local, Bit>,
    readable: Signal<Local, Bit>,
    writable: Signal<Local, Bit>,
    value: Signal<Local, Bits<32>>,
    status: Signal<Local, Bits<32>>,
    busy_bit: Signal<Local, Bits<32>>,
    refused_bit: Signal<Local, Bits<32>>,
    #[init(Constant::new(0u64.to_bits()))]
    start: Constant<Bits<3>>,
    #[init(Constant::new(1u64.to_bits()))]
    look_up: Constant<Bits<3>>,
    #[init(Constant::new(2u64.to_bits()))]
    decide: Constant<Bits<3>>,
    #[init(Constant::new(3u64.to_bits()))]
    wait_answer: Constant<Bits<3>>,
    #[init(Constant::new(4u64.to_bits()))]
    finish: Constant<Bits<3>>,
    #[init(Constant::new(0u64.to_bits()))]
    zero_high: Constant<Bits<6>>,
    #[init(Constant::new(0u64.to_bits()))]
    zero_low: Constant<Bits<2>>,
    #[init(Constant::new((u64::from(regs::ROW_DATA >> 6)).to_bits()))]
    row_pages: Constant<Bits<4>>,
    #[init(Constant::new((u64::from(regs::COUNTERS >> 8)).to_bits()))]
    counter_page: Constant<Bits<2>>,
    #[init(Constant::new((regs::EVENTS.len() as u64).to_bits()))]
    counter_count: Constant<Bits<6>>,
    #[init(Constant::new(1u64.to_bits()))]
    one: Constant<Bits<32>>,
    #[init(Constant::new((u64::from(regs::DOORBELL) / 4).to_bits()))]
    doorbell_word: Constant<Bits<8>>,
    #[init(Constant::new((u64::from(regs::ID_VALUE)).to_bits()))]
    id: Constant<Bits<32>>,
    #[init(Constant::new((u64::from(regs::VERSION_VALUE)).to_bits()))]
    version: Constant<Bits<32>>,
    #[init(Constant::new((u64::from(config.sizes_word())).to_bits()))]
    sizes: Constant<Bits<32>>,
    #[init(Constant::new((config.clock_hz).to_bits()))]
    clock_hz: Constant<Bits<32>>,
}

#[kernel]
impl Csr {
    fn update(&mut self) {
        self.outputs();
        self.special();
        self.access();
    }

    fn outputs(&mut self) {
        self.s_done.next = self.done.val();
        self.s_error.next = self.error.val();
        self.s_rdata.next = self.rdata.val();
        self.regs_wr_valid.next = self.reg_write.val();
        self.window_write.next = self.word_write.val();
        self.window_commit.next = self.commit.val();
        self.queue_pop.next = self.pop.val();
        self.counter_valid.next = self.counting.val();
        self.doorbell_valid.next = self.ringing.val();
        self.consumer_write.next = self.consumed.val();
        self.clear_write.next = self.cleared.val();
        comment!("address");
        self.high.next = self.s_addr.val().get_bits::<6>(10);
        self.low.next = self.s_addr.val().get_bits::<2>(0);
        self.word.next = self.s_addr.val().get_bits::<8>(2);
        self.page.next = self.s_addr.val().get_bits::<2>(8);
        self.row_page.next = self.s_addr.val().get_bits::<4>(6);
        self.counter.next = self.s_addr.val().get_bits::<6>(2);
        self.in_row.next = self.row_page.val() == self.row_pages.val();
        self.in_counters.next = (self.page.val() == self.counter_page.val())
            && (self.counter.val() < self.counter_count.val());
        self.rings.next = self.s_write.val()
            & (self.high.val() == self.zero_high.val())
            & (self.low.val() == self.zero_low.val())
            & (self.word.val() == self.doorbell_word.val());
    }

    /// special registers; the match gives word indices, as in nic_spec::regs
    fn special(&mut self) {
        if self.window_refused.val() {
            self.refused_bit.next = self.one.val() << 1;
        } else {
            self.refused_bit.next = 0.into();
        }
        if self.window_busy.val() {
            self.busy_bit.next = self.one.val();
        } else {
            self.busy_bit.next = 0.into();
        }
        self.status.next = self.busy_bit.val() | self.refused_bit.val();
        self.readable.next = true;
        self.value.next = 0.into();
        match self.word.val().index() {
            0 => {
                self.value.next = self.id.val();
            }
            1 => {
                self.value.next = self.version.val();
            }
            2 => {
                self.value.next = self.sizes.val();
            }
            3 => {
                self.value.next = self.clock_hz.val();
            }
            4 => {}
            5 => {
                self.value.next = self.status.val();
            }
            6 => {
                if self.queue_valid.val() {
                    self.value.next = bit_cast::<32, 16>(self.queue_count.val());
                }
            }
            7 => {}
            40 => {}
            41 => {}
            42 => {
                self.value.next = bit_cast::<32, 16>(self.cq_landed.val());
            }
            43 => {
                self.value.next = self.host_status.val();
            }
            44 => {}
            56 => {
                self.value.next = self.watch_window.val();
            }
            57 => {
                self.value.next = self.watch_rate.val();
            }
            60 => {
                self.value.next = self.queue_head.val().get_bits::<32>(0);
            }
            61 => {
                self.value.next = self.queue_head.val().get_bits::<32>(32);
            }
            62 => {
                self.value.next = self.queue_head.val().get_bits::<32>(64);
            }
            63 => {
                self.value.next = self.queue_head.val().get_bits::<32>(96);
            }
            _ => {
                if self.in_row.val() {
                    self.value.next = self.window_word.val();
                } else {
                    self.value.next = self.regs_data.val();
                    self.readable.next = self.regs_hit.val();
                }
            }
        }
        self.reg_write.next = false;
        self.word_write.next = false;
    }

    fn access(&mut self) {
        self.commit.next = false;
        self.pop.next = false;
        self.consumed.next = false;
        self.cleared.next = false;
        self.done.next = false;
        self.error.next = false;
        self.rdata.next = 0.into();
        self.writable.next = false;
        match self.step.val().index() {
            0 => {
                if self.s_valid.val() {
                    self.step.next = self.look_up.val();
                    comment!("a doorbell is not held up by what the others must look up");
                    if self.rings.val() {
                        self.ringing.next = true;
                        self.step.next = self.wait_answer.val();
                    }
                }
            }
            1 => {
                self.step.next = self.decide.val();
            }
            2 => {
                self.step.next = self.finish.val();
                self.done.next = true;
                if (self.high.val() != self.zero_high.val())
                    || (self.low.val() != self.zero_low.val())
                {
                    self.error.next = true;
                } else if self.s_write.val() {
                    match self.word.val().index() {
                        4 => {
                            self.writable.next = true;
                            self.commit.next = true;
                        }
                        7 => {
                            self.writable.next = true;
                            self.pop.next = true;
                        }
                        41 => {
                            self.writable.next = true;
                            self.consumed.next = true;
                        }
                        44 => {
                            self.writable.next = true;
                            self.cleared.next = true;
                        }
                        _ => {
                            if self.in_row.val() {
                                self.writable.next = !self.window_busy.val();
                                self.word_write.next = true;
                            } else {
                                self.writable.next = self.regs_hit.val();
                                self.reg_write.next = true;
                            }
                        }
                    }
                    self.error.next = !self.writable.val();
                } else if self.in_counters.val() {
                    self.done.next = false;
                    self.counting.next = true;
                    self.step.next = self.wait_answer.val();
                } else {
                    self.error.next = !self.readable.val();
                    if self.readable.val() {
                        self.rdata.next = self.value.val();
                    }
                }
            }
            3 => {
                if self.ringing.val() {
                    if self.doorbell_ready.val() {
                        self.ringing.next = false;
                        self.done.next = true;
                        self.step.next = self.finish.val();
                    }
                } else if self.counter_done.val() {
                    self.counting.next = false;
                    self.done.next = true;
                    self.rdata.next = self.counter_data.val();
                    self.step.next = self.finish.val();
                }
            }
            _ => {
                if !self.s_valid.val() {
                    self.step.next = self.start.val();
                }
            }
        }
    }
}
