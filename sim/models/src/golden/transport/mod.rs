//! Twins of the transport.

pub mod ack;
pub mod completer;
pub mod feedback;
mod mover;
pub mod pkt_mux;
pub mod probe_out;
pub mod read;
pub mod requester;
pub mod responder;
pub mod window;
pub mod work_mux;
