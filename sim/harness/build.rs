//! Compiles the parts of Verilator's runtime that the crate `verilated` leaves out, and our
//! handlers of `$finish`, `$stop` and fatal errors.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/verilator/cpp");
    println!("cargo:rerun-if-env-changed=VERILATOR_ROOT");
    let include = verilator_root().join("include");
    println!("cargo:rerun-if-changed={}", include.join("verilated_config.h").display());

    let mut build = cc::Build::new();
    build.cpp(true).std("gnu++20").opt_level(2).debug(false).warnings(false);
    build.flag("-fcoroutines").flag("-w").include(&include).include(include.join("vltstd"));
    for file in ["verilated_threads.cpp", "verilated_fst_c.cpp", "verilated_timing.cpp"] {
        build.file(include.join(file));
    }
    build.file("src/verilator/cpp/handlers.cpp").cargo_metadata(false).compile("nic_verilated");

    let out_dir = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    println!("cargo:rustc-link-search=native={out_dir}");
    // Models resolve these at load time, so the linker must not drop what Rust does not call.
    println!("cargo:rustc-link-lib=static:+whole-archive=nic_verilated");
    for library in ["z", "stdc++", "pthread"] {
        println!("cargo:rustc-link-lib={library}");
    }
    // What is exported is linked, called or not: the names of Verilator's runtime alone. Packages
    // whose executables load models pass these arguments on.
    let exported = ["_Z*Verilated*", "_Z*VL_*", "_Z*vl_*"];
    let arguments = exported.map(|names| format!("-Wl,--export-dynamic-symbol={names}"));
    arguments.iter().for_each(|argument| println!("cargo:rustc-link-arg={argument}"));
    println!("cargo:link_args={}", arguments.join(" "));
}

fn verilator_root() -> PathBuf {
    let output = Command::new("verilator").args(["--getenv", "VERILATOR_ROOT"]).output();
    let output = output.expect("verilator is not installed: run scripts/setup");
    let root = String::from_utf8(output.stdout).expect("VERILATOR_ROOT is UTF-8");
    PathBuf::from(root.trim())
}
