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
const PROJECT: [(&[&str], &str); 11] = [
    (&["--core", "nic"], "nic"),
    (&["--core", "cc"], "cc_core"),
    (&["--core", "sched"], "sched_core"),
    (&["--core", "rx"], "rx_pipe"),
    (&["--core", "tx"], "tx_pipe"),
    (&["--core", "cc", "--preset", "cu", "--prefix", "cu"], "cu_cc_core"),
    (&["--core", "cc", "--preset", "hundred", "--prefix", "wide"], "wide_cc_core"),
    (&["--core", "sched", "--preset", "hundred", "--prefix", "fast"], "fast_sched_core"),
    (&["--core", "nic", "--preset", "hundred", "--prefix", "fast_nic"], "fast_nic_nic"),
    (&["--core", "rx", "--preset", "hundred", "--prefix", "fast_rx"], "fast_rx_rx_pipe"),
    (&["--core", "tx", "--preset", "hundred", "--prefix", "fast_tx"], "fast_tx_tx_pipe"),
];

/// What Verilator, iverilog and yosys say of all Verilog in the folders under `project`, whose top
/// has an instance of each of `tops`; with the names of those that refuse it.
fn together(project: &Path, tops: &[&str]) -> Vec<(&'static str, String)> {
    let instance = |top: &&str| format!("    {top} the_{top} ();\n");
    let instances: String = tops.iter().map(instance).collect();
    let text = format!("module project;\n{instances}endmodule\n");
    std::fs::write(project.join("project.v"), text).expect("the folder can be written");
    let commands = [
        (
            "verilator",
            "verilator --lint-only -Wall -Wno-PINMISSING --top-module project project.v */*.v",
        ),
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

/// Runs the bench that was emitted beside a core, for five minutes at most (one that never settles
/// has no end); what it prints, and whether it passed.
fn bench(rtl: &Path, top: &str) -> (bool, String) {
    let command =
        format!("iverilog -g2012 -s {top}_tb -o tb *.v {top}_tb.sv && timeout 300 vvp -n tb");
    let output = Command::new("sh").args(["-c", &command]).current_dir(rtl).output();
    let output = output.expect("sh runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let passed = text.lines().any(|line| line == "PASS");
    assert_eq!(output.status.success(), passed, "{top}: {text}");
    (passed, text)
}

#[test]
fn emitted_benches_pass() {
    for (arguments, top) in PROJECT {
        let rtl = folder(&format!("bench_{top}"));
        emitted(arguments, &rtl);
        let (passed, text) = bench(&rtl, top);
        assert!(passed, "{top}: {text}");
    }
}

#[test]
fn emitted_benches_find_faults() {
    let faults = [
        ("nic", "nic", "id = 32'h524e_4943", "id = 32'h0"),
        ("nic", "nic", "rotated_strobe_next = all_lanes", "rotated_strobe_next = 8'h7f"),
        ("cc", "cc_core", "is_bad = judged && (|records_bad)", "is_bad = 1'b1"),
        ("sched", "sched_core", "sum_4 <= credit_3 + gain", "sum_4 <= credit_3 - gain"),
        ("rx", "rx_pipe", "ok = crc_m_crc == wanted", "ok = 1'b1"),
        ("tx", "tx_pipe", "bth_bits | congestion", "bth_bits"),
    ];
    for (core, top, from, to) in faults {
        let rtl = folder(&format!("fault_{core}"));
        emitted(&["--core", core], &rtl);
        let mut found = 0;
        for name in files(&rtl).iter().filter(|name| name.ends_with(".v")) {
            let text = std::fs::read_to_string(rtl.join(name)).expect("it was written");
            found += text.matches(from).count();
            std::fs::write(rtl.join(name), text.replace(from, to)).expect("it can be written");
        }
        assert_eq!(found, 1, "{core}: {from}");
        let (passed, text) = bench(&rtl, top);
        assert!(!passed, "{core} with {to}: {text}");
    }
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

/// What the Tcl of `package_ip.tcl` calls, as far as it goes without Vivado: files must be there,
/// ports must be the top's, and no other command may be called.
const VIVADO: &str = r#"
proc say {args} { puts "CALL $args" }
foreach name {create_project set_property update_compile_order ipx::package_project
        ipx::associate_bus_interfaces ipx::create_xgui_files ipx::update_checksums
        ipx::check_integrity ipx::save_core close_project} {
    namespace eval [namespace qualifiers ::$name] {}
    proc ::$name {args} "say $name {*}\$args"
}
proc add_files {option file} {
    if {![file isfile $file]} { error "no file $file" }
    say add_files [file tail $file]
}
proc current_fileset {} { return sources_1 }
proc get_property {name object} { return $object }
proc ipx::current_core {} { return core }
proc ipx::infer_bus_interface {port kind core} {
    if {$port ni $::ports} { error "no port $port" }
    say ipx::infer_bus_interface $port $kind
}
proc ipx::get_bus_interfaces {args} {
    return [expr {[lindex $args 0] eq "-of_objects" ? "s_axil m_axis clock reset" : [lindex $args 0]}]
}
proc ipx::add_bus_parameter {name bus} { return $bus.$name }
"#;

/// Runs `package_ip.tcl` on these stand-ins, in the Tcl of yosys; whether it ends, what it calls.
fn package_ip(rtl: &Path, ports: &[&str]) -> (bool, String) {
    let script = rtl.parent().expect("a folder").join("vivado.tcl");
    let source = rtl.join("package_ip.tcl").display().to_string();
    let text = format!("set ports {{{}}}\n{VIVADO}\nsource {{{source}}}\n", ports.join(" "));
    std::fs::write(&script, text).expect("it can be written");
    let output = Command::new("yosys").args(["-q", "-c"]).arg(&script).output();
    let output = output.expect("yosys runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// What the script calls.
fn calls(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("CALL ")).collect()
}

/// The files that it adds.
fn added(text: &str) -> Vec<&str> {
    calls(text).into_iter().filter_map(|call| call.strip_prefix("add_files ")).collect()
}

#[test]
fn emitted_script_for_vivado_packages_the_thin_top() {
    let out = folder("vivado");
    let rtl = out.join("rtl");
    emitted(&["--core", "cc"], &rtl);
    let (ends, text) = package_ip(&rtl, &[]);
    assert!(ends, "{text}");
    let list =
        std::fs::read_to_string(rtl.join("files.f")).expect("it was written") + "cc_core_axi.v";
    assert_eq!(added(&text), list.lines().collect::<Vec<_>>());
    let calls = calls(&text);
    for call in [
        "set_property top cc_core_axi sources_1",
        "set_property name cc_core core",
        "ipx::save_core core",
    ] {
        assert!(calls.contains(&call), "{call}: {text}");
    }
    assert!(!text.contains("infer_bus_interface"), "the attributes do: {text}");
    // The stand-ins refuse what is wrong.
    for name in ["cc_wind.v", "cc_core_axi.v"] {
        std::fs::rename(rtl.join(name), out.join(name)).expect("it is there");
        let (ends, text) = package_ip(&rtl, &[]);
        assert!(!ends && text.contains(name), "{text}");
        std::fs::rename(out.join(name), rtl.join(name)).expect("it is there");
    }
}

/// What has no registers has no thin top.
#[test]
fn emitted_script_for_vivado_packages_a_plain_top() {
    let out = folder("vivado_plain");
    let rtl = out.join("rtl");
    emitted(FIFO, &rtl);
    let (ends, text) = package_ip(&rtl, &["clock", "reset"]);
    assert!(ends, "{text}");
    assert_eq!(added(&text), ["frame_fifo_ram.v", "frame_fifo.v"]);
    let calls = calls(&text);
    for call in [
        "set_property top frame_fifo sources_1",
        "set_property value ACTIVE_HIGH reset.POLARITY",
        "ipx::associate_bus_interfaces -busif s_axil -clock clock core",
        "ipx::associate_bus_interfaces -busif m_axis -clock clock core",
    ] {
        assert!(calls.contains(&call), "{call}: {text}");
    }
    let (ends, text) = package_ip(&rtl, &["aclk"]);
    assert!(!ends && text.contains("no port clock"), "{text}");
}

#[test]
fn emit_says_which_blocks_there_are() {
    let output = emit(&["--block", "none"], &folder("none"));
    let error = String::from_utf8(output.stderr).expect("text");
    assert!(error.contains("no such block; blocks are ") && !error.contains('['), "{error}");
}
