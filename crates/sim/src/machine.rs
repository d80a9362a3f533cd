//! What a machine is made of, before it runs.

use crate::PAGE_SIZE;
use crate::mechanisms::Mechanisms;
use crate::page::{MAX_ZONES, NO_PAGE};
use pagetide_core::{Bytes, Error, HugePages, Lru, Nanos};

/// The kernel whose rules are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Release {
    /// Linux 6.1.
    #[default]
    V6_1,
    /// Linux 6.12.
    V6_12,
}

impl Release {
    /// The one of both that a kernel's release (`uname -r`) is nearer to: 6.12's rules came with 6.7 and later.
    pub fn near(kernel: &str) -> Self {
        let mut numbers = kernel.split(|c: char| !c.is_ascii_digit()).map_while(|part| part.parse::<u32>().ok());
        let version = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
        if version >= (6, 7) { Self::V6_12 } else { Self::V6_1 }
    }
}

/// Settings under `/proc/sys/vm`, with the kernel's defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sysctls {
    /// `dirty_ratio`, percent; not used while `dirty_bytes` is set.
    pub dirty_ratio: u64,
    /// `dirty_background_ratio`, percent; not used while `dirty_background_bytes` is set.
    pub dirty_background_ratio: u64,
    /// `dirty_bytes`; 0 when the ratio counts.
    pub dirty_bytes: u64,
    /// `dirty_background_bytes`; 0 when the ratio counts.
    pub dirty_background_bytes: u64,
    /// `dirty_expire_centisecs`.
    pub dirty_expire_centisecs: u64,
    /// `dirty_writeback_centisecs`; 0 switches the periodic flusher off.
    pub dirty_writeback_centisecs: u64,
    /// `swappiness`, 0 to 200.
    pub swappiness: u64,
    /// `min_free_kbytes`; 0 when the kernel's own choice counts.
    pub min_free_kbytes: u64,
    /// `watermark_scale_factor`, in 1/10000 of a zone.
    pub watermark_scale_factor: u64,
    /// `page-cluster`: log2 of the pages that are read ahead from swap.
    pub page_cluster: u64,
    /// `vfs_cache_pressure`, percent.
    pub vfs_cache_pressure: u64,
}

impl Default for Sysctls {
    fn default() -> Self {
        Self {
            dirty_ratio: 20,
            dirty_background_ratio: 10,
            dirty_bytes: 0,
            dirty_background_bytes: 0,
            dirty_expire_centisecs: 3000,
            dirty_writeback_centisecs: 500,
            swappiness: 60,
            min_free_kbytes: 0,
            watermark_scale_factor: 10,
            page_cluster: 3,
            vfs_cache_pressure: 100,
        }
    }
}

impl Sysctls {
    /// Sets a setting by its name, such as `vm.dirty_ratio`. Setting one of a pair clears the other, as in the kernel.
    ///
    /// # Errors
    /// The model does not have the setting, or the kernel refuses the value.
    pub fn set(&mut self, name: &str, value: i64) -> Result<(), Error> {
        /// Of settings that are an `int` of the kernel, and of those that are a `long`.
        const INT: u64 = i32::MAX as u64;
        const LONG: u64 = i64::MAX as u64;
        let (field, range, twin) = match name {
            "vm.dirty_ratio" => (&mut self.dirty_ratio, 0..=100, Some(&mut self.dirty_bytes)),
            // `dirty_bytes_min`
            "vm.dirty_bytes" => (&mut self.dirty_bytes, 2 * PAGE_SIZE..=LONG, Some(&mut self.dirty_ratio)),
            "vm.dirty_background_ratio" => {
                (&mut self.dirty_background_ratio, 0..=100, Some(&mut self.dirty_background_bytes))
            }
            "vm.dirty_background_bytes" => {
                (&mut self.dirty_background_bytes, 1..=LONG, Some(&mut self.dirty_background_ratio))
            }
            "vm.dirty_expire_centisecs" => (&mut self.dirty_expire_centisecs, 0..=INT, None),
            "vm.dirty_writeback_centisecs" => (&mut self.dirty_writeback_centisecs, 0..=INT, None),
            "vm.swappiness" => (&mut self.swappiness, 0..=200, None),
            "vm.min_free_kbytes" => (&mut self.min_free_kbytes, 0..=INT, None),
            "vm.watermark_scale_factor" => (&mut self.watermark_scale_factor, 1..=3000, None),
            "vm.page-cluster" => (&mut self.page_cluster, 0..=31, None),
            "vm.vfs_cache_pressure" => (&mut self.vfs_cache_pressure, 0..=INT, None),
            _ => {
                return Err(Error::input(
                    format!("the model does not have the setting {name}"),
                    "run it on vm, or leave the setting out",
                ));
            }
        };
        let value = u64::try_from(value).ok().filter(|value| range.contains(value)).ok_or_else(|| {
            Error::input(
                format!("{name} = {value} is out of range"),
                format!("write a number from {} to {}", range.start(), range.end()),
            )
        })?;
        let changes = std::mem::replace(field, value) != value;
        // `dirty_ratio_handler`: a ratio of 0 that is written again leaves the bytes. That of the background threshold clears them.
        if let Some(twin) = twin.filter(|_| changes || name != "vm.dirty_ratio") {
            *twin = 0;
        }
        Ok(())
    }
}

