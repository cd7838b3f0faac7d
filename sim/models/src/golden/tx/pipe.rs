//! Twin of `hdl/src/tx/pipe.rs`: frames are made byte by byte by the wire formats of the spec; what
//! is modelled are the beats in which they move, and when. Frames are whole before they leave.

use super::body::{Body, BodyBeat, State};
use super::frame::Kind;
use super::header::Header;
use super::join::{Join, Part};
use super::layout::Layout;
pub use super::ports::{TxPipeIn, TxPipeOut};
use crate::golden::util::fifo::LutFifo;
use crate::golden::util::frame_fifo::{Beat, FrameFifo};
use crate::ports::{keep, Data, Golden};
use crate::starts::Starts;
use nic_spec::config::NicConfig;
use nic_spec::wire::icrc;
use std::collections::VecDeque;

/// Bytes of the frame FIFO.
const FIFO_BYTES: usize = 1 << 14;
/// Beats of headers, and of bodies, that wait to be joined.
const WAITING_BEATS: usize = 16;
/// Frames end at multiples of so many bytes.
const GRAIN_BYTES: usize = 4;

/// Tx pipe.
#[derive(Clone, Debug)]
pub struct TxPipe {
    beat_bytes: usize,
    header: Header,
    layout: Layout,
    body: Body,
    headers: Join,
    header_fifo: LutFifo<Part>,
    body_fifo: LutFifo<BodyBeat>,
    /// ICRCs under way through the CRC, the next one to appear first.
    icrcs: VecDeque<Option<[u8; icrc::BYTES]>>,
    icrc_fifo: LutFifo<[u8; icrc::BYTES]>,
    /// The ICRC of a body that has filled its last beat.
    is_behind: bool,
    frames: Join,
    fifo: FrameFifo<(Data, usize)>,
    out: TxPipeOut,
}

impl TxPipe {
    /// A tx pipe of `config`'s sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self::of(Header::new(config.flow_count), config.data_bytes())
    }

    fn of(header: Header, beat_bytes: usize) -> Self {
        // Two cycles of the CRC and one for each halving of what does not count; one in front.
        let icrc_cycles = 3 + (beat_bytes / GRAIN_BYTES).ilog2() as usize;
        Self {
            beat_bytes,
            header,
            layout: Layout::new(beat_bytes),
            body: Body::new(beat_bytes),
            headers: Join::new(beat_bytes),
            header_fifo: LutFifo::new(WAITING_BEATS),
            body_fifo: LutFifo::new(WAITING_BEATS),
            icrcs: VecDeque::from(vec![None; icrc_cycles]),
            icrc_fifo: LutFifo::new(WAITING_BEATS),
            is_behind: false,
            frames: Join::new(beat_bytes),
            fifo: FrameFifo::new(FIFO_BYTES / beat_bytes, false),
            out: TxPipeOut::default(),
        }
    }

    fn reset(&mut self) {
        self.header.reset();
        let header = core::mem::replace(&mut self.header, Header::new(0));
        *self = Self::of(header, self.beat_bytes);
    }

    /// The body's beat, the ICRC behind it: what is offered, and whether a beat and an ICRC go with
    /// it.
    fn body_part(&self) -> Option<(Part, bool, bool)> {
        let BodyBeat { part, icrc } = self.body_fifo.m_valid().then(|| self.body_fifo.m_data())?;
        if icrc && !self.is_behind && part.bytes == self.beat_bytes {
            return Some((Part { last: false, ..part }, false, false));
        }
        if !icrc {
            return Some((part, true, false));
        }
        let icrc = self.icrc_fifo.m_valid().then(|| self.icrc_fifo.m_data())?;
        let mut bytes = part.data.bytes()[..part.bytes].to_vec();
        if self.is_behind {
            bytes.clear();
        }
        bytes.extend(icrc);
        Some((Part { data: Data::of(&bytes), bytes: bytes.len(), ..part }, true, true))
    }

    /// Headers and bodies become frames, in front of the FIFO.
    fn step_frames(&mut self, i: &TxPipeIn, header: Option<Part>, body: Option<BodyBeat>) {
        let a = self.header_fifo.m_valid().then(|| self.header_fifo.m_data());
        let takes = self.frames.takes(a.as_ref(), self.fifo.s_ready());
        let b = self.body_part();
        let offered = self
            .frames
            .out
            .map(|part| (Beat { data: (part.data, part.bytes), last: part.last }, part.bad));
        self.fifo.step(false, offered, i.m_axis.tready);
        self.frames.step(takes, a, b.map(|b| b.0));
        self.header_fifo.step(false, header, takes.first);
        let (mut pops_body, mut pops_icrc) = (false, false);
        if let Some((_, with_beat, with_icrc)) = b.filter(|_| takes.next_second) {
            (pops_body, pops_icrc) = (with_beat, with_icrc);
            self.is_behind = !with_beat;
        }
        self.body_fifo.step(false, body, pops_body);
        let icrc = self.icrcs.pop_front().flatten();
        self.icrc_fifo.step(false, icrc, pops_icrc);
    }

    fn pins(&mut self) {
        let is_taken =
            |kind| self.header.go && self.header.chosen.is_some() && self.header.kind == kind;
        let has_room = self.body_fifo.s_ready();
        self.out.s_cfg.ready = self.header.stores;
        self.out.s_pkt.ready = is_taken(Kind::Data);
        self.out.s_ack.ready = is_taken(Kind::Ack);
        self.out.s_feedback.ready = is_taken(Kind::Feedback);
        self.out.s_data.tready = has_room && self.body.state == State::Payload;
        self.out.s_host.tready = has_room && self.body.state == State::Host;
        self.out.m_fail = self.body.fail;
        self.out.event_tx = self.body.events;
        self.out.m_axis.tvalid = self.fifo.m_valid();
        if self.fifo.m_valid() {
            let Beat { data: (data, bytes), last } = self.fifo.m_beat();
            (self.out.m_axis.tdata, self.out.m_axis.tkeep) = (data, keep(bytes));
            self.out.m_axis.tlast = last;
        }
    }
}

impl Golden for TxPipe {
    type In = TxPipeIn;
    type Out = TxPipeOut;

    fn step(&mut self, i: &TxPipeIn) -> TxPipeOut {
        if i.reset {
            self.reset();
            return self.out;
        }
        let (front, back) = (self.layout.front_beat, self.layout.back.front().copied());
        let takes = self.headers.takes(front.as_ref(), self.header_fifo.s_ready());
        let has_room = self.body_fifo.s_ready();
        let takes_cover = has_room && self.body.state == State::Head;
        let free = self.layout.is_free(takes.first, takes.next_second, takes_cover);
        let cover_beats = self.layout.cover_beats;
        let head = self.layout.frame.filter(|_| cover_beats > 0).map(|f| (f, cover_beats == 1));
        let header = self.headers.out;
        let host_done = self.body.host_done;
        let body = self.body.step(i, head, has_room);
        self.step_frames(i, header, body.beat);
        self.icrcs.push_back(body.icrc);
        self.headers.step(takes, front, back);
        let frame = self.header.made.filter(|_| free);
        self.header.step(i, free, host_done);
        self.layout.step(i, [takes.first, takes.next_second, takes_cover], frame);
        self.pins();
        self.out
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<TxPipeOut> {
        self.header.ident = starts.after_reset("choice_block.id", u16::BITS, 100)? as u16;
        Some(self.out)
    }
}
