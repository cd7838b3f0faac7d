//! Takes native telemetry out from between UDP and BTH, and points at it as it passes.
//!
//! # Source            HPCC, SIGCOMM 2019, figure 7 (2 + 8n bytes, big-endian); its authors'
//!                     simulator (42 bytes, little-endian)
//! # Interface timing  cycle 0: s_valid; cycle 1: m_valid, the packet without telemetry, a beat
//!                     when its last byte is there (and what is left behind the last beat in
//!                     cycle 2). tel_bytes, head_bytes, tel_valid: cycle 1 after the fourth beat;
//!                     records: cycle 2 after the beat that completes them; all until the fourth
//!                     beat of the next packet
//! # Latency and rate  1; one beat per cycle, no ready. A packet is followed by one idle cycle
//! # Number formats    tel_bytes, head_bytes | UQ8.0 | bytes
//! # Reset             synchronous, high: no telemetry
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Telemetry stage of the 64-bit rx pipe. The telemetry is 2 bytes and a multiple of 8 in both
/// forms, so the bytes behind it move by two, and whole beats are left out.
#[derive(LogicBlock, Default)]
pub struct RxTel {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Telemetry form: 1 paper, 2 authors.
    pub cfg_tel_format: Signal<In, Bits<2>>,
    /// Telemetry follows UDP.
    pub tel_expected: Signal<In, Bit>,
    /// A beat of the IP packet.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes; those behind the end are 0.
    pub s_data: Signal<In, Bits<64>>,
    /// First beat.
    pub s_first: Signal<In, Bit>,
    /// Last beat.
    pub s_last: Signal<In, Bit>,
    /// With `s_last`: bytes, 0..=8.
    pub s_bytes: Signal<In, Bits<4>>,
    /// A beat of the packet without telemetry.
    pub m_valid: Signal<Out, Bit>,
    /// Its bytes.
    pub m_data: Signal<Out, Bits<64>>,
    /// First beat.
    pub m_first: Signal<Out, Bit>,
    /// Last beat.
    pub m_last: Signal<Out, Bit>,
    /// With `m_last`: bytes, 0..=8.
    pub m_bytes: Signal<Out, Bits<4>>,
    /// The packet has telemetry.
    pub tel_valid: Signal<Out, Bit>,
    /// `m_data` has the front of the telemetry in its upper half, or there is none.
    pub rec_start: Signal<Out, Bit>,
    /// `m_data` has the next eight bytes of telemetry.
    pub rec_valid: Signal<Out, Bit>,
    /// Bytes of the telemetry: 0 or 8n + 2.
    pub tel_bytes: Signal<Out, Bits<8>>,
    /// Bytes of UDP header, telemetry, BTH and ICRC.
    pub head_bytes: Signal<Out, Bits<8>>,
    beat: DFF<Bits<3>>,
    strip: DFF<Bit>,
    first_join: DFF<Bit>,
    skip: DFF<Bits<4>>,
    held: DFF<Bits<32>>,
    earlier: DFF<Bits<64>>,
    flush: DFF<Bit>,
    flush_bytes: DFF<Bits<4>>,
    out_valid: DFF<Bit>,
    out_data: DFF<Bits<64>>,
    out_first: DFF<Bit>,
    out_last: DFF<Bit>,
    out_bytes: DFF<Bits<4>>,
    valid: DFF<Bit>,
    bytes: DFF<Bits<8>>,
    head: DFF<Bits<8>>,
    start: DFF<Bit>,
    record: DFF<Bit>,
    is_paper: Signal<Local, Bit>,
    index: Signal<Local, Bits<3>>,
    at_telemetry: Signal<Local, Bit>,
    behind: Signal<Local, Bit>,
    skipping: Signal<Local, Bit>,
    resume: Signal<Local, Bit>,
    plain: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    places: Signal<Local, Bits<4>>,
    places_wide: Signal<Local, Bits<8>>,
    record_bytes: Signal<Local, Bits<8>>,
    old_6: Signal<Local, Bits<64>>,
    new_2: Signal<Local, Bits<64>>,
    old_2: Signal<Local, Bits<64>>,
    held_wide: Signal<Local, Bits<64>>,
    joined: Signal<Local, Bits<64>>,
    data_wide: Signal<Local, Bits<64>>,
}

