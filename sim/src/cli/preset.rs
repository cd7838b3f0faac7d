//! What `--preset` names, and the whole NIC's Verilog.

use super::error::CliError;
use crate::bench;
use crate::engine::EngineKind;
use nic_harness::verilator::{Flavour, Source};
use nic_spec::config::NicConfig;
use std::path::Path;

/// The configuration called `preset`, as every verb's `--preset` wants it.
pub fn config(preset: &str) -> Result<NicConfig, CliError> {
    let config = NicConfig::preset(preset);
    let config = config.map_err(|e| CliError::Usage(format!("--preset {preset}: {e}")))?;
    config.validate().map_err(|e| CliError::Usage(format!("preset {preset}: {e}")))?;
    Ok(config)
}

/// The configuration called `preset` for a verb that runs the whole NIC.
pub fn nic_config(preset: &str) -> Result<NicConfig, CliError> {
    let config = config(preset)?;
    match nic_hdl::emit::blocks(&config).contains(&"nic") {
        true => Ok(config),
        false => Err(CliError::Usage(format!("--preset {preset} has only cores, no whole NIC"))),
    }
}

/// The Verilog of the whole NIC: emitted, or from a file with the same ports.
pub fn nic_source(
    config: &NicConfig,
    verilog: Option<&Path>,
    engine: EngineKind,
) -> Result<Source, CliError> {
    if !engine.has_rtl() {
        return Ok(Source::new("nic", ""));
    }
    let emitted = bench::emitted("nic", config).map_err(CliError::Failed)?;
    let Some(path) = verilog else { return Ok(emitted) };
    let at_file = |e| CliError::Usage(format!("--verilog {}: {e}", path.display()));
    let given = Source::read("nic", path).map_err(CliError::usage)?;
    let model = given.model(Flavour::Fast).map_err(at_file)?;
    let expected = emitted.model(Flavour::Fast).map_err(CliError::failed)?;
    model.check_same_ports(&expected).map_err(at_file)?;
    Ok(given)
}
