//! Twin of `hdl/src/tx/body.rs`: the payload or host frame behind the headers, and the ICRC of what
//! has passed.

use super::frame::{Frame, Kind};
use super::join::Part;
use super::ports::TxPipeIn;
use crate::events::TxEvents;
use crate::ports::Data;
use crate::streams::ReadError;
use nic_spec::wire::icrc;

/// Bytes of the longest host frame.
const FRAME_BYTES_MAX: usize = 4224;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// The headers of a frame.
    Head,
    /// Its payload.
    Payload,
    /// A host frame.
    Host,
    /// Payload that could not be read is told of.
    Fail,
}

/// A beat behind the headers; `icrc`: the ICRC follows it.
#[derive(Clone, Copy, Debug, Default)]
pub struct BodyBeat {
    pub part: Part,
    pub icrc: bool,
}

/// What an edge lets out.
#[derive(Clone, Copy, Debug, Default)]
pub struct BodyOut {
    /// A beat.
    pub beat: Option<BodyBeat>,
    /// The ICRC of a packet that has passed.
    pub icrc: Option<[u8; icrc::BYTES]>,
}

/// Takes payload and host frames.
#[derive(Clone, Debug)]
pub struct Body {
    beat_bytes: usize,
    pub state: State,
    frame: Option<Frame>,
    payload: Vec<u8>,
    host_beats: usize,
    /// A host frame has been taken.
    pub host_done: bool,
    pub fail: ReadError,
    pub events: TxEvents,
}

impl Body {
    /// On beats of so many bytes.
    pub fn new(beat_bytes: usize) -> Self {
        Self {
            beat_bytes,
            state: State::Head,
            frame: None,
            payload: Vec::with_capacity(8192),
            host_beats: 0,
            host_done: false,
            fail: ReadError::default(),
            events: TxEvents::default(),
        }
    }

    /// One clock edge. `head`: a beat of the headers of this frame is offered, and whether it is
    /// the last one; `ready`: there is room behind.
    pub fn step(&mut self, i: &TxPipeIn, head: Option<(Frame, bool)>, ready: bool) -> BodyOut {
        let was_failing = self.fail.valid;
        self.fail.valid &= !i.m_fail.ready;
        self.events = TxEvents::default();
        self.host_done = false;
        match self.state {
            State::Fail => {
                if !was_failing {
                    let pkt = self.frame.expect("a frame").pkt;
                    self.fail = ReadError { valid: true, flow: pkt.flow, mark: pkt.mark };
                    self.events.fail = true;
                    self.state = State::Head;
                }
                BodyOut::default()
            }
            _ if !ready => BodyOut::default(),
            State::Head => head.map_or(BodyOut::default(), |(frame, last)| {
                self.frame = Some(frame);
                if last {
                    self.begin(i)
                } else {
                    BodyOut::default()
                }
            }),
            State::Payload => self.payload(i),
            State::Host => self.host(i),
        }
    }

    /// The last beat of headers.
    fn begin(&mut self, i: &TxPipeIn) -> BodyOut {
        let frame = self.frame.expect("a frame");
        self.payload.clear();
        self.host_beats = 0;
        match frame.kind {
            Kind::Host => self.state = State::Host,
            _ if frame.payload_bytes() > 0 => self.state = State::Payload,
            _ => {
                let part = Part { last: true, ..Part::default() };
                let beat = Some(BodyBeat { part, icrc: true });
                return BodyOut { beat, icrc: Some(self.end(i)) };
            }
        }
        BodyOut::default()
    }

    fn payload(&mut self, i: &TxPipeIn) -> BodyOut {
        let pins = i.s_data;
        if !pins.tvalid {
            return BodyOut::default();
        }
        let kept = &pins.tdata.bytes()[..pins.tkeep.count_ones() as usize];
        self.payload.extend_from_slice(kept);
        let (last, bad) = (pins.tlast, pins.tlast && pins.tuser);
        // The pad is zeros.
        let bytes = kept.len().next_multiple_of(4);
        let part = Part { data: Data::of(kept), bytes, last, bad };
        let beat = Some(BodyBeat { part, icrc: last });
        let icrc = match (last, bad) {
            (false, _) => None,
            (true, true) => {
                self.state = State::Fail;
                Some([0; icrc::BYTES])
            }
            (true, false) => {
                self.state = State::Head;
                Some(self.end(i))
            }
        };
        BodyOut { beat, icrc }
    }

    /// The frame is whole, and good.
    fn end(&mut self, i: &TxPipeIn) -> [u8; icrc::BYTES] {
        let frame = self.frame.expect("a frame");
        self.events.data = frame.kind == Kind::Data;
        self.events.ack = frame.kind == Kind::Ack;
        self.events.feedback = frame.kind == Kind::Feedback;
        *frame.bytes(&self.payload, i).last_chunk().expect("an ICRC")
    }

    fn host(&mut self, i: &TxPipeIn) -> BodyOut {
        let pins = i.s_host;
        if !pins.tvalid {
            return BodyOut::default();
        }
        let bad = self.host_beats == FRAME_BYTES_MAX / self.beat_bytes;
        self.host_beats += usize::from(!bad);
        let kept = &pins.tdata.bytes()[..pins.tkeep.count_ones() as usize];
        let part = Part { data: Data::of(kept), bytes: kept.len(), last: pins.tlast, bad };
        if pins.tlast {
            self.state = State::Head;
            self.host_done = true;
            self.events.host = !bad;
            self.events.fail = bad;
        }
        let beat = (!bad || pins.tlast).then_some(BodyBeat { part, icrc: false });
        BodyOut { beat, icrc: None }
    }
}
