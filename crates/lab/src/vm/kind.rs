//! What the command line knows of the vm backend.

use super::{Accelerator, Vm, VmOptions};
use crate::backend::{BackendKind, BackendOption, OptionValue};
use crate::forecast;
use pagetide_core::Origin;
use std::path::PathBuf;

/// The backend, as the command line knows it.
pub const KIND: BackendKind = BackendKind {
    name: Origin::Vm.name(),
    about: "a virtual machine with its own kernel, memory, disks and swap",
    options: &[
        BackendOption {
            name: "kernel",
            value: OptionValue::Text("IMAGE"),
            about: "the kernel image [default: Debian's, downloaded into the cache]",
        },
        BackendOption {
            name: "accelerator",
            value: OptionValue::Choice(&[
                ("auto", "KVM when a guest boots with it, else software emulation"),
                ("kvm", "KVM"),
                ("tcg", "Software emulation"),
            ]),
            about: "run the guest on KVM or in software emulation",
        },
        BackendOption {
            name: "alongside",
            value: OptionValue::Text("COMMAND"),
            about: "also run this command of the host in the guest during the steps, in a folder on its first disk. The files it \
                    leaves are copied to `alongside` in the run's folder",
        },
    ],
    forecast: forecast::forecast,
    make: |place, given| {
        let accelerator = match given.last("accelerator") {
            Some("kvm") => Some(Accelerator::Kvm),
            Some("tcg") => Some(Accelerator::Tcg),
            _ => None,
        };
        let words = |line: &String| line.split_whitespace().map(str::to_owned).collect();
        Ok(Box::new(Vm::new(VmOptions {
            kernel: given.last("kernel").map(PathBuf::from),
            accelerator,
            alongside: given.all("alongside").iter().map(words).collect(),
            interval: place.interval,
            ..VmOptions::of_this_program(&place.work_dir, &place.results)?
        })))
    },
};
