//! One host does not stop the others: whatever lies beside them in a tree, the rows of the healthy hosts are the same bytes.

use proptest::prelude::*;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The healthy hosts.
const HEALTHY: [&str; 2] = ["control-warm-1", "stream-floods-cache-1"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus").join(name).join("recording")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() { copy(&entry.path(), &to) } else { _ = fs::copy(entry.path(), to).unwrap() }
    }
}

/// The binary of this build, or another one (of an earlier version, or optimised).
fn binary() -> PathBuf {
    std::env::var_os("PAGETIDE_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_pagetide").into(), PathBuf::from)
}

/// The rows of the healthy hosts as `fleet --csv` prints them.
fn healthy_rows(tree: &Path) -> Vec<String> {
    let output = Command::new(binary()).args(["fleet", "--csv", "--no-cache"]).arg(tree).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let rows = String::from_utf8_lossy(&output.stdout);
    let healthy: Vec<String> = HEALTHY.iter().map(|name| format!("{}/{name},", tree.display())).collect();
    let rows = rows.lines().filter(|row| healthy.iter().any(|name| row.contains(name.as_str())));
    rows.map(str::to_owned).collect()
}

/// Names that a file or folder may have on Linux.
const NAMES: [&[u8]; 9] = [
    "\u{661}\u{662}\u{663}-1".as_bytes(),
    "2026112\u{20ac}-1".as_bytes(),
    "\u{20ac}-00000007".as_bytes(),
    b"\xff\xfe-1",
    b"a\nb-2",
    b"\x1b]0;x\x07-3",
    b"99999999T999999Z-18446744073709551615",
    b"-",
    b"20261121T100030Z-00000001",
];
/// What there is at a name.
const KINDS: usize = 9;
/// Where in a recording it is.
const PLACES: [&str; 7] =
    ["", "open", "sample", "sample/host=h", "sample/host=h/date=2026-11-21", "process", "pyramid"];

/// Puts something hostile into a recording of a stranger.
fn plant(recording: &Path, place: usize, name: usize, kind: usize, ending: &str) {
    let folder = recording.join(PLACES[place]);
    // What was planted before may be in the way.
    if fs::create_dir_all(&folder).is_err() {
        return;
    }
    let mut name = NAMES[name].to_vec();
    name.extend(ending.as_bytes());
    let path = folder.join(OsStr::from_bytes(&name));
    if path.symlink_metadata().is_ok() {
        return;
    }
    match kind {
        0 => fs::write(&path, b"").unwrap(),
        1 => fs::write(&path, b"pagetide\x03\0\0\0garbage").unwrap(),
        2 => fs::write(&path, b"PAR1\xff\xff\xff\x7fPAR1").unwrap(),
        3 => fs::create_dir(&path).unwrap(),
        4 => symlink("/dev/zero", &path).unwrap(),
        5 => symlink(recording, &path).unwrap(),
        6 => rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap(),
        // The path of a socket is short.
        7 => drop(UnixListener::bind(&path)),
        _ => {
            fs::write(&path, b"{}").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
        }
    }
}

#[test]
fn a_name_that_is_no_ascii_stops_no_other_host() {
    let scratch = tempfile::tempdir().unwrap();
    HEALTHY.iter().for_each(|name| copy(&fixture(name), &scratch.path().join(name)));
    let alone = healthy_rows(scratch.path());
    assert_eq!(alone.len(), HEALTHY.len());
    for (at, name) in NAMES.iter().enumerate() {
        let stranger = scratch.path().join(format!("stranger-{at}"));
        copy(&fixture(HEALTHY[0]), &stranger);
        fs::create_dir_all(stranger.join("open")).unwrap();
        let log = [name, b".log".as_slice()].concat();
        fs::write(stranger.join("open").join(OsStr::from_bytes(&log)), b"x").unwrap();
    }
    assert_eq!(healthy_rows(scratch.path()), alone);
}

/// How many trees are tried: PAGETIDE_TREES.
fn trees() -> u32 {
    std::env::var("PAGETIDE_TREES").map_or(12, |trees| trees.parse().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(trees()) })]

    #[test]
    fn the_rows_of_healthy_hosts_do_not_depend_on_what_lies_beside_them(
        planted in prop::collection::vec((0..PLACES.len(), 0..NAMES.len(), 0..KINDS, prop::sample::select(&["", ".log", ".parquet", "-0a0b0c0d.parquet", ".pagetide"][..])), 1..60),
        cut in any::<prop::sample::Index>(),
    ) {
        let scratch = tempfile::tempdir().unwrap();
        HEALTHY.iter().for_each(|name| copy(&fixture(name), &scratch.path().join(name)));
        let alone = healthy_rows(scratch.path());
        prop_assert_eq!(alone.len(), HEALTHY.len());
        // Some strangers are recordings besides.
        (0..4).for_each(|at| copy(&fixture(HEALTHY[0]), &scratch.path().join(format!("stranger-{at}"))));
        for (at, (place, name, kind, ending)) in planted.into_iter().enumerate() {
            plant(&scratch.path().join(format!("stranger-{}", at % 7)), place, name, kind, ending);
        }
        // A host whose copy was interrupted in the middle of a file, one whose manifest is a FIFO, and a folder that leads back.
        let cut_short = scratch.path().join("cut-short");
        copy(&fixture("control-warm-1"), &cut_short);
        let manifest = fs::read(cut_short.join("manifest.json")).unwrap();
        fs::write(cut_short.join("manifest.json"), &manifest[..cut.index(manifest.len())]).unwrap();
        fs::create_dir(scratch.path().join("fifo")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, scratch.path().join("fifo/manifest.json"), rustix::fs::Mode::RWXU).unwrap();
        symlink(scratch.path(), scratch.path().join("back")).unwrap();
        prop_assert_eq!(healthy_rows(scratch.path()), alone);
    }
}
