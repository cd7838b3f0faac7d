//! What can go wrong between Verilog text and a running model.

use std::path::PathBuf;

/// Why a model cannot be built, loaded or run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A tool of the C++ or Verilog tool chain is missing.
    NotInstalled(&'static str),
    /// The program was linked with another Verilator than the one that is installed.
    VersionDiffers {
        /// Version of the runtime inside this program.
        linked: String,
        /// Version that made the model.
        installed: String,
    },
    /// Verilator refused the text; the message starts with file and line where it has them.
    Verilog(String),
    /// g++ refused Verilator's output.
    Compile(String),
    /// A file could not be read or written.
    Io(PathBuf, String),
    /// The model's shared library could not be loaded.
    Load(String),
    /// The Verilog module lacks a port.
    PortMissing {
        /// Module.
        top: String,
        /// Port that the model has.
        port: String,
    },
    /// The Verilog module has a port that the model does not know.
    PortUnknown {
        /// Module.
        top: String,
        /// Port of the Verilog.
        port: String,
        /// Its width.
        bits: usize,
    },
    /// A port is an input on one side and an output on the other.
    PortDirection {
        /// Module.
        top: String,
        /// Port.
        port: String,
    },
    /// A port has another width than the model's.
    PortWidth {
        /// Module.
        top: String,
        /// Port.
        port: String,
        /// Width in the Verilog.
        verilog_bits: usize,
        /// Width (or largest width) in the model.
        model_bits: usize,
    },
    /// The running model raised a fatal error, for example that its logic does not settle.
    Fatal(String),
    /// The running model called `$finish` or `$stop`.
    Finished,
    /// An assertion of the running model failed.
    Assertion,
    /// The model was not built in the flavour that this needs.
    Flavour(&'static str),
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::NotInstalled(tool) => write!(f, "{tool} is not installed: run scripts/setup"),
            Self::VersionDiffers { linked, installed } => write!(
                f,
                "this program holds the runtime of {linked} but {installed} is installed: \
                 run cargo clean -p verilated -p nic-sim and build again"
            ),
            Self::Verilog(message) => write!(f, "Verilog does not compile: {message}"),
            Self::Compile(message) => write!(f, "Verilated C++ does not compile: {message}"),
            Self::Io(path, why) => write!(f, "{}: {why}", path.display()),
            Self::Load(why) => write!(f, "Verilated model cannot be loaded: {why}"),
            Self::PortMissing { top, port } => {
                write!(f, "Verilog module {top} has no port {port}, which the model has")
            }
            Self::PortUnknown { top, port, bits } => write!(
                f,
                "Verilog module {top} has a port {port} of {bits} bits, which the model has not"
            ),
            Self::PortDirection { top, port } => {
                write!(f, "port {port} of Verilog module {top} has the wrong direction")
            }
            Self::PortWidth { top, port, verilog_bits, model_bits } => write!(
                f,
                "port {port} of Verilog module {top} has {verilog_bits} bits, \
                 the model's has {model_bits}"
            ),
            Self::Fatal(message) => write!(f, "Verilated model stopped: {message}"),
            Self::Finished => f.write_str("Verilated model called $finish or $stop"),
            Self::Assertion => f.write_str("an assertion in the Verilog failed"),
            Self::Flavour(needs) => write!(f, "model was not built in the {needs} flavour"),
        }
    }
}

impl core::error::Error for Error {}
