//! What each flow may send.

pub mod credit_pipe;
pub mod flow_state;
pub mod flow_table;
pub mod history;
pub mod share_pipe;
pub mod share_rows;
