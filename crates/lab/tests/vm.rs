//! The vm backend for real: boots guests, and loses them in several ways.
//!
//! This program is its own guest's init, so it has no test harness: it is started as process 1 there. It needs qemu-system-x86,
//! fio and e2fsprogs, and Debian's kernel, which it downloads once into `$PAGETIDE_CACHE` (`make test` sets it).
#![allow(clippy::print_stdout, reason = "without a harness it prints its own progress")]

#[path = "support/loads.rs"]
mod loads;
#[path = "support/on_host.rs"]
mod on_host;
#[path = "support/run.rs"]
mod run;

use pagetide_core::{Bytes, Error, ErrorKind, Figure, MarkKind, Origin, Outcome, RunResult, Scale, Scenario, Table};
use pagetide_lab::vm::{self, Vm, VmOptions};
use run::{Memory, Quiet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A test gets an empty folder.
type Test = fn(&Path);

fn main() {
    if std::process::id() == 1 {
        panic!("{}", vm::guest::run());
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == [ON_HOST] {
        return on_this_machine();
    }
    if let [word, work_dir] = arguments.as_slice()
        && word == "--victim"
    {
        let slept = run(options(Path::new(work_dir)), &scenario(SLEEP), &mut Quiet::default()).0;
        panic!("the victim was not killed: {slept:?}");
    }
    let wanted = arguments.iter().find(|argument| !argument.starts_with('-'));
    let tests: [(&str, Test); 8] = [
        ("a_scenario_runs_in_a_guest", a_scenario_runs_in_a_guest),
        ("the_host_backend_holds_under_cgroup_v2", the_host_backend_holds_under_cgroup_v2),
        ("a_step_that_takes_too_long_is_an_outcome", a_step_that_takes_too_long_is_an_outcome),
        ("a_guest_that_panics_is_reported", a_guest_that_panics_is_reported),
        ("an_interrupt_ends_qemu", an_interrupt_ends_qemu),
        ("a_kill_ends_qemu", a_kill_ends_qemu),
        ("wrong_input_is_refused_before_anything_boots", wrong_input_is_refused_before_anything_boots),
        ("a_kernel_that_is_not_whole_is_refused", a_kernel_that_is_not_whole_is_refused),
    ];
    for (name, test) in tests.into_iter().filter(|(name, _)| wanted.is_none_or(|wanted| name.contains(wanted))) {
        let (folder, began) = (tempfile::tempdir_in("/var/tmp").unwrap(), Instant::now());
        test(folder.path());
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name.to_string_lossy().starts_with("fio-")), "{name} leaves {left:?}");
        println!("test {name} ... ok ({:.1} s)", began.elapsed().as_secs_f64());
    }
}

const SLEEP: &str = "[[step]]\nid = \"before\"\nsnapshot = true\n[[step]]\nid = \"long\"\nsleep = \"10min\"\n\
                     [[step]]\nid = \"after\"\nsnapshot = true\n";

fn scenario(steps: &str) -> Scenario {
    let text = format!(
        "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 2\nmemory = \"160MiB\"\nsystem = \"16MiB\"\nlru = \"classic\"\n\
         huge_pages = \"never\"\nswap = {{ zram = \"64MiB\", algorithm = \"lzo-rle\" }}\nsysctl = {{ \"vm.dirty_ratio\" = 30 }}\n\
         [[machine.disk]]\nname = \"data\"\nsize = \"128MiB\"\nlatency = \"2ms\"\nread_ahead = \"64KiB\"\n\
         [[machine.disk]]\nname = \"other\"\nsize = \"1MiB\"\nfilesystem = \"xfs\"\niops = 500\n{steps}"
    );
    Scenario::parse(&text, "t.toml").unwrap()
}

fn options(folder: &Path) -> VmOptions {
    VmOptions::new(vm::usual_cache(), folder, folder, std::env::current_exe().unwrap())
}

fn run(options: VmOptions, scenario: &Scenario, progress: &mut Quiet) -> (Result<RunResult, Error>, Memory) {
    let run = run::run(&mut Vm::new(options), scenario, progress);
    assert_eq!(guests(std::process::id()), Vec::<u32>::new(), "no QEMU outlives its run");
    run
}

/// The QEMUs that are children of a process and still live.
fn guests(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let Some((name, rest)) = stat.rsplit_once(") ") else { return false };
        let mut fields = rest.split(' ');
        name.contains("(qemu") && fields.next() != Some("Z") && fields.next() == Some(&parent.to_string())
    })
    .collect()
}

