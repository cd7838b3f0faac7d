//! Works out what the headers of a frame say: telemetry, lengths, checksum.
//!
//! # Source            RFC 791 (IPv4), RFC 768 (UDP), InfiniBand annex A17 (RoCEv2)
//! # Interface timing  two stages that move with go, which comes every 2 cycles at most: an item is
//!                     at s_ from one go to the next, and at m_ behind the second go from then on.
//!                     go needs room: nothing at m_, or it is taken
//! # Latency and rate  from go to go; an item every 2 cycles
//! # Number formats    lengths in bytes; telemetry 0, 2 + 8 hops, 42, 16, 12, or 8
//! # Reset             synchronous, high: no item
//! # Twins             sim/models/src/golden/tx/header.rs, tests/tx/tx_pipe.rs

use crate::tx::choice::{PacketFields, PeerRow};
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Form, lengths and checksum of a frame.
#[row]
pub struct FrameSizes {
    /// Form of the telemetry that it carries: 0 none, 1 paper, 2 authors' 42 bytes, 3 INT-MD that
    /// its DSCP marks, 4 IOAM, 5 IFA, 6 INT-MD that its UDP port marks.
    pub form: Bits<3>,
    pub dscp: Bits<6>,       // DSCP
    pub with_reth: Bit,      // RETH
    pub with_word: Bit,      // ImmDt or AETH
    pub ip_len: Bits<16>,    // IPv4 length
    pub udp_len: Bits<16>,   // That less 20
    pub ip_plain: Bits<16>,  // IPv4 length as it would be without telemetry
    pub udp_plain: Bits<16>, // UDP length as it would be without telemetry
    pub front_less: Bits<7>, // Bytes in front of the BTH, less 1
    pub checksum: Bits<16>,  // IPv4 header checksum
}

