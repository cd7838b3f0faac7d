//! What stands around the requester in its bench.

use nic_models::streams;
use nic_spec::rows::QpRow;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

pub const PSN_MASK: u32 = 0xff_ffff;

/// How the peers behave for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Mostly in order.
    Calm,
    /// Answers take long, so that there is always something in flight.
    Far,
    /// Often not ready, and now and then it takes the packet all the same.
    NotReady,
    /// Asks again for what it has, packet by packet.
    Stubborn,
    /// Refuses for good.
    Refusing,
    /// Most answers are lost.
    Unheard,
}

/// A queue pair and its peer.
#[derive(Clone, Debug, Default)]
pub struct Peer {
    pub flow: usize,
    pub qp: QpRow,
    /// PSN that the peer expects.
    pub expected: u32,
    pub msn: u32,
    /// The gap has been answered.
    pub has_nacked: bool,
    /// It has taken no packet of this queue pair.
    pub is_fresh: bool,
    /// It is not there: all timers run out until the queue pair fails.
    pub is_gone: bool,
    /// It is never ready, until the queue pair fails.
    pub is_closed: bool,
    /// First PSNs of the latest READs.
    pub read_psns: VecDeque<u32>,
}

/// What waits for the requester.
#[derive(Clone, Debug)]
pub enum Answer {
    Ack(streams::Answer),
    /// Responses of a peer from this PSN on.
    Read {
        peer: usize,
        psn: u32,
        left_bytes: u32,
        left_count: u32,
    },
}

/// Queue pairs, a peer each, and a scheduler that grants what was armed.
#[derive(Debug)]
pub struct World {
    pub rng: ChaCha8Rng,
    pub peers: Vec<Peer>,
    pub flow_count: usize,
    pub answers: VecDeque<Answer>,
    pub grants: Vec<u16>,
    /// At times there are many for one of several requesters.
    pub has_bursts: bool,
    /// Flow that a work request may come for.
    pub hint: Option<u16>,
    /// Losses of this phase, in 256ths.
    pub loss_256: u32,
    pub mood: Mood,
    /// Peers have other moods than calm.
    pub is_harsh: bool,
    /// They never have, and their queue pairs stay.
    pub is_calm: bool,
    pub phase_left: u32,
    /// Most messages are one packet.
    pub has_short_messages: bool,
    /// Messages may leave several at a time.
    pub sends_several: bool,
    /// For a while all are such that may.
    pub is_plain: bool,
    /// Most bytes of one of them.
    pub plain_bytes: u32,
    /// Cycles of 4000 with a work request.
    pub posts: u32,
    /// All timers are the longest there is: what is looked at in their first tick is not late.
    pub is_patient: bool,
    /// READs among the work requests, in 256ths.
    pub reads_256: u32,
    /// What windows and plain messages are drawn from, and answers far from all others.
    pub side_rng: ChaCha8Rng,
}
