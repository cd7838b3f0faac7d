//! `nic regmap`: the register map as Markdown, C header or SystemRDL.

use super::CliError;
use crate::regmap;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Format of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Markdown,
    C,
    Systemrdl,
}

/// Arguments of `nic regmap`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Format of the page
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
    /// File to write instead of standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Prints or writes the page.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    let page = match arguments.format {
        Format::Markdown => regmap::markdown(),
        Format::C => regmap::c_header(),
        Format::Systemrdl => regmap::system_rdl(),
    };
    let Some(path) = &arguments.out else {
        print!("{page}");
        return Ok(());
    };
    std::fs::write(path, page)
        .map_err(|e| CliError::Usage(format!("{}: cannot write: {e}", path.display())))
}
