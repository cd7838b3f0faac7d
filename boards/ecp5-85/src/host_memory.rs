//! Host memory in block RAM: the NIC's DMA by AXI4, the board's host by 32-bit words.
//!
//! # Source            AMBA AXI4: INCR bursts of whole beats, in order, writes before reads
//! # Interface timing  an address is taken in the cycle after it is valid, while nothing else is
//!                     done; a word access lasts until `word_done`, and goes before a burst
//! # Latency and rate  one beat a cycle within a burst; 4 cycles from an address to the first
//!                     beat of a read
//! # Shape             2^AW beats of 64 bits; bytes are random after power-up and survive reset
//! # Errors            a burst that begins behind the end writes nothing, and answers SLVERR; one
//!                     that runs over the end goes on at the beginning
//! # Reset             synchronous, high: idle
//! # Twins             none: sim/tests/ecpix5/ compares it with sim/src/env/axi_mem.rs

use crate::byte_ram::ByteRam;
use nic_hdl::streams::Axi;
use nic_hdl::util::skid::Skid;
use nic_hdl::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// What the memory is about.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum State {
    Idle,
    Word,
    WordRead,
    WordDone,
    Write,
    Respond,
    Read,
}

/// A beat of a read.
#[row]
pub struct ReadBeat {
    /// Its bytes.
    pub data: Bits<64>,
    /// Its response.
    pub resp: Bits<2>,
    /// It ends the burst.
    pub last: Bit,
}

/// Memory of `2^AW` beats.
#[block(check(AW >= 2 && AW <= 13))]
pub struct HostMemory<const AW: usize> {
    /// The NIC.
    pub s_axi: Axi<In, 64, 8>,
    /// The host wants a word.
    pub word_valid: Signal<In, Bit>,
    /// It writes it.
    pub word_write: Signal<In, Bit>,
    /// Its address, bytes; bits above the memory's size are not looked at.
    pub word_addr: Signal<In, Bits<16>>,
    /// What it writes.
    pub word_wdata: Signal<In, Bits<32>>,
    /// The access is done.
    pub word_done: Signal<Out, Bit>,
    /// What it read; valid with `word_done`.
    pub word_rdata: Signal<Out, Bits<32>>,
    ram: ByteRam<AW>,
    beats: Skid<ReadBeat>,
    #[reset(State::Idle)]
    state: Reg<State>,
    awready: Reg<Bit>,
    arready: Reg<Bit>,
    wready: Reg<Bit>,
    bvalid: Reg<Bit>,
    done: Reg<Bit>,
    rdata: Reg<Bits<32>>,
    /// A beat stands at the RAM's output.
    fetched: Reg<Bit>,
    fetched_last: Unreset<Bit>,
    index: Unreset<Bits<AW>>,
    left: Unreset<Bits<8>>,
    outside: Reg<Bit>,
    fetches: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    resp: Signal<Local, Bits<2>>,
    word_index: Signal<Local, Bits<16>>,
    write_index: Signal<Local, Bits<64>>,
    write_above: Signal<Local, Bits<64>>,
    read_index: Signal<Local, Bits<64>>,
    read_above: Signal<Local, Bits<64>>,
    half: Signal<Local, Bit>,
    strobes: Signal<Local, Bits<8>>,
    #[value(AW as u64)]
    size_log2: Constant<Bits<7>>,
    #[value(2)]
    slverr: Constant<Bits<2>>,
    #[value(0)]
    nowhere: Constant<Bits<64>>,
    #[value(0)]
    none: Constant<Bits<8>>,
    #[value(0x0f)]
    low_half: Constant<Bits<8>>,
    #[value(0xf0)]
    high_half: Constant<Bits<8>>,
}

#[kernel]
impl<const AW: usize> Logic for HostMemory<AW> {
    fn update(&mut self) {
        self.defaults();
        self.outputs();
        match self.state.val() {
            State::Idle => {
                self.begin();
            }
            State::Word => {
                if self.word_write.val() {
                    self.strobes.next = self.low_half.val();
                    if self.half.val() {
                        self.strobes.next = self.high_half.val();
                    }
                }
                self.state.next = State::WordRead;
            }
            State::WordRead => {
                self.rdata.next = self.ram.read_data.val().get_bits::<32>(0);
                if self.half.val() {
                    self.rdata.next = self.ram.read_data.val().get_bits::<32>(32);
                }
                self.done.next = true;
                self.state.next = State::WordDone;
            }
            State::WordDone => {
                self.state.next = State::Idle;
            }
            State::Write => {
                if self.s_axi.write.wvalid.val() && self.wready.val() {
                    if !self.outside.val() {
                        self.strobes.next = self.s_axi.write.wstrb.val();
                    }
                    self.index.next = self.index.val() + 1;
                    if self.s_axi.write.wlast.val() {
                        self.wready.next = false;
                        self.bvalid.next = true;
                        self.state.next = State::Respond;
                    }
                }
            }
            State::Respond => {
                if self.s_axi.write.bready.val() {
                    self.bvalid.next = false;
                    self.state.next = State::Idle;
                }
            }
            State::Read => {
                if self.fetches.val() {
                    self.index.next = self.index.val() + 1;
                    self.left.next = self.left.val() - 1;
                    if self.is_last.val() {
                        self.state.next = State::Idle;
                    }
                }
            }
        }
        self.read_beats();
    }

