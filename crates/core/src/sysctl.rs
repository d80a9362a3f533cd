//! The kernel settings that a scenario may set.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A setting under `/proc/sys` that the lab may set on a host, and put back. The table has only settings that hold one number and
/// that an experiment about memory and IO needs; a scenario may set any other one in a virtual machine, whose kernel it has for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sysctl(&'static str);

const TABLE: [&str; 12] = [
    "vm.dirty_background_bytes",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_expire_centisecs",
    "vm.dirty_ratio",
    "vm.dirty_writeback_centisecs",
    "vm.min_free_kbytes",
    "vm.page-cluster",
    "vm.swappiness",
    "vm.vfs_cache_pressure",
    "vm.watermark_boost_factor",
    "vm.watermark_scale_factor",
];

impl Sysctl {
    /// The setting of that name, if the lab may set it on a host.
    pub fn find(name: &str) -> Option<Self> {
        TABLE.into_iter().find(|known| *known == name).map(Self)
    }

    /// Its name, such as `vm.dirty_ratio`.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.into_iter().map(Self)
    }

    /// The setting that the kernel sets to zero when this one is written (`mm/page-writeback.c: dirty_bytes_handler,
    /// dirty_ratio_handler` and those of the background threshold).
    pub fn twin(self) -> Option<Self> {
        let twin = match self.0 {
            "vm.dirty_bytes" => "vm.dirty_ratio",
            "vm.dirty_ratio" => "vm.dirty_bytes",
            "vm.dirty_background_bytes" => "vm.dirty_background_ratio",
            "vm.dirty_background_ratio" => "vm.dirty_background_bytes",
            _ => return None,
        };
        Self::find(twin)
    }
}

impl Serialize for Sysctl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Sysctl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::find(&name).ok_or_else(|| serde::de::Error::custom("not a setting that the lab sets on a host"))
    }
}

/// What a kernel setting is, for people who are told to look at it or to change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Its name, such as `vm.dirty_ratio`.
    pub name: &'static str,
    /// What it does, with its default.
    pub meaning: &'static str,
    /// Where the kernel documents it.
    pub source: &'static str,
}

const VM: &str = "Documentation/admin-guide/sysctl/vm.rst";
const KERNEL: &str = "Documentation/admin-guide/sysctl/kernel.rst";

