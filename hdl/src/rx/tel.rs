//! Telemetry of a packet as the verdict's record has it: brings records of either native form into
//! the native layout, hands a stack on pair by pair, and counts.
//!
//! # Source            HPCC, SIGCOMM 2019, figure 7 (2 + 8n bytes, big-endian); its authors'
//!                     simulator (42 bytes, little-endian)
//! # Interface timing  cycle 0: s, and what is known of its packet; cycle 4: its words of a stack;
//!                     cycle 6: its records are in m, so all of a packet's 6 cycles after its end;
//!                     records, path and whether it is whole of a stack at least 1 cycle before
//! # Latency and rate  6; one beat per cycle, no ready
//! # Shape             W2 = 2 W, KB = W / 8. A stack is read from beats of 8 bytes alone
//! # Number formats    tel_hop | rate [2:0], ns [26:3], bytes/128 [46:27], queue/80 [63:47] |
//!                     tel_hops 6 = not usable (more than five hops, a rate code above 7, or a
//!                     stack that is not whole)
//! # Reset             synchronous, high: between packets
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::streams::{PacketBeat, Telemetry};
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Byte at which telemetry begins; at the first one of native forms a record's last byte is.
const AT: usize = 28;

/// The beat with the last byte of record `hop`, whatever the form.
const fn beat_of(beat_bytes: usize, hop: usize) -> usize {
    (AT + 9 + 8 * hop) / beat_bytes
}

/// Lowest bit of byte `at` in what the beat before record `hop`'s last one and this one hold.
fn window_bit(beat_bytes: usize, hop: usize, at: usize) -> u64 {
    (8 * (at + beat_bytes - beat_bytes * beat_of(beat_bytes, hop))) as u64
}

/// Telemetry stage of the rx pipe.
#[block(check(W == 8 * KB && W2 == 2 * W))]
pub struct RxTel<const W: usize, const W2: usize, const KB: usize> {
    /// Telemetry format: 1 paper, 2 authors, 3 INT-MD, 4 IOAM, 5 IFA.
    pub cfg_tel_format: Signal<In, Bits<3>>,
    /// A beat of the packet with its telemetry.
    pub s: PacketBeat<In, W>,
    /// Telemetry follows UDP.
    pub tel_valid: Signal<In, Bit>,
    /// It is a stack; else it has a native form.
    pub tel_stack: Signal<In, Bit>,
    /// It is IFA's, whose header stands in front of UDP.
    pub tel_ifa: Signal<In, Bit>,
    /// Bytes of the telemetry.
    pub tel_bytes: Signal<In, Bits<11>>,
    /// Words of a stack behind its first one.
    pub tel_words: Signal<In, Bits<8>>,
    /// A stack begins.
    pub pair_start: Signal<Out, Bit>,
    /// Two words of it.
    pub pair_valid: Signal<Out, Bit>,
    /// The first one in bits 31:0, as in the packet.
    pub pair: Signal<Out, Bits<64>>,
    /// The second one is not the stack's.
    pub pair_half: Signal<Out, Bit>,
    /// Nothing of the stack follows.
    pub pair_last: Signal<Out, Bit>,
    /// A record of the stack.
    pub stack_valid: Signal<In, Bit>,
    /// It, in the native layout.
    pub stack_record: Signal<In, Bits<64>>,
    /// Nodes and interfaces of the stack so far.
    pub stack_path: Signal<In, Bits<12>>,
    /// The stack tells about every hop.
    pub stack_whole: Signal<In, Bit>,
    /// Telemetry of the packet; records behind the count are 0 in the paper's form.
    pub m: Telemetry<Out>,
    valid: [Reg<Bit>; 5],
    first: [Unreset<Bit>; 5],
    data: [Unreset<Bits<W>>; 5],
    known: [Unreset<Bit>; 6],
    stack: [Unreset<Bit>; 6],
    ifa: [Unreset<Bit>; 4],
    bytes: [Unreset<Bits<11>>; 5],
    words: [Unreset<Bits<8>>; 4],
    pair_count: Unreset<Bits<8>>,
    pair_earlier: Unreset<Bits<W>>,
    beat: Unreset<Bits<4>>,
    earlier: Unreset<Bits<W>>,
    hops: [Unreset<Bits<64>>; 5],
    has_odd_rate: Unreset<Bit>,
    path: Unreset<Bits<12>>,
    count: Unreset<Bits<16>>,
    hop: Unreset<Bits<4>>,
    walked: Unreset<Bits<12>>,
    is_whole: Unreset<Bit>,
    pair_index: Signal<Local, Bits<8>>,
    in_pairs: Signal<Local, Bit>,
    last_index: Signal<Local, Bits<8>>,
    straddling: Signal<Local, Bits<64>>,
    index: Signal<Local, Bits<4>>,
    is_start: Signal<Local, Bit>,
    is_paper: Signal<Local, Bit>,
    is_native: Signal<Local, Bit>,
    moved: Signal<Local, Bits<W>>,
    front: Signal<Local, Bits<16>>,
    places: Signal<Local, Bits<11>>,
    window: Signal<Local, Bits<W2>>,
    window_high: Signal<Local, Bits<W2>>,
    paper: [Signal<Local, Bits<64>>; 5],
    authors: [Signal<Local, Bits<64>>; 5],
    record: [Signal<Local, Bits<64>>; 5],
    takes: [Signal<Local, Bit>; 5],
    no_use: Signal<Local, Bit>,
    #[value((AT / KB) as u64)]
    start_beat: Constant<Bits<4>>,
    #[value((8 * (AT % KB)) as u64)]
    start_bit: Constant<Bits<10>>,
    #[value(W as u64)]
    width: Constant<Bits<11>>,
    #[init(core::array::from_fn(|i| Constant::new((beat_of(KB, i) as u64).into())))]
    beats: [Constant<Bits<4>>; 5],
    #[init(core::array::from_fn(|i| Constant::new(window_bit(KB, i, AT + 2 + 8 * i).into())))]
    paper_bits: [Constant<Bits<11>>; 5],
    #[init(core::array::from_fn(|i| Constant::new(window_bit(KB, i, AT + 8 * i).into())))]
    authors_bits: [Constant<Bits<11>>; 5],
    #[value(window_bit(KB, 4, AT + 40))]
    count_bit: Constant<Bits<11>>,
    #[init(core::array::from_fn(|i| Constant::new((i as u64).into())))]
    places_below: [Constant<Bits<11>>; 5],
    #[value(0x7_u64)]
    rate_bits: Constant<Bits<64>>,
    #[value(0x78_u64)]
    time_0_bits: Constant<Bits<64>>,
    #[value(0x7f_8000_0000_7f80_u64)]
    time_1_queue_0_bits: Constant<Bits<64>>,
    #[value(0x7f80_0000_007f_8000_u64)]
    time_2_queue_1_bits: Constant<Bits<64>>,
    #[value(0x780_0000_u64)]
    time_3_bits: Constant<Bits<64>>,
    #[value(0x7_f800_0000_u64)]
    sent_0_bits: Constant<Bits<64>>,
    #[value(0x7f8_0000_0000_u64)]
    sent_1_bits: Constant<Bits<64>>,
    #[value(0x7800_0000_0000_u64)]
    sent_2_bits: Constant<Bits<64>>,
}

