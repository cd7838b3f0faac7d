//! The NIC of the preset `ten`.

const PRESET: nic_spec::NicConfig = nic_spec::config::TEN;
type CongestionControl = crate::cc::unit::CcUnit<10, 13>;
type Requester = crate::transport::requester::Requester<8, 3, 11>;

#[path = "wiring.rs"]
#[allow(clippy::duplicate_mod, reason = "each preset mounts it with its sizes")]
mod wiring;
pub use wiring::Nic;
