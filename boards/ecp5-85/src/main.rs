//! The board's own tool: writes what its bitstream is made of, and simulates it.

use board_common::simulated::{Simulated, Terminal};
use clap::{Parser, Subcommand};
use ecpix5::simulated::{self, Faults, SimulatedBoard};
use ecpix5::CORE_HZ;
use nic_emit::Layout;
use std::path::PathBuf;
use std::process::ExitCode;

/// The NIC on an ECPIX-5.
#[derive(Debug, Parser)]
#[command(name = "ecpix5")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes the Verilog of what stands behind the pins
    Emit {
        /// Folder for the files
        #[arg(long, short, value_name = "DIR")]
        out: PathBuf,
    },
    /// Runs the top level under Verilator, opens a port for `nic board`, and gives each frame back
    /// with the addresses swapped, so that the NIC is its own peer
    Simulate {
        /// Seed of the registers' start values
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

fn emit(out: &std::path::Path) -> Result<(), String> {
    let design = ecpix5::design().map_err(|e| e.to_string())?;
    let at = |e: std::io::Error| format!("-o {}: cannot write: {e}", out.display());
    let files = design.write_dir(out, Layout::FilePerModule).map_err(at)?;
    println!("{} modules, top {} -> {}", files.len(), design.top, out.display());
    Ok(())
}

fn simulate(seed: u64) -> Result<(), String> {
    eprintln!("building the model...");
    let source = simulated::source()?;
    let peer = Some(simulated::turn_back as simulated::Peer);
    let mut board = SimulatedBoard::new(&source, seed, Faults::default(), peer)?;
    let terminal = Terminal::open()?;
    println!("the board is at {}; Ctrl-C ends it", terminal.path());
    let mut told = 0;
    terminal.run(&mut board, |board| {
        let line = board.line();
        if line.frames_out.len() > told {
            told = line.frames_out.len();
            let ms = line.cycles / (CORE_HZ / 1000);
            println!("{ms} ms simulated, {told} answers, LEDs {:03b}", board.led);
        }
        false
    })
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Emit { out } => emit(&out),
        Command::Simulate { seed } => simulate(seed),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ecpix5: {error}");
            ExitCode::FAILURE
        }
    }
}
