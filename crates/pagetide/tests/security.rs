//! SECURITY.md and docs/RELIABILITY.md name the test of each sentence that promises something and of each row that says what is tried or
//! written, and these tests exist. Commands write files by one function.

#[path = "support/tree.rs"]
mod tree;

use regex::Regex;
use std::fs;

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

/// The sentences of the items that promise something: all but those that say what is not covered.
fn promises(items: &[String]) -> Vec<&str> {
    let kept = items.iter().filter(|item| !item.starts_with("Not covered: "));
    kept.flat_map(|item| item.split_inclusive(". ")).map(str::trim).collect()
}

/// The rows of a section's table, without its head.
fn rows<'a>(text: &'a str, section: &str) -> Vec<&'a str> {
    let (_, after) = text.split_once(&format!("## {section}\n")).unwrap_or_else(|| panic!("no section {section}"));
    let section = after.split("\n## ").next().unwrap();
    section.lines().skip_while(|line| !line.starts_with("|---")).skip(1).filter(|line| line.starts_with('|')).collect()
}

#[test]
fn every_promise_names_a_test_that_is_there() {
    let files = ["crates", "fuzz"].map(|folder| tree::rust_files(&tree::root().join(folder)));
    let code: String = files.iter().flatten().map(|file| fs::read_to_string(file).unwrap()).collect();
    // A property has arguments, and a test may have attributes of its own.
    let test = Regex::new(r"#\[test\]\s*(?:#\[[^\n]*\]\s*)*fn (\w+)\(").unwrap();
    let tests: Vec<&str> = test.captures_iter(&code).map(|found| found.get(1).unwrap().as_str()).collect();
    let named = Regex::new("test `(\\w+)`").unwrap();
    let program = Regex::new("test program `(\\w+)`").unwrap();
    let programs = files.iter().flatten().filter(|file| file.parent().is_some_and(|folder| folder.ends_with("tests")));
    let programs: Vec<String> = programs.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let mut wrong = Vec::new();
    for (document, table, section, least) in [
        ("SECURITY.md", "What runs as what", "Threat model", 60),
        ("docs/RELIABILITY.md", "What it tries", "What is promised", 7),
    ] {
        let text = fs::read_to_string(tree::root().join(document)).unwrap();
        let items = items(&text, section);
        let promises = promises(&items);
        assert!(promises.len() >= least, "{document}: {} sentences", promises.len());
        let silent = promises.iter().filter(|sentence| !named.is_match(sentence));
        wrong.extend(silent.map(|sentence| format!("{document} names no test: {sentence}")));
        let rows = rows(&text, table);
        assert!(rows.len() >= 7, "{document}: {} rows", rows.len());
        let silent =
            rows.iter().filter(|row| !named.is_match(row) && !program.is_match(row) && !row.contains("no test"));
        wrong.extend(silent.map(|row| format!("{document} names no test: {row}")));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let lost =
            named.captures_iter(&text).map(|found| found[1].to_owned()).filter(|name| !tests.contains(&name.as_str()));
        wrong.extend(lost.map(|name| format!("{document} names a test that is not there: {name}")));
        let names = program.captures_iter(&text).map(|found| found[1].to_owned());
        let lost = names.filter(|name| !programs.contains(name));
        wrong.extend(lost.map(|name| format!("{document} names a test program that is not there: {name}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_sentence_of_a_promise_needs_its_test() {
    let page = "# Page\n\n## Promises\n\n- It holds (test `one`). So does\n  this.\n- Not covered: luck. Nor fate.\n\n## Other\n\n- No.\n";
    assert_eq!(promises(&items(page, "Promises")), ["It holds (test `one`).", "So does this."]);
    let page = "# Page\n\n## Parts\n\n| part | tests |\n|---|---|\n| `a` | no test |\n| `b` | test `b` |\n\n## Other\n\n| c |\n";
    assert_eq!(rows(page, "Parts"), ["| `a` | no test |", "| `b` | test `b` |"]);
}

#[test]
fn commands_write_files_by_one_function() {
    let files = tree::rust_files(&tree::root().join("crates/pagetide/src"));
    let ways = ["fs::write(", "File::create", "OpenOptions", "fs::copy("];
    let mut wrong = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        wrong.extend(ways.iter().filter(|way| code.contains(**way)).map(|way| format!("{}: {way}", file.display())));
    }
    assert!(files.len() > 30 && wrong.is_empty(), "pagetide_dir writes what the user names: {}", wrong.join(", "));
}
