//! The NIC of each preset: one source, `nic/wiring.rs`, which each preset mounts with its sizes.

pub mod gbe;
pub mod hundred;
pub mod ten;
