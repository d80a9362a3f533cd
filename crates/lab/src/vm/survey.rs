//! Which of the things that a VM needs are on this host. The survey downloads nothing and boots nothing.

use super::accelerator::{self, Known};
use super::kernel;
use super::kernel::Kernel;
use super::qemu::Accelerator;
use super::tools::Vm;
use crate::program::find_program;
use pagetide_core::{Bytes, Error, Progress};
use std::path::{Path, PathBuf};

/// The result of a survey.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The path of QEMU.
    pub qemu: Result<PathBuf, Error>,
    /// The kernel that a guest would boot.
    pub kernel: Result<GuestKernel, Error>,
    /// The accelerator that it would use.
    pub accelerator: Accelerated,
    /// The programs that make file systems, by name.
    pub mkfs: Vec<(&'static str, Result<PathBuf, Error>)>,
    /// The cache folder.
    pub cache: PathBuf,
    /// Free space on the cache's disk.
    pub free: Option<Bytes>,
}

/// The kernel that a guest would boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuestKernel {
    /// The kernel of this release, in the cache or named by the user.
    Here(String),
    /// It would download this package, or the one that it depends on.
    Package(String),
}

/// The accelerator that a guest would use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accelerated {
    /// Software emulation, as `/dev/kvm` cannot be opened.
    NoKvm,
    /// The accelerator that an earlier probe found.
    Found(Accelerator),
    /// Unknown: the first run will probe.
    NotProbed,
}

impl Vm {
    /// Looks for everything that a VM needs.
    pub fn survey(&self) -> Survey {
        let options = &self.options;
        let qemu = self.qemu();
        let kernel = match &options.kernel {
            Some(image) => Kernel::named(image).map(Ok),
            None => {
                Kernel::cached(&options.cache).map_or_else(|| kernel::obtainable().map(Err), |kernel| Ok(Ok(kernel)))
            }
        };
        let accelerator = match (&qemu, &kernel) {
            (Ok(qemu), Ok(Ok(kernel))) => match accelerator::known(qemu, kernel, &options.cache) {
                Known::NoKvm => Accelerated::NoKvm,
                Known::Found(accelerator) => Accelerated::Found(accelerator),
                Known::Unknown(_) => Accelerated::NotProbed,
            },
            _ if accelerator::no_kvm() => Accelerated::NoKvm,
            _ => Accelerated::NotProbed,
        };
        let mkfs = super::disk::PROGRAMS.map(|(name, hint)| (name, find_program(Path::new(name), hint)));
        Survey {
            qemu,
            kernel: kernel
                .map(|kernel| kernel.map_or_else(GuestKernel::Package, |here| GuestKernel::Here(here.release))),
            accelerator,
            mkfs: mkfs.into(),
            free: free(&options.cache),
            cache: options.cache.clone(),
        }
    }

    /// Boots a guest under KVM to see whether that works, regardless of an earlier result.
    ///
    /// # Errors
    /// There is no QEMU or no kernel, or the user interrupted it.
    pub fn probe(&self, progress: &mut dyn Progress) -> Result<Accelerator, Error> {
        let qemu = self.qemu()?;
        let kernel = self.kernel(progress)?;
        accelerator::forget(&qemu, &kernel, &self.options.cache);
        self.working(&qemu, &kernel, progress)
    }
}

/// Free space on the disk of a folder, which need not exist yet.
fn free(folder: &Path) -> Option<Bytes> {
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let stat = rustix::fs::statvfs(there).ok()?;
    Some(Bytes::new(stat.f_bavail.saturating_mul(stat.f_frsize)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::options::VmOptions;

    #[test]
    fn what_is_missing_is_reported_with_a_hint_and_nothing_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let usual = VmOptions::new(&cache, folder.path(), folder.path(), "/bin/true");
        let options = VmOptions { qemu: "qemu-of-nobody".into(), kernel: Some("/nowhere/vmlinuz".into()), ..usual };
        let survey = Vm::new(options).survey();
        assert!(survey.qemu.unwrap_err().hint.contains("apt-get install"));
        assert!(survey.kernel.unwrap_err().what.contains("/nowhere/vmlinuz"));
        assert!(survey.free.is_some_and(|free| free > Bytes::ZERO), "the disk of a folder that is not there yet");
        assert!(!cache.exists(), "looking makes nothing");
    }
}
