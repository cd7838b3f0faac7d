//! The NIC of the preset `gbe`.

const PRESET: nic_spec::NicConfig = nic_spec::config::GBE;
type CongestionControl = crate::cc::unit::CcUnit<8, 11>;
type Requester = crate::transport::requester::Requester<6, 3, 9>;

#[path = "wiring.rs"]
#[allow(clippy::duplicate_mod, reason = "each preset mounts it with its sizes")]
mod wiring;
pub use wiring::Nic;