/// The settings that pagetide names in advice, in scenarios and in the notes of a recording.
pub static SETTINGS: &[Setting] = &[
    Setting {
        name: "kernel.sched_schedstats",
        meaning: "Whether the scheduler counts how long tasks wait for a CPU. 0 (off) by default.",
        source: KERNEL,
    },
    Setting {
        name: "kernel.task_delayacct",
        meaning: "Whether the kernel counts how long each task waits for block IO, swap and reclaim. 0 (off) by default since Linux 5.14.",
        source: KERNEL,
    },
    Setting {
        name: "vm.compaction_proactiveness",
        meaning: "How hard the kernel compacts memory in the background, 0 to 100. 20 by default.",
        source: VM,
    },
    Setting {
        name: "vm.dirty_background_bytes",
        meaning: "Dirty memory in bytes at which the flusher threads start to write. 0: vm.dirty_background_ratio holds.",
        source: VM,
    },
    Setting {
        name: "vm.dirty_background_ratio",
        meaning: "Dirty memory, in percent of dirtyable memory, at which the flusher threads start to write. 10 by default.",
        source: VM,
    },
    Setting {
        name: "vm.dirty_bytes",
        meaning: "Dirty memory in bytes at which writers are throttled. 0: vm.dirty_ratio holds.",
        source: VM,
    },
    Setting {
        name: "vm.dirty_expire_centisecs",
        meaning: "Age, in hundredths of a second, at which dirty pages are written. 3000 (30 s) by default.",
        source: VM,
    },
    Setting {
        name: "vm.dirty_ratio",
        meaning: "Dirty memory, in percent of dirtyable memory, at which writers are throttled. 20 by default. Writers are slowed from half way between it and vm.dirty_background_ratio on.",
        source: VM,
    },
    Setting {
        name: "vm.dirty_writeback_centisecs",
        meaning: "How often, in hundredths of a second, the flusher threads look for old dirty pages. 500 (5 s) by default.",
        source: VM,
    },
    Setting {
        name: "vm.drop_caches",
        meaning: "Written to it, 1 drops clean page cache, 2 slab (dentries, inodes), 3 both. For experiments: a running service then reads from disk.",
        source: VM,
    },
    Setting {
        name: "vm.lowmem_reserve_ratio",
        meaning: "How much of each zone is kept for allocations that need that zone.",
        source: VM,
    },
    Setting {
        name: "vm.min_free_kbytes",
        meaning: "Free memory, in KiB, that the kernel keeps; the min watermarks are made of it.",
        source: VM,
    },
    Setting {
        name: "vm.nr_hugepages",
        meaning: "Huge pages in the pool. They are neither free memory nor page cache, whether used or not. 0 by default.",
        source: VM,
    },
    Setting {
        name: "vm.overcommit_memory",
        meaning: "Whether the kernel promises more memory than there is: 0 by a heuristic (default), 1 always, 2 never.",
        source: VM,
    },
    Setting {
        name: "vm.page-cluster",
        meaning: "Pages that are read from swap at once, as a power of 2. 3 (8 pages) by default; 0 suits swap in memory (zram).",
        source: VM,
    },
    Setting {
        name: "vm.swappiness",
        meaning: "How reclaim weighs anonymous memory against file cache, 0 to 200. 60 by default; 100 weighs them alike; 0 swaps only when file cache is nearly gone.",
        source: VM,
    },
    Setting {
        name: "vm.vfs_cache_pressure",
        meaning: "How readily dentries and inodes are reclaimed compared with page cache, in percent. 100 by default.",
        source: VM,
    },
    Setting {
        name: "vm.watermark_boost_factor",
        meaning: "How far the high watermark rises after memory fragmented, in 1/10000 of it. 15000 by default.",
        source: VM,
    },
    Setting {
        name: "vm.watermark_scale_factor",
        meaning: "Distance between the watermarks, in 1/10000 of memory. 10 (0.1 %) by default; more lets kswapd start earlier.",
        source: VM,
    },
    Setting {
        name: "vm.zone_reclaim_mode",
        meaning: "Whether a full NUMA node reclaims its own cache before it takes memory of another node. 0 (off) by default.",
        source: VM,
    },
];

/// The setting of that name, with dots or as a path below /proc/sys.
pub fn setting(name: &str) -> Option<&'static Setting> {
    let name = name.strip_prefix("/proc/sys/").unwrap_or(name).replace('/', ".");
    SETTINGS
        .iter()
        .find(|known| known.name == name || known.name.split_once('.').is_some_and(|(_, short)| short == name))
}

/// Whether a name is one of a setting and no path: words of letters, digits, `_` and `-`, with dots between them.
pub fn is_sysctl_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.contains('.') && name.split('.').all(|word| !word.is_empty() && word.chars().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_table_are_settings_of_a_host() {
        for sysctl in Sysctl::all() {
            assert!(is_sysctl_name(sysctl.name()), "{}", sysctl.name());
            assert_eq!(Sysctl::find(sysctl.name()), Some(sysctl));
            assert!(sysctl.twin().is_none_or(|twin| twin.twin() == Some(sysctl)));
        }
        for other in ["kernel.core_pattern", "vm.mmap_min_addr", "/etc/hosts", "vm/swappiness", "vm.swappiness "] {
            assert_eq!(Sysctl::find(other), None, "{other}");
        }
    }

    #[test]
    fn a_name_is_no_path() {
        for name in ["vm.mmap_min_addr", "vm.page-cluster", "net.ipv4.tcp_rmem"] {
            assert!(is_sysctl_name(name), "{name}");
        }
        for wrong in ["", "vm", ".", "..", "vm.", ".vm", "vm..x", "/etc/hosts", "vm./etc", "vm.a b", "vm.\u{e4}"] {
            assert!(!is_sysctl_name(wrong), "{wrong}");
        }
    }
}
