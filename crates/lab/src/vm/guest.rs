//! The guest's init: makes the machine what the scenario says, runs the steps, records, tells it all, powers off.

mod beside;
mod call;
mod path;
mod port;
mod setting;
mod surplus;
mod swap;

use super::initramfs::JOB;
use super::wire::{Job, Message};
use crate::executor::{self, Files, Ground};
use crate::undo::{self, Journal};
use pagetide_core::{Bytes, DeviceChange, Error, FileSystem, Machine, Nanos, Progress, Scenario, SwapSpec};
use pagetide_kernel::{Processes, Root, Watch};
use pagetide_recorder::{Options, Recorder};
use port::Port;
use rustix::mount::{MountFlags, mount};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a step that holds memory leaves available: enough for fio and the kernel. Nobody else lives here.
const FLOOR: Bytes = Bytes::new(8 << 20);

/// The word by which a command beside the steps names this very program.
pub(super) const OWN: &str = "pagetide";

/// Runs as process 1 of a guest and ends by powering it off. Gives an error, and does nothing, where this is not a guest of
/// the vm backend: powering off is not for a host.
pub fn run() -> Error {
    if std::process::id() != 1 || !Path::new(JOB).exists() {
        return Error::input("this is not a guest of the vm backend", "use `pagetide lab run SCENARIO --on vm`");
    }
    if let Err(error) = live() {
        // Nobody but the console is left to be told.
        rustix::io::write(rustix::stdio::stderr(), format!("pagetide: {error}\n").as_bytes()).ok();
        // What is still in the console's buffer would go with the power.
        let _ = rustix::termios::tcdrain(rustix::stdio::stderr());
    }
    rustix::fs::sync();
    // Process 1 must not end, or the kernel panics; it waits for the power to go.
    let _ = rustix::system::reboot(rustix::system::RebootCommand::PowerOff);
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

fn live() -> Result<(), Error> {
    for (kind, at) in [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev")] {
        attach(kind, kind, Path::new(at), None)?;
    }
    // By which its recordings are known; without one they would be of `(none)`. A kernel that has none set runs as well.
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
    // From here on, whatever goes wrong is told.
    let told = work(scenario, &job, &port);
    if let Err(error) = told {
        port.send(&error.into())?;
    }
    port.drain()
}

fn attach(kind: &str, source: &str, at: &Path, options: Option<&str>) -> Result<(), Error> {
    fs::create_dir_all(at).map_err(|error| Error::system(format!("{}: {error}", at.display()), ""))?;
    let options = options.and_then(|options| std::ffi::CString::new(options).ok());
    match mount(source, at, kind, MountFlags::empty(), options.as_deref()) {
        // The kernel has mounted it already (CONFIG_DEVTMPFS_MOUNT).
        Ok(()) | Err(rustix::io::Errno::BUSY) => Ok(()),
        Err(error) => Err(Error::system(format!("cannot mount {kind} at {}: {error}", at.display()), "")),
    }
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
    let disks = mount_disks(machine)?;
    let journal = Journal::open_in(Path::new("/run"))?;
    setting::apply(machine, &disks, &mut differences)?;
    swap::turn_on(machine, &disks, &mut differences)?;
    let first = disks.first().ok_or_else(|| Error::input("the machine has no disk", "add a [[machine.disk]]"))?;
    let data = first.folder.join("data");
    fs::create_dir_all(&data).map_err(|error| Error::system(format!("{}: {error}", data.display()), ""))?;
    let results = PathBuf::from("/results");
    let mut teller = Teller { port, results: results.clone() };
    // Nothing of what init needs may be reclaimed, or it could not tell that the machine thrashes.
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
    let files = Files::lay_out(scenario, &places, &results, &fio, &mut teller)?;
    let own = path::own_time(machine, &disks, &mut differences)?;
    port.send(&Message::Limit { own })?;
    let beside = beside::Beside::start(&job.beside, &disks)?;
    let surplus = surplus::take(machine, &mut differences)?;
    let watch = if job.as_host {
        Watch::flight_recorder(&Root::host()).map_err(|error| Error::system(error.to_string(), ""))?
    } else {
        Watch { cgroups: Vec::new(), processes: Processes::KernelThreads }
    };
    let options = Options {
        interval: job.interval,
        watch,
        origin: pagetide_core::Origin::Vm,
        workload_cgroup: None,
        // Where there are several, all of them are the experiment's.
        workload_disk: (!job.as_host && disks.len() == 1).then(|| first.device.clone()),
    };
    let recorder = Recorder::start(Root::host(), options, Box::new(port.sink()))?;
    let ground =
        Ground { data, disks: places, results, fio, group: None, floor: FLOOR, recorder: &recorder, journal: &journal };
    let steps = executor::run(scenario, &ground, files, &mut Guest { disks: &disks, port }, &mut teller);
    let manifest = recorder.finish()?;
    drop(surplus);
    beside.end(port, job.beside_to_end)?;
    let lines = vec![
        format!("{} CPUs, {} of memory, {}", manifest.cpus, manifest.memory_total, describe(machine)),
        format!(
            "recorder: {} samples, {} late, {} lost, {} of CPU",
            manifest.samples, manifest.late_samples, manifest.lost_samples, manifest.recorder_cpu
        ),
    ];
    port.send(&Message::End { steps: steps?, kernel: manifest.kernel, machine: lines, differences })
}

/// Changes the guest's settings.
struct Guest<'a> {
    disks: &'a [Disk],
    port: &'a Port,
}

