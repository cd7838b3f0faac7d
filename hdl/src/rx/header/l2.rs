//! Ethernet header: matches addresses and type, removes 14 or 18 bytes, measures the frame.
//!
//! # Source            IEEE 802.3, IEEE 802.1Q
//! # Interface timing  cycle 0: beat taken; cycle 2: m_valid, the IP packet from byte 0 on, a beat
//!                     for each raw beat that completes one; cycle 3: what is left of a last beat.
//!                     m_end: cycle 3 after the last raw beat, whatever the frame was
//! # Latency and rate  2; one beat per cycle, frames of any length back to back, no ready
//! # Number formats    m_end_bytes | UQ14.0 | bytes behind the Ethernet header, modulo 2^14
//! # Reset             synchronous, high: between frames, valids low
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Ethernet stage of the 64-bit rx pipe.
#[block]
pub struct RxL2 {
    /// Our MAC address, first byte in bits 47:40.
    pub cfg_local_mac: Signal<In, Bits<48>>,
    /// A raw beat is taken.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes, byte 0 in bits 7:0.
    pub s_data: Signal<In, Bits<64>>,
    /// Its valid bytes.
    pub s_keep: Signal<In, Bits<8>>,
    /// Last beat of the frame.
    pub s_last: Signal<In, Bit>,
    /// On the last beat: the MAC says that the frame is bad.
    pub s_user: Signal<In, Bit>,
    /// A beat of the IP packet.
    pub m_valid: Signal<Out, Bit>,
    /// Its bytes.
    pub m_data: Signal<Out, Bits<64>>,
    /// All eight bytes came from the frame.
    pub m_full: Signal<Out, Bit>,
    /// The frame in progress is for our MAC address and IPv4 (valid from its fifth raw beat on).
    pub m_match: Signal<Out, Bit>,
    /// The frame is over.
    pub m_end: Signal<Out, Bit>,
    /// With `m_end`: the MAC called it bad.
    pub m_end_user: Signal<Out, Bit>,
    /// With `m_end`: longer than 1152 beats (9216 bytes).
    pub m_end_oversize: Signal<Out, Bit>,
    /// With `m_end`: bytes behind the Ethernet header.
    pub m_end_bytes: Signal<Out, Bits<14>>,
    raw_valid: Reg<Bit>,
    raw_data: Unreset<Bits<64>>,
    raw_keep: Unreset<Bits<8>>,
    raw_last: Unreset<Bit>,
    raw_user: Unreset<Bit>,
    raw_index: Reg<Bits<11>>,
    earlier: Unreset<Bits<64>>,
    has_tag: Unreset<Bit>,
    mac_ok: Unreset<Bit>,
    type_ok: Unreset<Bit>,
    l2_ok: Unreset<Bit>,
    flush: Reg<Bit>,
    ip_valid: Reg<Bit>,
    ip_data: Unreset<Bits<64>>,
    ip_full: Unreset<Bit>,
    ending: Reg<Bit>,
    ending_user: Unreset<Bit>,
    ending_oversize: Unreset<Bit>,
    ending_bytes: Unreset<Bits<14>>,
    is_end: Reg<Bit>,
    end_user: Unreset<Bit>,
    end_oversize: Unreset<Bit>,
    end_bytes: Unreset<Bits<14>>,
    in_packet: Signal<Local, Bit>,
    emit: Signal<Local, Bit>,
    final_beat: Signal<Local, Bit>,
    mac: Signal<Local, Bits<48>>,
    mac_0: Signal<Local, Bits<48>>,
    mac_1: Signal<Local, Bits<48>>,
    mac_2: Signal<Local, Bits<48>>,
    mac_3: Signal<Local, Bits<48>>,
    mac_4: Signal<Local, Bits<48>>,
    mac_5: Signal<Local, Bits<48>>,
    upper_old: Signal<Local, Bits<64>>,
    lower_new: Signal<Local, Bits<64>>,
    raw_wide: Signal<Local, Bits<64>>,
    whole_bytes: Signal<Local, Bits<14>>,
    index_wide: Signal<Local, Bits<14>>,
    last_bytes: Signal<Local, Bits<14>>,
    header_bytes: Signal<Local, Bits<14>>,
}

