//! Documents that repeat what the code says are compared with it.

#[path = "support/tree.rs"]
mod tree;

use pagetide_core::{Action, Figure, Load, Scenario, Table, derived, glossary};
use pagetide_view::show::Topic;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

/// The figures as docs/JSON.md lists them.
fn figures() -> String {
    let mut table = String::from("| key | name in claims | compares | is |\n|---|---|---|---|\n");
    for figure in Figure::ALL {
        let compares = if figure.comparability().across_machines() { "anywhere" } else { "within a run" };
        let _ = writeln!(table, "| `{}` | `{}` | {compares} | {} |", figure.key(), figure.name(), figure.meaning());
    }
    table
}

/// The terms as docs/GLOSSARY.md lists them.
fn terms() -> String {
    let mut table = String::from("| term | also | means | source |\n|---|---|---|---|\n");
    for glossary::Term { name, forms, definition, source } in glossary::TERMS {
        let _ = writeln!(table, "| {name} | {} | {definition} | {source} |", forms.join(", "));
    }
    table
}

/// The derived metrics as docs/GLOSSARY.md lists them.
fn derived_metrics() -> String {
    let mut table = String::from("| metric | of | unit | is | source |\n|---|---|---|---|---|\n");
    for metric in derived::ALL {
        let tables: Vec<&str> = metric.tables.iter().map(|table| table.name()).collect();
        let unit = serde_json::to_value(metric.unit).unwrap();
        let derived::CodeSource { release, file, function } = metric.source;
        let (name, unit, of, is) = (metric.name, unit.as_str().unwrap(), tables.join(", "), metric.meaning);
        let _ = writeln!(table, "| `{name}` | {of} | {unit} | {is} | {release} {file}:{function} |");
    }
    table
}

/// Compares the part of a document between two marks with what the code says.
fn compare(document: &str, mark: &str, expected: &str) {
    let path = tree::root().join("docs").join(document);
    let text = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- {mark}: begin -->\n"), format!("<!-- {mark}: end -->"));
    let from = text.find(&begin).unwrap() + begin.len();
    let to = text.find(&end).unwrap();
    if &text[from..to] != expected {
        let fixed = format!("{}{expected}{}", &text[..from], &text[to..]);
        assert!(
            std::env::var_os("UPDATE_DOCS").is_some(),
            "docs/{document} is not what the code says; UPDATE_DOCS=1 cargo test -p pagetide --test documents fixes it"
        );
        std::fs::write(&path, fixed).unwrap();
    }
}

/// The kinds of a table as docs/SCENARIOS.md lists them.
fn kinds(kinds: &[(&str, &str)]) -> String {
    let mut table = String::from("| key | does |\n|---|---|\n");
    for (key, does) in kinds {
        let _ = writeln!(table, "| `{key}` | {does} |");
    }
    table
}

#[test]
fn scenarios_md_lists_every_kind_of_step() {
    compare("SCENARIOS.md", "step kinds", &kinds(Action::KINDS));
    compare("SCENARIOS.md", "loads", &kinds(Load::KINDS));
}

#[test]
fn json_md_lists_every_figure() {
    compare("JSON.md", "figures", &figures());
}

#[test]
fn glossary_md_lists_every_term_and_every_derived_metric() {
    compare("GLOSSARY.md", "terms", &terms());
    compare("GLOSSARY.md", "derived metrics", &derived_metrics());
}

#[test]
fn fleet_md_lists_every_column() {
    let mut table = String::from("| column | type | is |\n|---|---|---|\n");
    for column in pagetide_fleet::COLUMNS {
        let _ = writeln!(table, "| `{}` | {} | {} |", column.name, column.kind.name(), column.meaning);
    }
    compare("FLEET.md", "columns", &table);
}

#[test]
fn kubernetes_md_names_each_right_and_folder_that_the_daemonset_has() {
    let read = |path: &str| std::fs::read_to_string(tree::root().join(path)).unwrap();
    let (page, pod) = (read("docs/how-to/kubernetes.md"), read("packaging/kubernetes/daemonset.yaml"));
    let all = |text: &str, pattern: &str| -> BTreeSet<String> {
        Regex::new(pattern).unwrap().captures_iter(text).map(|found| found[1].to_owned()).collect()
    };
    let rows: String = page.lines().filter(|line| line.starts_with('|')).collect();
    let added = pod.lines().find_map(|line| line.trim().strip_prefix("add: ")).unwrap();
    assert_eq!(all(&rows, "`CAP_([A-Z_]+)`"), all(added, "([A-Z_]+)"));
    let folders = all(&pod, "hostPath: \\{path: ([^,]+),");
    assert_eq!(all(&rows, "`(/(?:sys/fs|run|var)/[^`]+)`"), folders);
    assert_eq!(all(&pod, "mountPath: ([^,}]+)"), folders);
    // Where the recorder looks for the names of containers that Kubernetes runs.
    for constant in ["CONTAINERD", "CONTAINERS", "PODS"] {
        let source = read("crates/service/src/containers.rs");
        let folder = all(&source, &format!("const {constant}: &str = \"([^\"]+)\""));
        assert!(folders.contains(&format!("/{}", folder.first().unwrap())), "{constant}");
    }
}

#[test]
fn the_recorders_unit_runs_as_a_user_whose_group_can_read_and_stops_at_a_mistake() {
    let read = |path: &str| std::fs::read_to_string(tree::root().join("packaging").join(path)).unwrap();
    let unit = read("pagetide-recorder.service");
    let of = |key: &str| unit.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    // systemd puts the recordings of a dynamic user below /var/lib/private, into which no group leads.
    assert_eq!(
        (of("DynamicUser"), of("StateDirectory"), of("StateDirectoryMode")),
        (None, Some("pagetide"), Some("0750"))
    );
    let users = read("pagetide.sysusers");
    let user = of("User").unwrap();
    assert!(users.lines().any(|line| line.starts_with(&format!("u {user} "))), "{users}");
    for unit in ["pagetide-recorder.service", "pagetide-serve.service"] {
        assert!(read(unit).contains("\nRestartPreventExitStatus=2\n"), "{unit}: exit code 2 is a mistake in the input");
    }
}

