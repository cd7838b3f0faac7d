//! `nic emit`: the Verilog of a core or a block, with file list, FuseSoC core and register map.

use super::error::CliError;
use super::preset::config;
use crate::regmap::{self, Map};
use clap::{Args, ValueEnum};
use nic_hdl::emit::{self, Design, EmitError, Layout, Rule};
use nic_spec::config::NicConfig;
use std::path::{Path, PathBuf};

/// What can stand on an FPGA by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Core {
    /// The whole NIC
    Nic,
    /// The HPCC++ congestion control unit
    Cc,
    /// The credit-based round-robin scheduler
    Sched,
    /// The receive pipe
    Rx,
    /// The transmit pipe
    Tx,
}

impl Core {
    /// As `--core` takes it.
    fn name(&self) -> String {
        self.to_possible_value().map_or(String::new(), |value| value.get_name().into())
    }

    /// Its block in the emitter's catalogue.
    fn block(self) -> &'static str {
        match self {
            Self::Nic => "nic",
            Self::Cc => "cc_core",
            Self::Sched => "sched_core",
            Self::Rx => "rx_pipe",
            Self::Tx => "tx_pipe",
        }
    }
}

/// Arguments of `nic emit`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Configuration
    #[arg(long, default_value = "gbe")]
    preset: String,
    /// Core to emit
    #[arg(long, value_enum, default_value_t = Core::Nic)]
    core: Core,
    /// One block of the core instead, by its module name; `list` prints all names
    #[arg(long, conflicts_with = "core")]
    block: Option<String>,
    /// Number of flows, where it differs from the preset's
    #[arg(long, value_name = "N")]
    flows: Option<usize>,
    /// One Verilog file instead of one a module
    #[arg(long)]
    one_file: bool,
    /// Directory for the files, and for nothing else; it is made if it isn't there, and files of an
    /// earlier run are replaced. From any other one, give a simulator
    /// `-F DIR/files.f` (Verilator, VCS, Questa, Xcelium) or `DIR/*.v` (Icarus, Yosys)
    #[arg(long, short, value_name = "DIR", required_unless_present = "block")]
    out: Option<PathBuf>,
}

/// Emits and writes the design.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    let mut config = config(&arguments.preset)?;
    if let Some(flows) = arguments.flows {
        config.flow_count = flows;
        config.validate().map_err(|e| CliError::Usage(format!("--flows {flows}: {e}")))?;
    }
    let name = arguments.block.as_deref().unwrap_or(arguments.core.block());
    if name == "list" {
        emit::blocks(&config).iter().for_each(|block| println!("{block}"));
        return Ok(());
    }
    let Some(dir) = &arguments.out else {
        return Err(CliError::Usage("emit needs -o DIR for the files".into()));
    };
    let design = emit::by_name(name, &config);
    let mut design = design.map_err(|e| refusal(arguments, name, &config, &e))?;
    if arguments.block.is_none() {
        design.modules.extend(emit::axi_top(&design.top, &design.ports));
    }
    for file in earlier_output(dir)? {
        std::fs::remove_file(&file)
            .map_err(|e| CliError::Usage(format!("-o {}: cannot remove: {e}", file.display())))?;
    }
    let layout = if arguments.one_file { Layout::OneFile } else { Layout::FilePerModule };
    let files = write(&design, &config, dir, layout)
        .map_err(|e| CliError::Usage(format!("{}: cannot write: {e}", dir.display())))?;
    println!(
        "{name}: {} modules in {files} Verilog files, top {} -> {}",
        design.modules.len(),
        design.top,
        dir.display()
    );
    Ok(())
}

/// Why there is no design: wrong arguments, or a mistake of ours.
fn refusal(arguments: &Arguments, name: &str, config: &NicConfig, error: &EmitError) -> CliError {
    if error.findings.iter().all(|f| f.rule != Rule::UnknownBlock) {
        return CliError::failed(error);
    }
    let blocks = emit::blocks(config);
    if arguments.block.is_none() && !blocks.contains(&name) {
        let cores = Core::value_variants().iter().filter(|core| blocks.contains(&core.block()));
        let cores: Vec<String> = cores.map(Core::name).collect();
        let (preset, core, cores) = (config.name, arguments.core.name(), cores.join(" and "));
        return CliError::Usage(format!(
            "--preset {preset} has no core {core}, only {cores}: choose one by --core"
        ));
    }
    let with = |flow_count| NicConfig { flow_count, ..config.clone() };
    let has = |flow_count: &usize| emit::by_name(name, &with(*flow_count)).is_ok();
    let counts: Vec<usize> = (2..=10).map(|log2| 1 << log2).filter(has).collect();
    match arguments.flows {
        Some(flows) if !counts.is_empty() => CliError::Usage(format!(
            "--flows {flows}: preset {} has {name} with {} flows",
            config.name,
            counts.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ")
        )),
        _ => CliError::usage(error),
    }
}

/// The files in `dir`, all of an earlier run; what somebody else keeps there is refused.
fn earlier_output(dir: &Path) -> Result<Vec<PathBuf>, CliError> {
    if !dir.exists() {
        return Ok(vec![]);
    }
    let list = || std::fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect();
    let list: std::io::Result<Vec<PathBuf>> = list();
    let mut files =
        list.map_err(|e| CliError::Usage(format!("-o {}: cannot read: {e}", dir.display())))?;
    files.sort();
    match files.iter().find(|file| !is_emitted(file)) {
        None => Ok(files),
        Some(foreign) => Err(CliError::Usage(format!(
            "-o {}: {} there was not written by `nic emit`: give it a folder of its own",
            dir.display(),
            foreign.file_name().unwrap_or_default().display()
        ))),
    }
}

/// Whether the file says of itself that this verb wrote it; a file list has nothing but Verilog
/// files of its folder.
fn is_emitted(file: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(file) else { return false };
    if file.ends_with("files.f") {
        return text.lines().all(|line| line.ends_with(".v") && !line.contains('/'));
    }
    let marks = ["Generated by `nic emit`", "Made by `nic regmap", "name: rdma-nic:"];
    text.lines().take(4).any(|line| marks.iter().any(|mark| line.contains(mark)))
}

/// Writes all files; the number of Verilog files.
fn write(
    design: &Design,
    config: &NicConfig,
    dir: &Path,
    layout: Layout,
) -> std::io::Result<usize> {
    let files = design.write_dir(dir, layout)?;
    if let Some(map) = Map::of(&design.top, config) {
        std::fs::write(dir.join("registers.md"), regmap::markdown(&map))?;
        std::fs::write(dir.join(format!("{}_regs.h", design.top)), regmap::c_header(&map))?;
        std::fs::write(dir.join(format!("{}.rdl", design.top)), regmap::system_rdl(&map))?;
    }
    Ok(files.len())
}
