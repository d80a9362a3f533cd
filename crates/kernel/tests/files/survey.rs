//! The survey of processes on trees made here: what gets a row, what does not, and that nothing is left out unsaid.

use pagetide_core::{Sample, Schema, Table};
use pagetide_kernel::{Processes, Root, Sampler, Top, Watch};
use std::path::Path;
use tempfile::TempDir;

/// A process of a made-up machine.
#[derive(Clone)]
struct Made {
    pid: u32,
    comm: &'static str,
    state: char,
    kernel: bool,
    /// It has not called exec.
    fork: bool,
    majflt: u64,
    threads: u64,
    starttime: u64,
    rss: u64,
    io: u64,
    /// Ticks of CPU time in user mode.
    utime: u64,
}

fn made(pid: u32) -> Made {
    let (comm, state) = ("idle", 'S');
    Made { pid, comm, state, kernel: false, fork: false, majflt: 0, threads: 1, starttime: 7, rss: 1, io: 0, utime: 3 }
}

fn stat(made: &Made, id: u32) -> String {
    let Made { comm, state, majflt, threads, starttime, rss, utime, .. } = made;
    let flags = if made.kernel { 0x0020_0000 } else { 0 } | if made.fork { 0x40 } else { 0 };
    let mut fields = vec![format!("{id} ({comm}) {state} 1 1 1 0 -1 {flags} 5 0 {majflt} 0 {utime} 4 0 0 20 0")];
    fields.push(format!("{threads} 0 {starttime} 4096 {rss}"));
    fields.push(["0"; 28].join(" "));
    fields.join(" ") + "\n"
}

fn write(proc: &Path, made: &Made) {
    let folder = proc.join(made.pid.to_string());
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("stat"), stat(made, made.pid)).unwrap();
    std::fs::write(folder.join("io"), format!("rchar: 0\nread_bytes: {}\nwrite_bytes: 0\n", made.io)).unwrap();
    std::fs::write(folder.join("wchan"), if made.state == 'D' { "folio_wait_bit_common" } else { "0" }).unwrap();
}

struct Machine {
    folder: TempDir,
    sampler: Sampler,
    schema: Schema,
    sample: Sample,
}

impl Machine {
    fn new(top: Top, processes: &[Made]) -> Self {
        // In memory: thousands of small files.
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let proc = folder.path().join("proc");
        for made in processes {
            write(&proc, made);
        }
        let watch = Watch { processes: Processes::Top(top), ..Watch::default() };
        let sampler = Sampler::new(&Root::new(folder.path()), watch).unwrap();
        Self { folder, sampler, schema: Schema::default(), sample: Sample::default() }
    }

    fn write(&self, made: &Made) {
        write(&self.folder.path().join("proc"), made);
    }

    /// Takes a sample and gives the names of the processes that have rows, in order.
    fn sample(&mut self) -> Vec<String> {
        self.sampler.sample(&mut self.schema, &mut self.sample).unwrap();
        let rows = self.sample.table(Table::Process).into_iter().flat_map(|rows| rows.rows());
        let mut names: Vec<_> =
            rows.map(|(entity, _)| self.schema.entities(Table::Process)[entity.0 as usize].name.clone()).collect();
        names.sort();
        names
    }

    fn value(&self, table: Table, entity: &str, name: &str) -> Option<i64> {
        let column = self.schema.find_column(table, name)?.0 as usize;
        let entity = self.schema.find_entity(table, entity)?;
        let mut rows = self.sample.table(table)?.rows();
        rows.find(|(id, _)| *id == entity).and_then(|(_, values)| *values.get(column)?)
    }

    fn host(&self, name: &str) -> i64 {
        self.value(Table::Host, "", name).unwrap_or_else(|| panic!("{name} is in the host's row"))
    }
}

