//! Links of the pages, and the files that they name.

use super::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Top folders that hold nothing of the project's own.
const LEFT_OUT: [&str; 3] = ["target", "build", ".git"];
/// A back-ticked word with one of these ends names a file.
const ENDS: [&str; 14] =
    ["rs", "md", "v", "toml", "py", "svg", "json", "txt", "h", "rdl", "lpf", "html", "inc", "cff"];
/// Files that runs make, and names that stand for the reader's own.
const MADE: [&str; 7] = [
    "files.f",
    "two_nics.md",
    "REPLY.pcap",
    "FILE.md",
    "FILE.toml",
    "config.toml",
    "scenario.toml",
];

/// All files of the project, as paths from its root.
fn files(folder: &Path, below: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the project is readable") {
        let entry = entry.expect("the project is readable");
        let name = entry.file_name();
        if below == Path::new("") && LEFT_OUT.iter().any(|f| name == *f) {
            continue;
        }
        let at = below.join(&name);
        match entry.path().is_dir() {
            true => files(&entry.path(), &at, found),
            false => _ = found.insert(at),
        }
    }
}

/// The lines of a page outside of fenced blocks, with their numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut lines = vec![];
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((index + 1, line));
        }
    }
    lines
}

/// The anchor that a heading gets on GitHub.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).into_iter().filter(|(_, l)| l.starts_with('#'));
    headings.map(|(_, l)| anchor(l.trim_start_matches('#').trim())).collect()
}

/// `a/b/../c` without the way back; nothing if it leads out of the project.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => plain.pop().then_some(())?,
            Component::Normal(name) => plain.push(name),
            _ => {}
        }
    }
    Some(plain)
}

/// Targets of links and pictures of a line.
fn targets(line: &str) -> Vec<&str> {
    let mut found = vec![];
    let mut rest = line;
    while let Some((_, after)) = rest.split_once("](") {
        let Some((target, after)) = after.split_once(')') else { break };
        found.push(target);
        rest = after;
    }
    found
}

/// Words between single back-ticks.
fn ticked(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

struct Project {
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
    pages: BTreeMap<PathBuf, String>,
}

impl Project {
    fn read() -> Self {
        let mut found = BTreeSet::new();
        files(&root(), Path::new(""), &mut found);
        let above = |f: &PathBuf| f.ancestors().skip(1).map(Path::to_path_buf).collect::<Vec<_>>();
        let folders = found.iter().flat_map(above).collect();
        let is_page = |f: &&PathBuf| f.extension().is_some_and(|e| e == "md");
        let read = |f: &PathBuf| std::fs::read_to_string(root().join(f)).expect("it is a text");
        let pages = found.iter().filter(is_page).map(|f| (f.clone(), read(f))).collect();
        Self { files: found, folders, pages }
    }

    fn has(&self, path: &Path) -> bool {
        self.files.contains(path) || self.folders.contains(path)
    }

    /// What is wrong with a link of a page.
    fn link_fault(&self, page: &Path, target: &str) -> Option<String> {
        if target.contains("://") || target.starts_with("mailto:") {
            return None;
        }
        let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
        let folder = page.parent().expect("a page is in a folder");
        let wanted = match path {
            "" => page.to_path_buf(),
            _ => normal(&folder.join(path))?,
        };
        if !self.has(&wanted) {
            return Some(format!("link to {target}: no such file"));
        }
        let text = self.pages.get(&wanted).filter(|_| !fragment.is_empty())?;
        (!anchors(text).contains(fragment)).then(|| format!("link to {target}: no such heading"))
    }

    /// What is wrong with a back-ticked word, if it looks like a file.
    fn name_fault(&self, page: &Path, word: &str) -> Option<String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        if !word.chars().all(plain) || MADE.contains(&word) || word.starts_with("build/") {
            return None;
        }
        let path = Path::new(word.trim_end_matches('/'));
        let first = path.components().next()?.as_os_str();
        let is_rooted = word.contains('/') && self.folders.contains(Path::new(first));
        let end = path.extension().and_then(|e| e.to_str()).filter(|e| ENDS.contains(e));
        if !is_rooted && end.is_none() {
            return None;
        }
        let folder = page.parent().expect("a page is in a folder");
        let beside = normal(&folder.join(path)).is_some_and(|p| self.has(&p));
        // A bare or shortened name stands for the file that ends so.
        let ends_so = !is_rooted && self.files.iter().any(|f| f.ends_with(path));
        let there = self.has(path) || beside || ends_so;
        (!there).then(|| format!("`{word}`: no such file"))
    }

    /// What is wrong with a page, with line numbers.
    fn faults(&self, page: &Path, text: &str) -> Vec<String> {
        let of_line = |(number, line): (usize, &str)| {
            let links = targets(line).into_iter().filter_map(|t| self.link_fault(page, t));
            let names = ticked(line).filter_map(|w| self.name_fault(page, w));
            let at = |fault| format!("{}:{number}: {fault}", page.display());
            links.chain(names).map(at).collect::<Vec<_>>()
        };
        prose(text).into_iter().flat_map(of_line).collect()
    }
}

#[test]
fn pages_name_files_that_are_there() {
    let project = Project::read();
    assert!(project.pages.len() >= 15, "the pages were not found");
    let faults: Vec<String> =
        project.pages.iter().flat_map(|(page, text)| project.faults(page, text)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// The check can fail.
#[test]
fn pages_with_planted_faults_are_found() {
    let project = Project::read();
    let page = Path::new("hdl/README.md");
    for bad in [
        "[x](nothing.md)",
        "![x](../docs/figures/nothing.svg)",
        "[x](../README.md#nothing)",
        "[x](#nothing)",
        "see `hdl/src/nothing.rs`",
        "see `nothing.md`",
        "run `scripts/nothing`",
    ] {
        assert_eq!(project.faults(page, bad).len(), 1, "{bad}");
    }
    for good in [
        "[x](../README.md)",
        "[x](https://example.org/nothing.md)",
        "see `hdl/src/lib.rs`, `sim/` and `scripts/run`",
        "`a.val() + b.val()`, `AXI4/PCIe`, `build/nic.fst`",
        "```\n`nothing.md`\n```",
    ] {
        assert_eq!(project.faults(page, good), [""; 0], "{good}");
    }
}

/// Lines are at most 100 columns long, but for rows of tables, links and what commands print or
/// make. ARCHITECTURE.md keeps to it everywhere, and to 300 lines.
#[test]
fn pages_have_lines_of_at_most_100_columns() {
    let project = Project::read();
    let is_long = |l: &str| l.chars().count() > 100;
    let is_whole = |l: &str| l.starts_with('|') || l.contains("](");
    let mut faults = vec![];
    let is_written =
        |p: &Path, text: &str| !p.starts_with("tests/data") && !text.contains("\nMade by");
    for (page, text) in project.pages.iter().filter(|(p, text)| is_written(p, text)) {
        let lines = prose(text).into_iter().filter(|(_, l)| is_long(l) && !is_whole(l));
        faults.extend(lines.map(|(number, _)| format!("{}:{number}", page.display())));
    }
    let map = &project.pages[Path::new("ARCHITECTURE.md")];
    faults.extend(map.lines().filter(|l| is_long(l)).map(|l| format!("ARCHITECTURE.md: {l}")));
    assert!(faults.is_empty(), "longer than 100 columns:\n{}", faults.join("\n"));
    assert!(map.lines().count() <= 300, "ARCHITECTURE.md has more than 300 lines");
}
