//! The command line tool `nic`; see [`nic_sim::cli`].

fn main() -> std::process::ExitCode {
    nic_sim::cli::main()
}
