//! Models of the NIC in software: what every output pin does in every cycle ([`golden`]) and what
//! is right ([`reference`]).
//!
//! The crate knows the specification alone, neither the hardware nor a simulator, so that the
//! golden NIC serves as a library:
//!
//! ```
//! use nic_models::golden::nic::{Nic, NicIn};
//! use nic_models::ports::Golden;
//! use nic_spec::NicConfig;
//!
//! let config = NicConfig::preset("gbe").expect("it is a preset");
//! let mut nic = Nic::new(&config);
//! nic.step(&NicIn { reset: true, ..NicIn::default() });
//! let out = nic.step(&NicIn::default());
//! assert!(!out.m_axis_tx.tvalid);
//! ```

pub mod axis_event;
pub mod events;
pub mod golden;
pub mod insert;
pub mod ports;
pub mod reference;
pub mod starts;
pub mod streams;
