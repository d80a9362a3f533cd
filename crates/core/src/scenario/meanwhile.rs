//! What becomes of the machine while the loads of a parallel step run.

use super::{DeviceChange, Place, Sysctls};
use crate::error::Error;
use crate::units::Nanos;
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
    /// Changes a disk: in a VM or on the model.
    pub device: Option<DeviceChange>,
    /// Changes kernel settings until the end of the run.
    pub sysctl: Option<Sysctls>,
}

impl TimedChange {
    /// Checks that it changes something.
    ///
    /// # Errors
    /// It does not.
    pub(super) fn check(&self) -> Result<(), Error> {
        if let Some(place) = self.drop_files.iter().find(|place| !place.is_file()) {
            return Err(Error::input(format!("drop_files: \"{place}\" is not a file"), "write \"file:NAME\""));
        }
        if self.drop_caches || !self.drop_files.is_empty() || self.device.is_some() || self.sysctl.is_some() {
            return Ok(());
        }
        Err(Error::input(
            "meanwhile changes nothing",
            "add drop_caches = true, drop_files = […], device = { … } or sysctl = { … }",
        ))
    }
}
