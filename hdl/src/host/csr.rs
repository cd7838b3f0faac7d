//! Register decode: one access of the AXI4-Lite port becomes one of the table window, the
//! completion queue, the event counters or the configuration registers.
//!
//! # Source            nic_spec::regs
//! # Interface timing  s_valid, s_write, s_addr, s_wdata hold until s_done
//! # Latency and rate  [`ACCESS_CYCLES`]; a counter read waits for the scan, a doorbell until the
//!                     submission rings take it
//! # Reset             synchronous, high: no access
//! # Twins             sim/src/golden/host/csr.rs, tests/csr.rs

use crate::Module;
use nic_spec::{regs, NicConfig};
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from `s_valid` to `s_done`, a counter read and a doorbell excepted.
pub const ACCESS_CYCLES: usize = 3;

/// The decode.
#[derive(LogicBlock)]
pub struct Csr {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    ringing: DFF<Bit>,
    consumed: DFF<Bit>,
    cleared: DFF<Bit>,
    step: DFF<Bits<3>>,
    done: DFF<Bit>,
    error: DFF<Bit>,
    rdata: DFF<Bits<32>>,
    reg_write: DFF<Bit>,
    word_write: DFF<Bit>,
    commit: DFF<Bit>,
    pop: DFF<Bit>,
    counting: DFF<Bit>,
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
    start: Constant<Bits<3>>,
    look_up: Constant<Bits<3>>,
    decide: Constant<Bits<3>>,
    wait_answer: Constant<Bits<3>>,
    finish: Constant<Bits<3>>,
    zero_high: Constant<Bits<6>>,
    zero_low: Constant<Bits<2>>,
    row_pages: Constant<Bits<4>>,
    counter_page: Constant<Bits<2>>,
    counter_count: Constant<Bits<6>>,
    one: Constant<Bits<32>>,
    doorbell_word: Constant<Bits<8>>,
    id: Constant<Bits<32>>,
    version: Constant<Bits<32>>,
    sizes: Constant<Bits<32>>,
    clock_hz: Constant<Bits<32>>,
}

impl Csr {
    /// The decode of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_valid: Default::default(),
            s_write: Default::default(),
            s_addr: Default::default(),
            s_wdata: Default::default(),
            s_done: Default::default(),
            s_error: Default::default(),
            s_rdata: Default::default(),
            regs_wr_valid: Default::default(),
            regs_hit: Default::default(),
            regs_data: Default::default(),
            window_write: Default::default(),
            window_commit: Default::default(),
            window_word: Default::default(),
            window_busy: Default::default(),
            window_refused: Default::default(),
            queue_pop: Default::default(),
            queue_valid: Default::default(),
            queue_head: Default::default(),
            queue_count: Default::default(),
            watch_window: Default::default(),
            watch_rate: Default::default(),
            counter_valid: Default::default(),
            counter_done: Default::default(),
            counter_data: Default::default(),
            cq_landed: Default::default(),
            host_status: Default::default(),
            doorbell_valid: Default::default(),
            doorbell_ready: Default::default(),
            consumer_write: Default::default(),
            clear_write: Default::default(),
            ringing: Default::default(),
            consumed: Default::default(),
            cleared: Default::default(),
            step: Default::default(),
            done: Default::default(),
            error: Default::default(),
            rdata: Default::default(),
            reg_write: Default::default(),
            word_write: Default::default(),
            commit: Default::default(),
            pop: Default::default(),
            counting: Default::default(),
            word: Default::default(),
            high: Default::default(),
            low: Default::default(),
            page: Default::default(),
            counter: Default::default(),
            row_page: Default::default(),
            in_row: Default::default(),
            rings: Default::default(),
            in_counters: Default::default(),
            readable: Default::default(),
            writable: Default::default(),
            value: Default::default(),
            status: Default::default(),
            busy_bit: Default::default(),
            refused_bit: Default::default(),
            start: Constant::new(0u64.to_bits()),
            look_up: Constant::new(1u64.to_bits()),
            decide: Constant::new(2u64.to_bits()),
            wait_answer: Constant::new(3u64.to_bits()),
            finish: Constant::new(4u64.to_bits()),
            zero_high: Constant::new(0u64.to_bits()),
            zero_low: Constant::new(0u64.to_bits()),
            row_pages: Constant::new((u64::from(regs::ROW_DATA >> 6)).to_bits()),
            counter_page: Constant::new((u64::from(regs::COUNTERS >> 8)).to_bits()),
            counter_count: Constant::new((regs::EVENTS.len() as u64).to_bits()),
            one: Constant::new(1u64.to_bits()),
            doorbell_word: Constant::new((u64::from(regs::DOORBELL) / 4).to_bits()),
            id: Constant::new((u64::from(regs::ID_VALUE)).to_bits()),
            version: Constant::new((u64::from(regs::VERSION_VALUE)).to_bits()),
            sizes: Constant::new((u64::from(config.sizes_word())).to_bits()),
            clock_hz: Constant::new((config.clock_hz).to_bits()),
        }
    }
}

