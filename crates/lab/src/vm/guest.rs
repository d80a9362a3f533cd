//! The guest's init: sets up the scenario's machine, runs the steps, sends the recording and the results, powers off.

mod alongside;
mod call;
mod disk;
mod latency;
mod port;
mod progress;
mod settings;
mod surplus;
mod swap;
mod wait;

use super::initramfs::JOB;
use super::wire::{Job, Message};
use crate::control::MachineControl;
use crate::executor::{self, Files, RunContext};
use crate::undo::{self, Journal};
pub(super) use alongside::OWN_PROGRAM;
use disk::{Disk, attach};
use pagetide_core::{BackendRun, Bytes, DeviceChange, Error, Machine, Nanos, Origin, Scenario, SwapSpec};
use pagetide_kernel::{Processes, Root, Watch};
use pagetide_recorder::{Options, Tracing};
use port::Port;
use progress::GuestProgress;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Memory that a step which holds memory leaves available: enough for fio and the kernel, as nothing else runs here.
const GUEST_FLOOR: Bytes = Bytes::new(8 << 20);

/// Runs as process 1 of a guest and ends by powering it off. Returns an error, and does nothing, where this is not a guest of
/// the vm backend, because a host must not be powered off.
pub fn run() -> Error {
    if std::process::id() != 1 || !Path::new(JOB).exists() {
        return Error::input("this is not a guest of the vm backend", "use `pagetide lab run SCENARIO --on vm`");
    }
    if let Err(error) = live() {
        // Only the console is left to print to.
        rustix::io::write(rustix::stdio::stderr(), format!("pagetide: {error}\n").as_bytes()).ok();
        // Output still in the console's buffer would be lost at power-off.
        let _ = rustix::termios::tcdrain(rustix::stdio::stderr());
    }
    rustix::fs::sync();
    // If process 1 ends, the kernel panics, so it waits for the power-off.
    let _ = rustix::system::reboot(rustix::system::RebootCommand::PowerOff);
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

fn live() -> Result<(), Error> {
    for (kind, at) in [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev")] {
        attach(kind, kind, Path::new(at), None)?;
    }
    // Recordings contain the host name, which would be `(none)`. A failure is harmless.
    let _ = rustix::system::sethostname(b"guest");
    let text = fs::read(JOB).map_err(|error| Error::system(format!("{JOB}: {error}"), ""))?;
    let job: Job = serde_json::from_slice(&text).map_err(|error| Error::system(format!("{JOB}: {error}"), ""))?;
    for module in &job.modules {
        load(module)?;
    }
    let port = Port::open()?;
    port.send(&Message::Up { uptime: Nanos::new(u64::try_from(pagetide_recorder::now().mono_ns).unwrap_or(0)) })?;
    let Some(scenario) = job.scenario.as_ref() else { return Ok(()) };
    port.keep_alive();
    // From here on, every error is sent to the host.
    if let Err(error) = work(scenario, &job, &port) {
        port.send(&error.into())?;
    }
    port.drain()
}

fn load(module: &str) -> Result<(), Error> {
    let refuse = |error: std::io::Error| Error::system(format!("cannot load {module}: {error}"), "");
    let file = File::open(module).map_err(refuse)?;
    match rustix::system::finit_module(&file, c"", 0) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => {}
        Err(error) => return Err(refuse(error.into())),
    }
    // Its file takes memory that the guest needs.
    fs::remove_file(module).map_err(refuse)
}

