//! SECURITY.md and docs/RELIABILITY.md name the test of each promise: they must be there. And files are written in one way.

use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// The items of a section, each as one line.
fn items<'a>(text: &'a str, section: &str) -> Vec<String> {
    let from = text.find(&format!("## {section}\n")).unwrap_or_else(|| panic!("no section {section}"));
    let section = text[from + 3..].split("\n## ").next().unwrap();
    let ends = |line: &str| line.is_empty() || line.starts_with("**");
    let mut items: Vec<Vec<&'a str>> = Vec::new();
    let mut within = false;
    for line in section.lines() {
        within = (within && !ends(line)) || line.starts_with("- ");
        match items.last_mut() {
            Some(item) if within && !line.starts_with("- ") => item.push(line.trim()),
            _ if within => items.push(vec![&line[2..]]),
            _ => {}
        }
    }
    items.into_iter().map(|item| item.join(" ")).collect()
}

/// Whether an item is a promise: what is not covered is none.
fn is_promise(item: &str) -> bool {
    !item.starts_with("Not covered: ")
}

#[test]
fn every_promise_names_a_test_that_is_there() {
    let mut files = Vec::new();
    sources(&top().join("crates"), &mut files);
    sources(&top().join("fuzz"), &mut files);
    let code: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    // A property has arguments, and a test may have attributes of its own.
    let test = Regex::new(r"#\[test\]\s*(?:#\[[^\n]*\]\s*)*fn (\w+)\(").unwrap();
    let tests: Vec<&str> = test.captures_iter(&code).map(|found| found.get(1).unwrap().as_str()).collect();
    let named = Regex::new("test `(\\w+)`").unwrap();
    let mut wrong = Vec::new();
    for (document, section, least) in
        [("SECURITY.md", "Threat model", 35), ("docs/RELIABILITY.md", "What is promised", 5)]
    {
        let text = fs::read_to_string(top().join(document)).unwrap();
        let items = items(&text, section);
        assert!(items.len() >= least, "{document}: {} items", items.len());
        let silent = items.iter().filter(|item| is_promise(item) && !named.is_match(item));
        wrong.extend(silent.map(|item| format!("{document} names no test: {item}")));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let lost =
            named.captures_iter(&text).map(|found| found[1].to_owned()).filter(|name| !tests.contains(&name.as_str()));
        wrong.extend(lost.map(|name| format!("{document} names a test that is not there: {name}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn commands_write_files_by_one_function() {
    let mut files = Vec::new();
    sources(&top().join("crates/pagetide/src"), &mut files);
    let ways = ["fs::write(", "File::create", "OpenOptions", "fs::copy("];
    let mut wrong = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        wrong.extend(ways.iter().filter(|way| code.contains(**way)).map(|way| format!("{}: {way}", file.display())));
    }
    assert!(files.len() > 30 && wrong.is_empty(), "pagetide_dir writes what the user names: {}", wrong.join(", "));
}