/// Header builder.
#[block(mealy)]
pub struct TxHeader<const GB: usize> {
    /// Our address.
    pub cfg_local_ip: Signal<In, Bits<32>>,
    /// Time to live.
    pub cfg_ttl: Signal<In, Bits<8>>,
    /// Form of telemetry in data packets, as form.
    pub cfg_tel_data: Signal<In, Bits<3>>,
    /// Form of telemetry in ACKs and telemetry responses: 0 none, 1 paper, 2 authors' 42 bytes.
    pub cfg_tel_echo: Signal<In, Bits<2>>,
    /// DSCP of data with telemetry.
    pub cfg_tel_dscp: Signal<In, Bits<6>>,
    /// DSCP of ACKs with telemetry and of telemetry responses.
    pub cfg_tel_echo_dscp: Signal<In, Bits<6>>,
    /// All stages move.
    pub go: Signal<In, Bit>,
    /// An item.
    pub s_valid: Signal<In, Bit>,
    /// Whom it goes to.
    pub s_peer: Signal<In, PeerRow>,
    /// What it says.
    pub s_fields: Signal<In, PacketFields>,
    /// Its flow.
    pub s_flow: Signal<In, Bits<GB>>,
    /// The records that it echoes.
    pub s_hop: [Signal<In, Bits<64>>; 5],
    /// There is room at m_ before the next cycle.
    pub room: Signal<Out, Bit>,
    /// The item, with what follows from it.
    pub m_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_ready: Signal<In, Bit>,
    /// Whom it goes to.
    pub m_peer: Signal<Out, PeerRow>,
    /// What it says.
    pub m_fields: Signal<Out, PacketFields>,
    /// Its flow.
    pub m_flow: Signal<Out, Bits<GB>>,
    /// The records that it echoes.
    pub m_hop: [Signal<Out, Bits<64>>; 5],
    /// Form, lengths, checksum.
    pub m_sizes: Signal<Out, FrameSizes>,
    sum_source: Unreset<Bits<20>>,
    sum_ttl: Unreset<Bits<20>>,
    sum_fixed: Unreset<Bits<20>>,
    form_1: Unreset<Bits<3>>,
    dscp_1: Unreset<Bits<6>>,
    tel_1: Unreset<Bits<6>>,
    sum_tel_1: Unreset<Bits<16>>,
    reth_1: Unreset<Bit>,
    word_1: Unreset<Bit>,
    words_1: Unreset<Bits<14>>,
    target_1: Unreset<Bits<20>>,
    sum_id_1: Unreset<Bits<20>>,
    valid: Reg<Bit>,
    peer: Unreset<PeerRow>,
    fields: Unreset<PacketFields>,
    flow: Unreset<Bits<GB>>,
    hop: [Unreset<Bits<64>>; 5],
    form: Unreset<Bits<3>>,
    dscp: Unreset<Bits<6>>,
    tel_bytes: Unreset<Bits<6>>,
    reth: Unreset<Bit>,
    word: Unreset<Bit>,
    words: Unreset<Bits<14>>,
    front_less: Unreset<Bits<7>>,
    sum_left: Unreset<Bits<20>>,
    sum_right: Unreset<Bits<20>>,
    made_valid: Reg<Bit>,
    made_peer: Unreset<PeerRow>,
    made_fields: Unreset<PacketFields>,
    made_flow: Unreset<Bits<GB>>,
    made_hop: [Unreset<Bits<64>>; 5],
    made_sizes: Unreset<FrameSizes>,
    words_3: Unreset<Bits<14>>,
    udp_len_3: Unreset<Bits<16>>,
    sum_3: Unreset<Bits<20>>,
    hop_bytes: Signal<Local, Bits<6>>,
    new_form: Signal<Local, Bits<3>>,
    new_dscp: Signal<Local, Bits<6>>,
    new_tel: Signal<Local, Bits<6>>,
    new_sum_tel: Signal<Local, Bits<16>>,
    tos: Signal<Local, Bits<16>>,
    marks_dscp: Signal<Local, Bit>,
    has_reth: Signal<Local, Bit>,
    has_word: Signal<Local, Bit>,
    fixed_words: Signal<Local, Bits<14>>,
    ttl_high: Signal<Local, Bits<20>>,
    udp_1: Signal<Local, Bits<20>>,
    new_sum_left: Signal<Local, Bits<20>>,
    new_sum_right: Signal<Local, Bits<20>>,
    new_front_less: Signal<Local, Bits<7>>,
    udp_plain: Signal<Local, Bits<16>>,
    ip_plain: Signal<Local, Bits<16>>,
    low: Signal<Local, Bits<17>>,
    folded: Signal<Local, Bits<17>>,
    carried: Signal<Local, Bits<4>>,
    sum_again: Signal<Local, Bits<16>>,
    not_sum: Signal<Local, Bits<16>>,
    ip_len: Signal<Local, Bits<16>>,
    #[value(0x8525)]
    sum_constant: Constant<Bits<20>>,
    #[value(41)]
    plain_less: Constant<Bits<7>>,
    #[value(5)]
    ip_words: Constant<Bits<14>>,
    #[value(20)]
    ip_bytes: Constant<Bits<16>>,
}

#[kernel]
impl<const GB: usize> TxHeader<GB> {
    fn update(&mut self) {
        self.telemetry();
        self.lengths();
        self.second();
        self.checksum();
        self.outputs();
    }