fn work(scenario: &Scenario, job: &Job, port: &Port) -> Result<(), Error> {
    let machine = &scenario.machine;
    for (kind, at) in [("cgroup2", "/sys/fs/cgroup"), ("tracefs", "/sys/kernel/tracing")] {
        // A kernel without it can still run most scenarios.
        let _ = attach(kind, kind, Path::new(at), None);
    }
    let mut differences = Vec::new();
    let disks = disk::mount_all(machine)?;
    let journal = Journal::open_in(Path::new("/run"))?;
    if machine.disks.iter().any(|disk| disk.reads_apart) {
        differences.push("The VM's disks serve reads and writes in one queue, not in two (reads_apart).".to_owned());
    }
    if machine.reclaim_slowdown.is_some() {
        differences.push("The VM's reclaim is as fast as its CPU, whatever reclaim_slowdown says.".to_owned());
    }
    settings::apply(machine, &disks, &mut differences)?;
    swap::turn_on(machine, &disks, &mut differences)?;
    let first = disks.first().ok_or_else(|| Error::input("the machine has no disk", "add a [[machine.disk]]"))?;
    let data = first.folder.join("data");
    fs::create_dir_all(&data).map_err(|error| Error::system(format!("{}: {error}", data.display()), ""))?;
    let results = PathBuf::from("/results");
    let mut progress = GuestProgress { port, results: results.clone() };
    // Lock init's memory: if it were reclaimed, init could not report a machine that thrashes.
    let locked = rustix::mm::mlockall(rustix::mm::MlockAllFlags::CURRENT | rustix::mm::MlockAllFlags::FUTURE);
    locked.map_err(|error| Error::system(format!("cannot lock init's memory: {error}"), ""))?;
    let fio = PathBuf::from(super::initramfs::PROGRAMS).join("fio");
    let places: Vec<executor::Disk> = disks
        .iter()
        .map(|disk| executor::Disk {
            name: disk.name.clone(),
            folder: disk.mounted.then(|| disk.folder.join("data")),
            device: Some(Path::new("/dev").join(&disk.device)),
        })
        .collect();
    for folder in places.iter().filter_map(|disk| disk.folder.as_ref()) {
        fs::create_dir_all(folder).map_err(|error| Error::system(format!("{}: {error}", folder.display()), ""))?;
    }
    let files = Files::lay_out(scenario, &places, &results, &fio, job.seed, &mut progress)?;
    let vm_latency = latency::measure(machine, &disks, &mut differences)?;
    port.send(&Message::StartDisks { vm_latency })?;
    // It drops the caches, so it comes before commands that measure.
    let surplus = surplus::take(machine, &mut differences)?;
    let alongside = alongside::Commands::start(&job.alongside, &disks)?;
    let watch = if job.as_host {
        Watch::flight_recorder(&Root::host()).map_err(|error| Error::system(error.to_string(), ""))?
    } else {
        Watch { processes: Processes::KernelThreads, ..Watch::default() }
    };
    let options = Options {
        interval: job.interval,
        watch,
        origin: Origin::Vm,
        // If there are several disks, all belong to the experiment.
        workload_disk: (!job.as_host && disks.len() == 1).then(|| first.device.clone()),
        tracing: scenario.trace.map(|sample| Tracing::of(sample.shift)),
        ..Options::default()
    };
    let context = RunContext {
        data,
        disks: places,
        results,
        fio,
        group: None,
        floor: GUEST_FLOOR,
        journal: &journal,
        seed: job.seed,
    };
    let mut guest = Guest { disks: &disks, port };
    let sink = Box::new(port.sink());
    let run = executor::run(scenario, &context, files, options, sink, &mut guest, &mut progress)?;
    drop(surplus);
    alongside.end(port, job.alongside_to_end)?;
    let manifest = run.manifest;
    let lines = vec![
        format!("{} CPUs, {} of memory, {}", manifest.cpus, manifest.memory_total, describe(machine)),
        format!(
            "recorder: {} samples, {} late, {} not taken, {} lost, {} of CPU",
            manifest.samples,
            manifest.late_samples,
            manifest.missed_samples,
            manifest.lost_samples,
            manifest.recorder_cpu
        ),
    ];
    port.send(&Message::End(Box::new(BackendRun {
        machine: lines,
        differences,
        kernel: manifest.kernel,
        started_wall_ns: run.started.wall_ns,
        steps: run.steps,
    })))
}

/// Changes settings of the guest.
struct Guest<'a> {
    disks: &'a [Disk],
    port: &'a Port,
}

impl MachineControl for Guest<'_> {
    fn set_sysctl(&mut self, name: &str, value: i64) -> Result<(), Error> {
        undo::write_sysctl(name, value)
    }

    fn replace_swap(&mut self, areas: &[SwapSpec]) -> Result<(), Error> {
        swap::replace(areas, self.disks)
    }

    fn change_disk(&mut self, change: &DeviceChange) -> Result<(), Error> {
        self.port.send(&Message::Device(change.clone()))
    }
}

fn describe(machine: &Machine) -> String {
    let disks = machine.disks.iter().map(|disk| {
        let mut words = vec![format!("disk {} ({}", disk.name, disk.filesystem.name())];
        words.extend(disk.limits());
        format!("{})", words.join(", "))
    });
    disks.collect::<Vec<_>>().join(", ")
}
