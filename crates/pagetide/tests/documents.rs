//! Documents that repeat what the code says are held against it.

use pagetide_core::{Figure, Scenario};
use std::fmt::Write;
use std::path::Path;

/// The figures as docs/JSON.md lists them.
fn figures() -> String {
    let mut table = String::from("| key | name in claims | compares | is |\n|---|---|---|---|\n");
    for figure in Figure::ALL {
        let compares = if figure.comparability().across_machines() { "anywhere" } else { "within a run" };
        let _ = writeln!(table, "| `{}` | `{}` | {compares} | {} |", figure.key(), figure.name(), figure.meaning());
    }
    table
}

#[test]
fn json_md_lists_every_figure() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/JSON.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- figures: begin -->\n", "<!-- figures: end -->");
    let from = text.find(begin).unwrap() + begin.len();
    let to = text.find(end).unwrap();
    if text[from..to] != figures() {
        let fixed = format!("{}{}{}", &text[..from], figures(), &text[to..]);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, fixed).unwrap();
        } else {
            panic!(
                "docs/JSON.md is not what the code says; UPDATE_DOCS=1 cargo test -p pagetide --test documents fixes it"
            );
        }
    }
}

#[test]
fn the_scenario_in_scenarios_md_can_be_run() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/SCENARIOS.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let example = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let scenario = Scenario::parse(example, "docs/SCENARIOS.md").unwrap();
    assert_eq!((scenario.steps.len(), scenario.claims.len()), (2, 1));
}
