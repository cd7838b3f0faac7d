//! Benches: host interface.

use super::Bench;
use nic_spec::config::NicConfig;

/// The benches of this area.
pub fn benches(_config: &NicConfig) -> Vec<Bench> {
    vec![]
}
