//! The board's own tool: writes what its bitstream is made of, and simulates it.

use alchitry_cu::simulated::{self, Faults, SimulatedBoard};
use clap::{Parser, Subcommand};
use nic_emit::Layout;
use std::path::PathBuf;
use std::process::ExitCode;

/// Congestion control on an Alchitry Cu.
#[derive(Debug, Parser)]
#[command(name = "alchitry-cu")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes the Verilog of the top level, and its pins as alchitry_cu.pcf
    Emit {
        /// Folder for the files
        #[arg(long, short, value_name = "DIR")]
        out: PathBuf,
    },
    /// Runs the top level under Verilator and opens a port for `nic cc-replay --engine board`
    Simulate {
        /// Seed of the registers' start values
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

fn emit(out: &std::path::Path) -> Result<(), String> {
    let (design, pins) = alchitry_cu::design().map_err(|e| e.to_string())?;
    let at = |e: std::io::Error| format!("-o {}: cannot write: {e}", out.display());
    design.write_dir(out, Layout::FilePerModule).map_err(at)?;
    std::fs::write(out.join("alchitry_cu.pcf"), pins).map_err(at)?;
    println!("top level {} and its pins -> {}", design.top, out.display());
    Ok(())
}

fn simulate(seed: u64) -> Result<(), String> {
    eprintln!("building the model...");
    let board = SimulatedBoard::new(&simulated::source()?, seed, Faults::default())?;
    println!("the board is at {}; Ctrl-C ends it", board.path());
    let mut told = 0;
    board.run(|board| {
        if board.line.frames_out.len() > told {
            told = board.line.frames_out.len();
            let ms = board.line.cycles / (simulated::PIN_HZ / 1000);
            println!("{ms} ms simulated, {told} answers, LEDs {:08b}", board.led);
        }
        false
    })?;
    Ok(())
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Emit { out } => emit(&out),
        Command::Simulate { seed } => simulate(seed),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("alchitry-cu: {error}");
            ExitCode::FAILURE
        }
    }
}
