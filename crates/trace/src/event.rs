//! What the kernel reports, decoded: one [`Event`] per tracepoint hit or task change.

/// A file by device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct File {
    /// The kernel's `dev_t`: major in the bits from 20 on, minor below.
    pub dev: u32,
    /// The inode number.
    pub ino: u64,
}

impl File {
    /// Major number of the device.
    pub const fn major(self) -> u32 {
        self.dev >> 20
    }

    /// Minor number of the device.
    pub const fn minor(self) -> u32 {
        self.dev & 0xf_ffff
    }
}

/// A page of a file: the unit of sampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Page {
    /// The file.
    pub file: File,
    /// Its place in the file, in pages.
    pub index: u64,
}

/// A run of pages of one file that the kernel handles as one: a folio, or the range of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The file.
    pub file: File,
    /// The first page.
    pub first: u64,
    /// The last page, which belongs to the range.
    pub last: u64,
}

impl Range {
    /// How many pages it has.
    pub const fn pages(&self) -> u64 {
        self.last.saturating_sub(self.first).saturating_add(1)
    }
}

/// Frames of physical memory: `1 << order` from `pfn` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frames {
    /// The first frame.
    pub pfn: u64,
    /// Binary logarithm of their number.
    pub order: u8,
}

/// Which reclaim a task runs itself (kswapd is known by its task).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// `try_to_free_pages`: the whole host is short of memory.
    Direct,
    /// `try_to_free_mem_cgroup_pages`: a control group is at its limit.
    Group,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A folio entered the page cache.
    Added(Range),
    /// A folio left the page cache, and with it these frames.
    Deleted(Range, Frames),
    /// A buffered read found these pages, in the cache or after reading them from the device.
    Read(Range),
    /// A task began to reclaim.
    ReclaimBegin(Scope),
    /// A task ended to reclaim.
    ReclaimEnd(Scope),
    /// A task's allocation woke kswapd.
    KswapdWoken,
    /// Frames were allocated.
    Allocated(Frames),
    /// A writer sleeps in `balance_dirty_pages`: the device by name, and how long.
    Throttled {
        /// The name of the backing device: `8:0`, or what the file system calls it.
        device: String,
        /// How long the writer is put to sleep.
        pause_ns: u64,
    },
    /// A process was moved to another control group of this hierarchy (the first number of a row of `/proc/PID/cgroup`).
    Moved {
        /// The process; or a thread, of hierarchies that take threads.
        pid: u32,
        /// The number of the hierarchy.
        hierarchy: u32,
        /// The path of the group in it.
        group: String,
    },
    /// A task was started by `parent` (a process id).
    Forked {
        /// The process that called `fork` or `clone`.
        parent: u32,
    },
    /// A task has a new name.
    Named {
        /// The new name.
        comm: String,
    },
    /// A thread ended; a process when it is its last.
    Exited,
    /// The ring was full: this many records are lost.
    Lost(u64),
}

/// Something that happened, when, and in which task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    pub time_ns: u64,
    /// The process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// What happened.
    pub kind: Kind,
}
