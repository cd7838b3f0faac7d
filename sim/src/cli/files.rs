//! Files that verbs read and write. What a verb will write is looked at before its work begins.

use super::error::CliError;
use serde::de::DeserializeOwned;
use std::fs;
use std::io::{Error, Write};
use std::path::Path;

/// Whether `path`, given by `option`, can be written; leaves it as it is. Without a path nothing is
/// written.
pub fn check_output(option: &str, path: Option<&Path>) -> Result<(), CliError> {
    let Some(path) = path else { return Ok(()) };
    if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        // A pipe or a device.
        return Ok(());
    }
    let is_new = !path.exists();
    let opened = fs::OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|e| cannot_write(option, path, &e))?;
    if is_new {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// Makes the folder `path`, given by `option`, unless it is there.
pub fn make_folder(option: &str, path: Option<&Path>) -> Result<(), CliError> {
    let Some(path) = path else { return Ok(()) };
    let at = path.display();
    fs::create_dir_all(path)
        .map_err(|e| CliError::Usage(format!("{option} {at}: cannot make the folder: {e}")))
}

/// Writes a file that [`check_output`] has looked at.
pub fn write(option: &str, path: &Path, content: impl AsRef<[u8]>) -> Result<(), CliError> {
    let written = fs::File::create(path).and_then(|mut file| file.write_all(content.as_ref()));
    written.map_err(|e| cannot_write(option, path, &e))
}

/// What hinders `option` from writing to `path`.
pub fn cannot_write(option: &str, path: &Path, error: &Error) -> CliError {
    let at = path.display();
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty() && !p.is_dir());
    CliError::Usage(match folder {
        Some(folder) => {
            format!("{option} {at}: there is no folder {}; make it first", folder.display())
        }
        None if path.is_dir() => format!("{option} {at}: is a folder; name a file"),
        None => format!("{option} {at}: cannot write: {error}"),
    })
}

/// Reads a TOML file; the error names file and line.
pub fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T, CliError> {
    let fail = |text: String| CliError::Usage(format!("{}: {text}", path.display()));
    let text = fs::read_to_string(path).map_err(|e| fail(format!("cannot read: {e}")))?;
    toml::from_str(&text).map_err(|e| {
        // A field that is missing outside of all tables is in no line.
        let is_root = |at: usize| at == 0 && !text.starts_with('[');
        let is_absent = |at: usize| is_root(at) && e.message().starts_with("missing field");
        let span = e.span().filter(|span| !is_absent(span.start));
        let line = span.map(|span| 1 + text[..span.start].matches('\n').count());
        let line = line.map_or(String::new(), |line| format!("line {line}: "));
        fail(format!("{line}{}", e.message().lines().collect::<Vec<_>>().join(" ")))
    })
}

/// Parser of an option that takes a number from `min` to `max`.
pub fn number(
    min: f64,
    max: f64,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse::<f64>() {
        Ok(value) if (min..=max).contains(&value) => Ok(value),
        _ => Err(format!("must be a number in {min}..={max}")),
    }
}
