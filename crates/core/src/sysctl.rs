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
