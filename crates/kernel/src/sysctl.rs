//! Settings under `/proc/sys/vm`.

use crate::error::Error;
use crate::root::Root;
use pagetide_proctext::text::number;
use std::collections::BTreeMap;

/// The settings under `/proc/sys/vm`, by their whole name: `vm.swappiness`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VmSysctls(pub BTreeMap<String, String>);

impl VmSysctls {
    /// A setting that is one number, by its name without `vm.`: `get("dirty_ratio")`.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.get(&format!("vm.{name}")).and_then(|value| number(value))
    }
}

impl Root {
    /// Reads every setting under `/proc/sys/vm` that can be read; those that only take commands are left out.
    pub fn vm_sysctls(&self) -> Result<VmSysctls, Error> {
        let path = self.join("/proc/sys/vm");
        let entries = std::fs::read_dir(&path).map_err(|source| Error::Read { path, source })?;
        let mut settings = BTreeMap::new();
        for entry in entries.flatten() {
            // Not a setting: reading it makes every CPU hand in its counters.
            if entry.file_name() == "stat_refresh" {
                continue;
            }
            // Write-only settings (compact_memory) say EACCES or EIO; all others are a line of text.
            if let (Ok(name), Ok(text)) = (entry.file_name().into_string(), std::fs::read_to_string(entry.path())) {
                settings.insert(format!("vm.{name}"), text.trim_ascii().to_owned());
            }
        }
        Ok(VmSysctls(settings))
    }
}
