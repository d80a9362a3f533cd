//! The book: every link leads somewhere, and every command of its tutorials, how-tos and explanations, and of README.md, prints what they
//! show.
//!
//! A block of the kind `console` is a session: lines behind `$ ` are run, in one scratch folder for each page, and the lines below must be
//! what they print. A block of the kind `console,nightly` needs root, QEMU or minutes: `PAGETIDE_NIGHTLY=1` (`make test-book`) runs it
//! too, and only its exit codes count. `UPDATE_DOCS=1 cargo test -p pagetide --test book` writes what the commands print today.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The pages below a folder of docs/.
fn pages(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(top().join("docs").join(folder)).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

/// A word of a link to a heading, as mdBook and GitHub make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// Targets of links, outside of blocks of code.
fn links(text: &str) -> Vec<&str> {
    let mut in_block = false;
    let prose = text.lines().filter(|line| {
        let is_fence = line.starts_with("```");
        in_block ^= is_fence;
        !in_block && !is_fence
    });
    prose
        .flat_map(|line| line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target))
        .collect()
}

#[test]
fn every_link_leads_to_a_page_of_the_book_and_every_page_is_listed() {
    let docs = top().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<PathBuf> = links(&summary).into_iter().map(|link| docs.join(link)).collect();
    let there: BTreeSet<PathBuf> = ["", "tutorials", "how-to", "explanation"].into_iter().flat_map(pages).collect();
    assert_eq!(listed, there.into_iter().filter(|page| !page.ends_with("SUMMARY.md")).collect());
    let mut broken = String::new();
    let mut count = 0;
    for page in &listed {
        let text = std::fs::read_to_string(page).unwrap();
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            count += 1;
            let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            let Ok(target) = target.canonicalize() else {
                let _ = writeln!(broken, "{}: {link}", page.display());
                continue;
            };
            // A file that is no page is copied into the book where it is.
            let is_inside =
                target.starts_with(&docs) && (listed.contains(&target) || target.extension() != Some("md".as_ref()));
            let has_heading = fragment.is_empty()
                || std::fs::read_to_string(&target).is_ok_and(|text| {
                    text.lines().any(|line| line.starts_with('#') && anchor(line.trim_start_matches('#')) == fragment)
                });
            if !is_inside || !has_heading {
                let _ = writeln!(broken, "{}: {link}", page.display());
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere in the book:\n{broken}");
    assert!(count > 100, "{count} links were found");
}

/// Runs a command of a page in its folder.
fn run(command: &str, folder: &Path) -> (bool, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_pagetide")).parent().unwrap().to_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", binary.display()))
        .env("HOME", folder)
        .env("PAGETIDE_SOURCES", top())
        .env("TZ", "UTC")
        .env("COLUMNS", "100")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    if !output.status.success() {
        text.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    (output.status.success(), text)
}

/// A page with what its commands print today.
fn replayed(page: &Path, text: &str, nightly: bool) -> String {
    let folder = tempfile::tempdir().unwrap();
    for inputs in ["fixtures", "scenarios", "plans"] {
        std::os::unix::fs::symlink(top().join(inputs), folder.path().join(inputs)).unwrap();
    }
    let mut out = String::new();
    let mut block = "";
    for line in text.lines() {
        match (line.strip_prefix("```"), block) {
            (Some(kind), "") => block = kind,
            (Some(_), _) => block = "",
            // What the commands of a block print is written below each, and what stood there is not kept.
            (None, "console") if !line.starts_with("$ ") => continue,
            _ => {}
        }
        let _ = writeln!(out, "{line}");
        let Some(command) =
            line.strip_prefix("$ ").filter(|_| block == "console" || block == "console,nightly" && nightly)
        else {
            continue;
        };
        let (ended, printed) = run(command, folder.path());
        assert!(ended, "{}: {command}\n{printed}", page.display());
        if block == "console" {
            out.extend(printed.lines().flat_map(|line| [line.trim_end(), "\n"]));
        }
    }
    out
}

#[test]
fn every_command_of_the_book_prints_what_its_page_shows() {
    let nightly = std::env::var_os("PAGETIDE_NIGHTLY").is_some();
    let mut changed = String::new();
    let book = ["tutorials", "how-to", "explanation"].into_iter().flat_map(pages);
    for page in book.chain([top().join("README.md")]) {
        let text = std::fs::read_to_string(&page).unwrap();
        let today = replayed(&page, &text, nightly);
        if today != text {
            if std::env::var_os("UPDATE_DOCS").is_some() {
                std::fs::write(&page, today).unwrap();
            } else {
                let (was, is) =
                    text.lines().zip(today.lines()).find(|(was, is)| was != is).unwrap_or(("", "(another length)"));
                let _ = writeln!(changed, "{}:\n  shows  {was}\n  prints {is}", page.display());
            }
        }
    }
    assert!(
        changed.is_empty(),
        "UPDATE_DOCS=1 cargo test -p pagetide --test book fixes these, and is looked at:\n{changed}"
    );
}