fn a_scenario_runs_in_a_guest(folder: &Path) {
    let read = "rw = \"randread\", bs = \"8k\", size = \"4MiB\"";
    let scenario = scenario(&format!(
        "[[step]]\nid = \"direct\"\nfio = {{ {read}, direct = true }}\n\
         [[step]]\nid = \"cold\"\ndrop_caches = true\nfio = {{ {read}, invalidate = false }}\n\
         [[step]]\nid = \"warm\"\nfio = {{ {read}, invalidate = false }}\n\
         [[step]]\nid = \"hold\"\nhold = {{ size = \"64MiB\" }}\n\
         [[step]]\nid = \"free\"\nrelease = \"hold\"\n\
         [[step]]\nid = \"slower\"\ndevice = {{ disk = \"data\", latency = \"20ms\" }}\n\
         [[step]]\nid = \"slow\"\nstream = {{ from = \"file:data\", size = \"256KiB\", bs = \"8KiB\", cache = \"direct\" }}\n\
         [[step]]\nid = \"taken\"\nparallel = [{{ name = \"again\", stream = {{ from = \"file:again\", size = \"1MiB\", repeat = true, \
         rate = \"1MiB/s\", time = \"4s\" }}, cgroup = {{ name = \"g\" }} }}]\n\
         meanwhile = [{{ after = \"2500ms\", reclaim = {{ cgroup = \"g\", size = \"16MiB\" }} }}]\n"
    ));
    let alongside = [["uname", "-s"], ["ls", "/sys/class/net"]].map(|words| words.map(str::to_owned).to_vec()).to_vec();
    let (result, kept) = run(VmOptions { alongside, ..options(folder) }, &scenario, &mut Quiet::default());
    assert_eq!(std::fs::read_to_string(folder.join("alongside/uname.0.out")).unwrap(), "Linux\n");
    // No network card: only the loopback device.
    assert_eq!(std::fs::read_to_string(folder.join("alongside/ls.1.out")).unwrap(), "lo\n");
    std::fs::remove_dir_all(folder.join("alongside")).unwrap();
    let result = result.unwrap();
    assert!(result.kernel.contains("cloud-amd64") && result.backend == "vm", "{result:?}");
    // A load that repeats its reads ends when its time does.
    let mut others = result.steps.iter().filter(|step| !step.id.starts_with("taken"));
    assert!(others.all(|step| step.outcome == Outcome::Done), "{:?}", result.steps);
    let get = |step: usize, figure| result.steps[step].get(figure).unwrap();
    let blocks = (4 << 20) as f64 / 8192.0;
    // Direct IO misses the cache whatever is in it; a warm read never leaves it.
    assert!((get(0, Figure::DiskReads) - blocks).abs() < 0.02 * blocks, "{}", get(0, Figure::DiskReads));
    assert!(
        (get(1, Figure::DiskReadBytes) / f64::from(4 << 20) - 1.0).abs() < 0.05,
        "{}",
        get(1, Figure::DiskReadBytes)
    );
    assert!(get(2, Figure::DiskReads) < 0.02 * blocks, "{}", get(2, Figure::DiskReads));
    // A delay holds: never shorter than the disk's own, and what the VM takes itself is taken off it.
    let delay = get(0, Figure::ClatP50);
    assert!(delay >= 1.8e6, "2 ms were asked for, the median is {delay} ns");
    // On a busy host some requests wait for a CPU as well; where the VM's own time comes on top, all of them are slow.
    let fio: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("fio-direct.json")).unwrap()).unwrap();
    let quickest = fio["jobs"][0]["read"]["clat_ns"]["percentile"]["5.000000"].as_f64().unwrap();
    assert!(quickest < 6e6, "2 ms were asked for, 95 % of the requests took more than {quickest} ns");
    assert!(get(2, Figure::Iops) > 5.0 * get(0, Figure::Iops));
    let before = get(0, Figure::AvailableBefore) / f64::from(1 << 20);
    assert!((before - 144.0).abs() < 12.0, "160 MiB less 16 MiB of the system are available, not {before}");
    let held = get(3, Figure::AvailableBefore) - get(3, Figure::AvailableAfter);
    assert!((held / f64::from(64 << 20) - 1.0).abs() < 0.2, "{held}");
    let slow = get(6, Figure::ClatP50);
    assert!(slow >= 18e6, "the disk was made to take 20 ms, the median is {slow} ns");
    let taken = result.steps.iter().find(|step| step.id == "taken").unwrap();
    let read = taken.get(Figure::DiskReadBytes).unwrap() / f64::from(1 << 20);
    assert!(read > 1.8, "what was reclaimed of the group is read again: {read} MiB");
    // fio's own results came over, and nothing else is there.
    for step in ["direct", "cold", "warm"] {
        assert!(folder.join(format!("fio-{step}.json")).exists(), "{step}");
    }
    let kept = kept.0.lock().unwrap();
    assert_eq!(kept.manifest.origin, Origin::Vm);
    assert!(kept.schema.columns(Table::Host).len() > 150, "{:?}", kept.schema);
    assert!(kept.schema.entities(Table::Disk).iter().any(|disk| disk.name == "vda"), "{:?}", kept.schema);
    let column = kept.schema.find_column(Table::Host, "MemTotal").unwrap();
    let mem_total = kept.last.table(Table::Host).unwrap().rows().next().unwrap().1[column.0 as usize];
    assert!(mem_total.is_some_and(|total| total > 160 << 20));
    let ids = ["direct", "cold", "warm", "hold", "free", "slower", "slow", "taken"];
    let expected: Vec<String> = ids.iter().flat_map(|id| [format!("{id} started"), format!("{id} ended")]).collect();
    let marks = kept.marks.iter().filter_map(|mark| match mark {
        MarkKind::StepStarted { id, .. } => Some(format!("{id} started")),
        MarkKind::StepEnded { result } => Some(format!("{} ended", result.id)),
        MarkKind::Note { .. } => None,
    });
    assert_eq!(marks.collect::<Vec<_>>(), expected);
    assert!(kept.finished);
    let manifest = &kept.manifest;
    assert_eq!((manifest.samples, manifest.lost_samples), (kept.samples as u64, 0));
    assert_eq!(manifest.sysctls["vm.dirty_ratio"], "30");
    assert!(manifest.swaps.iter().any(|swap| swap.path == "/dev/zram0"), "{:?}", manifest.swaps);
    let disk = |name: &str| manifest.disks.iter().find(|disk| disk.name == name).unwrap();
    assert_eq!(disk("vda").read_ahead.unwrap().get(), 64 << 10);
    assert!(disk("vdb").size.get() >= 300 << 20, "xfs needs more than the scenario's 1 MiB");
}

