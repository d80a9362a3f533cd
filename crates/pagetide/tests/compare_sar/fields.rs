//! Every field of `sar -A`, as `sadf -j` calls it, with the column of `show` that has it.

use pagetide_core::{Recording, Unit};
use pagetide_view::show::{Topic, show};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A field of sar and its column.
pub(crate) struct Field {
    /// The path in a sample of `sadf -j`; `[]` stands for each element of a list.
    pub(crate) sar: &'static str,
    pub(crate) topic: Topic,
    pub(crate) column: &'static str,
    /// What a number of the column in base units (bytes, seconds, parts of one, counts) is multiplied by to be sar's.
    factor: f64,
    /// sar cuts to a whole number (KiB) instead of rounding to two decimals.
    whole: bool,
    pub(crate) difference: Option<Difference>,
}

/// A field that means something else, or that sysstat counts wrong.
#[derive(Clone, Copy)]
pub(crate) enum Difference {
    /// By definition: why, the function in sysstat, the one in pagetide.
    Definition { why: &'static str, sysstat: &'static str, pagetide: &'static str },
    /// Wrong in sysstat: what, and the fix.
    WrongInSysstat { why: &'static str, fix: &'static str },
}

const KIB: f64 = 1.0 / 1024.0;
const PERCENT: f64 = 100.0;

const fn field(sar: &'static str, topic: Topic, column: &'static str, factor: f64) -> Field {
    Field { sar, topic, column, factor, whole: false, difference: None }
}

const fn kib(sar: &'static str, topic: Topic, column: &'static str) -> Field {
    Field { sar, topic, column, factor: KIB, whole: true, difference: None }
}

const fn differs(of: Field, difference: Difference) -> Field {
    Field { difference: Some(difference), ..of }
}

/// sysstat before 12.7.9 adds `pgsteal_anon` and `pgsteal_file` to the reclaimers' counters, which count the same pages.
const DOUBLED_STEAL: Difference = Difference::WrongInSysstat {
    why: "every counter that begins with pgsteal_ is added, so that a page counts by reclaimer and by kind",
    fix: "sysstat 12.7.9, rd_stats.c: read_vmstat_paging; github.com/sysstat/sysstat issue 415, pull request 426",
};
const OWN_SCANS: Difference = Difference::Definition {
    why: "sar divides (doubled) steals by the scans of kswapd and direct reclaim only; pagetide takes steals and scans of all reclaim",
    sysstat: "pr_stats.c: print_paging_stats; rd_stats.c: read_vmstat_paging",
    pagetide: "core derived/table.rs: EFFICIENCY",
};
const SUM_OF_INTERRUPTS: Difference = Difference::Definition {
    why: "sar adds all lines of /proc/interrupts, TLB shootdowns both as TLB and as function calls (CAL); pagetide takes the kernel's \
          sum in /proc/stat, which has them once (arch/x86/kernel/irq.c: arch_irq_stat_cpu), and is read at another moment",
    sysstat: "rd_stats.c: read_stat_irq",
    pagetide: "proctext stat.rs: FIELDS (fs/proc/stat.c: show_stat)",
};
const RUNNING: Difference = Difference::Definition {
    why: "sar takes the running tasks of /proc/loadavg less itself; pagetide those of /proc/stat, read at another moment, itself included",
    sysstat: "rd_stats.c: read_loadavg",
    pagetide: "core derived/table.rs: RUN_QUEUE",
};

pub(crate) static FIELDS: &[Field] = &[
    field("cpu-load[].usr", Topic::Cpus, "usr", PERCENT),
    field("cpu-load[].nice", Topic::Cpus, "nice", PERCENT),
    field("cpu-load[].sys", Topic::Cpus, "sys", PERCENT),
    field("cpu-load[].iowait", Topic::Cpus, "iowait", PERCENT),
    field("cpu-load[].steal", Topic::Cpus, "steal", PERCENT),
    field("cpu-load[].irq", Topic::Cpus, "irq", PERCENT),
    field("cpu-load[].soft", Topic::Cpus, "soft", PERCENT),
    field("cpu-load[].guest", Topic::Cpus, "guest", PERCENT),
    field("cpu-load[].gnice", Topic::Cpus, "gnice", PERCENT),
    field("cpu-load[].idle", Topic::Cpus, "idle", PERCENT),
    field("process-and-context-switch.proc", Topic::Tasks, "proc/s", 1.0),
    field("process-and-context-switch.cswch", Topic::Tasks, "cswch/s", 1.0),
    differs(field("interrupts[sum].all", Topic::Tasks, "intr/s", 1.0), SUM_OF_INTERRUPTS),
    field("swap-pages.pswpin", Topic::Swap, "pswpin/s", 1.0),
    field("swap-pages.pswpout", Topic::Swap, "pswpout/s", 1.0),
    field("paging.pgpgin", Topic::Paging, "pgpgin/s", KIB),
    field("paging.pgpgout", Topic::Paging, "pgpgout/s", KIB),
    field("paging.fault", Topic::Paging, "fault/s", 1.0),
    field("paging.majflt", Topic::Paging, "majflt/s", 1.0),
    field("paging.pgfree", Topic::Paging, "pgfree/s", 1.0),
    field("paging.pgscank", Topic::Paging, "pgscank/s", 1.0),
    field("paging.pgscand", Topic::Paging, "pgscand/s", 1.0),
    differs(field("paging.pgsteal", Topic::Paging, "pgsteal/s", 1.0), DOUBLED_STEAL),
    differs(field("paging.vmeff-percent", Topic::Paging, "vmeff", PERCENT), OWN_SCANS),
    field("io.tps", Topic::Io, "tps", 1.0),
    field("io.io-reads.rtps", Topic::Io, "rtps", 1.0),
    field("io.io-reads.bread", Topic::Io, "bread/s", 1.0 / 512.0),
    field("io.io-writes.wtps", Topic::Io, "wtps", 1.0),
    field("io.io-writes.bwrtn", Topic::Io, "bwrtn/s", 1.0 / 512.0),
    field("io.io-discard.dtps", Topic::Io, "dtps", 1.0),
    field("io.io-discard.bdscd", Topic::Io, "bdscd/s", 1.0 / 512.0),
    kib("memory.memfree", Topic::Memory, "free"),
    kib("memory.avail", Topic::Memory, "avail"),
    kib("memory.memused", Topic::Memory, "memused"),
    field("memory.memused-percent", Topic::Memory, "memused%", PERCENT),
    kib("memory.buffers", Topic::Memory, "buffers"),
    kib("memory.cached", Topic::Memory, "cached"),
    kib("memory.commit", Topic::Memory, "commit"),
    field("memory.commit-percent", Topic::Memory, "commit%", PERCENT),
    kib("memory.active", Topic::Memory, "active"),
    kib("memory.inactive", Topic::Memory, "inactive"),
    kib("memory.dirty", Topic::Memory, "dirty"),
    kib("memory.anonpg", Topic::Memory, "anon"),
    kib("memory.slab", Topic::Memory, "slab"),
    kib("memory.kstack", Topic::Memory, "kstack"),
    kib("memory.pgtbl", Topic::Memory, "pgtbl"),
    kib("memory.vmused", Topic::Memory, "vmused"),
    kib("memory.swpfree", Topic::Swap, "swapfree"),
    kib("memory.swpused", Topic::Swap, "swapused"),
    field("memory.swpused-percent", Topic::Swap, "swapused%", PERCENT),
    kib("memory.swpcad", Topic::Swap, "swapcached"),
    field("memory.swpcad-percent", Topic::Swap, "swapcached%", PERCENT),
    kib("hugepages.hugfree", Topic::Hugepages, "free"),
    kib("hugepages.hugused", Topic::Hugepages, "used"),
    field("hugepages.hugused-percent", Topic::Hugepages, "used%", PERCENT),
    kib("hugepages.hugrsvd", Topic::Hugepages, "reserved"),
    kib("hugepages.hugsurp", Topic::Hugepages, "surplus"),
    differs(field("queue.runq-sz", Topic::Load, "runq", 1.0), RUNNING),
    field("queue.plist-sz", Topic::Load, "plist", 1.0),
    field("queue.ldavg-1", Topic::Load, "ldavg-1", 1.0),
    field("queue.ldavg-5", Topic::Load, "ldavg-5", 1.0),
    field("queue.ldavg-15", Topic::Load, "ldavg-15", 1.0),
    field("queue.blocked", Topic::Load, "blocked", 1.0),
    field("disk[].tps", Topic::Disk, "tps", 1.0),
    field("disk[].rd_sec", Topic::Disk, "read/s", 1.0 / 512.0),
    field("disk[].wr_sec", Topic::Disk, "write/s", 1.0 / 512.0),
    field("disk[].dc_sec", Topic::Disk, "discard/s", 1.0 / 512.0),
    field("disk[].rkB", Topic::Disk, "read/s", KIB),
    field("disk[].wkB", Topic::Disk, "write/s", KIB),
    field("disk[].dkB", Topic::Disk, "discard/s", KIB),
    field("disk[].avgrq-sz", Topic::Disk, "reqsize", 1.0 / 512.0),
    field("disk[].areq-sz", Topic::Disk, "reqsize", KIB),
    field("disk[].avgqu-sz", Topic::Disk, "depth", 1.0),
    field("disk[].aqu-sz", Topic::Disk, "depth", 1.0),
    field("disk[].await", Topic::Disk, "await", 1000.0),
    field("disk[].util-percent", Topic::Disk, "util", PERCENT),
    field("psi.psi-cpu.some_avg10", Topic::Pressure, "cpu-10", PERCENT),
    field("psi.psi-cpu.some_avg60", Topic::Pressure, "cpu-60", PERCENT),
    field("psi.psi-cpu.some_avg300", Topic::Pressure, "cpu-300", PERCENT),
    field("psi.psi-cpu.some_avg", Topic::Pressure, "cpu-some", PERCENT),
    field("psi.psi-io.some_avg10", Topic::Pressure, "io-10", PERCENT),
    field("psi.psi-io.some_avg60", Topic::Pressure, "io-60", PERCENT),
    field("psi.psi-io.some_avg300", Topic::Pressure, "io-300", PERCENT),
    field("psi.psi-io.some_avg", Topic::Pressure, "io-some", PERCENT),
    field("psi.psi-io.full_avg10", Topic::Pressure, "iof-10", PERCENT),
    field("psi.psi-io.full_avg60", Topic::Pressure, "iof-60", PERCENT),
    field("psi.psi-io.full_avg300", Topic::Pressure, "iof-300", PERCENT),
    field("psi.psi-io.full_avg", Topic::Pressure, "io-full", PERCENT),
    field("psi.psi-mem.some_avg10", Topic::Pressure, "mem-10", PERCENT),
    field("psi.psi-mem.some_avg60", Topic::Pressure, "mem-60", PERCENT),
    field("psi.psi-mem.some_avg300", Topic::Pressure, "mem-300", PERCENT),
    field("psi.psi-mem.some_avg", Topic::Pressure, "mem-some", PERCENT),
    field("psi.psi-mem.full_avg10", Topic::Pressure, "memf-10", PERCENT),
    field("psi.psi-mem.full_avg60", Topic::Pressure, "memf-60", PERCENT),
    field("psi.psi-mem.full_avg300", Topic::Pressure, "memf-300", PERCENT),
    field("psi.psi-mem.full_avg", Topic::Pressure, "mem-full", PERCENT),
];

/// Objects of `sadf -j` that are no IO and no memory: pagetide does not record them.
pub(crate) const NOT_RECORDED: &[&str] = &[
    "timestamp",
    "network",
    "serial",
    "kernel",
    "power-management",
    "filesystems",
    "fchosts",
    "usb-devices",
    "batteries",
];

/// The values of a field in a sample, each with what it is of: a disk, a CPU (`all` too), nothing.
pub(crate) fn values_of(sample: &Value, field: &Field) -> Vec<(String, f64)> {
    let (head, tail) = match field.sar.split_once("[].").or_else(|| field.sar.split_once("[sum].")) {
        Some((head, tail)) => (head, tail),
        None => {
            let value = field.sar.split('.').try_fold(sample, |value, key| value.get(key));
            return value.and_then(Value::as_f64).map(|value| (String::new(), value)).into_iter().collect();
        }
    };
    let sum = field.sar.contains("[sum]");
    let rows = sample.get(head).and_then(Value::as_array).into_iter().flatten();
    let named = rows.filter_map(|row| {
        let name = ["cpu", "disk-device", "intr"].iter().find_map(|key| row.get(*key)?.as_str())?;
        (!sum || name == "sum").then_some(())?;
        Some((if sum { String::new() } else { name.to_owned() }, row.get(tail)?.as_f64()?))
    });
    named.collect()
}

/// What the columns of `show` have, in sar's units: by entity (`all` for all CPUs), then by sample.
pub(crate) struct Shown(BTreeMap<(&'static str, &'static str, String), BTreeMap<i64, f64>>);

impl Shown {
    pub(crate) fn new(recording: &Recording) -> Self {
        let mut shown = BTreeMap::new();
        let topics: Vec<Topic> =
            Topic::ALL.into_iter().filter(|topic| FIELDS.iter().any(|f| f.topic == *topic)).collect();
        for (topic, name) in topics.iter().map(|topic| (*topic, topic.name())).chain([(Topic::Cpu, Topic::Cpus.name())])
        {
            let table = show(recording, topic, true, (i64::MIN, i64::MAX), None);
            let headings: Vec<(&'static str, Unit)> =
                table.headings().map(|heading| (heading.name, heading.unit)).collect();
            for row in table.rows() {
                let entity = row.entity.unwrap_or(if topic == Topic::Cpu { "all" } else { "" });
                for ((column, unit), value) in headings.iter().zip(row.cells) {
                    if let Some(value) = value {
                        let of: &mut BTreeMap<i64, f64> = shown.entry((name, *column, entity.to_owned())).or_default();
                        of.insert(row.wall_ns, unit.to_base(value));
                    }
                }
            }
        }
        Self(shown)
    }

    /// The mean of a field's column over the rows up to moments of a stretch, of all entities in `of`, in sar's unit.
    pub(crate) fn mean(&self, field: &Field, of: &BTreeSet<String>, (from, to): (i64, i64)) -> f64 {
        let column = |entity: &String| self.0.get(&(field.topic.name(), field.column, entity.clone()));
        let rows: Vec<f64> =
            of.iter().filter_map(column).flat_map(|rows| rows.range(from..=to)).map(|row| *row.1).collect();
        rows.iter().sum::<f64>() * field.factor / rows.len() as f64
    }

    /// The value of a field's column at a moment, in sar's unit.
    pub(crate) fn at(&self, field: &Field, entity: &str, wall_ns: i64) -> Option<f64> {
        let values = self.0.get(&(field.topic.name(), field.column, entity.to_owned()))?;
        values.get(&wall_ns).map(|value| value * field.factor)
    }
}

/// Whether sar would print this value so. It prints two decimals, and sizes in whole KiB.
pub(crate) fn prints_as(field: &Field, value: f64, printed: f64) -> bool {
    let last = if field.whole { 1.0 } else { 0.005 };
    (value - printed).abs() <= last + 1e-9 * value.abs() + 1e-6
}
