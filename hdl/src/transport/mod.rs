mod ack_rows;
mod ack_tel;
mod resp_check;
mod resp_ctl;
mod resp_move;
mod resp_tables;

pub mod ack_gen;
pub mod responder;
