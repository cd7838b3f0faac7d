//! Reliable connection transport: responder and requester.

pub mod ack;
pub mod completer;
pub mod feedback;
pub mod pkt_mux;
pub mod probe_out;
pub mod read;
pub mod requester;
pub mod responder;
pub mod window;
pub mod work_mux;
