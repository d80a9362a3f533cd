//! What experiments in a virtual machine need.

use super::check::{Check, first_line};
use crate::interrupt::Interrupt;
use crate::progress::ProgressDisplay;
use pagetide_core::{Bytes, Error};
use pagetide_lab::vm::{Accelerated, Accelerator, GuestKernel, Survey, Vm, VmOptions};

/// Room for a downloaded kernel, and for its package while it is unpacked.
const ROOM: Bytes = Bytes::new(512 << 20);

/// What is available. It boots a guest only for `probe`.
pub(super) fn checks(probe: bool) -> Result<Vec<Check>, Error> {
    let folder = std::env::temp_dir();
    let vm = Vm::new(VmOptions::of_this_program(&folder, &folder)?);
    if probe {
        vm.probe(&mut ProgressDisplay::new(Interrupt::catch()?, false))?;
    }
    let survey = vm.survey();
    let mut checks = vec![qemu(&survey), kernel(&survey), accelerator(&survey)];
    checks.extend(survey.mkfs.iter().map(|(name, found)| Check {
        name,
        there: found.is_ok(),
        needed: false,
        purpose: "creating disks for virtual machines",
        found: found.as_ref().map_or_else(|_| "not found".into(), |path| path.display().to_string()),
        hint: hint(found),
    }));
    checks.push(cache(&survey));
    Ok(checks)
}

fn hint<T>(found: &Result<T, Error>) -> String {
    found.as_ref().err().map(|error| error.hint.clone()).unwrap_or_default()
}

fn qemu(survey: &Survey) -> Check {
    let version = survey.qemu.as_ref().ok().and_then(|path| first_line(path, &["--version"]));
    Check {
        name: "qemu",
        there: version.is_some(),
        needed: false,
        purpose: "experiments in a virtual machine",
        found: version.unwrap_or_else(|| "not found".into()),
        hint: if survey.qemu.is_ok() {
            "apt-get install -y --reinstall qemu-system-x86".into()
        } else {
            hint(&survey.qemu)
        },
    }
}

fn kernel(survey: &Survey) -> Check {
    Check {
        name: "guest kernel",
        there: survey.kernel.is_ok(),
        needed: false,
        purpose: "the kernel that a virtual machine boots",
        found: match &survey.kernel {
            Ok(GuestKernel::Here(release)) => format!("{release}, in the cache"),
            Ok(GuestKernel::Package(package)) => format!("the first run downloads {package}"),
            Err(error) => error.what.clone(),
        },
        hint: hint(&survey.kernel),
    }
}

fn accelerator(survey: &Survey) -> Check {
    let (found, hint) = match survey.accelerator {
        Accelerated::Found(Accelerator::Kvm) => ("KVM: a guest boots", ""),
        Accelerated::Found(Accelerator::Tcg) => (
            "software emulation: /dev/kvm exists, but no guest boots with it",
            "pagetide doctor --probe tests again; in a VM, the host must allow nested virtualization",
        ),
        Accelerated::NotProbed => ("unknown: the first run tests it", "pagetide doctor --probe"),
        Accelerated::NoKvm => (
            "software emulation: /dev/kvm is missing or cannot be opened",
            "modprobe kvm_intel (or kvm_amd); in a VM, the host must allow nested virtualization",
        ),
    };
    Check {
        name: "accelerator",
        there: survey.accelerator == Accelerated::Found(Accelerator::Kvm),
        needed: false,
        purpose: "speed of virtual machines: without KVM, compare times only within a run",
        found: found.into(),
        hint: hint.into(),
    }
}

fn cache(survey: &Survey) -> Check {
    let kept = matches!(survey.kernel, Ok(GuestKernel::Here(_)));
    let cache = survey.cache.display();
    Check {
        name: "cache",
        there: kept || survey.free.is_some_and(|free| free >= ROOM),
        needed: false,
        purpose: "keeping the guest's kernel, and whether KVM works",
        found: survey.free.map_or_else(|| format!("{cache}"), |free| format!("{cache}, {free} free")),
        hint: format!("free {ROOM} there, or name another folder with PAGETIDE_CACHE"),
    }
}
