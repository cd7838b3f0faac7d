//! Congestion control: HPCC++ NewAck for every flow.

pub mod cc_active;
pub mod cc_core;
pub mod cc_decision;
pub mod cc_ewma;
pub mod cc_flight;
pub mod cc_flight_wide;
pub mod cc_hop;
pub mod cc_intake;
pub mod cc_intake_wide;
pub mod cc_lane;
pub mod cc_program;
pub mod cc_records;
pub mod cc_serial_control;
pub mod cc_serial_event;
pub mod cc_serial_exponent;
pub mod cc_serial_math;
pub mod cc_serial_params;
pub mod cc_serial_result;
pub mod cc_serial_words;
pub mod cc_state;
pub mod cc_unit;
pub mod cc_unit_serial;
pub mod cc_unit_wide;
pub mod cc_wind;
pub mod cc_worse;
pub mod delay;
