//! The survey of processes on trees made here: what gets a row, what does not, and that nothing is left out unsaid.

use crate::processes::{Machine, Made, made, stat};
use pagetide_core::Table;
use pagetide_kernel::{ProcessRuns, Processes, Root, Sampler, TaskRun, TaskRuns, Top, Watch};

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
fn a_row_says_what_the_scheduler_was_told_of_a_process() {
    let large = Made { rss: 900, ..made(11) };
    let mut machine = Machine::new(Top::default(), std::slice::from_ref(&large));
    let mut told = |made: &Made| {
        machine.write(made);
        machine.sample();
        ["nice", "policy"].map(|name| machine.value(Table::Process, "11@7", name))
    };
    assert_eq!(told(&large), [Some(0), Some(0)]);
    assert_eq!(told(&Made { nice: 19, ..large.clone() }), [Some(19), Some(0)], "renice -n 19");
    assert_eq!(told(&Made { nice: -5, ..large.clone() }), [Some(-5), Some(0)]);
    assert_eq!(told(&Made { policy: 5, ..large }), [Some(0), Some(5)], "chrt --idle");
}

#[test]
fn a_row_says_how_long_a_process_waited_for_a_cpu_where_the_kernel_counts_it() {
    let large = Made { rss: 900, ..made(11) };
    let mut machine = Machine::new(Top::default(), std::slice::from_ref(&large));
    let schedstat = machine.folder.path().join("proc/11/schedstat");
    let mut told = |text: &str| {
        std::fs::write(&schedstat, text).unwrap();
        machine.sample();
        machine.value(Table::Process, "11@7", "run_delay")
    };
    assert_eq!(told("1000 5000 3\n"), Some(5000));
    assert_eq!(told("1000 9000 4\n"), Some(9000));
    assert_eq!(told("0 0 0\n"), None, "a kernel without CONFIG_SCHED_INFO");
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
fn an_id_that_is_used_again_is_another_process() {
    let old = Made { rss: 50, majflt: 1000, ..made(77) };
    let mut machine = Machine::new(Top::default(), std::slice::from_ref(&old));
    assert_eq!(machine.sample(), ["77@7"]);
    let new = Made { starttime: 900, comm: "other", majflt: 4, rss: 20, ..made(77) };
    machine.write(&new);
    assert_eq!(machine.sample(), ["77@900"], "at once, and the old one has no row");
    assert_eq!(machine.value(Table::Process, "77@900", "majflt"), Some(4));
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

/// Tells of tasks what the test says.
#[derive(Debug)]
struct Told(Vec<TaskRun>);

impl TaskRuns for Told {
    fn read(&mut self, tasks: &mut Vec<TaskRun>) {
        tasks.clone_from(&self.0);
    }
}

fn told(tid: u32, pid: u32, start_ns: u64, runs: u64, uninterruptible: bool) -> TaskRun {
    let runs = ProcessRuns { exec_ns: runs * 1000, wait_ns: 0, runs };
    TaskRun { tid, pid, start_ns, runs, uninterruptible }
}

#[test]
fn a_source_of_all_tasks_tells_who_ran_and_which_threads_may_be_blocked() {
    let many = Made { threads: 3, rss: 40, ..made(80) };
    let rests = made(91);
    let start = 70_000_000;
    // The rows once it has faulted, where the source says so of its runs and of when it started.
    let rows = |runs, start_of| {
        let mut machine = Machine::new(Top { each: 1, ..Top::default() }, &[many.clone(), rests.clone()]);
        let tasks = machine.folder.path().join("proc/80/task");
        for (id, state) in [(80, 'S'), (81, 'D'), (82, 'S')] {
            let folder = tasks.join(id.to_string());
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("stat"), stat(&Made { state, ..many.clone() }, id)).unwrap();
            std::fs::write(folder.join("wchan"), "folio_wait_bit_common").unwrap();
        }
        let tell = |machine: &mut Machine, runs, start_of| {
            machine.sampler.set_task_runs(Box::new(Told(vec![
                told(80, 80, start, 9, false),
                told(81, 80, start, 1, true),
                told(82, 80, start, 1, false),
                told(91, 91, start_of, runs, false),
            ])));
            machine.sample()
        };
        assert_eq!(tell(&mut machine, 5, start), ["80@7", "81@7"], "82 is not said to be blocked");
        assert_eq!((machine.host("scan_tasks"), machine.host("scan_tasks_skipped")), (4, 0));
        machine.write(&Made { majflt: 500, ..rests.clone() });
        tell(&mut machine, runs, start_of)
    };
    assert_eq!(rows(5, start), ["80@7", "81@7"], "it did not run, so its counters are not read again");
    assert_eq!(rows(6, start), ["80@7", "81@7", "91@7"]);
    let of_another = rows(5, 2 * start);
    assert_eq!(of_another, ["80@7", "81@7", "91@7"], "the number of another process is not taken for its own");
}
