//! What `nic emit` writes: names that fit beside other cores, in a folder that it has for itself.

use nic_hdl::emit::Layout;
use nic_spec::config::NicConfig;
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

/// Emits where it must work.
fn emitted(arguments: &[&str], out: &Path) {
    let output = emit(arguments, out);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Emits where it must be refused; the sentence.
fn refused(arguments: &[&str], out: &Path) -> String {
    let output = emit(arguments, out);
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

const FIFO: &[&str] = &["--block", "frame_fifo"];
const FIFO_FILES: [&str; 6] = [
    "emitted.sha256",
    "files.f",
    "frame_fifo.core",
    "frame_fifo.v",
    "frame_fifo_ram.v",
    "package_ip.tcl",
];

#[test]
fn emit_replaces_what_it_wrote_before() {
    let out = folder("again");
    emitted(&["--core", "cc"], &out);
    assert!(files(&out).contains(&"registers.md".into()), "{:?}", files(&out));
    emitted(FIFO, &out);
    assert_eq!(files(&out), FIFO_FILES);
    emitted(&[FIFO, &["--one-file"]].concat(), &out);
    let one_file = FIFO_FILES.into_iter().filter(|name| *name != "frame_fifo_ram.v");
    assert_eq!(files(&out), one_file.collect::<Vec<_>>());
    // What somebody took away is no hindrance.
    std::fs::remove_file(out.join("frame_fifo.v")).expect("it is there");
    emitted(FIFO, &out);
    assert_eq!(files(&out), FIFO_FILES);
}

#[test]
fn emit_refuses_a_folder_with_other_files() {
    // As emitted files look, or with the name of one.
    let fifo_text = |out: &Path| std::fs::read_to_string(out.join("frame_fifo.v")).expect("text");
    let foreign = ["a_copy.v", "files.v", "notes", "zz.core"];
    for name in foreign {
        for one_file in [&[][..], &["--one-file"]] {
            let out = folder(name);
            emitted(FIFO, &out);
            std::fs::write(out.join(name), fifo_text(&out)).expect("the folder can be written");
            // Of two it names the first.
            std::fs::write(out.join("zzz"), "").expect("the folder can be written");
            let before = contents(&out);
            let error = refused(&[&["--block", "skid"], one_file].concat(), &out);
            assert!(error.contains(&format!(": {name} there was not written by")), "{error}");
            assert_eq!(contents(&out), before, "nothing was touched");
        }
    }
    let out = folder("nested");
    std::fs::create_dir(out.join("rtl")).expect("the folder can be written");
    let error = refused(FIFO, &out);
    assert!(error.contains(": rtl there was not written by"), "{error}");
    assert_eq!(files(&out), ["rtl"]);
}

#[test]
fn emit_refuses_a_folder_whose_files_were_changed() {
    for name in FIFO_FILES.into_iter().filter(|name| *name != "emitted.sha256") {
        let out = folder(&format!("changed_{name}"));
        emitted(FIFO, &out);
        let text = std::fs::read_to_string(out.join(name)).expect("it was written");
        std::fs::write(out.join(name), text + "\n").expect("the folder can be written");
        let before = contents(&out);
        let error = refused(&["--block", "skid"], &out);
        assert!(error.contains(&format!(": {name} there was changed since")), "{error}");
        assert_eq!(contents(&out), before, "nothing was touched");
    }
}

/// Names and bytes of the files, sorted.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |name: &String| std::fs::read(folder.join(name)).expect("it can be read");
    files(folder).iter().map(|name| (name.clone(), read(name))).collect()
}

/// Core, preset and prefix of the cores of one project, and their top modules.
const PROJECT: [(&[&str], &str); 8] = [
    (&["--core", "nic"], "nic"),
    (&["--core", "cc"], "cc_core"),
    (&["--core", "sched"], "sched_core"),
    (&["--core", "rx"], "rx_pipe"),
    (&["--core", "tx"], "tx_pipe"),
    (&["--core", "cc", "--preset", "cu", "--prefix", "cu"], "cu_cc_core"),
    (&["--core", "cc", "--preset", "hundred", "--prefix", "wide"], "wide_cc_core"),
    (&["--core", "sched", "--preset", "hundred", "--prefix", "fast"], "fast_sched_core"),
];

/// What Verilator, iverilog and yosys say of all Verilog in the folders under `project`, whose top
/// has an instance of each of `tops`; with the names of those that refuse it.
fn together(project: &Path, tops: &[&str]) -> Vec<(&'static str, String)> {
    let instance = |top: &&str| format!("    {top} the_{top} ();\n");
    let instances: String = tops.iter().map(instance).collect();
    let text = format!("module project;\n{instances}endmodule\n");
    std::fs::write(project.join("project.v"), text).expect("the folder can be written");
    let commands = [
        ("verilator", "verilator --lint-only -Wall -Wno-PINMISSING project.v */*.v"),
        ("iverilog", "iverilog -g2005 -t null -s project project.v */*.v"),
        ("yosys", "yosys -q -p 'read_verilog project.v */*.v; hierarchy -check -top project'"),
    ];
    let refuses = |(tool, command): (&'static str, &str)| {
        let output = Command::new("sh").args(["-c", command]).current_dir(project).output();
        let output = output.expect("sh runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (!output.status.success()).then_some((tool, text))
    };
    commands.into_iter().filter_map(refuses).collect()
}

#[test]
fn emitted_cores_compile_in_one_project() {
    let project = folder("project");
    for (arguments, top) in PROJECT {
        emitted(arguments, &project.join(top));
    }
    assert_eq!(together(&project, &PROJECT.map(|(_, top)| top)), []);
}

/// The check above can fail: two cores without a prefix both have the module `axil_port`.
#[test]
fn cores_without_a_prefix_do_not_compile_in_one_project() {
    let project = folder("no_prefix");
    let config = NicConfig::preset("gbe").expect("it is a preset");
    for core in ["cc_core", "sched_core"] {
        let design = nic_hdl::emit::by_name(core, &config).unwrap_or_else(|e| panic!("{e}"));
        let written = design.write_dir(&project.join(core), Layout::FilePerModule);
        written.expect("the folder can be written");
    }
    let refusals = together(&project, &["cc_core", "sched_core"]);
    assert_eq!(refusals.len(), 3, "{refusals:?}");
    assert!(refusals.iter().all(|(_, text)| text.contains("axil_port")), "{refusals:?}");
}

/// The names are those of every module, and a prefix that no tool takes is refused.
#[test]
fn emit_names_modules_after_a_prefix() {
    let out = folder("prefix");
    emitted(&["--core", "sched", "--flows", "4", "--prefix", "mine"], &out);
    let names = files(&out);
    let verilog: Vec<&String> = names.iter().filter(|name| name.ends_with(".v")).collect();
    assert!(verilog.len() > 20 && verilog.iter().all(|name| name.starts_with("mine_")));
    for name in verilog {
        let text = std::fs::read_to_string(out.join(name)).expect("it was written");
        let module = name.trim_end_matches(".v");
        assert!(text.contains(&format!("\nmodule {module} ")), "{name}: {text}");
        assert_eq!(text.matches("\nmodule ").count(), 1, "{name}");
    }
    for prefix in ["", "1st", "a-b", "_x", "ü"] {
        let error = refused(&["--core", "sched", "--prefix", prefix], &out);
        assert!(error.contains("--prefix"), "{error}");
    }
}

#[test]
fn emit_says_which_blocks_there_are() {
    let output = emit(&["--block", "none"], &folder("none"));
    let error = String::from_utf8(output.stderr).expect("text");
    assert!(error.contains("no such block; blocks are ") && !error.contains('['), "{error}");
}
