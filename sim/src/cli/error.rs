//! How a verb ends without success.

/// Why a command ends without success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CliError {
    /// The run found a mismatch or failed: exit code 1.
    Failed(String),
    /// Arguments or input files are wrong: exit code 2.
    Usage(String),
}

impl CliError {
    /// Wrong input, said by any error.
    pub fn usage(error: impl core::fmt::Display) -> Self {
        Self::Usage(error.to_string())
    }

    /// A failed run, said by any error.
    pub fn failed(error: impl core::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

impl core::fmt::Display for CliError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Failed(text) | Self::Usage(text) => f.write_str(text),
        }
    }
}

impl core::error::Error for CliError {}
