//! What becomes of the machine while the loads of a parallel step run.

use super::{DeviceChange, Part, Place, Scale, StepKind, Sysctls};
use crate::error::Error;
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// A change of the machine in the middle of a parallel step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedChange {
    /// How long after the start of the step.
    pub after: Nanos,
    /// Writes dirty pages and drops the page cache, dentries and inodes.
    #[serde(default)]
    pub drop_caches: bool,
    /// Drops the cached pages of these files, as a program does that knows better than the kernel (`POSIX_FADV_DONTNEED`). No counter shows it.
    #[serde(default)]
    pub drop_files: Vec<Place>,
    /// Reclaims memory of a control group, as a program does that keeps memory free before anybody needs it.
    pub reclaim: Option<GroupReclaim>,
    /// Changes a disk: in a VM or on the model.
    pub device: Option<DeviceChange>,
    /// Changes kernel settings until the end of the run.
    pub sysctl: Option<Sysctls>,
}

/// A write to `memory.reclaim` of a control group (`mm/memcontrol.c: memory_reclaim`, Linux 6.12; since 5.19, version 2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupReclaim {
    /// The name of a group in which a part of the step runs.
    pub cgroup: String,
    /// Bytes that the kernel is asked for; it may find fewer.
    pub size: Bytes,
}

impl TimedChange {
    /// What it does, in a few words.
    pub fn describe(&self) -> String {
        let drops = self.drop_caches.then(|| "drop caches".to_owned());
        let files = self.drop_files.iter().map(|place| format!("drop {place}"));
        let reclaim = self.reclaim.as_ref().map(|of| format!("reclaim {} of cgroup {}", of.size, of.cgroup));
        let others = [self.device.as_ref().map(StepKind::describe), self.sysctl.as_ref().map(StepKind::describe)];
        let all: Vec<String> =
            drops.into_iter().chain(files).chain(reclaim).chain(others.into_iter().flatten()).collect();
        all.join(", ")
    }

    /// Scales its memory.
    pub(super) fn scale(&mut self, scale: Scale) {
        if let Some(reclaim) = &mut self.reclaim {
            reclaim.size = scale.bytes(reclaim.size);
        }
    }

    /// Checks that it changes something, beside these parts.
    ///
    /// # Errors
    /// It does not, or what it names is not there.
    pub(super) fn check(&self, parts: &[Part]) -> Result<(), Error> {
        if let Some(GroupReclaim { cgroup, size }) = &self.reclaim {
            if !parts.iter().filter_map(|part| part.cgroup.as_ref()).any(|group| group.name == *cgroup) {
                return Err(Error::input(
                    format!("reclaim: no part runs in the group \"{cgroup}\""),
                    "name the cgroup of a part of this step",
                ));
            }
            if size.get() == 0 {
                return Err(Error::input("reclaim: size is 0", "write the bytes to reclaim, such as \"64MiB\""));
            }
        }
        if let Some(place) = self.drop_files.iter().find(|place| !place.is_file()) {
            return Err(Error::input(format!("drop_files: \"{place}\" is not a file"), "write \"file:NAME\""));
        }
        let drops = self.drop_caches || !self.drop_files.is_empty();
        if drops || self.reclaim.is_some() || self.device.is_some() || self.sysctl.is_some() {
            return Ok(());
        }
        Err(Error::input(
            "meanwhile changes nothing",
            "add drop_caches = true, drop_files = […], reclaim = { … }, device = { … } or sysctl = { … }",
        ))
    }
}
