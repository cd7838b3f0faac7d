//! Tests of the transport: requester, responder, and what passes between peers.

mod ack_gen;
mod completer;
mod feedback_in;
mod feedback_out;
mod pkt_mux;
mod probe_out;
mod read_reply;
mod requester;
mod requester_array;
mod responder;
mod window_in;
mod window_out;
mod work_mux;
