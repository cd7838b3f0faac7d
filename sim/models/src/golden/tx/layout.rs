//! Twin of `hdl/src/tx/layout.rs`: the headers of the present frame in beats of three kinds.

use super::frame::{Frame, Kind};
use super::join::Part;
use super::ports::TxPipeIn;
use nic_spec::wire::bth;
use std::collections::VecDeque;

/// Bytes of IPv4, UDP and BTH, of which the ICRC covers as many as of what is sent.
const COVERED_BYTES: usize = 40;
/// Bytes of the BTH.
const BTH_BYTES: usize = bth::HEADER_BYTES;

/// Beats that are left of the present frame's headers.
#[derive(Clone, Debug)]
pub struct Layout {
    beat_bytes: usize,
    /// The frame.
    pub frame: Option<Frame>,
    /// Ethernet to telemetry.
    front: VecDeque<Part>,
    /// The beat of it that is offered.
    pub front_beat: Option<Part>,
    /// BTH and extensions.
    pub back: VecDeque<Part>,
    /// Beats that the ICRC covers; one for a host frame.
    pub cover_beats: usize,
}

impl Layout {
    /// On beats of so many bytes.
    pub fn new(beat_bytes: usize) -> Self {
        let (front, back) = (VecDeque::new(), VecDeque::new());
        Self { beat_bytes, frame: None, front, front_beat: None, back, cover_beats: 0 }
    }

    /// All has left once the coming edge takes what it takes.
    pub fn is_free(&self, front: bool, back: bool, cover: bool) -> bool {
        self.front.len() <= usize::from(front || self.front_beat.is_none())
            && self.back.len() <= usize::from(back)
            && self.cover_beats <= usize::from(cover)
    }

    /// One clock edge: the beats that are taken, and the next frame.
    pub fn step(&mut self, i: &TxPipeIn, [front, back, cover]: [bool; 3], frame: Option<Frame>) {
        if front || self.front_beat.is_none() {
            self.front_beat = self.front.pop_front();
        }
        if back {
            self.back.pop_front();
        }
        self.cover_beats = self.cover_beats.saturating_sub(usize::from(cover));
        if let Some(frame) = frame {
            self.lay_out(i, frame);
        }
    }

    fn lay_out(&mut self, i: &TxPipeIn, frame: Frame) {
        self.frame = Some(frame);
        let (front, back) = match frame.kind {
            Kind::Host => (vec![], vec![]),
            _ => {
                let payload = vec![0; frame.payload_bytes()];
                let mut headers = frame.bytes(&payload, i);
                let (front_bytes, back_bytes) = frame.part_bytes();
                headers.truncate(front_bytes + back_bytes);
                let back = headers.split_off(front_bytes);
                (headers, back)
            }
        };
        self.cover_beats = match frame.kind {
            Kind::Host => 1,
            _ => (COVERED_BYTES + back.len() - BTH_BYTES).div_ceil(self.beat_bytes),
        };
        self.front = Part::beats(&front, self.beat_bytes).into();
        self.back = Part::beats(&back, self.beat_bytes).into();
    }
}