    /// First stage, first cycle: telemetry and DSCP.
    fn telemetry(&mut self) {
        self.marks_dscp.next = (self.cfg_tel_data.val() == 1)
            | (self.cfg_tel_data.val() == 2)
            | (self.cfg_tel_data.val() == 3)
            | (self.cfg_tel_data.val() == 4);
        self.hop_bytes.next = bit_cast::<6, 3>(self.s_fields.val().hops) << 3;
        self.new_form.next = 0.into();
        self.new_dscp.next = self.s_peer.val().dscp;
        self.new_tel.next = 0.into();
        self.new_sum_tel.next = 0.into();
        if self.s_fields.val().kind.get_bit(0) {
            if self.s_fields.val().wants_tel & self.cfg_tel_echo.val().any() {
                self.new_form.next = bit_cast::<3, 2>(self.cfg_tel_echo.val());
                self.new_dscp.next = self.cfg_tel_echo_dscp.val();
                self.new_tel.next = self.hop_bytes.val() + 2;
                if self.cfg_tel_echo.val() == 2 {
                    self.new_tel.next = 42.into();
                }
                self.new_sum_tel.next = bit_cast::<16, 6>(self.new_tel.val());
            }
        } else if self.s_peer.val().telemetry & self.s_fields.val().wants_tel {
            self.new_form.next = self.cfg_tel_data.val();
            match self.cfg_tel_data.val().index() {
                1 => self.new_tel.next = 2.into(),
                2 => self.new_tel.next = 42.into(),
                3 => self.new_tel.next = 16.into(),
                4 => self.new_tel.next = 12.into(),
                5 => self.new_tel.next = 8.into(),
                6 => self.new_tel.next = 16.into(),
                _ => {}
            }
            self.new_sum_tel.next = bit_cast::<16, 6>(self.new_tel.val());
            comment!("Beside IFA's 8 bytes, its protocol is 253 and not 17.");
            if self.cfg_tel_data.val() == 5 {
                self.new_sum_tel.next = 244.into();
            }
            if self.marks_dscp.val() {
                self.new_dscp.next = self.cfg_tel_dscp.val();
            }
        }
        self.tos.next = bit_cast::<16, 6>(self.new_dscp.val()) << 2;
        self.form_1.next = self.new_form.val();
        self.dscp_1.next = self.new_dscp.val();
        self.tel_1.next = self.new_tel.val();
        self.sum_tel_1.next = self.tos.val() + self.new_sum_tel.val();
    }

    /// First stage, first cycle: UDP header, BTH and ICRC, then RETH, ImmDt or AETH, then padded
    /// payload; in words. Parts of the sum of the IPv4 header, whose length is UDP's and 20.
    fn lengths(&mut self) {
        self.has_reth.next = (self.s_fields.val().opcode == 6)
            | (self.s_fields.val().opcode == 10)
            | (self.s_fields.val().opcode == 11)
            | (self.s_fields.val().opcode == 12);
        self.has_word.next = (self.s_fields.val().opcode == 9)
            | (self.s_fields.val().opcode == 11)
            | (self.s_fields.val().opcode == 13)
            | (self.s_fields.val().opcode == 15)
            | (self.s_fields.val().opcode == 16)
            | (self.s_fields.val().opcode == 17)
            | (self.s_fields.val().opcode == 196);
        self.fixed_words.next = 6.into();
        if self.has_reth.val() & self.has_word.val() {
            self.fixed_words.next = 11.into();
        } else if self.has_reth.val() {
            self.fixed_words.next = 10.into();
        } else if self.has_word.val() {
            self.fixed_words.next = 7.into();
        }
        self.reth_1.next = self.has_reth.val();
        self.word_1.next = self.has_word.val();
        self.words_1.next =
            bit_cast::<14, 11>(self.s_fields.val().payload_words) + self.fixed_words.val();
        self.sum_source.next = bit_cast::<20, 16>(self.cfg_local_ip.val().get_bits::<16>(16))
            + bit_cast::<20, 16>(self.cfg_local_ip.val().get_bits::<16>(0));
        self.ttl_high.next = bit_cast::<20, 8>(self.cfg_ttl.val()) << 8;
        comment!("Version, do not fragment, UDP, 20 bytes.");
        self.sum_ttl.next = self.ttl_high.val() + self.sum_constant.val();
        self.sum_fixed.next = self.sum_source.val() + self.sum_ttl.val();
        self.target_1.next = bit_cast::<20, 16>(self.s_peer.val().ip.get_bits::<16>(16))
            + bit_cast::<20, 16>(self.s_peer.val().ip.get_bits::<16>(0));
        self.sum_id_1.next = self.sum_fixed.val() + bit_cast::<20, 16>(self.s_fields.val().id);
        comment!("Second cycle.");
        self.udp_1.next = bit_cast::<20, 14>(self.words_1.val()) << 2;
        self.new_sum_left.next = self.target_1.val() + self.sum_id_1.val();
        self.new_sum_right.next = self.udp_1.val() + bit_cast::<20, 16>(self.sum_tel_1.val());
        self.new_front_less.next = self.plain_less.val() + bit_cast::<7, 6>(self.tel_1.val());
    }

