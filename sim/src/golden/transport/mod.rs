pub mod ack_gen;
pub mod completer;
pub mod pkt_mux;
pub mod read_reply;
pub mod requester;
pub mod responder;
pub mod work_mux;
