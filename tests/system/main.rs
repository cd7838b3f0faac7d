//! Tests of the whole NIC and of the reference that says what is right.

mod conformance;
mod latency;
mod nic;
mod rates;
mod rc_golden;
mod rc_golden_requester;
mod rc_reference;
mod rc_reference_read;