    /// What happens unless the state says otherwise.
    fn defaults(&mut self) {
        self.awready.next = false;
        self.arready.next = false;
        self.done.next = false;
        self.strobes.next = 0.into();
        self.is_last.next = self.left.val() == self.none.val();
        self.fetches.next =
            (self.state.val() == State::Read) && (!self.fetched.val() || self.beats.s.ready.val());
        self.word_index.next = self.word_addr.val() >> 3;
        self.write_index.next = self.s_axi.write.awaddr.val() >> 3;
        self.read_index.next = self.s_axi.read.araddr.val() >> 3;
        self.write_above.next = self.write_index.val() >> self.size_log2.val();
        self.read_above.next = self.read_index.val() >> self.size_log2.val();
        self.half.next = self.word_addr.val().get_bit(2);
        self.resp.next = 0.into();
        if self.outside.val() {
            self.resp.next = self.slverr.val();
        }
    }

    /// Takes what waits. A response of one kind has gone before a burst of the other begins, so
    /// both may tell `outside`.
    fn begin(&mut self) {
        if self.word_valid.val() {
            self.index.next = bit_cast::<AW, 16>(self.word_index.val());
            self.state.next = State::Word;
        } else if self.s_axi.write.awvalid.val() && !self.fetched.val() {
            self.index.next = bit_cast::<AW, 64>(self.write_index.val());
            self.outside.next = self.write_above.val() != self.nowhere.val();
            self.awready.next = true;
            self.wready.next = true;
            self.state.next = State::Write;
        } else if self.s_axi.read.arvalid.val() && !self.fetched.val() {
            self.index.next = bit_cast::<AW, 64>(self.read_index.val());
            self.outside.next = self.read_above.val() != self.nowhere.val();
            self.left.next = self.s_axi.read.arlen.val();
            self.arready.next = true;
            self.state.next = State::Read;
        }
    }

    /// From the RAM's output to the port.
    fn read_beats(&mut self) {
        if self.fetched.val() && self.beats.s.ready.val() {
            self.fetched.next = false;
        }
        if self.fetches.val() {
            self.fetched.next = true;
            self.fetched_last.next = self.is_last.val();
        }
        self.beats.s.valid.next = self.fetched.val();
        self.beats.s.data.next.data = self.ram.read_data.val();
        self.beats.s.data.next.resp = self.resp.val();
        self.beats.s.data.next.last = self.fetched_last.val();
        self.ram.read_enable.next = self.fetches.val() || (self.state.val() == State::Word);
        self.ram.read_address.next = self.index.val();
        self.ram.write_strobes.next = self.strobes.val();
        self.ram.write_address.next = self.index.val();
        self.ram.write_data.next = self.s_axi.write.wdata.val();
        if self.state.val() == State::Word {
            self.ram.write_data.next = bit_cast::<64, 32>(self.word_wdata.val())
                | (bit_cast::<64, 32>(self.word_wdata.val()) << 32);
        }
    }

    /// Registers to the ports.
    fn outputs(&mut self) {
        self.s_axi.write.awready.next = self.awready.val();
        self.s_axi.write.wready.next = self.wready.val();
        self.s_axi.write.bid.next = false;
        self.s_axi.write.bresp.next = self.resp.val();
        self.s_axi.write.bvalid.next = self.bvalid.val();
        self.s_axi.read.arready.next = self.arready.val();
        self.s_axi.read.rid.next = false;
        self.s_axi.read.rvalid.next = self.beats.m.valid.val();
        self.beats.m.ready.next = self.s_axi.read.rready.val();
        self.s_axi.read.rdata.next = self.beats.m.data.val().data;
        self.s_axi.read.rresp.next = self.beats.m.data.val().resp;
        self.s_axi.read.rlast.next = self.beats.m.data.val().last;
        self.word_done.next = self.done.val();
        self.word_rdata.next = self.rdata.val();
    }
}
