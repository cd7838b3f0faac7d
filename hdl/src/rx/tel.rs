//! Takes telemetry out from between UDP and BTH, and points at it as it passes.
//!
//! # Source            HPCC, SIGCOMM 2019, figure 7 (2 + 8n bytes, big-endian); its authors'
//!                     simulator (42 bytes, little-endian); INT dataplane specification 2.1,
//!                     RFC 9197 and draft-kumar-ippm-ifa (4 + 4n bytes)
//! # Interface timing  cycle 0: s_valid; cycle 1: m_valid, the packet without telemetry, a beat
//!                     when its last byte is there (and what is left behind the last beat in
//!                     cycle 2). tel_bytes, head_bytes, tel_valid: cycle 1 after the fourth beat;
//!                     records: cycle 2 after the beat that completes them; all until the fourth
//!                     beat of the next packet. Words of a stack: cycle 1 after the beat of the
//!                     second one
//! # Latency and rate  1; one beat per cycle, no ready. A packet is followed by one idle cycle
//! # Number formats    tel_bytes, head_bytes | UQ11.0 | bytes
//! # Reset             synchronous, high: no telemetry
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

pub mod len_fix;
pub mod records;

use crate::streams::PacketBeat;
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Telemetry stage of the 64-bit rx pipe. Native telemetry is 2 bytes and a multiple of 8, so the
/// bytes behind it move by two, and whole beats are left out; a stack is a multiple of 4, so they
/// move by four or not at all.
#[block]
pub struct RxTel {
    /// Telemetry format: 1 paper, 2 authors, 3 INT-MD, 4 IOAM, 5 IFA.
    pub cfg_tel_format: Signal<In, Bits<3>>,
    /// Telemetry follows UDP.
    pub tel_expected: Signal<In, Bit>,
    /// It is a stack; else it has a native form.
    pub tel_stack: Signal<In, Bit>,
    /// The packet is marked by its UDP port.
    pub tel_by_port: Signal<In, Bit>,
    /// It is IFA's; `rx_trim` has taken its header away.
    pub tel_ifa: Signal<In, Bit>,
    /// There is more of it than what is known.
    pub ifa_more: Signal<In, Bit>,
    /// A beat of the IP packet.
    pub s: PacketBeat<In>,
    /// A beat of the packet without telemetry.
    pub m: PacketBeat<Out>,
    /// The packet has telemetry.
    pub tel_valid: Signal<Out, Bit>,
    /// `m_data` has the front of the telemetry in its upper half, or there is none.
    pub rec_start: Signal<Out, Bit>,
    /// `m_data` has the next eight bytes of telemetry.
    pub rec_valid: Signal<Out, Bit>,
    /// Two words of a stack.
    pub pair_valid: Signal<Out, Bit>,
    /// The first one in bits 31:0, as in the packet.
    pub pair: Signal<Out, Bits<64>>,
    /// The second one is not the stack's.
    pub pair_half: Signal<Out, Bit>,
    /// Nothing of the stack follows.
    pub pair_last: Signal<Out, Bit>,
    /// The telemetry is a stack.
    pub is_stack: Signal<Out, Bit>,
    /// What stands there is no stack for the packet's mark.
    pub bad_shim: Signal<Out, Bit>,
    /// Bytes of the telemetry: 0, 8n + 2 or 4n + 4; IFA, its header included: 4n + 8.
    pub tel_bytes: Signal<Out, Bits<11>>,
    /// Bytes of UDP header, telemetry, BTH and ICRC.
    pub head_bytes: Signal<Out, Bits<11>>,
    beat: Unreset<Bits<3>>,
    strip: Reg<Bit>,
    first_join: Unreset<Bit>,
    skip: Unreset<Bits<7>>,
    stack: Unreset<Bit>,
    aligned: Unreset<Bit>,
    shim_bad: Unreset<Bit>,
    two: Reg<Bit>,
    two_half: Unreset<Bit>,
    two_last: Unreset<Bit>,
    words: Unreset<Bits<64>>,
    held: Unreset<Bits<32>>,
    earlier: Unreset<Bits<64>>,
    flush: Reg<Bit>,
    flush_bytes: Unreset<Bits<4>>,
    out_valid: Reg<Bit>,
    out_data: Unreset<Bits<64>>,
    out_first: Unreset<Bit>,
    out_last: Unreset<Bit>,
    out_bytes: Unreset<Bits<4>>,
    valid: Unreset<Bit>,
    bytes: Unreset<Bits<11>>,
    head: Unreset<Bits<11>>,
    start: Reg<Bit>,
    record: Reg<Bit>,
    index: Signal<Local, Bits<3>>,
    at_telemetry: Signal<Local, Bit>,
    behind: Signal<Local, Bit>,
    skipping: Signal<Local, Bit>,
    resume: Signal<Local, Bit>,
    plain: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    room: Signal<Local, Bits<4>>,
    more: Signal<Local, Bits<4>>,
    places: Signal<Local, Bits<4>>,
    length: Signal<Local, Bits<8>>,
    places_wide: Signal<Local, Bits<11>>,
    length_wide: Signal<Local, Bits<11>>,
    record_bytes: Signal<Local, Bits<11>>,
    stack_bytes: Signal<Local, Bits<11>>,
    marked: Signal<Local, Bits<4>>,
    joining: Signal<Local, Bit>,
    old_4: Signal<Local, Bits<64>>,
    new_4: Signal<Local, Bits<64>>,
    low_4: Signal<Local, Bits<64>>,
    old_6: Signal<Local, Bits<64>>,
    new_2: Signal<Local, Bits<64>>,
    old_2: Signal<Local, Bits<64>>,
    held_wide: Signal<Local, Bits<64>>,
    joined: Signal<Local, Bits<64>>,
    data_wide: Signal<Local, Bits<64>>,
}

