//! The readers of the kernel's files: one file at a time into a struct.

use crate::error::Error;
use crate::root::Root;
use pagetide_proctext::text::number;
use pagetide_proctext::{
    DiskStats, FreeBlocks, Loadavg, Meminfo, Mount, Pressures, ProcessIo, ProcessStatus, Stat, SwapArea, Vmstat, Zone,
    parse_buddyinfo, parse_diskstats, parse_loadavg, parse_meminfo, parse_mountinfo, parse_mounts, parse_pressure,
    parse_process_io, parse_process_status, parse_stat, parse_swaps, parse_vmstat, parse_zoneinfo,
};

/// Declares readers, one a line: name, file, what it gives, parser.
macro_rules! readers {
    ($( $(#[doc = $doc:literal])+ $name:ident $file:literal $gives:ty, $parse:ident; )+) => {
        impl Root {
            $( $(#[doc = $doc])+ pub fn $name(&self) -> Result<$gives, Error> { self.parsed($file, $parse) } )+
        }
    };
}

readers! {
    /// Reads `/proc/buddyinfo`.
    buddyinfo "/proc/buddyinfo" Vec<FreeBlocks>, parse_buddyinfo;
    /// Reads `/proc/diskstats`.
    diskstats "/proc/diskstats" Vec<DiskStats>, parse_diskstats;
    /// Reads `/proc/loadavg`.
    loadavg "/proc/loadavg" Loadavg, parse_loadavg;
    /// Reads `/proc/meminfo`.
    meminfo "/proc/meminfo" Meminfo, parse_meminfo;
    /// Reads `/proc/self/mounts`.
    mounts "/proc/self/mounts" Vec<Mount>, parse_mounts;
    /// Reads `/proc/self/mountinfo`.
    mountinfo "/proc/self/mountinfo" Vec<Mount>, parse_mountinfo;
    /// Reads `/proc/1/mountinfo`: the host's mounts, also where this process has others.
    mountinfo_of_init "/proc/1/mountinfo" Vec<Mount>, parse_mountinfo;
    /// Reads `/proc/stat`.
    stat "/proc/stat" Stat, parse_stat;
    /// Reads `/proc/vmstat`.
    vmstat "/proc/vmstat" Vmstat, parse_vmstat;
    /// Reads `/proc/zoneinfo`.
    zoneinfo "/proc/zoneinfo" Vec<Zone>, parse_zoneinfo;
}

impl Root {
    /// Reads `/proc/pressure/cpu`, `io` and `memory`.
    pub fn pressure(&self) -> Result<Pressures, Error> {
        let read = |name: &str| match self.parsed(format!("/proc/pressure/{name}"), parse_pressure) {
            Ok(pressure) => Ok(Some(pressure)),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error),
        };
        Ok(Pressures { cpu: read("cpu")?, io: read("io")?, memory: read("memory")? })
    }

    /// Reads `/proc/swaps`; none when the kernel has no swap at all (`CONFIG_SWAP=n`).
    pub fn swaps(&self) -> Result<Vec<SwapArea>, Error> {
        match self.parsed("/proc/swaps", parse_swaps) {
            Err(error) if error.is_absent() => Ok(Vec::new()),
            other => other,
        }
    }

    /// Reads `/proc/PID/io`, which only root and the owner may.
    pub fn process_io(&self, pid: u32) -> Result<ProcessIo, Error> {
        self.parsed(format!("/proc/{pid}/io"), parse_process_io)
    }

    /// Reads `/proc/PID/status`.
    pub fn process_status(&self, pid: u32) -> Result<ProcessStatus, Error> {
        self.parsed(format!("/proc/{pid}/status"), parse_process_status)
    }

    /// The process ids in `/proc` now, in no order.
    pub fn pids(&self) -> Result<Vec<u32>, Error> {
        let path = self.join("/proc");
        let entries = std::fs::read_dir(&path).map_err(|source| Error::Read { path, source })?;
        let pid = |entry: std::fs::DirEntry| number(entry.file_name().to_str()?).and_then(|pid| pid.try_into().ok());
        Ok(entries.flatten().filter_map(pid).collect())
    }
}
