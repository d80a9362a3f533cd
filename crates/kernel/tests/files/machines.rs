//! Machines other than those of fixtures/kernel, made up here from the formats that the kernel documents: large pages, many CPUs and
//! nodes, and the files as the kernels of distributions print them. No number here was measured.

use pagetide_core::{Sample, Schema, Table};
use pagetide_kernel::{Root, Sampler, Watch, facts};
use std::fmt::Write as _;
use std::path::Path;

/// A machine that is not there.
struct Machine {
    /// Size of a page in KiB.
    page_kib: u64,
    cpus: u32,
    nodes: u32,
    kernel: Kernel,
}

/// What a kernel prints of what came or went between versions.
#[derive(Clone, Copy)]
struct Kernel {
    release: &'static str,
    /// Names of refaults in vmstat: one until 5.8, two from 5.9.
    refaults: &'static [&'static str],
    /// Fields of diskstats after the name: 11, from 4.18 with discards 15, from 5.5 with flushes 17.
    disk_fields: usize,
    /// Lines of meminfo that not all kernels have.
    meminfo: &'static [&'static str],
    /// Whether PSI is on.
    pressure: bool,
}

const SPLIT: &[&str] = &["workingset_refault_anon", "workingset_refault_file"];

/// 4.18 of RHEL 8, 5.14 of RHEL 9, 5.15 and 6.8 of Ubuntu, 5.10 and 6.1 of Amazon Linux. RHEL boots with PSI off.
const KERNELS: [Kernel; 6] = [
    Kernel {
        release: "4.18.0-553.el8_10.x86_64",
        refaults: &["workingset_refault"],
        disk_fields: 15,
        meminfo: &[],
        pressure: false,
    },
    Kernel {
        release: "5.14.0-503.el9.x86_64",
        refaults: SPLIT,
        disk_fields: 17,
        meminfo: &["KReclaimable", "FileHugePages"],
        pressure: false,
    },
    Kernel {
        release: "5.15.0-130-generic",
        refaults: SPLIT,
        disk_fields: 17,
        meminfo: &["KReclaimable", "FileHugePages"],
        pressure: true,
    },
    Kernel {
        release: "6.8.0-51-generic",
        refaults: SPLIT,
        disk_fields: 17,
        meminfo: &["KReclaimable", "Zswap", "Zswapped", "SecPageTables", "FileHugePages", "Unaccepted"],
        pressure: true,
    },
    Kernel {
        release: "5.10.230-223.885.amzn2.x86_64",
        refaults: SPLIT,
        disk_fields: 17,
        meminfo: &["KReclaimable", "FileHugePages"],
        pressure: true,
    },
    Kernel {
        release: "6.1.119-129.201.amzn2023.x86_64",
        refaults: SPLIT,
        disk_fields: 17,
        meminfo: &["KReclaimable", "Zswap", "Zswapped", "SecPageTables", "FileHugePages"],
        pressure: true,
    },
];

/// Pages of free memory of a node, of mapped files and of reclaimable slab.
const FREE: u64 = 100_000;
const MAPPED: u64 = 5_000;
const SLAB: u64 = 7_000;

