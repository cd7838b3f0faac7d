//! The command line tool `nic`; see [`nic_sim::cli`].

fn main() -> std::process::ExitCode {
    // `nic ... | head` ends without a word.
    sigpipe::reset();
    nic_sim::cli::main()
}
