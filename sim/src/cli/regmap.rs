//! `nic regmap`: the register map as Markdown, C header or SystemRDL.

use super::{files, CliError};
use crate::regmap::{self, Map};
use clap::{Args, ValueEnum};
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

/// Arguments of `nic regmap`.
#[derive(Debug, Args)]
pub struct Arguments {
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
    let map = match arguments.core {
        Core::Nic => Map::nic(),
        Core::Cc => Map::cc_core(),
        Core::Sched => Map::sched_core(),
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