impl Logic for Csr {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, step, done, error, rdata, reg_write, word_write, commit, pop, counting,
            ringing, consumed, cleared
        );
        self.s_done.next = self.done.q.val();
        self.s_error.next = self.error.q.val();
        self.s_rdata.next = self.rdata.q.val();
        self.regs_wr_valid.next = self.reg_write.q.val();
        self.window_write.next = self.word_write.q.val();
        self.window_commit.next = self.commit.q.val();
        self.queue_pop.next = self.pop.q.val();
        self.counter_valid.next = self.counting.q.val();
        self.doorbell_valid.next = self.ringing.q.val();
        self.consumer_write.next = self.consumed.q.val();
        self.clear_write.next = self.cleared.q.val();
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
        comment!("special registers; the match gives word indices, as in nic_spec::regs");
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
        self.reg_write.d.next = false;
        self.word_write.d.next = false;
        self.commit.d.next = false;
        self.pop.d.next = false;
        self.consumed.d.next = false;
        self.cleared.d.next = false;
        self.done.d.next = false;
        self.error.d.next = false;
        self.rdata.d.next = 0.into();
        self.writable.next = false;
        match self.step.q.val().index() {
            0 => {
                if self.s_valid.val() {
                    self.step.d.next = self.look_up.val();
                    comment!("a doorbell is not held up by what the others must look up");
                    if self.rings.val() {
                        self.ringing.d.next = true;
                        self.step.d.next = self.wait_answer.val();
                    }
                }
            }
            1 => {
                self.step.d.next = self.decide.val();
            }
            2 => {
                self.step.d.next = self.finish.val();
                self.done.d.next = true;
                if (self.high.val() != self.zero_high.val())
                    || (self.low.val() != self.zero_low.val())
                {
                    self.error.d.next = true;
                } else if self.s_write.val() {
                    match self.word.val().index() {
                        4 => {
                            self.writable.next = true;
                            self.commit.d.next = true;
                        }
                        7 => {
                            self.writable.next = true;
                            self.pop.d.next = true;
                        }
                        41 => {
                            self.writable.next = true;
                            self.consumed.d.next = true;
                        }
                        44 => {
                            self.writable.next = true;
                            self.cleared.d.next = true;
                        }
                        _ => {
                            if self.in_row.val() {
                                self.writable.next = !self.window_busy.val();
                                self.word_write.d.next = true;
                            } else {
                                self.writable.next = self.regs_hit.val();
                                self.reg_write.d.next = true;
                            }
                        }
                    }
                    self.error.d.next = !self.writable.val();
                } else if self.in_counters.val() {
                    self.done.d.next = false;
                    self.counting.d.next = true;
                    self.step.d.next = self.wait_answer.val();
                } else {
                    self.error.d.next = !self.readable.val();
                    if self.readable.val() {
                        self.rdata.d.next = self.value.val();
                    }
                }
            }
            3 => {
                if self.ringing.q.val() {
                    if self.doorbell_ready.val() {
                        self.ringing.d.next = false;
                        self.done.d.next = true;
                        self.step.d.next = self.finish.val();
                    }
                } else if self.counter_done.val() {
                    self.counting.d.next = false;
                    self.done.d.next = true;
                    self.rdata.d.next = self.counter_data.val();
                    self.step.d.next = self.finish.val();
                }
            }
            _ => {
                if !self.s_valid.val() {
                    self.step.d.next = self.start.val();
                }
            }
        }
        if self.reset.val() {
            self.step.d.next = 0.into();
            self.done.d.next = false;
            self.error.d.next = false;
            self.rdata.d.next = 0.into();
            self.reg_write.d.next = false;
            self.word_write.d.next = false;
            self.commit.d.next = false;
            self.pop.d.next = false;
            self.counting.d.next = false;
            self.ringing.d.next = false;
            self.consumed.d.next = false;
            self.cleared.d.next = false;
        }
    }
}