#[kernel]
impl RxTel {
    fn update(&mut self) {
        self.m.valid.next = self.out_valid.val();
        self.m.data.next = self.out_data.val();
        self.m.first.next = self.out_first.val();
        self.m.last.next = self.out_last.val();
        self.m.bytes.next = self.out_bytes.val();
        self.tel_valid.next = self.valid.val();
        self.tel_bytes.next = self.bytes.val();
        self.head_bytes.next = self.head.val();
        self.rec_start.next = self.start.val();
        self.rec_valid.next = self.record.val();
        self.pair_valid.next = self.two.val();
        self.pair.next = self.words.val();
        self.pair_half.next = self.two_half.val();
        self.pair_last.next = self.two_last.val();
        self.is_stack.next = self.stack.val();
        self.bad_shim.next = self.shim_bad.val();
        self.place();
        self.words();
        self.shift();
    }

    /// Where in the packet this beat is; 4 stands for all that follow.
    fn place(&mut self) {
        self.index.next = self.beat.val();
        if self.s.first.val() {
            self.index.next = 0.into();
        }
        self.at_telemetry.next = self.s.valid.val() & (self.index.val() == 3);
        self.start.next = self.at_telemetry.val();
        self.behind.next = self.s.valid.val() & self.strip.val() & (self.index.val() == 4);
        self.skipping.next = self.behind.val() & (self.skip.val() != 0);
        self.resume.next = self.behind.val() & (self.skip.val() == 0);
        self.plain.next = self.s.valid.val()
            & ((self.index.val() < 3)
                | ((self.index.val() == 3) & !self.tel_expected.val())
                | ((self.index.val() == 4) & !self.strip.val()));
        if self.s.valid.val() {
            self.earlier.next = self.s.data.val();
            self.beat.next = self.index.val();
            if self.index.val() != 4 {
                self.beat.next = self.index.val() + 1;
            }
        }
        comment!("Byte 28 has the hop count in the paper's form; the authors' form has 5 places.");
        self.places.next = self.s.data.val().get_bits::<4>(36);
        if self.cfg_tel_format.val() == 2 {
            self.places.next = 5.into();
        }
        self.places_wide.next = bit_cast::<11, 4>(self.places.val());
        self.record_bytes.next = self.places_wide.val() << 3;
        comment!(
            "Byte 29 (IFA: 31) has the words behind a stack's first one, byte 28 INT's type 1"
        );
        comment!("and its mark.");
        self.length.next = self.s.data.val().get_bits::<8>(40);
        if self.tel_ifa.val() {
            self.length.next = self.s.data.val().get_bits::<8>(56);
        }
        self.length_wide.next = bit_cast::<11, 8>(self.length.val());
        self.stack_bytes.next = self.length_wide.val() << 2;
        self.marked.next = 4.into();
        if self.tel_by_port.val() {
            self.marked.next = 5.into();
        }
        if self.at_telemetry.val() {
            self.strip.next = self.tel_expected.val();
            self.valid.next = self.tel_expected.val();
            self.stack.next = self.tel_expected.val() & self.tel_stack.val();
            self.first_join.next = true;
            self.aligned.next = self.tel_stack.val() & self.length.val().get_bit(0);
            self.skip.next = bit_cast::<7, 4>(self.places.val());
            self.held.next = self.s.data.val().get_bits::<32>(0);
            self.bytes.next = 0.into();
            self.head.next = 24.into();
            self.shim_bad.next = false;
            if self.tel_stack.val() {
                self.skip.next = self.length.val().get_bits::<7>(1);
                self.bytes.next = self.stack_bytes.val() + 4;
                self.head.next = self.stack_bytes.val() + 28;
                self.shim_bad.next = (self.cfg_tel_format.val() == 3)
                    & ((self.s.data.val().get_bits::<2>(38) != 0)
                        | (self.s.data.val().get_bits::<4>(34) != self.marked.val())
                        | (self.tel_by_port.val()
                            & (self.s.data.val().get_bits::<16>(48) != 0xb712)));
                if self.tel_ifa.val() {
                    self.bytes.next = self.stack_bytes.val() + 8;
                    self.head.next = self.stack_bytes.val() + 32;
                    self.shim_bad.next = self.ifa_more.val();
                }
            } else if self.tel_expected.val() {
                self.bytes.next = self.record_bytes.val() + 2;
                self.head.next = self.record_bytes.val() + 26;
            }
        }
        self.record.next = self.skipping.val() & !self.stack.val();
        if self.skipping.val() {
            self.skip.next = self.skip.val() - 1;
        }
    }

