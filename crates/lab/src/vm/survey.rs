//! What a VM needs of this host, and what is there of it. Looking downloads nothing and boots nothing.

use super::accelerator::{self, Known};
use super::kernel;
use super::kernel::Kernel;
use super::qemu::Accelerator;
use super::tools::Vm;
use crate::program::find_program;
use pagetide_core::{Bytes, Error, Progress};
use std::path::{Path, PathBuf};

/// What was found.
#[derive(Debug, Clone)]
pub struct Survey {
    /// QEMU's file.
    pub qemu: Result<PathBuf, Error>,
    /// The kernel that a guest would boot.
    pub kernel: Result<GuestKernel, Error>,
    /// What would execute its instructions.
    pub accelerator: Accelerated,
    /// The programs that make file systems, by name.
    pub mkfs: Vec<(&'static str, Result<PathBuf, Error>)>,
    /// The folder of the cache.
    pub cache: PathBuf,
    /// Free room on its disk.
    pub free: Option<Bytes>,
}

/// The kernel that a guest would boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuestKernel {
    /// This one, by its release: it is in the cache, or the user named it.
    Here(String),
    /// This package, or the one that it depends on, would be downloaded.
    Package(String),
}

/// What would execute a guest's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accelerated {
    /// There is no `/dev/kvm` that can be opened: software.
    NoKvm,
    /// A guest came up with KVM, or none did and it is software.
    Found(Accelerator),
    /// The first run will find out.
    NotProbed,
}

impl Vm {
    /// Looks what is there.
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

    /// Boots a guest under KVM to see whether it comes up, regardless of an earlier result.
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

/// Free room on the disk on which a folder lies or would lie.
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
