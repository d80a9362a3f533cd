//! The parts of a VM: QEMU, a kernel and an accelerator.

use super::clock::tsc_khz;
use super::kernel::Kernel;
use super::options::VmOptions;
use super::qemu::Accelerator;
use super::{accelerator, initramfs};
use crate::program::find_program;
use pagetide_core::{Error, Progress};
use std::path::{Path, PathBuf};

/// The vm backend.
#[derive(Debug, Clone)]
pub struct Vm {
    pub(super) options: VmOptions,
}

impl Vm {
    /// A vm backend with these options.
    pub fn new(options: VmOptions) -> Self {
        Self { options }
    }

    pub(super) fn qemu(&self) -> Result<PathBuf, Error> {
        let hint = "apt-get install -y --no-install-recommends qemu-system-x86";
        find_program(&self.options.qemu, hint)
    }

    pub(super) fn kernel(&self, progress: &mut dyn Progress) -> Result<Kernel, Error> {
        match &self.options.kernel {
            Some(image) => Kernel::named(image),
            None => Kernel::distributed(&self.options.cache, &mut |line| progress.say(line)),
        }
    }

    /// The accelerator that works here.
    pub(super) fn working(
        &self,
        qemu: &Path,
        kernel: &Kernel,
        progress: &mut dyn Progress,
    ) -> Result<Accelerator, Error> {
        let VmOptions { init, cache, .. } = &self.options;
        accelerator::working(qemu, kernel, init, &self.words(Accelerator::Kvm), cache, progress)
    }

    /// The command line of the guest's kernel and init. The root file system is never swapped or reclaimed, and a panic ends the machine at once.
    /// On a busy host a guest can find its timer broken (`arch/x86/kernel/apic/io_apic.c:timer_irq_works`), so it does not check it.
    ///
    /// An emulated time stamp counter is the host's, the same on all CPUs. With several CPUs that are not Intel's the guest's kernel does not trust
    /// it (`arch/x86/kernel/tsc.c:unsynchronized_tsc`) and reads a slow emulated HPET instead, hence `tsc=reliable`. Then nothing checks its
    /// frequency, so the host passes it in `tsc_early_khz`.
    pub(super) fn words(&self, accelerator: Accelerator) -> String {
        let init = self.options.init_words.join(" ");
        let libraries = initramfs::LIBRARIES;
        let clock = match accelerator {
            Accelerator::Tcg => {
                let speed = tsc_khz().map_or_else(String::new, |khz| format!("tsc_early_khz={khz} "));
                format!("tsc=reliable {speed}")
            }
            Accelerator::Kvm => String::new(),
        };
        format!(
            "console=ttyS0 loglevel=5 panic=-1 no_timer_check {clock}rootfstype=ramfs rdinit=/init \
             LD_LIBRARY_PATH={libraries} RUST_BACKTRACE=0 -- {init}"
        )
    }
}
