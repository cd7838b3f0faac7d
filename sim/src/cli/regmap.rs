//! `nic regmap`: the register map as Markdown, C header or SystemRDL.

use super::error::CliError;
use super::files;
use super::preset::config;
use crate::regmap::{self, Map};
use clap::{Args, ValueEnum};
use nic_hdl::emit;
use std::path::PathBuf;

/// Format of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Markdown,
    C,
    Systemrdl,
}

/// Core that has registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Core {
    /// The whole NIC
    Nic,
    /// The congestion control unit as a core of its own
    #[value(name = "cc_core")]
    Cc,
    /// The scheduler as a core of its own
    #[value(name = "sched_core")]
    Sched,
}

impl Core {
    /// Its block in the emitter's catalogue.
    fn block(self) -> &'static str {
        match self {
            Self::Nic => "nic",
            Self::Cc => "cc_core",
            Self::Sched => "sched_core",
        }
    }
}

/// Arguments of `nic regmap`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Configuration whose sizes and values are shown
    #[arg(long, default_value = "gbe")]
    preset: String,
    /// Core whose registers are shown
    #[arg(long, value_enum, default_value_t = Core::Nic)]
    core: Core,
    /// Format of the page
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
    /// File to write instead of standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Prints or writes the page.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    let config = config(&arguments.preset)?;
    let core = arguments.core.block();
    let has = |core: &str| emit::blocks(&config).contains(&core);
    let Some(map) = Map::of(core, &config).filter(|_| has(core)) else {
        let cores = Core::value_variants().iter().map(|core| core.block());
        let cores: Vec<&str> = cores.filter(|core| has(core)).collect();
        let (preset, cores) = (&arguments.preset, cores.join(" "));
        return Err(CliError::Usage(format!("--preset {preset} has no {core}; it has {cores}")));
    };
    let page = match arguments.format {
        Format::Markdown => regmap::markdown(&map),
        Format::C => regmap::c_header(&map),
        Format::Systemrdl => regmap::system_rdl(&map),
    };
    let Some(path) = &arguments.out else {
        print!("{page}");
        return Ok(());
    };
    files::write("--out", path, page)
}
