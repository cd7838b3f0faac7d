//! The commands of docs/first-steps.md run as they stand there, and print what stands behind them.

use super::{hold, root};
use std::process::Command;

const PAGE: &str = "docs/first-steps.md";
/// Fence of commands that the test runs.
const COMMANDS: &str = "```sh\n";
/// Fence of what the commands before it print, where that is the same each time.
const PRINTED: &str = "```text\n";

/// Stands behind a command that must fail.
const FAILS: &str = "# exit 1";

/// What is the same each time: tables without the speeds in their last column.
fn steady(text: &str) -> Vec<&str> {
    let mut timed = false;
    let lines = text.lines().filter(|l| !l.starts_with("---"));
    lines
        .map(|line| {
            timed = line.ends_with("kcycles/s") || (timed && !line.contains(": "));
            match line.rsplit_once(' ') {
                Some((row, _)) if timed => row.trim_end(),
                _ => line,
            }
        })
        .collect()
}

/// Commands, and whether what they print stands behind them.
struct Step {
    commands: String,
    printed: Option<String>,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps = vec![];
    for part in page.split(COMMANDS).skip(1) {
        let (commands, rest) = part.split_once("```\n").expect("a fence ends");
        let next = rest.trim_start();
        let shown = next.strip_prefix(PRINTED).and_then(|t| t.split_once("```\n"));
        let printed = shown.map(|(text, _)| text.to_string());
        steps.push(Step { commands: commands.into(), printed });
    }
    steps
}

#[test]
fn first_steps_can_be_taken() {
    let page = std::fs::read_to_string(root().join(PAGE)).expect("the page is there");
    let steps = steps(&page);
    assert!(steps.len() >= 6, "the page lost its commands");
    for Step { commands, printed } in steps {
        let run = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &commands])
            .current_dir(root())
            .output()
            .expect("bash starts");
        let errors = String::from_utf8_lossy(&run.stderr);
        let wanted = i32::from(commands.contains(FAILS));
        let code = run.status.code();
        assert_eq!(code, Some(wanted), "{PAGE}: exit code of\n{commands}{errors}");
        let text = String::from_utf8(run.stdout).expect("commands print UTF-8");
        if printed.is_some_and(|shown| steady(&shown) != steady(&text)) {
            let from = [COMMANDS, &commands, "```\n\n", PRINTED].concat();
            hold(PAGE, &from, "```", &text);
        }
    }
}
