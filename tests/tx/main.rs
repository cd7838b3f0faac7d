//! Tests of the tx pipe.

mod tx_pipe;
