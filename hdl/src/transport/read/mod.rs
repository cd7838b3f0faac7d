//! READs of the peer.

pub mod ctl;
pub mod end;
pub mod flows;
pub mod jobs;
pub mod out;
pub mod reply;
pub mod walk;