    /// The second stage takes it.
    fn second(&mut self) {
        if self.go.val() {
            self.valid.next = self.s_valid.val();
            self.peer.next = self.s_peer.val();
            self.fields.next = self.s_fields.val();
            self.flow.next = self.s_flow.val();
            self.form.next = self.form_1.val();
            self.dscp.next = self.dscp_1.val();
            self.tel_bytes.next = self.tel_1.val();
            self.reth.next = self.reth_1.val();
            self.word.next = self.word_1.val();
            self.words.next = self.words_1.val();
            self.front_less.next = self.new_front_less.val();
            self.sum_left.next = self.new_sum_left.val();
            self.sum_right.next = self.new_sum_right.val();
        }
        for i in 0..5 {
            if self.go.val() {
                self.hop[i].next = self.s_hop[i].val();
                self.made_hop[i].next = self.hop[i].val();
            }
            self.m_hop[i].next = self.made_hop[i].val();
        }
    }

    /// Second stage: first cycle lengths and the sum, second cycle the sum folded.
    fn checksum(&mut self) {
        self.udp_plain.next = bit_cast::<16, 14>(self.words.val()) << 2;
        self.udp_len_3.next = self.udp_plain.val() + bit_cast::<16, 6>(self.tel_bytes.val());
        self.words_3.next = self.words.val() + self.ip_words.val();
        self.sum_3.next = self.sum_left.val() + self.sum_right.val();
        self.low.next = bit_cast::<17, 16>(self.sum_3.val().get_bits::<16>(0));
        self.folded.next = self.low.val() + bit_cast::<17, 4>(self.sum_3.val().get_bits::<4>(16));
        comment!("What is carried out is added, to a number that is then below 15.");
        self.carried.next = self.folded.val().get_bits::<4>(0) + 1;
        self.sum_again.next = self.folded.val().get_bits::<16>(0);
        if self.folded.val().get_bit(16) {
            self.sum_again.next = bit_cast::<16, 4>(self.carried.val());
        }
        self.not_sum.next = !self.sum_again.val();
        self.ip_len.next = self.udp_len_3.val() + self.ip_bytes.val();
        self.ip_plain.next = bit_cast::<16, 14>(self.words_3.val()) << 2;
    }

    /// What has been made waits to be taken.
    fn outputs(&mut self) {
        self.room.next = self.m_ready.val() | !self.made_valid.val();
        if self.m_ready.val() {
            self.made_valid.next = false;
        }
        if self.go.val() {
            self.made_valid.next = self.valid.val();
            self.made_peer.next = self.peer.val();
            self.made_fields.next = self.fields.val();
            self.made_flow.next = self.flow.val();
            self.made_sizes.next.form = self.form.val();
            self.made_sizes.next.dscp = self.dscp.val();
            self.made_sizes.next.with_reth = self.reth.val();
            self.made_sizes.next.with_word = self.word.val();
            self.made_sizes.next.udp_plain = self.udp_plain.val();
            self.made_sizes.next.ip_plain = self.ip_plain.val();
            self.made_sizes.next.udp_len = self.udp_len_3.val();
            self.made_sizes.next.ip_len = self.ip_len.val();
            self.made_sizes.next.front_less = self.front_less.val();
            self.made_sizes.next.checksum = self.not_sum.val();
        }
        self.m_valid.next = self.made_valid.val();
        self.m_peer.next = self.made_peer.val();
        self.m_fields.next = self.made_fields.val();
        self.m_flow.next = self.made_flow.val();
        self.m_sizes.next = self.made_sizes.val();
    }
}