#[kernel]
impl<const W: usize, const W2: usize, const KB: usize> RxTel<W, W2, KB> {
    fn update(&mut self) {
        self.wait();
        self.pairs();
        self.place();
        self.records();
        self.say();
    }

    /// Until the verdict comes near.
    fn wait(&mut self) {
        self.valid[0].next = self.s.valid.val();
        self.first[0].next = self.s.first.val();
        self.data[0].next = self.s.data.val();
        self.known[0].next = self.tel_valid.val();
        self.stack[0].next = self.tel_stack.val();
        self.ifa[0].next = self.tel_ifa.val();
        self.bytes[0].next = self.tel_bytes.val();
        self.words[0].next = self.tel_words.val();
        for i in 0..4 {
            self.valid[i + 1].next = self.valid[i].val();
            self.first[i + 1].next = self.first[i].val();
            self.data[i + 1].next = self.data[i].val();
            self.bytes[i + 1].next = self.bytes[i].val();
        }
        for i in 0..5 {
            self.known[i + 1].next = self.known[i].val();
            self.stack[i + 1].next = self.stack[i].val();
        }
        for i in 0..3 {
            self.ifa[i + 1].next = self.ifa[i].val();
            self.words[i + 1].next = self.words[i].val();
        }
    }

    /// Words of a stack: one from the beat before, one from this; behind IFA's header both are of
    /// this one. They begin to be complete with the packet's fifth beat of 8 bytes.
    fn pairs(&mut self) {
        self.pair_index.next = self.pair_count.val();
        if self.first[3].val() {
            self.pair_index.next = 0.into();
        }
        if self.valid[3].val() {
            self.pair_earlier.next = self.data[3].val();
            self.pair_count.next = self.pair_index.val();
            if self.pair_index.val() != 255 {
                self.pair_count.next = self.pair_index.val() + 1;
            }
        }
        self.last_index.next = (self.words[3].val() >> 1) + 4;
        self.in_pairs.next =
            (self.pair_index.val() > 3) & (self.pair_index.val() <= self.last_index.val());
        self.pair_start.next = self.valid[3].val() & (self.pair_index.val() == 3);
        self.pair_valid.next = self.valid[3].val() & self.stack[3].val() & self.in_pairs.val();
        self.pair_last.next = self.pair_index.val() == self.last_index.val();
        self.pair_half.next =
            (self.pair_index.val() == self.last_index.val()) & !self.words[3].val().get_bit(0);
        self.straddling.next = bit_cast::<64, 32>(self.pair_earlier.val().get_bits::<32>(32))
            | (bit_cast::<64, 32>(self.data[3].val().get_bits::<32>(0)) << 32);
        self.pair.next = self.straddling.val();
        if self.ifa[3].val() {
            self.pair.next = bit_cast::<64, W>(self.data[3].val());
        }
    }

