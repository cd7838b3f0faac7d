//! Tests of the congestion control.

mod cc_active;
mod cc_blocks;
mod cc_core;
mod cc_unit;
mod cc_unit_serial;
mod cc_unit_wide;
mod driver;
mod schedules;
