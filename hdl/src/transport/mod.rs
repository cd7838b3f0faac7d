mod ack_rows;
mod ack_tel;
mod resp_check;
mod resp_ctl;
mod resp_move;
mod resp_tables;

pub mod ack_gen;
pub mod responder;
pub mod requester;
mod requester_ack;
mod requester_ctl;
mod requester_flow;
mod requester_out;
mod requester_qp;
mod requester_timer;
mod requester_wr;
