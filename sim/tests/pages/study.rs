//! The sketches of docs/study.md are clean, and pass their benches.

use super::root;
use std::path::Path;
use std::process::Command;

/// What a tool prints; it must end well.
fn output(program: &str, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|e| panic!("{program}: {e}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{program} {arguments:?}:\n{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

#[test]
fn study_sketches_pass_their_benches() {
    let folder = root().join("docs/study");
    for (name, lines) in [("pfc", 1), ("dcqcn", 11)] {
        let [file, bench] = [format!("{name}.v"), format!("{name}_tb.v")];
        output("verilator", &["--lint-only", "-Wall", &file], &folder);
        let simulation = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.vvp"));
        let simulation = simulation.display().to_string();
        output("iverilog", &["-g2012", "-o", &simulation, &file, &bench], &folder);
        let text = output("vvp", &["-n", &simulation], &folder);
        assert_eq!(text.lines().filter(|line| !line.is_empty()).count(), lines, "{text}");
    }
}
