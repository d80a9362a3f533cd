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
