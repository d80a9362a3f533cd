//! What becomes of the machine while the loads of a parallel step run.

use super::{DeviceChange, Sysctls};
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
        if self.drop_caches || self.device.is_some() || self.sysctl.is_some() {
            return Ok(());
        }
        Err(Error::input("meanwhile changes nothing", "add drop_caches = true, device = { … } or sysctl = { … }"))
    }
}
