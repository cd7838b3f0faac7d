//! The row that software stages, as `nic_spec::rows` lists its fields.

use rust_hdl_core::prelude::*;

nic_spec::rows!(nic_block::staged);
