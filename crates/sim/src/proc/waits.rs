//! What `/proc` and control groups would say of tasks: CPU time, pressure, delays, bytes.

use crate::PAGE_SIZE;
use crate::cpu_limit::CpuLimit;
use crate::host::Host;
use crate::pressure::{Delays, Stalled, State};
use crate::proc::counters::Take;
use pagetide_core::{BytesPerSecond, Table};

/// A tick of `/proc/PID/stat` in ns (`USER_HZ` is 100).
const TICK: u64 = 10_000_000;
const MICROSECOND: u64 = 1000;

impl Host {
    /// `/proc/stat` (`fs/proc/stat.c`).
    pub(crate) fn stat(&self, take: &mut Take<'_>) {
        let sum = |of: fn(&crate::host::Usage) -> u64| self.tasks.iter().map(|task| of(&task.stats)).sum::<u64>();
        let (iowait, idle) = self.pressure.unused(self.now);
        let (able, waiting) = self.pressure.counts();
        for (name, value) in [
            ("cpu_user", sum(|used| used.user) / TICK),
            ("cpu_system", sum(|used| used.system) / TICK),
            ("cpu_idle", idle / TICK),
            ("cpu_iowait", iowait / TICK),
            // Nobody is nice, interrupts take no CPU time, and no hypervisor takes any.
            ("cpu_nice", 0),
            ("cpu_irq", 0),
            ("cpu_softirq", 0),
            ("cpu_steal", 0),
            ("procs_running", able),
            ("procs_blocked", waiting),
            ("processes", self.tasks.len() as u64),
        ] {
            take(Table::Host, "", name, value as i64);
        }
    }

    /// `/proc/pressure` and the same of groups.
    pub(crate) fn pressure_files(&self, take: &mut Take<'_>) {
        for (at, group) in self.groups.iter().enumerate() {
            let Some([cpu, io, memory]) = self.pressure.stalled(self.now, at) else { continue };
            let (table, row) = if at == 0 { (Table::Host, "") } else { (Table::Cgroup, group.name.as_str()) };
            let values: [(&str, &str, Stalled); 3] = [
                ("psi_cpu_some", "psi_cpu_full", cpu),
                ("psi_io_some", "psi_io_full", io),
                ("psi_memory_some", "psi_memory_full", memory),
            ];
            for (some, full, stalled) in values {
                take(table, row, some, (stalled.some / MICROSECOND) as i64);
                take(table, row, full, (stalled.full / MICROSECOND) as i64);
            }
        }
    }

