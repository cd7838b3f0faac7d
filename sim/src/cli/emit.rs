//! `nic emit`: the Verilog of a core or a block, with file list, FuseSoC core and register map.

mod folder;
mod package;

use self::folder::Folder;
use super::error::CliError;
use super::preset::config;
use crate::regmap::{self, Map};
use clap::{Args, ValueEnum};
use nic_hdl::emit::{self, file_list, Design, EmitError, Layout, Rule};
use nic_spec::config::NicConfig;
use std::path::PathBuf;

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
    /// What each module's name begins with, so that several cores fit in one project; a name that
    /// begins so already stays [default: the name of the core or block]
    #[arg(long, value_name = "NAME", value_parser = identifier)]
    prefix: Option<String>,
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
    let design = emit::by_name(name, &config).map_err(|e| refusal(arguments, name, &config, &e))?;
    let folder = Folder::open(dir)?;
    let design = design.with_prefix(&prefix(arguments));
    let layout = if arguments.one_file { Layout::OneFile } else { Layout::FilePerModule };
    let verilog = design.files(layout);
    let files = [verilog.clone(), beside(name, &design, &config, &verilog)].concat();
    folder.replace(&files)?;
    println!(
        "{name}: {} modules in {} Verilog files, top {} -> {}",
        design.modules.len(),
        verilog.len(),
        design.top,
        dir.display()
    );
    Ok(())
}

/// What the names of the modules begin with.
fn prefix(arguments: &Arguments) -> String {
    let own = || arguments.block.clone().unwrap_or_else(|| arguments.core.name());
    arguments.prefix.clone().unwrap_or_else(own)
}

/// A name in Verilog that other tools take too.
fn identifier(text: &str) -> Result<String, String> {
    let is_rest = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_rest) {
        true => Ok(text.into()),
        false => Err("must be a letter, then letters, digits and _".into()),
    }
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

/// What stands beside the Verilog: name and text of each file.
fn beside(
    block: &str,
    design: &Design,
    config: &NicConfig,
    verilog: &[(String, String)],
) -> Vec<(String, String)> {
    let mut files = vec![("files.f".into(), file_list(verilog))];
    // A second top, which is in no list: a tool that is given both asks which.
    files.extend(design.axi_top());
    if let Some(map) = Map::of(block, config) {
        files.push(("registers.md".into(), regmap::markdown(&map)));
        files.push((format!("{block}_regs.h"), regmap::c_header(&map)));
        files.push((format!("{block}.rdl"), regmap::system_rdl(&map)));
    }
    files.extend(package::files(block, design, verilog));
    files
}
