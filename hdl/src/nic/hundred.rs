//! The NIC of the preset `hundred`.

const PRESET: nic_spec::NicConfig = nic_spec::config::HUNDRED;
type CongestionControl = crate::cc::wide::unit::CcUnitWide<12, 220>;

#[path = "wiring.rs"]
mod wiring;
pub use wiring::Nic;
