//! What the pages show of a command is what it prints. With `UPDATE_PAGES=1` the pages are written, not
//! compared.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Standard output of `nic`, run in a folder of the tests.
fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_nic"))
        .args(arguments)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("nic starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "nic {}: {errors}", arguments.join(" "));
    String::from_utf8(output.stdout).expect("nic prints UTF-8")
}

/// Between the first `from` of a page and the next `to` stands `printed`.
fn hold(page: &str, from: &str, to: &str, printed: &str) {
    let path = root().join(page);
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = text.split_once(from).expect("the page has a place for it");
    let (shown, after) = rest.split_once(to).expect("which ends");
    if std::env::var_os("UPDATE_PAGES").is_some() {
        let text = [before, from, printed, to, after].concat();
        std::fs::write(&path, text).expect("the page is writable");
        return;
    }
    let advice = format!("{page} is stale: run UPDATE_PAGES=1 cargo test -p nic-sim --test pages");
    assert!(shown == printed, "{advice}; printed:\n{printed}");
}

/// Ten million ACKs, each within its bounds.
#[test]
fn number_formats_shows_what_cc_error_prints() {
    let from = "random U from 2^-16 to the largest):\n\n```\n";
    hold("hdl/number-formats.md", from, "```", &printed(&["cc-error"]));
}

/// What `scripts/run` prints. One test: two would write the page at once.
#[test]
fn readme_shows_what_run_prints() {
    let data = root().join("tests/data");
    let path = |name: String| data.join(name).to_string_lossy().into_owned();
    let emit = printed(&["emit", "--preset", "gbe", "-o", "build/verilog"]);
    hold("README.md", "== Verilog of the gbe NIC\n", "\n== captures", &emit);

    let roles = std::fs::read_to_string(data.join("rxe/roles.txt")).expect("roles");
    let mut rows = String::new();
    for role in ["responder", "requester"] {
        for capture in roles.lines().filter_map(|l| l.strip_prefix(role)?.split(' ').nth(1)) {
            let file = path(format!("rxe/{capture}.pcap"));
            let text = printed(&["replay", &file, "--role", role, "--engine", "both"]);
            let last = text.lines().last().expect("a line");
            rows += &format!("{capture:<21} as {role:<9}  {last}\n");
        }
    }
    let from = "Verilog and golden model in lock-step\n";
    hold("README.md", from, "\n== two NICs", &rows);

    let net = ["net", &path("two_nics.toml".into()), "--engine", "both"];
    let from = "== two NICs, a switch that stamps telemetry and loses packets\n";
    hold("README.md", from, "```", &printed(&net));
}
