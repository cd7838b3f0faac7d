//! Lets the binaries, tests and benches of this package load Verilated models, which take Verilator's
//! runtime from the executable. A dependency's build script cannot say this for them.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let arguments = std::env::var("DEP_NIC_VERILATED_LINK_ARGS").expect("nic-harness sets it");
    arguments.split(' ').for_each(|argument| println!("cargo:rustc-link-arg={argument}"));
}
