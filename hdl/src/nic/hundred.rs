//! The NIC of the preset `hundred`.

const PRESET: nic_spec::NicConfig = nic_spec::config::HUNDRED;
type CongestionControl = crate::cc::wide::unit::CcUnitWide<12>;
type Requester =
    crate::transport::requester::array::RequesterArray<8, 3, 10, 7, 4, 11, 90, 416, 63, 394, 162>;

#[path = "wiring.rs"]
#[allow(clippy::duplicate_mod, reason = "each preset mounts it with its sizes")]
mod wiring;
pub use wiring::Nic;