    /// `cpu.stat` and `io.stat` of groups, and the delays of their own tasks.
    pub(crate) fn io_stat(&self, take: &mut Take<'_>) {
        for (at, group) in self.groups.iter().enumerate().skip(1) {
            let members = || self.tasks.iter().enumerate().filter(|(_, task)| group.subtree.contains(&task.group));
            let used: u64 = members().map(|(_, task)| task.stats.user + task.stats.system).sum();
            take(Table::Cgroup, &group.name, "cpu_usage", (used / MICROSECOND) as i64);
            let (limit, counts) = group.cpu.stat(self.now);
            let a_second = |limit: CpuLimit| limit.quota.get() * 1_000_000 / limit.period.get().max(1);
            for (name, value) in [
                ("cpu_max", limit.map(a_second)),
                ("cpu_periods", Some(counts.periods)),
                ("cpu_throttled", Some(counts.throttled)),
                ("cpu_throttled_time", Some(counts.throttled_time / MICROSECOND)),
            ] {
                if let Some(value) = value {
                    take(Table::Cgroup, &group.name, name, value as i64);
                }
            }
            take(Table::Cgroup, &group.name, "cgroup_id", group_id(at));
            let own = members().filter(|(_, task)| task.group == at);
            let delays = own.fold(Delays::default(), |sum, (task, _)| sum.plus(self.pressure.delays(self.now, task)));
            delays_of(Table::Cgroup, &group.name, delays, take);
            let mut whole = crate::group::GroupIo::default();
            for (device, io) in group.io.iter().enumerate() {
                whole.read_bytes += io.read_bytes;
                whole.write_bytes += io.write_bytes;
                whole.reads += io.reads;
                whole.writes += io.writes;
                let row = format!("{}\t{}", group.name, self.queues[device].spec.name);
                for (name, value) in
                    [("rbytes", io.read_bytes), ("wbytes", io.write_bytes), ("rios", io.reads), ("wios", io.writes)]
                {
                    take(Table::CgroupDisk, &row, name, value as i64);
                }
            }
            for (device, queue) in self.queues.iter().enumerate() {
                let limits = self.throttles.of(at, device);
                let row = format!("{}\t{}", group.name, queue.spec.name);
                for (name, limit) in [
                    ("max_rbps", limits.read.map(BytesPerSecond::get)),
                    ("max_wbps", limits.write.map(BytesPerSecond::get)),
                    ("max_riops", limits.reads),
                    ("max_wiops", limits.writes),
                ] {
                    if let Some(limit) = limit {
                        take(Table::CgroupDisk, &row, name, limit as i64);
                    }
                }
            }
            for (name, value) in [
                ("io_rbytes", whole.read_bytes),
                ("io_wbytes", whole.write_bytes),
                ("io_rios", whole.reads),
                ("io_wios", whole.writes),
            ] {
                take(Table::Cgroup, &group.name, name, value as i64);
            }
        }
    }

    /// `/proc/PID/stat`, `/proc/PID/io`, `/proc/PID/status` and taskstats of the tasks that have not exited.
    pub(crate) fn processes(&self, take: &mut Take<'_>) {
        for (at, task) in self.tasks.iter().enumerate().filter(|(_, task)| !task.exited) {
            // Process 1 is init; each task is a process with one thread.
            let row = format!("{}@0/{}", at + 2, task.name);
            let used = &task.stats;
            // A program has a stack at least; a thread of the kernel has no memory of its own.
            let resident = if task.kernel { 0 } else { used.anon_pages.max(1) };
            for (name, value) in [
                ("utime", used.user / TICK),
                ("stime", used.system / TICK),
                ("minflt", used.minor_faults),
                ("majflt", used.major_faults),
                ("num_threads", 1),
                ("rss", resident),
                ("state", u64::from(letter(self.pressure.state(at)))),
                ("ppid", 1),
                ("rchar", used.rchar),
                ("wchar", used.wchar),
                ("syscr", used.syscr),
                ("syscw", used.syscw),
                ("read_bytes", used.read_bytes),
                ("write_bytes", used.write_bytes),
                ("RssAnon", used.anon_pages * PAGE_SIZE),
                ("VmSwap", used.swap_pages * PAGE_SIZE),
            ] {
                take(Table::Process, &row, name, value as i64);
            }
            take(Table::Process, &row, "cgroup_id", group_id(task.group));
            delays_of(Table::Process, &row, self.pressure.delays(self.now, at), take);
        }
    }
}

/// The id of a group. 0 is none.
const fn group_id(at: usize) -> i64 {
    at as i64 + 1
}

fn delays_of(table: Table, row: &str, delays: Delays, take: &mut Take<'_>) {
    for (name, value) in [
        ("cpu_delay_total", delays.cpu),
        ("blkio_delay_total", delays.blkio),
        ("swapin_delay_total", delays.swapin),
        ("freepages_delay_total", delays.freepages),
        ("thrashing_delay_total", delays.thrashing),
    ] {
        take(table, row, name, value as i64);
    }
}

/// The letter of a state in `/proc/PID/stat` (`fs/proc/array.c: task_state_array`).
const fn letter(state: State) -> u8 {
    match state {
        State::Sleeps => b'S',
        State::Runnable | State::Runs | State::Reclaims => b'R',
        State::Io | State::Thrashes | State::SwapsIn | State::SwapsOut | State::Memory => b'D',
    }
}