/// The word on which this program runs the tests of the host backend on the machine it is on.
const ON_HOST: &str = "--on-host";

/// The tests of the host backend and of the loads, by name.
fn tests_of_the_host_backend() -> Vec<(&'static str, fn())> {
    macro_rules! table {
        ($module:ident: $($test:ident)*) => { [$((stringify!($test), $module::$test as fn())),*] };
    }
    [&on_host::each_on_host!(table)[..], &loads::each_load!(table)[..]].concat()
}

/// Runs them here: in a guest, whose only cgroups are v2 and whose only disk is the folder in which this starts.
fn on_this_machine() {
    let here = std::env::current_dir().unwrap();
    std::fs::create_dir_all("/var").unwrap();
    std::os::unix::fs::symlink(here, "/var/tmp").unwrap();
    std::fs::write("/sys/fs/cgroup/cgroup.subtree_control", "+memory +io").unwrap();
    for (name, test) in tests_of_the_host_backend() {
        let began = Instant::now();
        let outcome = std::panic::catch_unwind(test).map_or("FAILED", |()| "ok");
        println!("{name} ... {outcome} ({:.1} s)", began.elapsed().as_secs_f64());
    }
}

fn the_host_backend_holds_under_cgroup_v2(folder: &Path) {
    let machine = SLEEP.split("[[step]]\nid = \"long\"").next().unwrap();
    let mut scenario = scenario(machine);
    // The test that holds the host's other memory leaves 1 GiB available.
    scenario.machine.memory = Bytes::new(1600 << 20);
    scenario.machine.disks.truncate(1);
    scenario.machine.disks[0].latency = None;
    scenario.machine.disks[0].size = Bytes::new(2 << 30);
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let alongside = vec![words(&["fio", "--version"]), words(&["true"]), words(&["pagetide", ON_HOST])];
    let options = VmOptions { alongside, alongside_to_end: true, ..options(folder) };
    let (result, _) = run(options, &scenario, &mut Quiet::default());
    let output = std::fs::read_to_string(folder.join("alongside/pagetide.2.out")).unwrap();
    std::fs::remove_dir_all(folder.join("alongside")).unwrap();
    result.unwrap();
    for (name, _) in tests_of_the_host_backend() {
        let ended = output.lines().find(|line| line.starts_with(&format!("{name} ... ok")));
        println!("  guest: {}", ended.unwrap_or_else(|| panic!("{name} fails under cgroup v2:\n{output}")));
    }
}

fn a_step_that_takes_too_long_is_an_outcome(folder: &Path) {
    let options = VmOptions { step_limit: Duration::from_secs(2), ..options(folder) };
    let (result, kept) = run(options, &scenario(SLEEP), &mut Quiet::default());
    let result = result.unwrap();
    let outcomes: Vec<_> = result.steps.iter().map(|step| (step.id.as_str(), step.outcome)).collect();
    assert_eq!(outcomes, [("before", Outcome::Done), ("long", Outcome::TimedOut), ("after", Outcome::Refused)]);
    assert!(result.steps[1].notes[0].contains("longer than 2 s"), "{:?}", result.steps[1].notes);
    assert!(kept.0.lock().unwrap().finished, "what was recorded is kept");
}

