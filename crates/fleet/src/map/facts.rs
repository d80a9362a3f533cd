//! What rows say of the host itself.

use crate::row::{Row, Text};
use pagetide_core::{Bytes, Disk, Lru, Manifest, Sysctl};
use std::collections::{BTreeMap, BTreeSet};

/// Settings beside those of [`Sysctl`] that decide about memory.
const ALSO: [&str; 4] =
    ["vm.overcommit_memory", "vm.overcommit_ratio", "vm.zone_reclaim_mode", "vm.compaction_proactiveness"];

/// Fills in what a manifest says.
pub(super) fn fill(row: &mut Row, manifest: &Manifest) {
    let text = |text: &str| Some(text).filter(|text| !text.is_empty()).map(Text::from);
    let whole: Vec<&Disk> = manifest.disks.iter().filter(|disk| is_whole(disk)).collect();
    let joined = |parts: BTreeSet<&str>, by: &str| text(&parts.into_iter().collect::<Vec<_>>().join(by));
    let names: Vec<&str> = whole.iter().map(|disk| disk.name.as_str()).collect();
    row.host = text(&manifest.host);
    row.boot_id = text(&manifest.boot_id);
    row.origin = text(manifest.origin.name());
    row.kernel = text(&manifest.kernel);
    row.cpus = Some(i64::from(manifest.cpus)).filter(|cpus| *cpus > 0);
    row.memory_bytes = Some(manifest.memory_total).filter(|bytes| *bytes > Bytes::ZERO).map(size);
    row.disks = text(&names.join(" "));
    row.disk_models = joined(whole.iter().filter_map(|disk| disk.model.as_deref()).collect(), "; ");
    row.disk_classes = joined(whole.iter().map(|disk| class(disk)).collect(), " ");
    row.filesystems = joined(manifest.filesystems.values().map(String::as_str).collect(), " ");
    // An import does not know the swap areas: none listed is not none.
    row.swap_bytes = (manifest.origin != pagetide_core::Origin::Import)
        .then(|| manifest.swaps.iter().map(|swap| size(swap.size)).fold(0, i64::saturating_add));
    row.lru = manifest.lru.map(|lru| match lru {
        Lru::Classic => "classic".into(),
        Lru::Mglru => "mglru".into(),
    });
    let wanted = |name: &str| Sysctl::find(name).is_some() || ALSO.contains(&name);
    let settings: BTreeMap<&str, &str> = manifest
        .sysctls
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .filter(|(name, _)| wanted(name))
        .collect();
    let json =
        |of: &BTreeMap<&str, &str>| (!of.is_empty()).then(|| serde_json::to_string(of).unwrap_or_default().into());
    row.sysctls = json(&settings);
    row.labels = json(&manifest.labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect());
}

fn size(bytes: Bytes) -> i64 {
    i64::try_from(bytes.get()).unwrap_or(i64::MAX)
}

/// Whether it is a disk of its own, and not a partition or made of others.
fn is_whole(disk: &Disk) -> bool {
    let virtual_names = ["loop", "ram", "zram", "sr", "fd", "dm-", "md", "nbd"];
    disk.below.is_empty() && !virtual_names.iter().any(|name| disk.name.starts_with(name))
}

/// The class of a disk, by its driver's name and what it says of itself.
pub(super) fn class(disk: &Disk) -> &'static str {
    let named = |prefixes: &[&str]| prefixes.iter().any(|prefix| disk.name.starts_with(prefix));
    match disk.rotational {
        _ if named(&["nvme"]) => "nvme",
        _ if named(&["vd", "xvd"]) => "virtual",
        Some(true) => "rotational",
        Some(false) => "ssd",
        None => "other",
    }
}
