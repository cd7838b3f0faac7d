//! Register map pages, and the host side blocks against their golden twins.

use nic_sim::regmap;

fn committed(name: &str) -> String {
    let path = format!("{}/fw/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn csr_pages_are_what_the_spec_says() {
    let advice = "stale: run scripts/regmap";
    assert_eq!(committed("registers.md"), regmap::markdown(), "fw/registers.md {advice}");
    assert_eq!(committed("nic_regs.h"), regmap::c_header(), "fw/nic_regs.h {advice}");
    assert_eq!(committed("nic.rdl"), regmap::system_rdl(), "fw/nic.rdl {advice}");
}
