//! Ethernet header: matches addresses and type, removes 14 or 18 bytes, measures the frame.
//!
//! # Source            IEEE 802.3, IEEE 802.1Q
//! # Interface timing  cycle 0: beat taken; cycle 2: m_valid, the IP packet from byte 0 on, a beat
//!                     for each raw beat that completes one; cycle 3: what is left of a last beat.
//!                     m_end: cycle 3 after the last raw beat, whatever the frame was
//! # Latency and rate  2; one beat per cycle, frames of any length back to back, no ready
//! # Number formats    m_end_bytes | UQ14.0 | bytes behind the Ethernet header, modulo 2^14
//! # Reset             synchronous, high: between frames, valids low
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Ethernet stage of the 64-bit rx pipe.
#[derive(LogicBlock, Default)]
pub struct RxL2 {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    raw_valid: DFF<Bit>,
    raw_data: DFF<Bits<64>>,
    raw_keep: DFF<Bits<8>>,
    raw_last: DFF<Bit>,
    raw_user: DFF<Bit>,
    raw_index: DFF<Bits<11>>,
    earlier: DFF<Bits<64>>,
    has_tag: DFF<Bit>,
    mac_ok: DFF<Bit>,
    type_ok: DFF<Bit>,
    l2_ok: DFF<Bit>,
    flush: DFF<Bit>,
    ip_valid: DFF<Bit>,
    ip_data: DFF<Bits<64>>,
    ip_full: DFF<Bit>,
    ending: DFF<Bit>,
    ending_user: DFF<Bit>,
    ending_oversize: DFF<Bit>,
    ending_bytes: DFF<Bits<14>>,
    is_end: DFF<Bit>,
    end_user: DFF<Bit>,
    end_oversize: DFF<Bit>,
    end_bytes: DFF<Bits<14>>,
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
        dff_setup!(
            self,
            clock,
            raw_valid,
            raw_data,
            raw_keep,
            raw_last,
            raw_user,
            raw_index,
            earlier,
            has_tag,
            mac_ok,
            type_ok,
            l2_ok,
            flush,
            ip_valid,
            ip_data,
            ip_full,
            ending,
            ending_user,
            ending_oversize,
            ending_bytes,
            is_end,
            end_user,
            end_oversize,
            end_bytes
        );
        self.m_valid.next = self.ip_valid.q.val();
        self.m_data.next = self.ip_data.q.val();
        self.m_full.next = self.ip_full.q.val();
        self.m_match.next = self.l2_ok.q.val();
        self.m_end.next = self.is_end.q.val();
        self.m_end_user.next = self.end_user.q.val();
        self.m_end_oversize.next = self.end_oversize.q.val();
        self.m_end_bytes.next = self.end_bytes.q.val();
        comment!("Raw beat.");
        self.raw_valid.d.next = self.s_valid.val();
        self.raw_data.d.next = self.s_data.val();
        self.raw_keep.d.next = self.s_keep.val();
        self.raw_last.d.next = self.s_last.val();
        self.raw_user.d.next = self.s_user.val();
        self.final_beat.next = self.raw_valid.q.val() & self.raw_last.q.val();
        if self.raw_valid.q.val() {
            self.earlier.d.next = self.raw_data.q.val();
            if self.raw_last.q.val() {
                self.raw_index.d.next = 0.into();
            } else if self.raw_index.q.val() != 2047 {
                self.raw_index.d.next = self.raw_index.q.val() + 1;
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
        if self.raw_valid.q.val() {
            match self.raw_index.q.val().index() {
                0 => self.mac_ok.d.next = self.raw_data.q.val().get_bits::<48>(0) == self.mac.val(),
                1 => {
                    self.has_tag.d.next = self.raw_data.q.val().get_bits::<16>(32) == 0x0081;
                    self.type_ok.d.next = self.raw_data.q.val().get_bits::<16>(32) == 0x0008;
                }
                2 => {
                    if self.has_tag.q.val() {
                        self.type_ok.d.next = self.raw_data.q.val().get_bits::<16>(0) == 0x0008;
                    }
                }
                3 => self.l2_ok.d.next = self.mac_ok.q.val() & self.type_ok.q.val(),
                _ => {}
            }
        }
        comment!("The IP packet starts at byte 6 of beat 1, or at byte 2 of beat 2 behind a tag.");
        self.in_packet.next =
            (self.raw_index.q.val() > 2) | ((self.raw_index.q.val() == 2) & !self.has_tag.q.val());
        self.emit.next = self.raw_valid.q.val() & self.in_packet.val();
        self.ip_valid.d.next = self.emit.val() | self.flush.q.val();
        self.raw_wide.next = self.raw_data.q.val();
        if self.has_tag.q.val() {
            self.upper_old.next = self.earlier.q.val() >> 16;
            self.lower_new.next = self.raw_wide.val() << 48;
            self.flush.d.next =
                self.emit.val() & self.raw_last.q.val() & self.raw_keep.q.val().get_bit(2);
            self.ip_full.d.next =
                self.emit.val() & (!self.raw_last.q.val() | self.raw_keep.q.val().get_bit(1));
            self.header_bytes.next = 18.into();
        } else {
            self.upper_old.next = self.earlier.q.val() >> 48;
            self.lower_new.next = self.raw_wide.val() << 16;
            self.flush.d.next =
                self.emit.val() & self.raw_last.q.val() & self.raw_keep.q.val().get_bit(6);
            self.ip_full.d.next =
                self.emit.val() & (!self.raw_last.q.val() | self.raw_keep.q.val().get_bit(5));
            self.header_bytes.next = 14.into();
        }
        self.ip_data.d.next = self.upper_old.val() | self.lower_new.val();
        comment!("Length: whole beats and the bytes of the last one.");
        self.last_bytes.next = 1.into();
        for i in 1..8 {
            if self.raw_keep.q.val().get_bit(i) {
                self.last_bytes.next = (i + 1).to_bits::<14>();
            }
        }
        self.index_wide.next = bit_cast::<14, 11>(self.raw_index.q.val());
        self.whole_bytes.next = self.index_wide.val() << 3;
        self.ending.d.next = self.final_beat.val();
        self.ending_user.d.next = self.raw_user.q.val();
        self.ending_oversize.d.next = self.raw_index.q.val() > 1151;
        self.ending_bytes.d.next = self.whole_bytes.val() + self.last_bytes.val();
        self.is_end.d.next = self.ending.q.val();
        self.end_user.d.next = self.ending_user.q.val();
        self.end_oversize.d.next = self.ending_oversize.q.val();
        self.end_bytes.d.next = self.ending_bytes.q.val() - self.header_bytes.val();
        if self.reset.val() {
            self.raw_valid.d.next = false;
            self.raw_index.d.next = 0.into();
            self.flush.d.next = false;
            self.ip_valid.d.next = false;
            self.ending.d.next = false;
            self.is_end.d.next = false;
        }
    }
}
