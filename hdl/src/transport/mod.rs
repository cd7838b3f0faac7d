//! Reliable connection transport: responder and requester.

pub mod ack_gen;
pub mod ack_rows;
pub mod ack_tel;
pub mod completer;
mod completer_end;
pub mod pkt_mux;
mod read_ctl;
mod read_end;
mod read_flows;
mod read_jobs;
mod read_out;
pub mod read_reply;
mod read_walk;
pub mod requester;
mod requester_ack;
mod requester_ctl;
mod requester_flow;
mod requester_out;
mod requester_qp;
mod requester_timer;
mod requester_wr;
pub mod resp_check;
pub mod resp_ctl;
pub mod resp_move;
pub mod resp_tables;
pub mod responder;
pub mod work_mux;
