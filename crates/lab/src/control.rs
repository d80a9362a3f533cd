//! How a backend changes the machine that a scenario runs on.

use pagetide_core::{Bytes, DeviceChange, Error, SwapSpec};

/// Changes the machine while steps run.
pub trait MachineControl {
    /// Sets a kernel setting such as `vm.dirty_ratio` to the scenario's value.
    ///
    /// # Errors
    /// The setting does not exist, or the kernel refuses the value.
    fn set_sysctl(&mut self, name: &str, value: i64) -> Result<(), Error>;

    /// Makes these the only swap areas of the machine, the first one first.
    ///
    /// # Errors
    /// A scenario may not change the swap of this machine, or the kernel refuses an area.
    fn replace_swap(&mut self, areas: &[SwapSpec]) -> Result<(), Error> {
        let _ = areas;
        Err(Error::system("a scenario cannot change the swap of this host", "run it in a VM: --on vm"))
    }

    /// Makes a disk faster or slower from now on.
    ///
    /// # Errors
    /// A scenario may not change the disks of this machine.
    fn change_disk(&mut self, change: &DeviceChange) -> Result<(), Error> {
        let _ = change;
        Err(Error::system("a scenario cannot change the disks of this host", "run it in a VM: --on vm"))
    }

    /// Runs before each step: the memory that processes hold may have changed.
    ///
    /// # Errors
    /// The machine is not what the scenario needs any more.
    fn before_step(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// The dirty and the background threshold in force, when they are not the host's own.
    fn dirty_thresholds(&self) -> Option<(Bytes, Bytes)> {
        None
    }
}