fn a_guest_that_panics_is_reported(folder: &Path) {
    // An init that returns is the kernel's end.
    let options = VmOptions { init: PathBuf::from("/bin/true"), ..options(folder) };
    let mut progress = Quiet::default();
    let error = run(options, &scenario(SLEEP), &mut progress).0.unwrap_err();
    assert!(error.what.contains("panicked") && error.what.contains("kill init"), "{error}");
    assert!(!error.to_string().contains('\n'));
    assert!(progress.said.iter().any(|line| line.contains("console:")), "{:?}", progress.said);
}

fn an_interrupt_ends_qemu(folder: &Path) {
    let mut progress = Quiet { stop_in: Some("long"), ..Quiet::default() };
    let error = run(options(folder), &scenario(SLEEP), &mut progress).0.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
}

fn a_kill_ends_qemu(folder: &Path) {
    let mut victim = Command::new(std::env::current_exe().unwrap()).arg("--victim").arg(folder).spawn().unwrap();
    let wait_for = |what: &str, there: &dyn Fn() -> bool| {
        let until = Instant::now() + Duration::from_secs(60);
        while !there() {
            assert!(Instant::now() < until, "{what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    wait_for("the victim starts a guest", &|| !guests(victim.id()).is_empty());
    let guest = guests(victim.id())[0];
    victim.kill().unwrap();
    victim.wait().unwrap();
    wait_for("the guest ends with it", &|| {
        let stat = std::fs::read_to_string(format!("/proc/{guest}/stat")).unwrap_or_default();
        !stat.contains("(qemu") || stat.contains(") Z ")
    });
}

fn wrong_input_is_refused_before_anything_boots(folder: &Path) {
    assert!(vm::guest::run().what.contains("not a guest"), "a host is not powered off");
    let usual = || options(folder);
    let refused = |options: VmOptions, scenario: &Scenario| {
        let error = run(options, scenario, &mut Quiet::default()).0.unwrap_err();
        assert!(!error.hint.is_empty() && !error.to_string().contains('\n'), "{error}");
        (error.kind, error.to_string())
    };
    let fine = scenario(SLEEP);
    let (kind, text) = refused(VmOptions { kernel: Some("/nowhere/vmlinuz".into()), ..usual() }, &fine);
    assert!(kind == ErrorKind::Input && text.contains("/nowhere/vmlinuz"), "{text}");
    let (kind, text) = refused(VmOptions { qemu: "qemu-of-nobody".into(), ..usual() }, &fine);
    assert!(kind == ErrorKind::System && text.contains("apt-get install"), "{text}");
    let (kind, text) = refused(VmOptions { work_dir: "/proc/nowhere".into(), ..usual() }, &fine);
    assert!(kind == ErrorKind::System && text.contains("--work-dir"), "{text}");
    let (kind, text) = refused(usual(), &fine.scaled(Scale::new(1, 16).unwrap()));
    assert!(kind == ErrorKind::Input && text.contains("a guest needs 64 MiB") && text.contains("scale"), "{text}");
}

fn a_kernel_that_is_not_whole_is_refused(folder: &Path) {
    let unpacked = std::fs::read_dir(vm::usual_cache().join("kernel")).expect("an earlier test has fetched a kernel");
    let package = unpacked.flatten().map(|entry| entry.path()).find(|path| path.join("boot").is_dir()).unwrap();
    let image = std::fs::read_dir(package.join("boot")).unwrap().flatten().map(|entry| entry.path());
    let image = image.into_iter().find(|path| path.display().to_string().contains("vmlinuz-")).unwrap();
    // The first part of it, with the modules of the whole beside it.
    let other = tempfile::tempdir().unwrap();
    std::fs::create_dir(other.path().join("boot")).unwrap();
    std::os::unix::fs::symlink(package.join("lib"), other.path().join("lib")).unwrap();
    let cut = other.path().join("boot/vmlinuz");
    std::fs::write(&cut, &std::fs::read(image).unwrap()[..1_000_000]).unwrap();
    let options = VmOptions { kernel: Some(cut), accelerator: Some(vm::Accelerator::Tcg), ..options(folder) };
    let error = run(options, &scenario(SLEEP), &mut Quiet::default()).0.unwrap_err();
    assert!(error.kind == ErrorKind::System && error.hint.contains("image is whole"), "{error}");
}
