//! pagetide and Debian's sysstat on the same data. `make compare-sar` runs all of it on new snapshots and writes docs/COMPARE-SAR.md; the
//! gate compares the committed snapshots.

mod exact;
mod fields;
mod live;
mod matrix;
mod snapshots;
mod tree;
mod unprivileged;

use snapshots::Snapshot;
use std::path::PathBuf;

/// Writes a section of the page when `make compare-sar` asks for it.
fn section(name: &str, text: &str) {
    if let Some(folder) = std::env::var_os("COMPARE_OUT") {
        std::fs::write(PathBuf::from(folder).join(name), text).unwrap();
    }
}

/// The snapshots to compare: new ones, or those that are committed.
fn given() -> Vec<Snapshot> {
    let committed = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/compare-sar/mixed.txt"));
    let path = std::env::var_os("COMPARE_SNAPSHOTS").map_or(committed, PathBuf::from);
    Snapshot::all(&std::fs::read_to_string(path).unwrap())
}

#[test]
fn the_same_snapshots_read_as_sar_reads_them() {
    let snapshots = given();
    assert!(snapshots.len() > 6);
    let compared = exact::both(&snapshots);
    let tables = ["As recorded", "With a CPU that is away for two snapshots (edited)"].into_iter().zip(&compared);
    let text: String = tables.map(|(title, of)| format!("### {title}\n\n{}\n", of.table())).collect();
    let head = "## The same snapshots\n\nsadc and the recorder's sampler read the same files, step by step: sadc in a private mount namespace in which they \
        lie over\n/proc and /sys. The time between samples is that of the snapshots' `/proc/uptime` on both sides. Equal means: to the last digit \
        that sar\nprints. The load: a file system on a loop device that is written and trimmed, swap, a control group at its limit, a loop device \
        that\ncomes, goes, and comes again with other counts.\n\n";
    section("1-exact.md", &(head.to_owned() + &text));
    for of in compared {
        of.check();
        assert!(of.equal() > 600, "{}", of.equal());
    }
}

#[test]
fn texts_made_on_the_spot_import_as_sadf_prints_them() {
    let (text, wrong) = matrix::matrix();
    let head = "## Imports of texts made on the spot\n\n";
    section("3-matrix.md", &(head.to_owned() + &text));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[ignore = "needs COMPARE_SYSSTAT (folders of other versions) and COMPARE_TREES (folders of data files and texts): `make compare-sar` makes both"]
fn other_versions_read_as_their_own_sadf_prints_them() {
    let (trees, programs) = tree::given();
    assert!(!trees.is_empty(), "no COMPARE_TREES");
    let (data, mut wrong) = tree::data_files(&trees, &programs);
    let (expected, bad) = tree::expected(&trees);
    wrong.extend(bad);
    section(
        "4-trees.md",
        &format!(
            "\n## Other versions\n\n{data}\n## Texts of other versions, and those that sysstat's own tests expect\n\n{expected}"
        ),
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[ignore = "two minutes; `make compare-sar` runs it"]
fn beside_each_other_on_this_machine() {
    let seconds = std::env::var("COMPARE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(120);
    let head = "## Beside each other on a live machine\n\n";
    section("2-live.md", &format!("{head}{}\n", live::spread(seconds)));
}

#[test]
fn the_page_of_options_has_every_option_of_these_tools() {
    let page = include_str!("../../../../docs/SAR.md");
    let option = regex::Regex::new(r"(?:^|[\s,\[|{])([-+]{1,2}[A-Za-z][a-z-]*)").unwrap();
    for tool in ["sar", "sadf", "iostat", "vmstat", "pidstat", "mpstat"] {
        let run = std::process::Command::new(tool).arg("--help").env("LC_ALL", "C").output().unwrap();
        let help = String::from_utf8([run.stdout, run.stderr].concat()).unwrap();
        let section = page.split("\n## ").find(|section| section.starts_with(&format!("{tool}\n"))).unwrap();
        let options: Vec<&str> = option.captures_iter(&help).filter_map(|found| Some(found.get(1)?.as_str())).collect();
        assert!(options.len() > 5, "{tool}: {options:?}");
        for option in options {
            let named = section.match_indices(option).any(|(at, _)| {
                let behind = section[at + option.len()..].chars().next().unwrap();
                !behind.is_ascii_alphanumeric() && behind != '-'
            });
            assert!(named, "{tool} {option} is not in docs/SAR.md");
        }
    }
}
