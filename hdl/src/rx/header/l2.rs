//! Ethernet header: matches addresses and type, removes 14 or 18 bytes, measures the frame.
//!
//! # Source            IEEE 802.3, IEEE 802.1Q
//! # Interface timing  cycle 0: beat taken; cycle 3: m, the IP packet from byte 0 on, a beat for each
//!                     raw beat that completes one; cycle 4 after the last raw beat: what is left of
//!                     it, m.end, and with it the rest
//! # Latency and rate  3; one beat per cycle, frames of any length back to back, no ready
//! # Shape             W2 = 2 W, KB = W / 8. Bytes of a last beat stand together from byte 0 on
//! # Number formats    m_end_bytes | SQ15.0 | bytes behind the Ethernet header, below 0 if that is
//!                     not whole
//! # Reset             synchronous, high: between frames, valids low
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::streams::PacketBeat;
use crate::util::{bytes::KeptBytes, cut::Cut, gather::Gather};
use crate::{block, kernel, Reg, Unreset, Wire};
use rust_hdl_core::prelude::*;

/// Longest frame.
pub const FRAME_BYTES_MAX: usize = 9216;
/// Bytes of the header without a tag.
const HEADER_BYTES: usize = 14;

/// Ethernet stage of the rx pipe.
#[block(check(W == 8 * KB && W2 == 2 * W))]
pub struct RxL2<const W: usize, const W2: usize, const KB: usize> {
    /// Our MAC address, first byte in bits 47:40.
    pub cfg_local_mac: Signal<In, Bits<48>>,
    /// A raw beat is taken.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes, byte 0 in bits 7:0.
    pub s_data: Signal<In, Bits<W>>,
    /// Its valid bytes.
    pub s_keep: Signal<In, Bits<KB>>,
    /// Last beat of the frame.
    pub s_last: Signal<In, Bit>,
    /// On the last beat: the MAC says that the frame is bad.
    pub s_user: Signal<In, Bit>,
    /// A beat of what follows the header.
    pub m: PacketBeat<Out, W>,
    /// With `m.end`: the frame is for our MAC address and IPv4, if it is long enough.
    pub m_end_match: Signal<Out, Bit>,
    /// With `m.end`: the MAC called it bad.
    pub m_end_user: Signal<Out, Bit>,
    /// With `m.end`: longer than 9216 bytes.
    pub m_end_oversize: Signal<Out, Bit>,
    /// With `m.end`: bytes behind the Ethernet header.
    pub m_end_bytes: Signal<Out, Bits<15>>,
    count: KeptBytes<KB>,
    head: Gather<W>,
    cut: Cut<W, W2, KB, 0, HEADER_BYTES, 1>,
    #[reset(true)]
    is_fresh: Reg<Bit>,
    raw_valid: Reg<Bit>,
    raw_data: Unreset<Bits<W>>,
    raw_first: Unreset<Bit>,
    raw_last: Unreset<Bit>,
    raw_bytes: Unreset<Bits<7>>,
    raw_user: Unreset<Bit>,
    raw_index: Reg<Bits<11>>,
    all_bytes: Unreset<Bits<15>>,
    all_match: Unreset<Bit>,
    all_user: Unreset<Bit>,
    all_oversize: Unreset<Bit>,
    all_tag: Unreset<Bit>,
    net_bytes: Unreset<Bits<15>>,
    net_match: Unreset<Bit>,
    net_user: Unreset<Bit>,
    net_oversize: Unreset<Bit>,
    end_bytes: Unreset<Bits<15>>,
    end_match: Unreset<Bit>,
    end_user: Unreset<Bit>,
    end_oversize: Unreset<Bit>,
    is_final: Signal<Local, Bit>,
    has_tag: Signal<Local, Bit>,
    is_ipv4: Signal<Local, Bit>,
    index_wide: Signal<Local, Bits<15>>,
    header_bytes: Signal<Local, Bits<15>>,
    mac_0: Signal<Local, Bits<48>>,
    mac_1: Signal<Local, Bits<48>>,
    mac_2: Signal<Local, Bits<48>>,
    mac_3: Signal<Local, Bits<48>>,
    mac_4: Signal<Local, Bits<48>>,
    mac_5: Signal<Local, Bits<48>>,
    mac: Signal<Local, Bits<48>>,
    #[value((FRAME_BYTES_MAX / KB) as u64 - 1)]
    last_index: Constant<Bits<11>>,
    #[value(u64::from(KB.trailing_zeros()))]
    beat_shift: Constant<Bits<4>>,
}

