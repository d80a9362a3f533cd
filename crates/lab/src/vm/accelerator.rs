//! Which accelerator works here. That `/dev/kvm` opens proves nothing; only a guest that boots does.

use super::initramfs;
use super::kernel::Kernel;
use super::qemu::{Accelerator, Machine, Qemu};
use super::wire::{Job, Message};
use pagetide_core::{Bytes, Error, Nanos, Progress};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a guest may take to boot under KVM. It needs about a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is known without booting a guest.
pub(super) enum Known {
    /// There is no `/dev/kvm` that can be opened.
    NoKvm,
    /// What an earlier probe found.
    Found(Accelerator),
    /// Nothing: the answer will be kept in this file.
    Unknown(PathBuf),
}

/// Whether there is no `/dev/kvm` that can be opened.
pub(super) fn no_kvm() -> bool {
    fs::OpenOptions::new().read(true).write(true).open("/dev/kvm").is_err()
}

/// The file that caches the answer, per kernel and host.
fn answer(qemu: &Path, kernel: &Kernel, cache: &Path) -> PathBuf {
    cache.join("accelerator").join(format!("{:08x}", crc32fast::hash(circumstances(qemu, kernel).as_bytes())))
}

/// What is known without booting a guest.
pub(super) fn known(qemu: &Path, kernel: &Kernel, cache: &Path) -> Known {
    if no_kvm() {
        return Known::NoKvm;
    }
    let answer = answer(qemu, kernel, cache);
    match fs::read_to_string(&answer).as_deref() {
        Ok("kvm") => Known::Found(Accelerator::Kvm),
        Ok("tcg") => Known::Found(Accelerator::Tcg),
        _ => Known::Unknown(answer),
    }
}

/// Forgets what an earlier probe found.
pub(super) fn forget(qemu: &Path, kernel: &Kernel, cache: &Path) {
    // A missing file is forgotten already.
    let _ = fs::remove_file(answer(qemu, kernel, cache));
}

/// KVM if a guest boots with it, else software. The answer is cached.
///
/// # Errors
/// QEMU cannot be started at all, or the user interrupted it.
pub(super) fn working(
    qemu: &Path,
    kernel: &Kernel,
    init: &Path,
    words: &str,
    cache: &Path,
    progress: &mut dyn Progress,
) -> Result<Accelerator, Error> {
    let answer = match known(qemu, kernel, cache) {
        Known::NoKvm => return Ok(Accelerator::Tcg),
        Known::Found(accelerator) => return Ok(accelerator),
        Known::Unknown(answer) => answer,
    };
    progress.say(&format!("probing KVM: a guest has {} s to boot (once)", PATIENCE.as_secs()));
    let found = if comes_up(qemu, kernel, init, words, progress)? { Accelerator::Kvm } else { Accelerator::Tcg };
    // If the answer cannot be cached, the next run probes again.
    let _ = answer.parent().map(fs::create_dir_all);
    let _ = fs::write(&answer, found.name());
    Ok(found)
}

/// Everything that the answer depends on, as text.
fn circumstances(qemu: &Path, kernel: &Kernel) -> String {
    let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let size = |path: &Path| fs::metadata(path).map_or(0, |meta| meta.len());
    format!(
        "{} {} {} {} {} {}",
        qemu.display(),
        size(qemu),
        kernel.release,
        size(&kernel.image),
        read("/proc/version"),
        read("/etc/machine-id")
    )
}

fn comes_up(
    qemu: &Path,
    kernel: &Kernel,
    init: &Path,
    words: &str,
    progress: &mut dyn Progress,
) -> Result<bool, Error> {
    let modules = super::module::Modules::below(&kernel.modules);
    let modules = modules.in_order(&super::module::BASE_MODULES)?;
    let job = Job {
        scenario: None,
        seed: 0,
        interval: Nanos::ZERO,
        as_host: false,
        modules: Vec::new(),
        alongside: Vec::new(),
        alongside_to_end: false,
    };
    let machine = Machine {
        qemu: PathBuf::from(qemu),
        accelerator: Accelerator::Kvm,
        cpus: 1,
        memory: Bytes::new(512 << 20),
        kernel: kernel.image.clone(),
        initramfs: initramfs::pack(init, &[], &modules, &job)?,
        words: words.to_owned(),
        disks: Vec::new(),
    };
    let mut qemu = Qemu::start(machine)?;
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until && qemu.ended().is_none() {
        if progress.interrupted() {
            return Err(Error::interrupted());
        }
        match qemu.listen(Nanos::new(50_000_000)) {
            Ok(messages) if messages.iter().any(|message| matches!(message, Message::Up { .. })) => return Ok(true),
            Ok(_) => {}
            Err(_) => return Ok(false),
        }
    }
    Ok(false)
}