#[test]
fn those_at_the_top_have_rows_and_every_task_that_is_blocked() {
    let top = Top { each: 1, ..Top::default() };
    let flusher = Made { comm: "kworker/u8:2+flush-254:0", kernel: true, rss: 0, ..made(9) };
    let worker = Made { comm: "kworker/0:1-events", kernel: true, rss: 0, ..made(10) };
    let (large, reader, faulter, stuck) = (Made { rss: 900, ..made(11) }, made(12), made(13), made(14));
    let mut machine = Machine::new(top, &[flusher, worker, large, reader.clone(), faulter.clone(), stuck.clone()]);
    assert_eq!(machine.sample(), ["11@7", "9@7"], "what counters rose to before the first look says nothing");
    machine.write(&Made { io: 8192, ..reader });
    machine.write(&Made { majflt: 3, ..faulter });
    machine.write(&Made { state: 'D', ..stuck });
    assert_eq!(machine.sample(), ["11@7", "12@7", "13@7", "14@7", "9@7"]);
    assert_eq!(machine.value(Table::Process, "12@7", "scan_io_bytes"), Some(8192));
    assert_eq!(machine.value(Table::Process, "13@7", "scan_majflt"), Some(3));
    assert_eq!(machine.value(Table::Process, "13@7", "majflt"), Some(3));
    assert_eq!(machine.value(Table::Process, "14@7", "state"), Some(i64::from(u32::from('D'))));
    assert_eq!(machine.value(Table::Process, "14@7", "wchan_folio_wait_bit_common"), Some(1));
    assert_eq!(machine.value(Table::Process, "13@7", "wchan_folio_wait_bit_common"), None);
    assert_eq!((machine.host("scan_tasks"), machine.host("scan_tasks_skipped")), (6, 0));
    assert_eq!((machine.host("scan_tasks_blocked"), machine.host("scan_rows")), (1, 5));
    machine.write(&stuck);
    let rows = (0..20).map(|_| machine.sample().len()).collect::<Vec<_>>();
    assert_eq!(machine.value(Table::Process, "14@7", "wchan_folio_wait_bit_common"), None);
    assert_eq!((rows[0], rows[19]), (5, 2), "rows linger for some samples: {rows:?}");
}

#[test]
fn a_process_that_only_computes_has_a_row() {
    let computer = made(11);
    let mut machine =
        Machine::new(Top { each: 1, ..Top::default() }, &[computer.clone(), Made { rss: 900, ..made(12) }]);
    assert_eq!(machine.sample(), ["12@7"]);
    machine.write(&Made { utime: 90, ..computer });
    assert_eq!(machine.sample(), ["11@7", "12@7"]);
    assert_eq!(machine.value(Table::Process, "11@7", "utime"), Some(90));
}

