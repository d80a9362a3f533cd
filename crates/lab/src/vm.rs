//! The vm backend: runs a scenario in a virtual machine of its own, with its own kernel, memory, disks and swap.
//!
//! QEMU boots a kernel of the distribution with an initramfs packed for the run: this same program is the guest's init
//! ([`guest::run`]), runs the steps with the same [`crate::executor`] as the host backend, records with the same recorder, and
//! sends everything over a virtio serial port while it runs. It leaves nothing on the host except what the caller's sink keeps
//! and the cache.

mod accelerator;
mod clock;
mod cpio;
pub(crate) mod disk;
mod elf;
pub mod guest;
mod initramfs;
mod kernel;
mod kind;
mod module;
mod monitor;
mod nbd;
mod options;
pub(crate) mod qemu;
mod survey;
mod tools;
mod wire;

pub use kind::KIND;
pub use options::{VmOptions, usual_cache};
pub use qemu::Accelerator;
pub use survey::{Accelerated, GuestKernel, Survey};
pub use tools::Vm;

use crate::program::find_program;
use module::{BASE_MODULES, Modules};
use monitor::{Monitor, State};
use pagetide_core::{
    Action, Backend, BackendRun, Bytes, Error, FileSystem, Origin, Progress, RunRequest, Scenario, Sink, SwapSpec,
    Swaps,
};
use qemu::{Backing, Machine, Qemu};
use std::path::Path;
use wire::Job;

/// Memory that a guest needs to run anything.
const MIN_AVAILABLE: Bytes = Bytes::new(64 << 20);

/// The modules that a scenario's machine needs.
fn modules_for(scenario: &Scenario) -> Vec<&'static str> {
    let mut modules = BASE_MODULES.to_vec();
    for disk in &scenario.machine.disks {
        match disk.filesystem {
            FileSystem::Ext4 => modules.push("ext4"),
            FileSystem::Xfs => modules.push("xfs"),
            FileSystem::None => {}
        }
    }
    let in_steps = scenario.steps.iter().flat_map(|step| match &step.action {
        Action::Swap(Swaps(areas)) => areas.as_slice(),
        _ => &[],
    });
    for swap in std::iter::once(&scenario.machine.swap).chain(in_steps) {
        let SwapSpec::Zram { algorithm, .. } = swap else { continue };
        modules.extend(match algorithm.as_deref() {
            Some("lz4") => &["lz4"][..],
            Some("lz4hc") => &["lz4hc"],
            Some("zstd") => &["zstd"],
            Some("lzo" | "lzo-rle") | None => &["lzo", "lzo_rle"],
            Some(_) => &[],
        });
        modules.push("zram");
    }
    modules
}

/// Memory that must be available in the guest before the first step: the machine's memory less that of its system.
fn available(scenario: &Scenario) -> Result<Bytes, Error> {
    let machine = &scenario.machine;
    let available = machine.memory.saturating_sub(machine.system);
    if available >= MIN_AVAILABLE {
        return Ok(available);
    }
    let system = machine.system;
    let hint = match MIN_AVAILABLE.get().div_ceil(available.get().max(1)) {
        times @ 2..=64 => format!("use a scale that is {times} times as large, or give it more memory"),
        _ => "give it more memory, such as --set memory=1GiB".to_owned(),
    };
    Err(Error::input(
        format!(
            "the machine has {available} available ({} of memory minus {system} for its system), but a guest needs {MIN_AVAILABLE}",
            machine.memory
        ),
        hint,
    ))
}

/// Memory for the guest: the memory that must be available, its initramfs, and what its kernel takes (page structures in
/// proportion to memory, and a fixed part). The guest occupies the surplus.
fn memory(available: Bytes, initramfs: usize) -> Bytes {
    let fixed = 144u64 << 20;
    let all = available.get().saturating_add(initramfs as u64).saturating_add(fixed);
    Bytes::new(all.saturating_add(all / 24))
}

impl Backend for Vm {
    fn name(&self) -> &'static str {
        Origin::Vm.name()
    }

    fn run(
        &mut self,
        request: &RunRequest,
        sink: Box<dyn Sink>,
        progress: &mut dyn Progress,
    ) -> Result<BackendRun, Error> {
        let (options, scenario) = (&self.options, &request.scenario);
        let qemu = self.qemu()?;
        let wanted = available(scenario)?;
        let kernel = self.kernel(progress)?;
        let modules = Modules::below(&kernel.modules);
        let modules = modules.in_order(&modules_for(scenario))?;
        let mut programs = Vec::new();
        if scenario.steps.iter().any(|step| matches!(step.action, Action::Fio(_))) {
            programs.push(find_program(&options.fio, "apt-get install -y fio")?);
        }
        for words in &options.alongside {
            let name = words.first().map_or("", String::as_str);
            if name != guest::OWN_PROGRAM {
                programs.push(find_program(Path::new(name), "name a program of this host with --alongside")?);
            }
        }
        let accelerator = match options.accelerator {
            Some(accelerator) => accelerator,
            None => self.working(&qemu, &kernel, progress)?,
        };
        let dilation = scenario.machine.time_dilation.filter(|_| accelerator == Accelerator::Tcg);
        let scenario = &dilation.map_or_else(|| scenario.clone(), |factor| scenario.dilated(factor));
        let job = Job {
            scenario: Some(scenario.clone()),
            seed: request.seed,
            interval: options.interval,
            as_host: options.as_host,
            modules: Vec::new(),
            alongside: options.alongside.clone(),
            alongside_to_end: options.alongside_to_end,
        };
        let initramfs = initramfs::pack(&options.init, &programs, &modules, &job)?;
        // If this fails, creating the first disk reports why.
        let _ = std::fs::create_dir_all(&options.work_dir);
        let mut disks = Vec::new();
        let mut served = Vec::new();
        for spec in &scenario.machine.disks {
            progress.update(None, None, &format!("formatting disk {}", spec.name));
            let size = disk::size(spec, scenario);
            let file = disk::make(spec, size, &options.work_dir)?;
            if spec.delays() {
                let (server, socket) = nbd::Server::start(file, size)?;
                served.push((spec.clone(), server));
                disks.push(Backing::Served(socket));
            } else {
                disks.push(Backing::limited(spec, file));
            }
        }
        let machine = Machine {
            qemu,
            accelerator,
            cpus: scenario.machine.cpus,
            memory: memory(wanted, initramfs.len()),
            kernel: kernel.image.clone(),
            initramfs,
            words: self.words(accelerator),
            disks,
        };
        progress.say(&format!(
            "booting Linux {} under {} in a VM of {}",
            kernel.release,
            accelerator.name(),
            machine.memory
        ));
        let qemu = Qemu::start(machine)?;
        let monitor = Monitor {
            scenario,
            sink,
            progress,
            results: options.results.clone(),
            served,
            step_limit: options.step_limit,
            state: State::default(),
        };
        let mut report = monitor.run(qemu)?;
        report.run.machine.push(format!("booted in {:.1} s under {}", report.boot.as_secs_f64(), accelerator.name()));
        if accelerator == Accelerator::Tcg {
            report.run.differences.push(
                "The CPU is emulated in software: counts compare with other machines, times only within this run."
                    .into(),
            );
        }
        if let Some(factor) = dilation {
            report.run.differences.push(format!(
                "The disks are {factor} times slower than the scenario's, to keep their proportion to the emulated CPU."
            ));
        }
        Ok(report.run)
    }
}
