pub mod ack_gen;
pub mod requester;
pub mod responder;
