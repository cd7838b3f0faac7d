pub mod ack_gen;
pub mod responder;