#[test]
fn threads_that_are_blocked_have_rows_of_their_own() {
    let many = Made { threads: 4, ..made(50) };
    let machine = &mut Machine::new(Top { each: 0, threads: 2, ..Top::default() }, &[many.clone(), made(60)]);
    let tasks = machine.folder.path().join("proc/50/task");
    for thread in 50..54 {
        let folder = tasks.join(thread.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        let state = if thread == 53 { 'D' } else { 'S' };
        std::fs::write(folder.join("stat"), stat(&Made { state, ..many.clone() }, thread)).unwrap();
        std::fs::write(folder.join("wchan"), "rwsem_down_read_slowpath").unwrap();
    }
    assert_eq!(machine.sample(), Vec::<String>::new(), "threads 51 and 52 came first");
    assert_eq!((machine.host("scan_tasks"), machine.host("scan_tasks_skipped")), (4, 1));
    assert_eq!(machine.sample(), ["50@7", "53@7"], "the thread, and its process");
    assert_eq!(machine.value(Table::Process, "53@7", "tgid"), Some(50));
    assert_eq!(machine.value(Table::Process, "53@7", "wchan_rwsem_down_read_slowpath"), Some(1));
    assert_eq!(machine.value(Table::Process, "53@7", "majflt"), None, "its process counts them");
    assert_eq!(machine.value(Table::Process, "50@7", "wchan_rwsem_down_read_slowpath"), None);
}

#[test]
fn thousands_of_processes_take_turns_and_all_are_accounted_for() {
    let top = Top { processes: 600, ..Top::default() };
    let all: Vec<Made> = (1..=5000).map(|pid| Made { rss: u64::from(pid), ..made(pid) }).collect();
    let mut machine = Machine::new(top, &all);
    for round in 1..=9 {
        let names = machine.sample();
        let (tasks, skipped) = (machine.host("scan_tasks"), machine.host("scan_tasks_skipped"));
        assert_eq!(tasks + skipped, 5000, "round {round}");
        assert!((600..=600 + 128).contains(&tasks), "round {round}: {tasks} looked at");
        assert!(
            names.len() <= 128 && i64::try_from(names.len()) == Ok(machine.host("scan_rows")),
            "round {round}: {names:?}"
        );
    }
    let names = machine.sample();
    for pid in 4991..=5000 {
        assert!(names.contains(&format!("{pid}@7")), "after nine samples everybody had a turn: {names:?}");
    }
    let blocked: Vec<Made> = (1..=300).map(|pid| Made { state: 'D', ..made(pid) }).collect();
    blocked.iter().for_each(|made| machine.write(made));
    let (mut seen, mut unshown) = (0, 0);
    for _ in 0..9 {
        let names = machine.sample();
        assert!(names.len() <= 128);
        seen = seen.max(machine.host("scan_tasks_blocked"));
        unshown = unshown.max(machine.host("scan_rows_skipped"));
    }
    assert!(seen > 128 && unshown >= seen - 128, "{seen} blocked, {unshown} without a row");
}

#[test]
fn an_id_that_is_used_again_is_another_process() {
    let old = Made { rss: 50, majflt: 1000, ..made(77) };
    let mut machine = Machine::new(Top::default(), std::slice::from_ref(&old));
    assert_eq!(machine.sample(), ["77@7"]);
    let new = Made { starttime: 900, comm: "other", majflt: 4, rss: 20, ..made(77) };
    machine.write(&new);
    assert_eq!(machine.sample(), ["77@900"], "at once, and the old one has no row");
    assert_eq!(machine.value(Table::Process, "77@900", "scan_majflt"), Some(4), "all of its faults are new");
    assert_eq!(machine.schema.entities(Table::Process)[1].label, "other");
}

#[test]
fn a_fork_that_was_seen_before_it_ran_a_program_of_its_own_is_known_by_that() {
    let fork = Made { comm: "bash", fork: true, rss: 50, ..made(77) };
    let worker = Made { comm: "nginx", fork: true, rss: 40, ..made(78) };
    let mut machine = Machine::new(Top::default(), &[fork.clone(), worker.clone()]);
    assert_eq!(machine.sample(), ["77@7", "78@7"]);
    machine.write(&Made { comm: "postgres", fork: false, ..fork });
    machine.write(&Made { comm: "nginx: worker", ..worker });
    assert_eq!(machine.sample(), ["77@7/postgres", "78@7"], "a new name alone is no new program");
    let labels: Vec<&str> =
        machine.schema.entities(Table::Process).iter().map(|entity| entity.label.as_str()).collect();
    assert_eq!(labels, ["bash", "nginx", "postgres"]);
}

#[test]
fn a_process_that_did_not_run_is_read_in_full_in_few_samples() {
    let (idle, pid) = (made(16), 16);
    let mut machine = Machine::new(Top { each: 1, ..Top::default() }, &[idle.clone(), Made { rss: 900, ..made(17) }]);
    let ran = |machine: &Machine, runs: u64| {
        let file = machine.folder.path().join(format!("proc/{pid}/schedstat"));
        std::fs::write(file, format!("{} 5 {runs}\n", runs * 1000)).unwrap();
    };
    ran(&machine, 3);
    machine.sample();
    let name = "16@7".to_owned();
    // It faults, and nobody says that it ran: it is seen within eight samples, and not in the next one.
    machine.write(&Made { majflt: 3, ..idle.clone() });
    let seen = (1..=8).find(|_| machine.sample().contains(&name));
    assert!(seen.is_some_and(|samples| samples > 1), "{seen:?}");
    for _ in 0..12 {
        machine.sample();
    }
    machine.write(&Made { majflt: 6, ..idle.clone() });
    ran(&machine, 4);
    assert!(machine.sample().contains(&name), "it ran");
    // A kernel that does not account runs says nothing of who rests.
    for _ in 0..12 {
        machine.sample();
    }
    std::fs::write(machine.folder.path().join(format!("proc/{pid}/schedstat")), "0 0 0\n").unwrap();
    machine.sample();
    machine.write(&Made { majflt: 9, ..idle });
    assert!(machine.sample().contains(&name));
}

#[test]
fn the_row_of_a_process_that_rests_stays_what_it_was_until_it_runs_or_loses_pages() {
    let idle = Made { rss: 40, io: 4096, ..made(16) };
    let mut machine = Machine::new(Top::default(), std::slice::from_ref(&idle));
    let watch = Watch { processes: Processes::All, ..Watch::default() };
    machine.sampler = Sampler::new(&Root::new(machine.folder.path()), watch).unwrap();
    let schedstat = machine.folder.path().join("proc/16/schedstat");
    std::fs::write(&schedstat, "1000 5 3\n").unwrap();
    let mut seen = |made: &Made| {
        machine.write(made);
        assert_eq!(machine.sample(), ["16@7"]);
        let value = |name| machine.value(Table::Process, "16@7", name);
        (value("read_bytes"), value("rss"), value("minflt"))
    };
    assert_eq!(seen(&idle), (Some(4096), Some(40), Some(5)));
    // Nobody says that it ran, so its IO is not asked for; stat is.
    assert_eq!(seen(&Made { io: 8192, ..idle.clone() }), (Some(4096), Some(40), Some(5)));
    assert_eq!(seen(&Made { io: 8192, rss: 39, ..idle.clone() }), (Some(8192), Some(39), Some(5)));
    std::fs::write(&schedstat, "1001 5 3\n").unwrap();
    assert_eq!(seen(&Made { io: 9000, rss: 39, ..idle.clone() }), (Some(9000), Some(39), Some(5)), "it is running");
    let threads = Made { io: 9500, rss: 39, threads: 2, ..idle.clone() };
    assert_eq!(seen(&threads).0, Some(9500), "another thread may have run");
    assert_eq!(seen(&Made { io: 9600, ..threads }).0, Some(9600));
}
