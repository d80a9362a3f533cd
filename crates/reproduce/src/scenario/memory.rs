//! Memory as it was at the onset.

use super::draft::{Draft, UNUSED};
use super::groups;
use super::toml::{blocks, size};
use crate::load::{CommandLoad, Kind};
use crate::recorded::disk::DiskModel;
use crate::recorded::{Stretch, at_onset};
use pagetide_core::{Table, plain_name};
use std::fmt::Write;

/// Memory at the onset that is neither free nor cache, bytes.
pub(crate) struct Held {
    pub(super) system: f64,
    pub(crate) anonymous: f64,
    pub(super) shared: f64,
}

impl Held {
    pub(crate) fn of(calm: &Stretch<'_>, trouble: &Stretch<'_>) -> Self {
        let at = |metric: &str| at_onset(calm, trouble, metric);
        let total = trouble.recording.manifest.memory_total.as_f64();
        let (anonymous, shared) = (at("AnonPages").unwrap_or(0.0), at("Shmem").unwrap_or(0.0));
        let available = at("MemAvailable").unwrap_or(total * 0.9);
        Self { system: (total - available - anonymous - shared).max(total / 100.0), anonymous, shared }
    }
}

/// The steps that fill memory as it was at the onset: what nobody used, then the working sets.
pub(super) fn steps(draft: &Draft<'_>, held: &Held) -> String {
    let mut text = String::new();
    let of_groups: f64 = draft.facts.group_memory.iter().map(|(_, bytes)| bytes).sum();
    let brought: f64 = draft.facts.loads.iter().map(|load| load.brings(&draft.facts.calm)).sum();
    let anonymous = held.anonymous - of_groups - brought;
    for (id, kind, bytes) in [("anonymous", "anon", anonymous), ("shared", "shared", held.shared)] {
        if bytes > 1e6 {
            let _ = writeln!(
                text,
                "\n[[step]]\nid = \"{id}\"\ntitle = \"memory that programs hold\"\nhold = {{ size = {}, kind = \"{kind}\" }}",
                size(bytes)
            );
        }
    }
    for (disk, bytes) in written_before(draft) {
        let name = plain_name(disk);
        let bytes = size(bytes);
        let _ = writeln!(
            text,
            "\n[[step]]\nid = \"written_{name}\"\ntitle = \"a disk that wrote before has its share of dirty memory\"\ndd = {{ from = \"zero\", to = \"file:written@{name}\", size = {bytes}, bs = {bytes}, sync_every = {bytes} }}"
        );
    }
    if draft.unused() > 0.0 {
        let bytes = blocks(draft.unused(), 1048576.0);
        let _ = writeln!(
            text,
            "\n[[step]]\nid = \"cached\"\ntitle = \"files in the page cache that nobody uses\"\nstream = {{ from = \"{UNUSED}\", size = {bytes} }}"
        );
    }
    for (at, load) in draft.facts.loads.iter().enumerate() {
        let Some(size) = load.kind.set() else { continue };
        let _ = writeln!(
            text,
            "\n[[step]]\nid = \"warm_{at}\"\ntitle = \"the files of a working set are read\"\nstream = {{ from = \"{}\", size = {} }}",
            draft.place(at),
            blocks(draft.set(size).min(load.charged.unwrap_or(f64::MAX)), 1048576.0)
        );
        if let Some(group) = groups::of(draft, load, draft.facts.calm.from) {
            let _ = writeln!(text, "cgroup = {group}");
        }
        if load.charged.is_some_and(|charged| charged < draft.set(size)) {
            let _ = writeln!(
                text,
                "\n[[step]]\nid = \"rest_{at}\"\ntitle = \"what others had read of them\"\nstream = {{ from = \"{}\", size = {} }}",
                draft.place(at),
                blocks(draft.set(size), 1048576.0)
            );
        }
    }
    text
}

/// Disks that wrote since boot, and bytes in proportion, where somebody wrote before the incident and did not sync: the kernel gives each device a share
/// of dirty memory by what it wrote lately, and flushes at once what one without a share has (`mm/page-writeback.c: wb_calc_thresh`).
pub(super) fn written_before<'a>(draft: &Draft<'a>) -> Vec<(&'a str, f64)> {
    const ALL: f64 = 16.0 * 1048576.0;
    const MIN_WRITTEN: f64 = 65536.0;
    let is_usual = |load: &CommandLoad| {
        load.ran_before && matches!(load.kind, Kind::Write { direct: false, sync_every: None, .. })
    };
    if !draft.facts.loads.iter().any(is_usual) {
        return Vec::new();
    }
    let sectors = |disk: &DiskModel| {
        draft.facts.trouble.value_at(Table::Disk, &disk.name, "write_sectors", draft.facts.calm.from)
    };
    let written: Vec<(&str, f64)> =
        draft.facts.disks.iter().filter_map(|disk| Some((disk.name.as_str(), sectors(disk)?))).collect();
    let all: f64 = written.iter().map(|(_, sectors)| sectors).sum();
    let shares = written.into_iter().map(|(disk, sectors)| (disk, ALL * sectors / all.max(1.0)));
    shares.filter(|(_, bytes)| *bytes >= MIN_WRITTEN).collect()
}