    /// Words of a stack: one from the beat before, one from this.
    fn words(&mut self) {
        self.data_wide.next = self.s.data.val();
        self.joining.next = self.resume.val() & self.first_join.val();
        self.low_4.next = self.data_wide.val() << 32;
        self.old_4.next = self.earlier.val() >> 32;
        self.two.next = self.stack.val() & (self.skipping.val() | self.joining.val());
        self.two_last.next = self.joining.val();
        self.two_half.next = self.joining.val() & !self.aligned.val();
        self.words.next = self.old_4.val() | self.low_4.val();
    }

    /// Behind native telemetry a beat is six old bytes and two new ones; the first one
    fn shift(&mut self) {
        comment!(
            "that follows is four from in front of it, two and two. Behind a stack it is four"
        );
        comment!("old ones and four new ones, or the beat as it comes.");
        self.old_6.next = self.earlier.val() >> 16;
        self.new_2.next = self.data_wide.val() << 48;
        self.old_2.next = bit_cast::<64, 16>(self.earlier.val().get_bits::<16>(48));
        self.held_wide.next = bit_cast::<64, 32>(self.held.val());
        self.new_4.next = self.low_4.val();
        if self.aligned.val() {
            self.new_4.next = bit_cast::<64, 32>(self.data_wide.val().get_bits::<32>(32)) << 32;
        }
        self.joined.next = self.old_6.val() | self.new_2.val();
        if self.first_join.val() & self.stack.val() {
            self.joined.next = self.held_wide.val() | self.new_4.val();
        } else if self.first_join.val() {
            self.joined.next = self.held_wide.val() | (self.old_2.val() << 32) | self.new_2.val();
        } else if self.aligned.val() {
            self.joined.next = self.data_wide.val();
        } else if self.stack.val() {
            self.joined.next = self.old_4.val() | self.low_4.val();
        }
        comment!("What does not fit into the last beat follows in one more.");
        self.room.next = 2.into();
        self.more.next = 6.into();
        if self.aligned.val() {
            self.room.next = 8.into();
            self.more.next = 0.into();
        } else if self.stack.val() {
            self.room.next = 4.into();
            self.more.next = 4.into();
        }
        self.fits.next = self.s.bytes.val() <= self.room.val();
        self.out_valid.next = self.plain.val() | self.resume.val() | self.flush.val();
        self.out_first.next = self.s.first.val() & !self.flush.val();
        self.out_data.next = self.s.data.val();
        self.out_last.next = self.s.last.val();
        self.out_bytes.next = self.s.bytes.val();
        self.flush.next = false;
        if self.resume.val() {
            self.first_join.next = false;
            self.out_data.next = self.joined.val();
            self.out_last.next = self.s.last.val() & self.fits.val();
            self.out_bytes.next = self.s.bytes.val() + self.more.val();
            self.flush.next = self.s.last.val() & !self.fits.val();
            self.flush_bytes.next = self.s.bytes.val() - self.room.val();
        }
        if self.flush.val() {
            self.out_data.next = self.old_6.val();
            if self.stack.val() {
                self.out_data.next = self.old_4.val();
            }
            self.out_last.next = true;
            self.out_bytes.next = self.flush_bytes.val();
        }
    }
}