impl executor::Tuning for Guest<'_> {
    fn set(&mut self, name: &str, value: i64) -> Result<(), Error> {
        undo::write_sysctl(name, value)
    }

    fn swap(&mut self, areas: &[SwapSpec]) -> Result<(), Error> {
        swap::replace(areas, self.disks)
    }

    fn device(&mut self, change: &DeviceChange) -> Result<(), Error> {
        self.port.send(&Message::Device(change.clone()))
    }
}

fn describe(machine: &Machine) -> String {
    let disks = machine.disks.iter().map(|disk| {
        let mut words = vec![format!("disk {} ({}", disk.name, disk.filesystem.name())];
        words.extend(disk.iops.map(|iops| format!("{iops} IOPS")));
        words.extend(disk.bandwidth.map(|bandwidth| bandwidth.to_string()));
        words.extend(disk.latency.map(|latency| format!("{latency} a request")));
        format!("{})", words.join(", "))
    });
    disks.collect::<Vec<_>>().join(", ")
}

/// A disk in the guest.
#[derive(Debug)]
struct Disk {
    /// Its name in the scenario.
    name: String,
    /// Its name in `/proc/diskstats`.
    device: String,
    /// Where its file system is.
    folder: PathBuf,
    /// Whether it has one.
    mounted: bool,
}

/// Finds each disk by its serial number and mounts it.
fn mount_disks(machine: &Machine) -> Result<Vec<Disk>, Error> {
    let mut disks = Vec::new();
    for (at, spec) in machine.disks.iter().enumerate() {
        let serial = super::qemu::serial(at);
        let device = patiently(|| {
            fs::read_dir("/sys/block").ok()?.flatten().find_map(|entry| {
                let text = fs::read_to_string(entry.path().join("serial")).ok()?;
                (text.trim() == serial).then(|| entry.file_name().to_string_lossy().into_owned())
            })
        });
        let device = device.ok_or_else(|| {
            Error::system(format!("the guest does not see disk {}", spec.name), "use Debian's kernel")
        })?;
        let folder = PathBuf::from("/disk").join(&spec.name);
        if spec.filesystem != FileSystem::None {
            attach(spec.filesystem.name(), &format!("/dev/{device}"), &folder, None)?;
        }
        let mounted = spec.filesystem != FileSystem::None;
        disks.push(Disk { name: spec.name.clone(), device, folder, mounted });
    }
    Ok(disks)
}

/// Looks until something is there, for a minute: devices show up after their driver has been loaded, and an emulated machine
/// whose host is busy takes long for that.
fn patiently<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    (0..3000).find_map(|_| {
        let found = look();
        if found.is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        found
    })
}

/// MemAvailable now.
fn available() -> Result<Bytes, Error> {
    let meminfo = Root::host().meminfo().map_err(|error| Error::system(error.to_string(), ""))?;
    Ok(meminfo.available().unwrap_or_default())
}

/// Tells the outside how the run goes.
struct Teller<'a> {
    port: &'a Port,
    results: PathBuf,
}

impl Teller<'_> {
    /// A port that is gone means that nobody listens any more; QEMU goes with it.
    fn tell(&self, message: &Message) {
        let _ = self.port.send(message);
    }

    /// Sends the files that have come since the last time, and frees their memory.
    fn send_files(&self) {
        for entry in fs::read_dir(&self.results).into_iter().flatten().flatten() {
            if let Ok(text) = fs::read_to_string(entry.path()) {
                self.tell(&Message::File { name: entry.file_name().to_string_lossy().into_owned(), text });
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Progress for Teller<'_> {
    fn step(&mut self, number: usize, of: usize, id: &str, title: &str) {
        self.tell(&Message::Step { number, of, id: id.into(), title: title.into() });
    }

    fn update(&mut self, fraction: Option<f64>, left: Option<Nanos>, note: &str) {
        self.tell(&Message::Update { fraction, left, note: note.into() });
    }

    fn step_done(&mut self, note: &str) {
        self.send_files();
        self.tell(&Message::StepDone { note: note.into() });
    }

    fn say(&mut self, line: &str) {
        self.tell(&Message::Say { line: line.into() });
    }

    /// Whoever wants to stop a guest ends its QEMU.
    fn interrupted(&self) -> bool {
        false
    }
}
