//! Twin of `hdl/src/tx/pipe.rs`: frames are made byte by byte by the wire formats of the spec; only
//! the sizes of their pieces and the cycles in which they move are modelled. A frame may begin to
//! leave once it cannot fail any more, that is behind its last payload beat, and all that is
//! missing comes in time; without payload that is so behind the BTH. Host frames are whole before
//! they leave.

use super::data_header::DataHeader;
use super::frame::{Frame, Kind};
use super::pack::{Packer, Piece, Place};
pub use super::ports::{TxPipeIn, TxPipeOut};
use crate::events::TxEvents;
use crate::golden::util::frame_fifo::{Beat, FrameFifo};
use crate::ports::{keep, Data, Golden};
use crate::starts::Starts;
use crate::streams::{Ack, ReadError};
use nic_spec::config::NicConfig;
use nic_spec::rows::QpRow;
use nic_spec::wire::icrc;
use std::collections::VecDeque;

/// Beats of the frame FIFO.
const FIFO_BEATS: usize = 2048;
/// Beats of the longest frame.
const FRAME_BEATS_MAX: usize = 528;
/// Beats that may be on their way to the FIFO.
const MARGIN_BEATS: usize = 32;
/// Cycles from the choice of a packet to its headers, the choice included.
const HEADER_CYCLES: u32 = 3;
/// Bytes of the last piece.
const ICRC_BYTES: usize = icrc::BYTES;
/// Cycles from a piece to the packer.
const PIECE_CYCLES: usize = 4;

/// What prepares the next frame.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Header {
    Pick,
    Store,
    Build(u32),
    Offer,
    Done,
}

/// What cuts the present frame to pieces.
#[derive(Clone, Debug, PartialEq)]
enum Sequence {
    Start,
    /// Pieces of the headers that are left, in bytes.
    Headers {
        pieces: VecDeque<usize>,
        /// Those of them that are behind the BTH.
        behind_bth: usize,
    },
    Payload,
    Icrc,
    Host {
        beats: usize,
    },
}

/// Tx pipe with a 64-bit datapath.
#[derive(Clone, Debug)]
pub struct TxPipe {
    qps: Vec<QpRow>,
    header: Header,
    kind: Kind,
    flow: usize,
    is_host_busy: bool,
    host_done: bool,
    ident: u16,
    sequence: Sequence,
    frame: Option<Frame>,
    bad: bool,
    /// Bytes of the frame's pieces so far.
    piece_bytes: usize,
    /// The fail slot was taken before this cycle's edge.
    was_failing: bool,
    /// Payload, or the host frame.
    body: Vec<u8>,
    pipe: VecDeque<Option<Piece>>,
    packer: Packer,
    fifo: FrameFifo<Place>,
    /// Frames that are complete and not gone, the first one's number.
    frames: VecDeque<Vec<u8>>,
    first_frame: u64,
    /// The frame is opened at the FIFO at the next edge.
    opens: bool,
    open_beats: usize,
    /// Beats of whole frames; those of a frame that leaves before it is whole are lent.
    whole_beats: isize,
    used_beats: usize,
    fits: bool,
    has_room: bool,
    out: TxPipeOut,
}