    /// Where in the packet this beat is.
    fn place(&mut self) {
        self.index.next = self.beat.val();
        if self.first[4].val() {
            self.index.next = 0.into();
        }
        if self.valid[4].val() {
            self.earlier.next = self.data[4].val();
            self.beat.next = self.index.val();
            if self.index.val() != 15 {
                self.beat.next = self.index.val() + 1;
            }
        }
        self.is_start.next = self.valid[4].val() & (self.index.val() == self.start_beat.val());
        self.is_paper.next = self.cfg_tel_format.val() != 2;
        self.is_native.next = self.known[4].val() & !self.stack[4].val();
        self.places.next = self.bytes[4].val() >> 3;
        self.window_high.next = bit_cast::<W2, W>(self.data[4].val());
        self.window.next =
            bit_cast::<W2, W>(self.earlier.val()) | (self.window_high.val() << self.width.val());
        comment!("The paper's record is big-endian: rate 4, time 24, bytes sent 20, queue 16.");
        for i in 0..5 {
            self.paper[i].next = self.window.val().get_bits::<64>(self.paper_bits[i].val().index());
            self.authors[i].next =
                self.window.val().get_bits::<64>(self.authors_bits[i].val().index());
            self.record[i].next = self.authors[i].val();
            if self.is_paper.val() {
                self.record[i].next = ((self.paper[i].val() >> 4) & self.rate_bits.val())
                    | ((self.paper[i].val() >> 25) & self.time_0_bits.val())
                    | ((self.paper[i].val() >> 9) & self.time_1_queue_0_bits.val())
                    | ((self.paper[i].val() << 7) & self.time_2_queue_1_bits.val())
                    | ((self.paper[i].val() << 23) & self.time_3_bits.val())
                    | ((self.paper[i].val() >> 13) & self.sent_0_bits.val())
                    | ((self.paper[i].val() << 3) & self.sent_1_bits.val())
                    | ((self.paper[i].val() << 19) & self.sent_2_bits.val());
            }
            self.takes[i].next = self.valid[4].val()
                & (self.index.val() == self.beats[i].val())
                & self.is_native.val()
                & (self.places.val() > self.places_below[i].val());
        }
    }

    /// Count and path stand in front; the authors' count stands behind five records.
    fn records(&mut self) {
        self.moved.next = self.data[4].val() >> self.start_bit.val();
        self.front.next = bit_cast::<16, W>(self.moved.val());
        if self.is_start.val() {
            self.path.next = 0.into();
            self.count.next = 0.into();
            self.hop.next = 0.into();
            self.has_odd_rate.next = false;
            if self.is_native.val() & self.is_paper.val() {
                self.path.next = (bit_cast::<12, 4>(self.front.val().get_bits::<4>(0)) << 8)
                    | bit_cast::<12, 8>(self.front.val().get_bits::<8>(8));
                self.count.next = bit_cast::<16, 4>(self.front.val().get_bits::<4>(4));
            }
        }
        for i in 0..5 {
            if self.is_start.val() {
                self.hops[i].next = 0.into();
            }
            if self.takes[i].val() {
                self.hops[i].next = self.record[i].val();
                if self.is_paper.val() & self.paper[i].val().get_bit(7) {
                    self.has_odd_rate.next = true;
                }
            } else if self.stack_valid.val() & (self.hop.val() == i.to_bits::<4>()) {
                self.hops[i].next = self.stack_record.val();
            }
        }
        if self.takes[4].val() & !self.is_paper.val() {
            self.count.next = self.window.val().get_bits::<16>(self.count_bit.val().index());
        }
        comment!("A stack is counted as it is read; six stands for more.");
        if self.stack_valid.val() & (self.hop.val() != 6) {
            self.hop.next = self.hop.val() + 1;
            self.count.next = self.count.val() + 1;
        }
    }

    /// The path of a stack, unless that is not usable.
    fn say(&mut self) {
        self.walked.next = self.stack_path.val();
        self.is_whole.next = self.stack_whole.val();
        self.no_use.next = (self.count.val() > 5)
            | self.has_odd_rate.val()
            | (self.stack[5].val() & !self.is_whole.val());
        self.m.valid.next = self.known[5].val();
        self.m.hops.next = self.count.val().get_bits::<3>(0);
        if self.no_use.val() {
            self.m.hops.next = 6.into();
        }
        self.m.path.next = self.path.val();
        if self.stack[5].val() {
            self.m.path.next = self.walked.val();
            if self.no_use.val() {
                self.m.path.next = 0.into();
            }
        }
        for i in 0..5 {
            self.m.hop[i].next = self.hops[i].val();
        }
    }
}
