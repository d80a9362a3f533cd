//! What a task does: one operation after the other.

use crate::id::{AreaId, FileId, GroupId, HandleId};
use pagetide_core::Nanos;

/// One operation of a task. Offsets and lengths are bytes, page numbers count from the begin of the area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Uses a CPU for so long, in user mode.
    Compute(Nanos),
    /// Sleeps until then.
    SleepUntil(Nanos),
    /// `pread(2)`: through the page cache.
    Read {
        /// The open file.
        handle: HandleId,
        /// Where it begins.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// `pwrite(2)`: through the page cache.
    Write {
        /// The open file.
        handle: HandleId,
        /// Where it begins.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// Touches mapped pages in order: a walk, a `memset(3)`.
    Touch {
        /// The mapped area.
        area: AreaId,
        /// Its first page.
        page: u64,
        /// Pages.
        count: u64,
        /// Read or written.
        access: Access,
    },
    /// Sends a request past the page cache (`O_DIRECT`) and does not wait: `io_submit(2)`. Its end is reaped by [`Op::Reap`].
    Submit {
        /// The open file.
        handle: HandleId,
        /// Where it begins.
        offset: u64,
        /// Bytes.
        length: u64,
        /// Read or written.
        access: Access,
        /// What [`Done::tag`] says when it is reaped.
        tag: u64,
    },
    /// Waits until one of its requests has ended: `io_getevents(2)` with at least one. Returns at once when it has none in flight.
    Reap,
    /// `fsync(2)`.
    Fsync(HandleId),
    /// `fdatasync(2)`.
    Fdatasync(HandleId),
    /// `syncfs(2)` of all file systems.
    SyncAll,
    /// Writes 1, 2 or 3 to `/proc/sys/vm/drop_caches`: pages, slab, both.
    DropCaches {
        /// Drops clean pages of files.
        pages: bool,
        /// Drops slab.
        slab: bool,
    },
    /// Writes to `/proc/sys/vm/nr_hugepages`: the pool of huge pages takes free memory, and reclaims where there is too little.
    ResizePool {
        /// Pages of 4 KiB that the pool has then, or fewer where reclaim finds no more.
        pages: u64,
    },
    /// Writes to `memory.reclaim` of a control group.
    ReclaimGroup {
        /// The group.
        group: GroupId,
        /// Pages of 4 KiB that are asked for; reclaim may find fewer.
        pages: u64,
    },
    /// Empties all swap: `swapoff(2)`.
    SwapOff,
    /// Drops pages of a file that are clean: `posix_fadvise(2)` with `POSIX_FADV_DONTNEED`. It starts writing the dirty ones.
    DontNeed {
        /// The file.
        file: FileId,
        /// Where it begins.
        offset: u64,
        /// Bytes; 0 is all.
        length: u64,
    },
    /// Looks up names that do not exist (`stat(2)`): the kernel keeps a negative dentry of each.
    LookUp {
        /// How many.
        count: u64,
    },
    /// Removes a file (`unlink(2)`): waits for its pages that are being written, and drops the others.
    Remove(FileId),
    /// Sleeps until [`crate::Sim::wake`].
    Wait,
    /// Ends the task. Its areas are unmapped and its open files closed.
    Exit,
}

/// How a page is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read.
    Read,
    /// Written.
    Write,
}

/// `posix_fadvise(2)` about an open file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Advice {
    /// Readahead as usual.
    #[default]
    Normal,
    /// Twice the readahead.
    Sequential,
    /// No readahead.
    Random,
}

/// How the operation before ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    /// When it began.
    pub started: Nanos,
    /// When it ended.
    pub ended: Nanos,
    /// The request that [`Op::Reap`] got.
    pub tag: Option<u64>,
    /// Major faults of it.
    pub major_faults: u64,
    /// Bytes that were not done because of a limit of the machine: a write beyond the end of a device.
    pub refused: u64,
}
