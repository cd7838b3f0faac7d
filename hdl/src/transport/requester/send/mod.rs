//! What the requester does to send a packet.

pub mod frame;
pub mod next;
pub mod out;
pub mod packet;
pub mod stamp;
pub mod window;