/// CPU time of what the kernel does. The defaults are those of a current x86 server: a cached read of 8 KiB by fio took 1.34 us on
/// the host of experiment A2; calibration replaces them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// A system call that reads or writes, without its pages.
    pub request: Nanos,
    /// Finding and copying one cached page.
    pub copy_page: Nanos,
    /// Taking a page and putting it into the index.
    pub add_page: Nanos,
    /// Dirtying a page: journal, block lookup.
    pub dirty_page: Nanos,
    /// Sending one request to a device and handling its end.
    pub submit: Nanos,
    /// Looking up a name that does not exist: a walk of the directory's index, and a new dentry.
    pub lookup: Nanos,
    /// A page fault without its page.
    pub fault: Nanos,
    /// Mapping one page.
    pub map_page: Nanos,
    /// Filling one page of anonymous memory with zeros.
    pub zero_page: Nanos,
    /// A touch of a mapped page.
    pub touch: Nanos,
    /// Looking at one page during reclaim.
    pub scan_page: Nanos,
    /// Freeing one page during reclaim.
    pub reclaim_page: Nanos,
    /// Writing one page back: finding it, adding it to a request.
    pub writeback_page: Nanos,
    /// Compressing or decompressing one page (zram).
    pub compress_page: Nanos,
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            request: Nanos::new(650),
            copy_page: Nanos::new(350),
            add_page: Nanos::new(500),
            dirty_page: Nanos::new(900),
            submit: Nanos::new(3_000),
            lookup: Nanos::new(4_000),
            fault: Nanos::new(400),
            map_page: Nanos::new(40),
            zero_page: Nanos::new(300),
            touch: Nanos::new(5),
            scan_page: Nanos::new(60),
            reclaim_page: Nanos::new(200),
            writeback_page: Nanos::new(500),
            compress_page: Nanos::new(2_500),
        }
    }
}

impl Costs {
    /// All of them times `factor`, for a CPU that is slower.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let slower = |cost: Nanos| Nanos::new((cost.as_f64() * factor.max(0.0)).min(1e15).round() as u64);
        Self {
            request: slower(self.request),
            copy_page: slower(self.copy_page),
            add_page: slower(self.add_page),
            dirty_page: slower(self.dirty_page),
            submit: slower(self.submit),
            lookup: slower(self.lookup),
            fault: slower(self.fault),
            map_page: slower(self.map_page),
            zero_page: slower(self.zero_page),
            touch: slower(self.touch),
            scan_page: slower(self.scan_page),
            reclaim_page: slower(self.reclaim_page),
            writeback_page: slower(self.writeback_page),
            compress_page: slower(self.compress_page),
        }
    }

    /// Reclaim takes `factor` times as long.
    #[must_use]
    pub const fn with_slower_reclaim(mut self, factor: u64) -> Self {
        self.scan_page = Nanos::new(self.scan_page.get().saturating_mul(factor));
        self.reclaim_page = Nanos::new(self.reclaim_page.get().saturating_mul(factor));
        self
    }
}

/// A machine: its CPUs, memory and kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineSpec {
    /// CPUs.
    pub cpus: u32,
    /// Memory that the kernel manages (`MemTotal`).
    pub memory: Bytes,
    /// Nodes; memory is split evenly between them.
    pub nodes: u32,
    /// Memory that the kernel and programs of the system hold and that cannot be reclaimed.
    pub system: Bytes,
    /// Memory that files of the system hold and that cannot be reclaimed: an initramfs.
    pub system_files: Bytes,
    /// Reclaimable slab that is in use, so that reclaim frees none of it: names and inodes of the system (`SReclaimable`).
    pub system_slab: Bytes,
    /// Blocks of mounted file systems that stay in memory: their superblocks and group descriptors (`Buffers`).
    pub system_buffers: Bytes,
    /// The kernel.
    pub release: Release,
    /// How it orders pages for reclaim.
    pub lru: Lru,
    /// When it backs memory by huge pages; khugepaged then raises `min_free_kbytes`.
    pub huge_pages: HugePages,
    /// Its settings.
    pub sysctls: Sysctls,
    /// CPU time of what it does.
    pub costs: Costs,
    /// What of the kernel runs.
    pub mechanisms: Mechanisms,
    /// Memory that the model may take of the host on which it runs; no limit when absent.
    pub model_memory: Option<Bytes>,
}

