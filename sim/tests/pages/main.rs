//! The pages say what is so: what they show of a command is what it prints, their tables of blocks,
//! ports and streams are the hardware's, their links and file names lead somewhere, and the first
//! steps can be taken. With `UPDATE_PAGES=1` pages are written, not compared.

mod blocks;
mod first_steps;
mod links;
mod study;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("it is there")
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

/// Serialises the tests that may write pages: several write the same one.
static WRITING: Mutex<()> = Mutex::new(());

/// Between the first `from` of a page and the next `to` stands `printed`.
fn hold(page: &str, from: &str, to: &str, printed: &str) {
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = root().join(page);
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let place = || panic!("{page} has no place between {from:?} and {to:?}");
    let (before, rest) = text.split_once(from).unwrap_or_else(place);
    let (shown, after) = rest.split_once(to).unwrap_or_else(place);
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

/// Each line of `shown` stands in `whole`, in the same order.
fn is_excerpt(page: &str, shown: &str, whole: &str) {
    let mut lines = whole.lines();
    for line in shown.lines() {
        let is_there = lines.any(|l| l == line);
        assert!(is_there, "{page}: this line is not (or not here) in\n{whole}\n{line}");
    }
}

/// The block on the page of the hardware is a real one, shortened.
#[test]
fn hardware_page_shows_a_block() {
    let read = |page: &str| std::fs::read_to_string(root().join(page)).expect("it is there");
    let (page, block) = (read("hdl/README.md"), read("hdl/src/util/mul_serial.rs"));
    let (_, shown) = page.split_once("```rust\n").expect("hdl/README.md shows a block");
    let (shown, _) = shown.split_once("```").expect("which ends");
    assert!(shown.lines().count() > 20, "hdl/README.md: the block is gone");
    is_excerpt("hdl/README.md", shown, &block);
}

/// What `scripts/run` prints: each line of the README's excerpt, in this order.
#[test]
fn readme_shows_what_run_prints() {
    let data = root().join("tests/data");
    let path = |name: String| data.join(name).to_string_lossy().into_owned();
    let mut all = String::from("== Verilog of the gbe NIC\n");
    all += &printed(&["emit", "--preset", "gbe", "-o", "build/verilog"]);

    all += "== captures of Linux rxe traffic, Verilog and golden model in lock-step\n";
    let roles = std::fs::read_to_string(data.join("rxe/roles.txt")).expect("roles");
    for role in ["responder", "requester"] {
        for capture in roles.lines().filter_map(|l| l.strip_prefix(role)?.split(' ').nth(1)) {
            let file = path(format!("rxe/{capture}.pcap"));
            let text = printed(&["replay", &file, "--role", role, "--engine", "both"]);
            let last = text.lines().last().expect("a line");
            all += &format!("{capture:<21} as {role:<9}  {last}\n");
        }
    }
    all += "== two NICs, a switch that stamps telemetry and loses packets\n";
    all += &printed(&["net", &path("two_nics.toml".into()), "--engine", "both"]);

    let page = std::fs::read_to_string(root().join("README.md")).expect("the page is there");
    let (_, excerpt) = page.split_once("```\n== Verilog").expect("README.md has the excerpt");
    let (excerpt, _) = excerpt.split_once("```").expect("which ends");
    let shown = format!("== Verilog{excerpt}");
    assert!(shown.lines().count() >= 10, "README.md: the excerpt is gone");
    let shown: Vec<&str> = shown.lines().filter(|l| *l != "...").collect();
    is_excerpt("README.md", &shown.join("\n"), &all);
}
