//! Which accelerator works here. `/dev/kvm` that opens proves nothing: only a guest that comes up does.

use super::initramfs;
use super::kernel::Kernel;
use super::qemu::{Accelerator, Machine, Qemu};
use super::wire::{Job, Message};
use pagetide_core::{Bytes, Nanos, Progress, Refusal};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a guest may take to come up under KVM, where it needs about a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// KVM when a guest comes up with it, else software. The answer is kept in the cache, per kernel and host.
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
) -> Result<Accelerator, Refusal> {
    if fs::OpenOptions::new().read(true).write(true).open("/dev/kvm").is_err() {
        return Ok(Accelerator::Tcg);
    }
    let answer =
        cache.join("accelerator").join(format!("{:08x}", crc32fast::hash(circumstances(qemu, kernel).as_bytes())));
    match fs::read_to_string(&answer).as_deref() {
        Ok("kvm") => return Ok(Accelerator::Kvm),
        Ok("tcg") => return Ok(Accelerator::Tcg),
        _ => {}
    }
    progress.say(&format!("looking whether KVM works here: a guest has {} s to come up (once)", PATIENCE.as_secs()));
    let found = if comes_up(qemu, kernel, init, words, progress)? { Accelerator::Kvm } else { Accelerator::Tcg };
    // An answer that cannot be kept is found again the next time.
    let _ = answer.parent().map(fs::create_dir_all);
    let _ = fs::write(&answer, found.name());
    Ok(found)
}

/// What the answer depends on.
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
) -> Result<bool, Refusal> {
    let modules = super::module::Modules::below(&kernel.modules);
    let modules = modules.in_order(&super::BASE_MODULES)?;
    let job = Job { scenario: None, interval: Nanos::ZERO, modules: Vec::new() };
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
            return Err(Refusal::interrupted());
        }
        match qemu.listen(Nanos::new(50_000_000)) {
            Ok(messages) if messages.iter().any(|message| matches!(message, Message::Up { .. })) => return Ok(true),
            Ok(_) => {}
            Err(_) => return Ok(false),
        }
    }
    Ok(false)
}
