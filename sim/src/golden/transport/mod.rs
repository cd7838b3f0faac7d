pub mod ack_gen;
pub mod responder;
pub mod requester;