impl Machine {
    /// Its files below a folder.
    fn write(&self, folder: &Path) {
        let put = |file: &str, text: String| {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let nodes = u64::from(self.nodes);
        let mut meminfo = String::new();
        for (name, pages) in [
            ("MemTotal", nodes * 1_000_000),
            ("MemFree", nodes * FREE),
            ("MemAvailable", nodes * 2 * FREE),
            ("Buffers", 10),
            ("Cached", 300_000),
            ("Mapped", MAPPED),
            ("SReclaimable", SLAB),
        ] {
            let _ = writeln!(meminfo, "{:15} {:8} kB", format!("{name}:"), pages * self.page_kib);
        }
        for name in self.kernel.meminfo {
            let _ = writeln!(meminfo, "{:15} {:8} kB", format!("{name}:"), self.page_kib);
        }
        put("proc/meminfo", meminfo);
        let mut vmstat = format!("nr_free_pages {}\nnr_mapped {MAPPED}\nnr_slab_reclaimable {SLAB}\n", nodes * FREE);
        for (at, name) in self.kernel.refaults.iter().enumerate() {
            let _ = writeln!(vmstat, "{name} {}", at + 7);
        }
        put("proc/vmstat", vmstat);
        let mut zoneinfo = String::new();
        for node in 0..self.nodes {
            let _ = writeln!(
                zoneinfo,
                "Node {node}, zone   Normal\n  per-node stats\n      nr_inactive_file 200\n  pages free     {FREE}\n        min      10\n        \
                 low      20\n        high     30\n        spanned  1000000\n        present  1000000\n        managed  990000\n        \
                 protection: (0, 0, 0)\n  pagesets\n    cpu: 0\n              count: 1\n              high:  378\n              batch: 63\n  \
                 vm stats threshold: 125\n  node_unreclaimable:  0\n  start_pfn:           1"
            );
        }
        put("proc/zoneinfo", zoneinfo);
        let cpu = " 100 0 50 9000 20 0 5 0 0 0\n";
        let lines: String = (0..self.cpus).map(|at| format!("cpu{at}{cpu}")).collect();
        put(
            "proc/stat",
            format!("cpu {cpu}{lines}ctxt 5\nbtime 1700000000\nprocesses 9\nprocs_running 1\nprocs_blocked 0\n"),
        );
        put("proc/loadavg", "0.10 0.20 0.30 1/500 4242\n".to_owned());
        put("proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n".to_owned());
        let fields: String = (1..=self.kernel.disk_fields).map(|at| format!(" {at}")).collect();
        put("proc/diskstats", format!(" 259       0 nvme0n1{fields}\n"));
        put("proc/sys/kernel/osrelease", format!("{}\n", self.kernel.release));
        put("sys/devices/system/cpu/online", format!("0-{}\n", self.cpus - 1));
        if self.kernel.pressure {
            let line = "avg10=0.00 avg60=0.00 avg300=0.00 total=";
            for resource in ["cpu", "io", "memory"] {
                put(&format!("proc/pressure/{resource}"), format!("some {line}11\nfull {line}3\n"));
            }
        }
    }

    /// What the sampler says of it: a lookup by table, entity and metric.
    fn sampled(self) -> (tempfile::TempDir, impl Fn(Table, &str, &str) -> Option<i64>) {
        let folder = tempfile::tempdir().unwrap();
        self.write(folder.path());
        let (mut schema, mut sample) = (Schema::default(), Sample::default());
        let mut sampler = Sampler::new(&Root::new(folder.path()), Watch::default()).unwrap();
        sampler.sample(&mut schema, &mut sample).unwrap();
        let value = move |table: Table, entity: &str, name: &str| {
            let column = schema.find_column(table, name)?.0 as usize;
            let entity = schema.find_entity(table, entity)?;
            let rows = sample.table(table)?;
            rows.rows().find(|(id, _)| *id == entity).and_then(|(_, values)| values.get(column).copied().flatten())
        };
        (folder, value)
    }
}

#[test]
fn large_pages_many_cpus_and_nodes_are_read_as_they_are() {
    for (page_kib, cpus, nodes) in [(4, 2, 1), (16, 8, 1), (64, 128, 4)] {
        let (folder, value) = Machine { page_kib, cpus, nodes, kernel: KERNELS[3] }.sampled();
        let facts = facts(&Root::new(folder.path())).unwrap();
        assert_eq!((facts.page_size.get(), facts.cpus), (page_kib << 10, cpus));
        assert_eq!(facts.memory_total.get(), u64::from(nodes) * 1_000_000 * (page_kib << 10));
        let free = i64::try_from(u64::from(nodes) * FREE * (page_kib << 10)).unwrap();
        assert_eq!(value(Table::Host, "", "MemFree"), Some(free), "bytes of meminfo");
        for node in 0..nodes {
            let zone = format!("node{node}/Normal");
            assert_eq!(value(Table::Zone, &zone, "free"), Some(i64::try_from(FREE).unwrap()), "{zone}");
        }
        assert_eq!(value(Table::Zone, &format!("node{nodes}/Normal"), "free"), None);
    }
}

#[test]
fn kernels_of_distributions_are_read_and_what_they_lack_is_absent() {
    for kernel in KERNELS {
        let (folder, value) = Machine { page_kib: 4, cpus: 4, nodes: 1, kernel }.sampled();
        let release = kernel.release;
        assert_eq!(facts(&Root::new(folder.path())).unwrap().kernel, release);
        for (at, name) in kernel.refaults.iter().enumerate() {
            assert_eq!(value(Table::Host, "", name), Some(i64::try_from(at).unwrap() + 7), "{release} {name}");
        }
        let disk = |name| value(Table::Disk, "nvme0n1", name);
        assert_eq!(
            (disk("reads"), disk("discards"), disk("flushes")),
            (Some(1), Some(12), (kernel.disk_fields > 15).then_some(16)),
            "{release}"
        );
        assert_eq!(value(Table::Host, "", "psi_memory_some").is_some(), kernel.pressure, "{release}");
        for name in ["KReclaimable", "Zswap", "SecPageTables"] {
            let expected = kernel.meminfo.contains(&name).then_some(4096);
            assert_eq!(value(Table::Host, "", name), expected, "{release} {name}");
        }
    }
}
