//! `nic emit` has its folder for itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emit").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

fn emit(arguments: &[&str], out: &Path) -> Output {
    let nic = Path::new(env!("CARGO_BIN_EXE_nic"));
    Command::new(nic).arg("emit").args(arguments).arg("-o").arg(out).output().expect("nic starts")
}

/// Names of the files, sorted.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("it is there");
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.map(|entry| name(entry.expect("a file"))).collect();
    names.sort();
    names
}

#[test]
fn emit_replaces_what_it_wrote_before() {
    let out = folder("again");
    assert!(emit(&["--core", "cc"], &out).status.success());
    assert!(files(&out).contains(&"registers.md".into()), "{:?}", files(&out));
    assert!(emit(&["--block", "frame_fifo"], &out).status.success());
    assert_eq!(files(&out), ["files.f", "frame_fifo.core", "frame_fifo.v", "ram.v"]);
    assert!(emit(&["--block", "frame_fifo", "--one-file"], &out).status.success());
    assert_eq!(files(&out), ["files.f", "frame_fifo.core", "frame_fifo.v"]);
}

#[test]
fn emit_refuses_a_folder_with_other_files() {
    let foreign =
        [("mine.v", "module mine; endmodule\n"), ("files.f", "../mine.v\n"), ("notes", "\n")];
    for (name, text) in foreign {
        let out = folder(name);
        assert!(emit(&["--block", "frame_fifo"], &out).status.success());
        std::fs::write(out.join(name), text).expect("the folder can be written");
        let before = files(&out);
        let output = emit(&["--block", "skid"], &out);
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains(&format!(": {name} there was not written")), "{error}");
        assert_eq!(files(&out), before, "nothing was touched");
    }
}

#[test]
fn emit_says_which_blocks_there_are() {
    let output = emit(&["--block", "none"], &folder("none"));
    let error = String::from_utf8(output.stderr).expect("text");
    assert!(error.contains("no such block; blocks are ") && !error.contains('['), "{error}");
}