impl TxPipe {
    /// A tx pipe of `config`'s sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            qps: vec![QpRow::default(); config.flow_count],
            header: Header::Pick,
            kind: Kind::Host,
            flow: 0,
            is_host_busy: false,
            host_done: false,
            ident: 0,
            sequence: Sequence::Start,
            frame: None,
            bad: false,
            piece_bytes: 0,
            was_failing: false,
            body: Vec::with_capacity(8192),
            pipe: VecDeque::from(vec![None; PIECE_CYCLES]),
            packer: Packer::default(),
            fifo: FrameFifo::new(FIFO_BEATS, false),
            frames: VecDeque::new(),
            first_frame: 0,
            opens: false,
            open_beats: 0,
            whole_beats: 0,
            used_beats: 0,
            fits: false,
            has_room: false,
            out: TxPipeOut::default(),
        }
    }

    fn reset(&mut self) {
        let qps = core::mem::take(&mut self.qps);
        let config = NicConfig::preset("gbe").expect("the preset exists");
        *self = Self { qps, ..Self::new(&config) };
    }

    /// The kind that is next behind the last one.
    fn choose(&self, i: &TxPipeIn) -> Option<Kind> {
        let waits = |kind: &Kind| match kind {
            Kind::Data => i.s_pkt.valid,
            Kind::Ack => i.s_ack.valid,
            Kind::Feedback => i.s_feedback.valid,
            Kind::Host => i.s_host.tvalid && !self.is_host_busy,
        };
        let order = match self.kind {
            Kind::Data => [Kind::Ack, Kind::Feedback, Kind::Host, Kind::Data],
            Kind::Ack => [Kind::Feedback, Kind::Host, Kind::Data, Kind::Ack],
            Kind::Feedback => [Kind::Host, Kind::Data, Kind::Ack, Kind::Feedback],
            Kind::Host => [Kind::Data, Kind::Ack, Kind::Feedback, Kind::Host],
        };
        order.into_iter().find(waits)
    }

    fn step_header(&mut self, i: &TxPipeIn, is_taken: bool) {
        let is_host_done = core::mem::take(&mut self.host_done);
        let next = match self.header {
            Header::Pick if i.s_cfg.valid => Header::Store,
            Header::Pick => match self.choose(i) {
                None => Header::Pick,
                Some(kind) => {
                    self.kind = kind;
                    let flow = match kind {
                        Kind::Ack => i.s_ack.flow,
                        Kind::Feedback => i.s_feedback.flow,
                        Kind::Data | Kind::Host => i.s_pkt.flow,
                    };
                    self.flow = usize::from(flow) % self.qps.len();
                    match kind {
                        Kind::Host => Header::Offer,
                        _ => Header::Build(HEADER_CYCLES - 1),
                    }
                }
            },
            Header::Store => {
                if i.cfg_table == 0 {
                    let words = |n: usize| (i.cfg_row.0[n / 2] >> (32 * (n % 2))) as u32;
                    let index = usize::from(i.cfg_index) % self.qps.len();
                    self.qps[index] = QpRow::from_row(&core::array::from_fn(words));
                }
                Header::Pick
            }
            Header::Build(1) => Header::Offer,
            Header::Build(left) => Header::Build(left - 1),
            Header::Offer if is_taken => Header::Done,
            Header::Offer => Header::Offer,
            Header::Done => {
                if self.kind != Kind::Host {
                    self.ident = self.ident.wrapping_add(1);
                }
                Header::Pick
            }
        };
        self.is_host_busy &= !is_host_done;
        self.is_host_busy |= is_taken && self.kind == Kind::Host;
        self.header = next;
    }

    /// One cycle of the sequencer: the piece that it makes.
    fn step_sequence(&mut self, i: &TxPipeIn, is_taken: bool) -> Option<Piece> {
        let whole = |bytes: usize| Some(Piece { bytes, last: false, bad: false });
        match &mut self.sequence {
            Sequence::Start => {
                if is_taken {
                    self.start(i);
                }
                None
            }
            Sequence::Headers { pieces, behind_bth } => {
                let bytes = pieces.pop_front().expect("at least one piece");
                let frame = self.frame.as_ref().expect("a frame");
                let has_payload = frame.kind == Kind::Data && frame.pkt.payload_bytes > 0;
                let opens = !has_payload && pieces.len() == *behind_bth;
                if pieces.is_empty() {
                    self.sequence = if has_payload { Sequence::Payload } else { Sequence::Icrc };
                }
                if opens {
                    self.open(i);
                }
                whole(bytes)
            }
            Sequence::Payload => {
                let beat = i.s_data;
                if !beat.tvalid {
                    return None;
                }
                keep_bytes(&mut self.body, beat.tdata, beat.tkeep);
                if !beat.tlast {
                    return whole(8);
                }
                self.bad = beat.tuser;
                if !self.bad {
                    self.open(i);
                }
                self.sequence = Sequence::Icrc;
                whole(if beat.tkeep & 0x10 == 0 { 4 } else { 8 })
            }
            Sequence::Icrc => {
                let piece = self.end();
                if is_taken {
                    self.start(i);
                }
                piece
            }
            Sequence::Host { .. } => self.step_host(i),
        }
    }

    fn start(&mut self, i: &TxPipeIn) {
        self.bad = false;
        self.piece_bytes = 0;
        self.body.clear();
        let (kind, ident) = (self.kind, self.ident);
        let qp = self.qps[self.flow];
        let echo = match (kind, i.s_feedback) {
            (Kind::Feedback, f) => Ack { psn: f.psn, tel: f.tel, ..Ack::default() },
            _ => i.s_ack,
        };
        let is_echo = matches!(kind, Kind::Ack | Kind::Feedback);
        let (has_telemetry, form) = match is_echo {
            true => (echo.tel.valid && !(kind == Kind::Ack && i.cfg_by_time), i.cfg_tel_echo),
            false => (qp.telemetry && !i.s_pkt.bare, i.cfg_tel_data),
        };
        let telemetry = DataHeader::of(form).filter(|_| has_telemetry);
        let (pkt, is_answer) = (i.s_pkt, i.s_feedback.answer);
        let frame = Frame { kind, qp, ident, pkt, echo, is_answer, telemetry };
        self.frame = Some(frame);
        self.sequence = match kind {
            Kind::Host => Sequence::Host { beats: 0 },
            _ => {
                let (pieces, behind_bth) = frame.pieces();
                Sequence::Headers { pieces, behind_bth }
            }
        };
    }

    /// The frame is good, and its bytes are known.
    fn open(&mut self, i: &TxPipeIn) {
        let frame = self.frame.expect("a frame");
        self.frames.push_back(frame.bytes(&self.body, i));
        self.opens = true;
    }

    /// Whether a frame can start: none is on its way, or its last piece ends it in this cycle
    /// without a beat that follows.
    fn is_free(&self) -> bool {
        let is_stuck = self.bad && self.was_failing;
        match self.sequence {
            Sequence::Start => true,
            Sequence::Icrc => !is_stuck && self.piece_bytes % 8 + ICRC_BYTES <= 8,
            _ => false,
        }
    }

    /// The place of the ICRC: waits while a bad frame finds the fail slot taken.
    fn end(&mut self) -> Option<Piece> {
        let frame = self.frame.expect("a frame");
        if self.bad && self.was_failing {
            return None;
        }
        self.sequence = Sequence::Start;
        if self.bad {
            self.out.event_tx.fail = true;
            self.out.m_fail = ReadError { valid: true, flow: frame.pkt.flow, mark: frame.pkt.mark };
            self.frames.push_back(Vec::new());
        } else {
            self.out.event_tx.data = frame.kind == Kind::Data;
            self.out.event_tx.ack = frame.kind == Kind::Ack;
            self.out.event_tx.feedback = frame.kind == Kind::Feedback;
        }
        Some(Piece { bytes: ICRC_BYTES, last: true, bad: self.bad })
    }

    fn step_host(&mut self, i: &TxPipeIn) -> Option<Piece> {
        let beat = i.s_host;
        let Sequence::Host { beats } = &mut self.sequence else { return None };
        if !beat.tvalid {
            return None;
        }
        let is_long = *beats == FRAME_BEATS_MAX;
        *beats += usize::from(!is_long);
        let bytes = beat.tkeep.count_ones() as usize;
        keep_bytes(&mut self.body, beat.tdata, beat.tkeep);
        if beat.tlast {
            self.sequence = Sequence::Start;
            self.host_done = true;
            self.out.event_tx.host = !is_long;
            self.out.event_tx.fail = is_long;
            self.frames.push_back(self.body.clone());
        }
        (!is_long || beat.tlast).then_some(Piece { bytes, last: beat.tlast, bad: is_long })
    }

    fn step_room(&mut self, popped: bool) {
        self.has_room = self.fits;
        self.fits = self.used_beats < FIFO_BEATS - FRAME_BEATS_MAX - MARGIN_BEATS;
        let used_beats = self.whole_beats + self.open_beats as isize;
        self.used_beats = usize::try_from(used_beats).expect("no beat leaves before it came");
        if let Some((beat, bad)) = self.packer.beat {
            self.open_beats += 1;
            if beat.last {
                let beats = core::mem::take(&mut self.open_beats) as isize;
                self.whole_beats += if bad { 0 } else { beats };
            }
        }
        self.whole_beats -= isize::from(popped);
    }

    fn step_fifo(&mut self, i: &TxPipeIn) {
        let popped = self.fifo.m_valid() && i.m_axis.tready;
        self.step_room(popped);
        let opens = core::mem::take(&mut self.opens);
        self.fifo.step_open(false, self.packer.beat, opens, i.m_axis.tready);
        self.out.m_axis.tvalid = self.fifo.m_valid();
        if self.fifo.m_valid() {
            let Beat { data: (frame, offset, count), last } = self.fifo.m_beat();
            while self.first_frame < frame {
                self.frames.pop_front();
                self.first_frame += 1;
            }
            self.out.m_axis.tdata = Data::of(&self.frames[0][offset..offset + count]);
            self.out.m_axis.tkeep = keep(count);
            self.out.m_axis.tlast = last;
        }
    }
}

