pub mod ack_gen;
pub mod read_reply;
pub mod requester;
pub mod responder;
