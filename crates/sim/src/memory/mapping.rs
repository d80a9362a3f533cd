//! What pages belong to: files and anonymous memory; areas that map them; open files.

use crate::page::PageId;

/// Pages of one leaf of the page cache's index (`XA_CHUNK_SIZE`).
pub(crate) const LEAF: u64 = 64;
/// Page numbers of mappings begin at a multiple of this.
pub(crate) const OWNER_SHIFT: u32 = 9;

/// Page numbers that a mapping of so many pages takes.
pub(crate) const fn range_of(pages: u64) -> u64 {
    let pages = if pages == 0 { 1 } else { pages };
    pages.div_ceil(1 << OWNER_SHIFT) << OWNER_SHIFT
}

/// What a mapping is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backing {
    /// A file on a device, in one piece from this byte on.
    File { device: usize, offset: u64, allocated: bool },
    /// A block device: its pages are buffers.
    Block { device: usize, offset: u64 },
    /// Anonymous memory of one task.
    Anonymous,
    /// Shared memory.
    Shared,
}

/// One leaf of the index: pages in memory and shadows that it holds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Leaf {
    pub(crate) pages: u8,
    pub(crate) shadows: u8,
    /// Pages that are dirty (`PAGECACHE_TAG_DIRTY`).
    pub(crate) dirty: u8,
    /// On the list of leaves that the shrinker may free.
    pub(crate) listed: bool,
}

/// A file or anonymous memory: pages with numbers in a row.
#[derive(Debug)]
pub(crate) struct Mapping {
    pub(crate) backing: Backing,
    pub(crate) base: PageId,
    /// Pages that it may have.
    pub(crate) pages: u64,
    /// Bytes of the file.
    pub(crate) size: u64,
    /// Pages in memory.
    pub(crate) resident: u64,
    pub(crate) dirty: u64,
    pub(crate) writeback: u64,
    /// When its first dirty page was dirtied (`dirtied_when`), of a dirty inode.
    pub(crate) dirtied_at: Option<u64>,
    /// Where the flusher goes on (`writeback_index`).
    pub(crate) writeback_index: u64,
    pub(crate) leaves: Vec<Leaf>,
    /// Areas that map it.
    pub(crate) areas: Vec<u32>,
    /// Slots in swap of its pages; empty until the first is swapped.
    pub(crate) slots: Vec<u32>,
    pub(crate) deleted: bool,
    /// Of anonymous memory: whether its pages hold nothing but zeros.
    pub(crate) zeros: bool,
    /// Of a file without data: which pages were written to the device.
    pub(crate) written: Vec<bool>,
    /// The last commits of the journal that its times and its blocks are part of (`i_sync_tid`, `i_datasync_tid`); 0 is none.
    pub(crate) commit: u64,
    pub(crate) blocks_commit: u64,
}

impl Mapping {
    pub(crate) fn new(backing: Backing, base: PageId, pages: u64, size: u64) -> Self {
        Self {
            backing,
            base,
            pages,
            size,
            resident: 0,
            dirty: 0,
            writeback: 0,
            dirtied_at: None,
            writeback_index: 0,
            leaves: Vec::new(),
            areas: Vec::new(),
            slots: Vec::new(),
            deleted: false,
            zeros: false,
            written: Vec::new(),
            commit: 0,
            blocks_commit: 0,
        }
    }

    /// The leaf of its index that a page of it is in.
    pub(crate) const fn leaf(&self, page: PageId) -> usize {
        ((page - self.base) as u64 / LEAF) as usize
    }

    pub(crate) const fn is_file(&self) -> bool {
        matches!(self.backing, Backing::File { .. } | Backing::Block { .. })
    }

    /// The device that holds it, and where its first byte is.
    pub(crate) const fn on_device(&self) -> Option<(usize, u64)> {
        match self.backing {
            Backing::File { device, offset, .. } => Some((device, offset)),
            Backing::Block { device, offset } => Some((device, offset)),
            Backing::Anonymous | Backing::Shared => None,
        }
    }
}

/// What a page table says of one page.
pub(crate) mod pte {
    pub(crate) const PRESENT: u8 = 1;
    pub(crate) const YOUNG: u8 = 2;
    pub(crate) const DIRTY: u8 = 4;
    /// It names a slot in swap (`MM_SWAPENTS`); never with `PRESENT`.
    pub(crate) const SWAP: u8 = 8;
}

/// A range of addresses of a task.
#[derive(Debug)]
pub(crate) struct Area {
    pub(crate) task: u32,
    pub(crate) mapping: usize,
    /// First page of the mapping.
    pub(crate) first: u64,
    pub(crate) pages: u64,
    pub(crate) executable: bool,
    pub(crate) locked: bool,
    /// The open file it was mapped from, for its readahead.
    pub(crate) handle: Option<u32>,
    pub(crate) entries: Vec<u8>,
    /// Whether each page table, of 512 entries, is there.
    pub(crate) tables: Vec<bool>,
    /// Page tables that the filters of even and odd generations name (`struct lru_gen_mm_state.filters`).
    pub(crate) filters: [Vec<bool>; 2],
    pub(crate) unmapped: bool,
}

impl Area {
    pub(crate) fn new(task: u32, mapping: usize, first: u64, pages: u64) -> Self {
        Self {
            task,
            mapping,
            first,
            pages,
            executable: false,
            locked: false,
            handle: None,
            entries: vec![0; pages as usize],
            tables: vec![false; pages.div_ceil(512) as usize],
            filters: [Vec::new(), Vec::new()],
            unmapped: false,
        }
    }
}

/// An open file: its readahead (`struct file_ra_state`).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Handle {
    pub(crate) mapping: usize,
    /// Pages read ahead at most.
    pub(crate) ahead: u64,
    pub(crate) start: u64,
    pub(crate) size: u64,
    pub(crate) async_size: u64,
    pub(crate) mmap_miss: u32,
    /// Byte behind the read before; none after opening.
    pub(crate) previous: Option<u64>,
    pub(crate) random: bool,
}
