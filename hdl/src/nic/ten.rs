//! The NIC of the preset `ten`.

const PRESET: nic_spec::NicConfig = nic_spec::config::TEN;
type CongestionControl = crate::cc::unit::CcUnit<10, 13, 218>;

#[path = "wiring.rs"]
mod wiring;
pub use wiring::Nic;