fn keep_bytes(body: &mut Vec<u8>, tdata: Data, tkeep: u64) {
    let count = tkeep.count_ones() as usize;
    body.extend_from_slice(&tdata.bytes()[..count]);
}

impl Golden for TxPipe {
    type In = TxPipeIn;
    type Out = TxPipeOut;

    fn step(&mut self, i: &TxPipeIn) -> TxPipeOut {
        if i.reset {
            self.reset();
            return self.out;
        }
        self.was_failing = self.out.m_fail.valid;
        let is_taken = self.header == Header::Offer && self.is_free() && self.has_room;
        self.out.m_fail.valid &= !i.m_fail.ready;
        self.out.event_tx = TxEvents::default();
        self.step_fifo(i);
        let piece = self.pipe.pop_front().flatten();
        self.packer.step(piece);
        self.step_header(i, is_taken);
        let made = self.step_sequence(i, is_taken);
        self.piece_bytes += made.filter(|p| !p.last).map_or(0, |p| p.bytes);
        self.pipe.push_back(made);
        self.out.s_cfg.ready = self.header == Header::Store;
        let is_done = self.header == Header::Done;
        self.out.s_pkt.ready = is_done && self.kind == Kind::Data;
        self.out.s_ack.ready = is_done && self.kind == Kind::Ack;
        self.out.s_feedback.ready = is_done && self.kind == Kind::Feedback;
        self.out.s_data.tready = self.sequence == Sequence::Payload;
        self.out.s_host.tready = matches!(self.sequence, Sequence::Host { .. });
        self.out
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<TxPipeOut> {
        self.ident = starts.after_reset("header.id", u16::BITS, 100)? as u16;
        Some(self.out)
    }
}