impl Logic for RxL2 {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_valid.next = self.ip_valid.val();
        self.m_data.next = self.ip_data.val();
        self.m_full.next = self.ip_full.val();
        self.m_match.next = self.l2_ok.val();
        self.m_end.next = self.is_end.val();
        self.m_end_user.next = self.end_user.val();
        self.m_end_oversize.next = self.end_oversize.val();
        self.m_end_bytes.next = self.end_bytes.val();
        comment!("Raw beat.");
        self.raw_valid.next = self.s_valid.val();
        self.raw_data.next = self.s_data.val();
        self.raw_keep.next = self.s_keep.val();
        self.raw_last.next = self.s_last.val();
        self.raw_user.next = self.s_user.val();
        self.final_beat.next = self.raw_valid.val() & self.raw_last.val();
        if self.raw_valid.val() {
            self.earlier.next = self.raw_data.val();
            if self.raw_last.val() {
                self.raw_index.next = 0.into();
            } else if self.raw_index.val() != 2047 {
                self.raw_index.next = self.raw_index.val() + 1;
            }
        }
        self.mac_0.next = bit_cast::<48, 8>(self.cfg_local_mac.val().get_bits::<8>(40));
        self.mac_1.next = bit_cast::<48, 8>(self.cfg_local_mac.val().get_bits::<8>(32));
        self.mac_2.next = bit_cast::<48, 8>(self.cfg_local_mac.val().get_bits::<8>(24));
        self.mac_3.next = bit_cast::<48, 8>(self.cfg_local_mac.val().get_bits::<8>(16));
        self.mac_4.next = bit_cast::<48, 8>(self.cfg_local_mac.val().get_bits::<8>(8));
        self.mac_5.next = bit_cast::<48, 8>(self.cfg_local_mac.val().get_bits::<8>(0));
        self.mac.next = self.mac_0.val()
            | (self.mac_1.val() << 8)
            | (self.mac_2.val() << 16)
            | (self.mac_3.val() << 24)
            | (self.mac_4.val() << 32)
            | (self.mac_5.val() << 40);
        comment!("Destination address, then type or tag, then the type behind a tag.");
        if self.raw_valid.val() {
            match self.raw_index.val().index() {
                0 => self.mac_ok.next = self.raw_data.val().get_bits::<48>(0) == self.mac.val(),
                1 => {
                    self.has_tag.next = self.raw_data.val().get_bits::<16>(32) == 0x0081;
                    self.type_ok.next = self.raw_data.val().get_bits::<16>(32) == 0x0008;
                }
                2 => {
                    if self.has_tag.val() {
                        self.type_ok.next = self.raw_data.val().get_bits::<16>(0) == 0x0008;
                    }
                }
                3 => self.l2_ok.next = self.mac_ok.val() & self.type_ok.val(),
                _ => {}
            }
        }
        comment!("The IP packet starts at byte 6 of beat 1, or at byte 2 of beat 2 behind a tag.");
        self.in_packet.next =
            (self.raw_index.val() > 2) | ((self.raw_index.val() == 2) & !self.has_tag.val());
        self.emit.next = self.raw_valid.val() & self.in_packet.val();
        self.ip_valid.next = self.emit.val() | self.flush.val();
        self.raw_wide.next = self.raw_data.val();
        if self.has_tag.val() {
            self.upper_old.next = self.earlier.val() >> 16;
            self.lower_new.next = self.raw_wide.val() << 48;
            self.flush.next =
                self.emit.val() & self.raw_last.val() & self.raw_keep.val().get_bit(2);
            self.ip_full.next =
                self.emit.val() & (!self.raw_last.val() | self.raw_keep.val().get_bit(1));
            self.header_bytes.next = 18.into();
        } else {
            self.upper_old.next = self.earlier.val() >> 48;
            self.lower_new.next = self.raw_wide.val() << 16;
            self.flush.next =
                self.emit.val() & self.raw_last.val() & self.raw_keep.val().get_bit(6);
            self.ip_full.next =
                self.emit.val() & (!self.raw_last.val() | self.raw_keep.val().get_bit(5));
            self.header_bytes.next = 14.into();
        }
        self.ip_data.next = self.upper_old.val() | self.lower_new.val();
        comment!("Length: whole beats and the bytes of the last one.");
        self.last_bytes.next = 1.into();
        for i in 1..8 {
            if self.raw_keep.val().get_bit(i) {
                self.last_bytes.next = (i + 1).to_bits::<14>();
            }
        }
        self.index_wide.next = bit_cast::<14, 11>(self.raw_index.val());
        self.whole_bytes.next = self.index_wide.val() << 3;
        self.ending.next = self.final_beat.val();
        self.ending_user.next = self.raw_user.val();
        self.ending_oversize.next = self.raw_index.val() > 1151;
        self.ending_bytes.next = self.whole_bytes.val() + self.last_bytes.val();
        self.is_end.next = self.ending.val();
        self.end_user.next = self.ending_user.val();
        self.end_oversize.next = self.ending_oversize.val();
        self.end_bytes.next = self.ending_bytes.val() - self.header_bytes.val();
    }
}
