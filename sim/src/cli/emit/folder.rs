//! The folder that `nic emit` has for itself: what it wrote there is listed, with a checksum each,
//! and replaced as a whole.

use crate::cli::error::CliError;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The list, as `sha256sum --check` reads it.
const LIST: &str = "emitted.sha256";

/// A folder that holds nothing, or what an earlier run wrote, unchanged.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// What is there; without the list.
    earlier: Vec<String>,
}

impl Folder {
    /// The folder at `path`, which need not be there; nothing in it is touched. The error names the
    /// first file, by name, that an earlier run didn't write or somebody has changed since.
    pub fn open(path: &Path) -> Result<Self, CliError> {
        let refuse = |text: String| CliError::Usage(format!("-o {}: {text}", path.display()));
        let mut names = match fs::read_dir(path) {
            Ok(entries) => names(entries).map_err(|e| refuse(format!("cannot read: {e}")))?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => vec![],
            Err(e) => return Err(refuse(format!("cannot read: {e}"))),
        };
        names.sort();
        let listed = fs::read_to_string(path.join(LIST)).unwrap_or_default();
        let listed: BTreeMap<&str, &str> =
            listed.lines().filter_map(|line| line.split_once("  ")).map(|(s, n)| (n, s)).collect();
        names.retain(|name| name != LIST);
        for name in &names {
            let Some(sum) = listed.get(name.as_str()) else {
                let text = "there was not written by `nic emit`: give it a folder of its own";
                return Err(refuse(format!("{name} {text}")));
            };
            if fs::read(path.join(name)).map_or(true, |bytes| checksum(&bytes) != *sum) {
                let text = "there was changed since `nic emit` wrote it: move it elsewhere first";
                return Err(refuse(format!("{name} {text}")));
            }
        }
        Ok(Self { path: path.into(), earlier: names })
    }

    /// Puts `files`, each with its text, in the place of what is there.
    pub fn replace(&self, files: &[(String, String)]) -> Result<(), CliError> {
        let replace = || {
            fs::create_dir_all(&self.path)?;
            for name in &self.earlier {
                fs::remove_file(self.path.join(name))?;
            }
            let mut list = String::new();
            for (name, text) in files {
                let _ = writeln!(list, "{}  {name}", checksum(text.as_bytes()));
            }
            fs::write(self.path.join(LIST), list)?;
            files.iter().try_for_each(|(name, text)| fs::write(self.path.join(name), text))
        };
        let fail = |e: io::Error| {
            CliError::Usage(format!("-o {}: cannot write: {e}", self.path.display()))
        };
        replace().map_err(fail)
    }
}

fn names(entries: fs::ReadDir) -> io::Result<Vec<String>> {
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// SHA-256 as hexadecimal digits.
fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