impl MachineSpec {
    /// A machine with a kernel's defaults.
    pub fn new(cpus: u32, memory: Bytes) -> Self {
        Self {
            cpus,
            memory,
            nodes: 1,
            system: Bytes::ZERO,
            system_files: Bytes::ZERO,
            system_slab: Bytes::ZERO,
            system_buffers: Bytes::ZERO,
            release: Release::default(),
            lru: Lru::Classic,
            huge_pages: HugePages::Never,
            sysctls: Sysctls::default(),
            costs: Costs::default(),
            mechanisms: Mechanisms::default(),
            model_memory: None,
        }
    }

    /// What makes it impossible, in one line.
    ///
    /// # Errors
    /// The machine cannot exist, or is larger than the model.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |what: String, hint: &str| Err(Error::input(what, hint));
        if self.cpus == 0 || self.cpus > 4096 {
            return refuse(format!("a machine of {} CPUs", self.cpus), "write cpus = 1 to 4096");
        }
        if self.nodes == 0 || self.nodes as usize > MAX_ZONES - 2 {
            return refuse(format!("a machine of {} nodes", self.nodes), "the model has 1 to 14");
        }
        let pages = self.memory.get() / PAGE_SIZE;
        if pages < SMALLEST_PAGES {
            return refuse(format!("memory = {} is too little for a kernel", self.memory), "it needs at least 32MiB");
        }
        if pages >= u64::from(NO_PAGE) {
            return refuse(format!("memory = {} is more than the model has", self.memory), "write less than 16TiB");
        }
        let system = self
            .system
            .saturating_add(self.system_files)
            .saturating_add(self.system_slab)
            .saturating_add(self.system_buffers);
        if system.get() >= self.memory.get() / 10 * 9 {
            return refuse(
                format!("the system holds {system} of a memory of {}", self.memory),
                "write a larger memory or a smaller system",
            );
        }
        Ok(())
    }
}

const SMALLEST_PAGES: u64 = (32 << 20) / PAGE_SIZE;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_machines_get_one_line() {
        let mib = |mib: u64| Bytes::new(mib << 20);
        let good = MachineSpec::new(2, mib(256));
        assert!(good.check().is_ok());
        let bad = [
            MachineSpec { cpus: 0, ..good.clone() },
            MachineSpec { memory: mib(4), ..good.clone() },
            MachineSpec { memory: Bytes::new(u64::MAX), ..good.clone() },
            MachineSpec { system: mib(255), ..good.clone() },
            MachineSpec { system: Bytes::new(u64::MAX), system_files: Bytes::new(u64::MAX), ..good.clone() },
            MachineSpec { nodes: 99, ..good.clone() },
        ];
        for machine in bad {
            let error = machine.check().unwrap_err().to_string();
            assert!(!error.contains('\n') && error.len() < 200, "{error}");
        }
    }

    #[test]
    fn a_setting_of_a_pair_clears_the_other() {
        let mut sysctls = Sysctls::default();
        sysctls.set("vm.dirty_bytes", 1 << 20).unwrap();
        assert_eq!((sysctls.dirty_ratio, sysctls.dirty_bytes), (0, 1 << 20));
        sysctls.set("vm.dirty_ratio", 30).unwrap();
        assert_eq!((sysctls.dirty_ratio, sysctls.dirty_bytes), (30, 0));
        sysctls.set("vm.dirty_bytes", 1 << 20).unwrap();
        sysctls.set("vm.dirty_ratio", 0).unwrap();
        assert_eq!(sysctls.dirty_bytes, 1 << 20, "the ratio was 0 before");
        sysctls.set("vm.dirty_background_bytes", 1).unwrap();
        sysctls.set("vm.dirty_background_ratio", 0).unwrap();
        assert_eq!((sysctls.dirty_background_ratio, sysctls.dirty_background_bytes), (0, 0));
    }

    #[test]
    fn a_value_that_the_kernel_refuses_changes_nothing() {
        let mut sysctls = Sysctls::default();
        sysctls.set("vm.dirty_bytes", 1 << 20).unwrap();
        let before = sysctls;
        for (name, value) in [
            ("vm.dirty_ratio", 101),
            ("vm.dirty_bytes", 0),
            ("vm.dirty_bytes", 8191),
            ("vm.dirty_background_bytes", 0),
            ("vm.watermark_scale_factor", 0),
            ("vm.page-cluster", 32),
            ("vm.swappiness", 201),
            ("vm.swappiness", -1),
            ("vm.overcommit_memory", 1),
        ] {
            assert!(sysctls.set(name, value).is_err(), "{name} = {value}");
            assert_eq!(sysctls, before, "{name} = {value}");
        }
        sysctls.set("vm.page-cluster", 31).unwrap();
    }
}
