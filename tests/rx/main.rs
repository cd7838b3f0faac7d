//! Tests of the rx pipe.

mod rx_pipe;
