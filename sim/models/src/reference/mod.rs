//! Untimed references that say what is right: HPCC++ in f64, RoCEv2 at message level.
pub mod hpcc;
pub mod ifa;
pub mod int_md;
pub mod ioam;

pub mod rc;
