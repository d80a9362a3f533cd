//! Settings of the guest's kernel that are not steps: reclaim, huge pages, readahead, sysctls.

use super::disk::Disk;
use crate::undo::write_sysctl;
use pagetide_core::{Error, Lru, Machine};
use std::fs;
use std::path::Path;

/// Applies the settings of the scenario's machine.
///
/// # Errors
/// The kernel lacks a setting or refuses its value.
pub(super) fn apply(machine: &Machine, disks: &[Disk], differences: &mut Vec<String>) -> Result<(), Error> {
    const LRU: &str = "/sys/kernel/mm/lru_gen/enabled";
    match machine.lru {
        // A kernel without MGLRU has only the classic lists.
        Some(Lru::Classic) if !Path::new(LRU).exists() => {}
        Some(lru) => set(LRU, if lru == Lru::Mglru { "7" } else { "0" }, "use a kernel with CONFIG_LRU_GEN")?,
        None => differences.push(format!("The kernel's own choice of page reclaim: {}.", lru_in_use(LRU))),
    }
    if let Some(pages) = machine.huge_pages {
        set(
            "/sys/kernel/mm/transparent_hugepage/enabled",
            pages.name(),
            "use a kernel with CONFIG_TRANSPARENT_HUGEPAGE",
        )?;
    }
    for (spec, disk) in machine.disks.iter().zip(disks) {
        if let Some(read_ahead) = spec.read_ahead {
            let file = format!("/sys/block/{}/queue/read_ahead_kb", disk.device);
            set(&file, &(read_ahead.get() / 1024).to_string(), "write a read_ahead of whole KiB")?;
        }
    }
    machine.sysctl.iter().try_for_each(|(name, value)| write_sysctl(name, *value))
}

fn set(file: &str, value: &str, hint: &str) -> Result<(), Error> {
    fs::write(file, value)
        .map_err(|error| Error::system(format!("the guest cannot write {value} to {file}: {error}"), hint))
}

fn lru_in_use(file: &str) -> &'static str {
    match fs::read_to_string(file).as_deref().map(str::trim) {
        Ok("0x0000") | Err(_) => "classic LRU",
        Ok(_) => "MGLRU",
    }
}