#[test]
fn the_scenario_in_scenarios_md_can_be_run() {
    let path = tree::root().join("docs/SCENARIOS.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let example = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let scenario = Scenario::parse(example, "docs/SCENARIOS.md").unwrap();
    assert_eq!((scenario.steps.len(), scenario.claims.len()), (2, 1));
}

#[test]
fn show_has_a_column_for_every_metric_that_is_imported() {
    let page = include_str!("../../../docs/IMPORT.md");
    let of_table = |table: Table| -> Vec<String> {
        let topics = Topic::ALL.into_iter().filter(|topic| topic.table() == table);
        topics
            .flat_map(|topic| topic.selection(true).metrics.into_iter().chain(topic.selection(false).metrics))
            .collect()
    };
    let mut found = 0;
    for (table, name) in [(Table::Host, "| host"), (Table::Disk, "| disk"), (Table::Process, "| process")] {
        let shown = of_table(table);
        for row in page.lines().filter(|line| line.starts_with(name)) {
            let columns = row.rsplit(" | ").next().unwrap_or_default();
            // Every second part stands between backticks.
            for metric in columns.split('`').skip(1).step_by(2) {
                found += 1;
                assert!(shown.iter().any(|known| known == metric), "no column of `show` has {metric} of {name}");
            }
        }
    }
    assert!(found > 100, "{found}");
}

/// The sections of a page that tell a measurement by hand and not when it was made, or by which command.
fn undated(text: &str) -> Vec<&str> {
    let measured = Regex::new(r"(?m)^## Measured$|\bMeasured\b|\ba load of \d|\bload \d").unwrap();
    let dated = Regex::new(r"\b20\d\d-\d\d-\d\d\b|\b\d{1,2} [A-Z][a-z]+ 20\d\d\b").unwrap();
    let command = Regex::new(r"`(make|cargo|pagetide|lab run|\w+=\S+ make|tools/)").unwrap();
    let sections = text.split("\n## ").filter(|section| measured.is_match(section));
    let lacking = sections.filter(|section| !dated.is_match(section) || !command.is_match(section));
    lacking.filter_map(|section| section.lines().next()).collect()
}

#[test]
fn every_measurement_names_its_day_and_its_command() {
    let docs = tree::root().join("docs");
    let mut pages: Vec<_> = std::fs::read_dir(&docs).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.push(docs.join("../README.md"));
    let mut lacking = Vec::new();
    for page in pages.iter().filter(|page| page.extension().is_some_and(|end| end == "md")) {
        let text = std::fs::read_to_string(page).unwrap();
        // A page that is written by a test is compared by that test.
        if text.contains("`UPDATE_DOCS=1 ") {
            continue;
        }
        lacking.extend(undated(&text).iter().map(|section| format!("{}: {section}", page.display())));
    }
    assert!(lacking.is_empty(), "measured when, and by which command?\n{}", lacking.join("\n"));
    let bad = "# Page\n\n## Measured\n\n9 ms at a load of 3.\n\n## Other\n\nText.";
    assert_eq!(undated(bad), ["Measured"]);
    assert!(undated(&bad.replace("9 ms", "9 ms (`make bench`, 2026-11-22)")).is_empty());
}

/// The Rust files of the crates' `src` folders, by their paths from the root, with their texts before the tests.
fn sources() -> BTreeMap<String, String> {
    let top = tree::root();
    let packages = std::fs::read_dir(top.join("crates")).unwrap().map(|package| package.unwrap().path().join("src"));
    let files: Vec<PathBuf> = packages.filter(|src| src.is_dir()).flat_map(|src| tree::rust_files(&src)).collect();
    assert!(files.len() > 300, "{} files: the tree is somewhere else", files.len());
    let read = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let short = file.strip_prefix(&top).unwrap().to_str().unwrap().to_owned();
        (short, text.split("\n#[cfg(test)]\nmod ").next().unwrap().to_owned())
    };
    files.iter().map(read).collect()
}

/// The names in backquotes on the line of docs/ARCHITECTURE.md that begins so.
fn named(begins: &str) -> BTreeSet<String> {
    let page = include_str!("../../../docs/ARCHITECTURE.md");
    let line = page.lines().find(|line| line.starts_with(begins)).unwrap();
    line.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn invariant_8_names_every_file_that_compares_kernel_versions() {
    let compares = Regex::new(r"\bkernel\s*\.\s*(split|starts_with)\(").unwrap();
    assert!(compares.is_match("let old = manifest.kernel.split('.');") && !compares.is_match("&manifest.kernel"));
    // The corpus makes hosts up, with kernels of its choice.
    let real = sources().into_iter().filter(|(file, _)| !file.starts_with("crates/corpus/"));
    let found: BTreeSet<String> = real.filter(|(_, text)| compares.is_match(text)).map(|(file, _)| file).collect();
    assert_eq!(found, named("8. "));
}

#[test]
fn architecture_md_names_every_crate_with_unsafe_code() {
    let is_unsafe = Regex::new(r"\bunsafe (\{|fn|impl|extern)").unwrap();
    let found = sources().into_iter().filter(|(_, text)| is_unsafe.is_match(text));
    let crates: BTreeSet<String> = found.map(|(file, _)| file.split('/').nth(1).unwrap().to_owned()).collect();
    assert_eq!(crates, named("Unsafe code is in "));
}
