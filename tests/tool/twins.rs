//! A block's header names its twin and its tests, a twin names its block: files that exist.

use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// In the header of a block.
const TWINS: &str = "//! # Twins";

/// All Rust files below `folder`.
fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Path and text of the Rust files below `folder`.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    rust_files(&Path::new(ROOT).join(folder), &mut paths);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text file");
        (path.display().to_string(), text)
    };
    paths.into_iter().map(read).collect()
}

/// The files that `text` names.
fn named(text: &str) -> Vec<&str> {
    let is_of_path = |c: char| c.is_ascii_alphanumeric() || "_./".contains(c);
    text.split(|c| !is_of_path(c)).filter(|word| word.ends_with(".rs")).collect()
}

/// What a block's header says of its twins, the lines that go on with it included.
fn twins(header: &str) -> Option<String> {
    let mut lines = header.lines().skip_while(|line| !line.starts_with(TWINS));
    let first = lines.next()?;
    let more = lines.take_while(|line| line.starts_with(&format!("//!{}", " ".repeat(10))));
    Some(std::iter::once(first).chain(more).collect::<Vec<_>>().join("\n"))
}

/// The first paragraph of a file's header.
fn first_paragraph(text: &str) -> String {
    text.lines().take_while(|line| line.starts_with("//! ")).collect::<Vec<_>>().join("\n")
}

fn missing(texts: &[(String, String)]) -> Vec<String> {
    let of = |(file, text): &(String, String)| -> Vec<String> {
        let lost = named(text).into_iter().filter(|name| !Path::new(ROOT).join(name).is_file());
        lost.map(|name| format!("{file} names {name}, which isn't there")).collect()
    };
    texts.iter().flat_map(of).collect()
}

#[test]
fn twins_of_blocks_exist() {
    let blocks = sources("hdl/src").into_iter();
    let texts: Vec<_> = blocks.filter_map(|(file, text)| Some((file, twins(&text)?))).collect();
    assert!(texts.len() > 150, "{} blocks name their twins", texts.len());
    assert_eq!(missing(&texts), [""; 0]);
}

#[test]
fn twins_name_blocks_that_exist() {
    let models = sources("sim/models/src/golden").into_iter();
    let texts: Vec<_> = models.map(|(file, text)| (file, first_paragraph(&text))).collect();
    let is_mute = |(_, text): &&(String, String)| {
        text.starts_with("//! Twin of `") && !text.contains("`hdl/src/")
    };
    let mute: Vec<_> = texts.iter().filter(is_mute).map(|(file, _)| file).collect();
    assert_eq!(mute, [""; 0], "these name their block without its path");
    assert_eq!(missing(&texts), [""; 0]);
}

#[test]
fn twins_that_are_not_there_are_found() {
    let header = "//! A block.\n//!\n//! # Twins             sim/models/src/golden/nic.rs,\n\
                  //!                     tests/system/nowhere.rs\n\nuse x;\n";
    let text = ("a".to_string(), twins(header).expect("it has the line"));
    assert_eq!(missing(&[text]), ["a names tests/system/nowhere.rs, which isn't there"]);
}
