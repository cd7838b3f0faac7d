//! The command line tool `nic`: one verb a module. Errors are one sentence on stderr; the exit
//! code is 0 when all is well, 1 after a mismatch or a failed run, 2 for wrong usage or input.

mod board;
mod cc_error;
mod cc_replay;
mod emit;
mod error;
mod fabric;
mod files;
mod interop;
mod net;
mod preset;
mod progress;
mod rates;
mod regmap;
mod replay;
mod table;
mod verify;

use clap::{Parser, Subcommand};
use error::CliError;
use std::process::ExitCode;

pub use table::Table;
pub use verify::{DEFAULT_CYCLES, DEFAULT_SEEDS};

/// An FPGA RDMA NIC: emits it as Verilog and runs it against its golden model.
#[derive(Debug, Parser)]
#[command(name = "nic", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes the Verilog of a core or block, with file list, FuseSoC core and register map
    Emit(emit::Arguments),
    /// Runs Verilog and golden model in lock-step and compares every output in every cycle
    Verify(verify::Arguments),
    /// Runs an ACK trace through the congestion control unit and compares with the f64 reference
    CcReplay(cc_replay::Arguments),
    /// Runs random ACKs through the congestion control's arithmetic and measures its error
    CcError(cc_error::Arguments),
    /// Plays one side of a captured conversation and compares with the real host
    Replay(replay::Arguments),
    /// Lets two NICs write to each other through a switch
    Net(net::Arguments),
    /// Measures what two NICs carry, cycle by cycle
    Rates(rates::Arguments),
    /// Runs a network of many hosts at event level, with the hardware's congestion control
    Fabric(fabric::Arguments),
    /// Runs a Linux guest with Soft-RoCE as the NIC's peer
    Interop(interop::Arguments),
    /// Talks to the whole NIC on a board at a serial port
    Board(board::Arguments),
    /// Prints the register map as Markdown, C header or SystemRDL
    Regmap(regmap::Arguments),
}

/// Parses the arguments, runs the verb, prints its error.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return parse_failed(&error),
    };
    let result = match &cli.command {
        Command::Emit(arguments) => emit::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::CcReplay(arguments) => cc_replay::run(arguments),
        Command::CcError(arguments) => cc_error::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Net(arguments) => net::run(arguments),
        Command::Rates(arguments) => rates::run(arguments),
        Command::Fabric(arguments) => fabric::run(arguments),
        Command::Interop(arguments) => interop::run(arguments),
        Command::Board(arguments) => board::run(arguments),
        Command::Regmap(arguments) => regmap::run(arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nic: {error}");
            let is_run =
                matches!(cli.command, Command::Replay(_) | Command::Net(_) | Command::Interop(_));
            if is_run && matches!(error, CliError::Failed(_)) {
                eprintln!("  replay: {}", command_line());
            }
            ExitCode::from(match error {
                CliError::Failed(_) => 1,
                CliError::Usage(_) => 2,
            })
        }
    }
}

/// What was asked for, as a shell reads it. Seeds have fixed defaults, so it does the same again.
fn command_line() -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@".contains(c);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words = std::env::args().skip(1).map(quoted);
    std::iter::once("nic".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Help goes out as it is; of an error only its first paragraph, as one line.
fn parse_failed(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        print!("{error}");
        return ExitCode::SUCCESS;
    }
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        eprint!("{error}");
        return ExitCode::from(2);
    }
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or(&text);
    let first: Vec<&str> = first.split_whitespace().collect();
    let first = first.join(" ");
    eprintln!("nic: {} (see --help)", first.strip_prefix("error: ").unwrap_or(&first));
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn arguments_are_well_formed() {
        super::Cli::command().debug_assert();
    }
}