impl Logic for RxTel {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            beat,
            strip,
            first_join,
            skip,
            held,
            earlier,
            flush,
            flush_bytes,
            out_valid,
            out_data,
            out_first,
            out_last,
            out_bytes,
            valid,
            bytes,
            head,
            start,
            record
        );
        self.m_valid.next = self.out_valid.q.val();
        self.m_data.next = self.out_data.q.val();
        self.m_first.next = self.out_first.q.val();
        self.m_last.next = self.out_last.q.val();
        self.m_bytes.next = self.out_bytes.q.val();
        self.tel_valid.next = self.valid.q.val();
        self.tel_bytes.next = self.bytes.q.val();
        self.head_bytes.next = self.head.q.val();
        self.rec_start.next = self.start.q.val();
        self.rec_valid.next = self.record.q.val();
        comment!("Where in the packet this beat is; 4 stands for all that follow.");
        self.is_paper.next = self.cfg_tel_format.val() == 1;
        self.index.next = self.beat.q.val();
        if self.s_first.val() {
            self.index.next = 0.into();
        }
        self.at_telemetry.next = self.s_valid.val() & (self.index.val() == 3);
        self.start.d.next = self.at_telemetry.val();
        self.behind.next = self.s_valid.val() & self.strip.q.val() & (self.index.val() == 4);
        self.skipping.next = self.behind.val() & (self.skip.q.val() != 0);
        self.resume.next = self.behind.val() & (self.skip.q.val() == 0);
        self.plain.next = self.s_valid.val()
            & ((self.index.val() < 3)
                | ((self.index.val() == 3) & !self.tel_expected.val())
                | ((self.index.val() == 4) & !self.strip.q.val()));
        if self.s_valid.val() {
            self.earlier.d.next = self.s_data.val();
            self.beat.d.next = self.index.val();
            if self.index.val() != 4 {
                self.beat.d.next = self.index.val() + 1;
            }
        }
        comment!("Byte 28 has the hop count in the paper's form; the authors' form has 5 places.");
        self.places.next = self.s_data.val().get_bits::<4>(36);
        if !self.is_paper.val() {
            self.places.next = 5.into();
        }
        self.places_wide.next = bit_cast::<8, 4>(self.places.val());
        self.record_bytes.next = self.places_wide.val() << 3;
        if self.at_telemetry.val() {
            self.strip.d.next = self.tel_expected.val();
            self.valid.d.next = self.tel_expected.val();
            self.first_join.d.next = true;
            self.skip.d.next = self.places.val();
            self.held.d.next = self.s_data.val().get_bits::<32>(0);
            self.bytes.d.next = 0.into();
            self.head.d.next = 24.into();
            if self.tel_expected.val() {
                self.bytes.d.next = self.record_bytes.val() + 2;
                self.head.d.next = self.record_bytes.val() + 26;
            }
        }
        self.record.d.next = self.skipping.val();
        if self.skipping.val() {
            self.skip.d.next = self.skip.q.val() - 1;
        }
        comment!("Behind telemetry a beat is six old bytes and two new ones; the first one that");
        comment!("follows is four from in front of it, two and two.");
        self.data_wide.next = self.s_data.val();
        self.old_6.next = self.earlier.q.val() >> 16;
        self.new_2.next = self.data_wide.val() << 48;
        self.old_2.next = bit_cast::<64, 16>(self.earlier.q.val().get_bits::<16>(48));
        self.held_wide.next = bit_cast::<64, 32>(self.held.q.val());
        self.joined.next = self.old_6.val() | self.new_2.val();
        if self.first_join.q.val() {
            self.joined.next = self.held_wide.val() | (self.old_2.val() << 32) | self.new_2.val();
        }
        self.fits.next = self.s_bytes.val() < 3;
        self.out_valid.d.next = self.plain.val() | self.resume.val() | self.flush.q.val();
        self.out_first.d.next = self.s_first.val() & !self.flush.q.val();
        self.out_data.d.next = self.s_data.val();
        self.out_last.d.next = self.s_last.val();
        self.out_bytes.d.next = self.s_bytes.val();
        self.flush.d.next = false;
        if self.resume.val() {
            self.first_join.d.next = false;
            self.out_data.d.next = self.joined.val();
            self.out_last.d.next = self.s_last.val() & self.fits.val();
            self.out_bytes.d.next = self.s_bytes.val() + 6;
            self.flush.d.next = self.s_last.val() & !self.fits.val();
            self.flush_bytes.d.next = self.s_bytes.val() - 2;
        }
        if self.flush.q.val() {
            self.out_data.d.next = self.old_6.val();
            self.out_last.d.next = true;
            self.out_bytes.d.next = self.flush_bytes.q.val();
        }
        if self.reset.val() {
            self.strip.d.next = false;
            self.flush.d.next = false;
            self.out_valid.d.next = false;
            self.record.d.next = false;
            self.start.d.next = false;
        }
    }
}