#[kernel]
impl<const W: usize, const W2: usize, const KB: usize> RxL2<W, W2, KB> {
    fn update(&mut self) {
        Wire::join(&mut self.cut.m, &mut self.m);
        self.m_end_match.next = self.end_match.val();
        self.m_end_user.next = self.end_user.val();
        self.m_end_oversize.next = self.end_oversize.val();
        self.m_end_bytes.next = self.end_bytes.val();
        self.raw();
        self.header();
        self.length();
    }

    /// Raw beats; as many bytes as the highest kept lane says.
    fn raw(&mut self) {
        self.raw_valid.next = self.s_valid.val();
        self.raw_data.next = self.s_data.val();
        self.raw_first.next = self.is_fresh.val();
        self.raw_last.next = self.s_last.val();
        self.raw_user.next = self.s_user.val();
        if self.s_valid.val() {
            self.is_fresh.next = self.s_last.val();
        }
        self.count.keep.next = self.s_keep.val();
        self.count.pads.next = false;
        self.raw_bytes.next = self.count.count.val();
    }

    /// Destination address, then type or tag, then the type behind a tag.
    fn header(&mut self) {
        self.is_final.next = self.raw_valid.val() & self.raw_last.val();
        self.head.s_valid.next = self.s_valid.val();
        self.head.s_first.next = self.is_fresh.val();
        self.head.s_data.next = self.s_data.val();
        self.has_tag.next = self.head.m_data.val().get_bits::<16>(96) == 0x0081;
        self.is_ipv4.next = self.head.m_data.val().get_bits::<16>(96) == 0x0008;
        if self.has_tag.val() {
            self.is_ipv4.next = self.head.m_data.val().get_bits::<16>(128) == 0x0008;
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
        self.all_match.next =
            self.is_ipv4.val() & (self.head.m_data.val().get_bits::<48>(0) == self.mac.val());
        self.cut.s.valid.next = self.raw_valid.val();
        self.cut.s.data.next = self.raw_data.val();
        self.cut.s.first.next = self.raw_first.val();
        self.cut.s.last.next = self.raw_last.val();
        self.cut.s.bytes.next = self.raw_bytes.val();
        self.cut.s.end.next = self.is_final.val();
        self.cut.s_more.next = 0.into();
        if self.has_tag.val() {
            self.cut.s_more.next = 4.into();
        }
        self.cut.s_side.next = 0.into();
    }

    /// Length: whole beats and the bytes of the last one, less the header.
    fn length(&mut self) {
        if self.raw_valid.val() {
            if self.raw_last.val() {
                self.raw_index.next = 0.into();
            } else if self.raw_index.val() != 2047 {
                self.raw_index.next = self.raw_index.val() + 1;
            }
        }
        self.index_wide.next = bit_cast::<15, 11>(self.raw_index.val());
        self.all_bytes.next = (self.index_wide.val() << self.beat_shift.val())
            + bit_cast::<15, 7>(self.raw_bytes.val());
        self.all_user.next = self.raw_user.val();
        self.all_oversize.next = self.raw_index.val() > self.last_index.val();
        self.all_tag.next = self.has_tag.val();
        self.header_bytes.next = 14.into();
        if self.all_tag.val() {
            self.header_bytes.next = 18.into();
        }
        self.net_bytes.next = self.all_bytes.val() - self.header_bytes.val();
        self.net_match.next = self.all_match.val();
        self.net_user.next = self.all_user.val();
        self.net_oversize.next = self.all_oversize.val();
        self.end_bytes.next = self.net_bytes.val();
        self.end_match.next = self.net_match.val();
        self.end_user.next = self.net_user.val();
        self.end_oversize.next = self.net_oversize.val();
    }
}
