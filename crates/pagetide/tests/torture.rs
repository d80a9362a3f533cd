//! The short form of `make torture`: kills, slow clients, hostile names and control groups, with the real binary. Needs root.

use std::process::Command;

#[test]
fn a_short_torture_finds_no_failure() {
    let tool = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/torture");
    let output = Command::new("python3").args([tool, env!("CARGO_BIN_EXE_pagetide"), "--short"]).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let rows = printed.lines().filter(|line| line.starts_with("| ") && line.contains(" | 0 | ")).count();
    assert!(output.status.success() && rows == 5, "{printed}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_document_lists_every_part() {
    let top = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |file: &str| std::fs::read_to_string(top.join(file)).unwrap();
    let (tool, document) = (read("tools/torture"), read("docs/RELIABILITY.md"));
    let parts = tool.split("PARTS = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    let parts: Vec<&str> = parts.split('"').skip(1).step_by(2).collect();
    assert!(parts.len() > 10);
    for part in parts {
        assert!(document.contains(&format!("| `{part}` |")), "docs/RELIABILITY.md does not list {part}");
    }
}
