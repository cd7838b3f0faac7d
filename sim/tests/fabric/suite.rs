//! The suite: each of its points can be run, and its report says something of each.

use nic_sim::fabric::{suite, Plan};
use std::path::Path;

#[test]
fn fabric_suite_reports_all_of_its_points() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fabric").join("suite");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for (name, content) in suite::SIZES {
        std::fs::write(folder.join(name), content).expect("it can be written");
    }
    for is_full in [false, true] {
        let outcomes = suite::points(is_full, &folder).into_iter().map(|mut point| {
            // Long enough for every kind of event, not for figures.
            if let Some(poisson) = &mut point.scenario.poisson {
                (poisson.ms, poisson.margin_ms) = (0.03, 0.0);
            }
            if let Some(incast) = point.scenario.incast.as_mut().filter(|i| i.load.is_none()) {
                incast.bytes = 50_000;
            }
            let plan = Plan::new(&point.scenario).expect("it can be run");
            let results = plan.run(&point.watch(&plan), &Default::default());
            let results = results.expect("all flows end");
            suite::Outcome::new(&point.name, &plan, &results)
        });
        let outcomes: Vec<suite::Outcome> = outcomes.collect();
        assert_eq!(suite::failures(&outcomes), [""; 0]);
        let files = suite::report(&outcomes, is_full, "a test");
        for (name, content) in &files {
            std::fs::write(folder.join(name), content).expect("it can be written");
        }
        let (_, report) = files.last().expect("a report");
        for heading in
            ["Sixteen to one", "Convergence", "W_ai", "costs", "FB_Hadoop", "Algorithms", "Sixty"]
        {
            assert!(report.contains(heading), "nothing about {heading}");
        }
        assert_eq!(report.contains("WebSearch"), is_full);
        for (name, svg) in files.iter().filter(|(name, _)| name.ends_with(".svg")) {
            assert!(svg.contains("<polyline"), "{name} is empty");
            assert!(report.contains(&format!("]({name})")), "{name} is not shown");
        }
    }
}

/// The pictures of the page; with `UPDATE_PAGES=1` they are written.
#[test]
fn fabric_page_shows_its_figures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let csv = root.join("tests/data/fabric/fb_50_slowdown.csv");
    let csv = std::fs::read_to_string(csv).expect("the slowdowns are there");
    for (name, drawn) in suite::figures(&csv).expect("all flows end") {
        let path = root.join("docs/figures").join(&name);
        if std::env::var_os("UPDATE_PAGES").is_some() {
            std::fs::write(&path, &drawn).expect("the figure can be written");
        }
        let shown = std::fs::read_to_string(&path).expect("the figure is there");
        let advice = "run UPDATE_PAGES=1 cargo test -p nic-sim --test fabric page";
        assert!(shown == drawn, "docs/figures/{name} is stale: {advice}");
    }
}
