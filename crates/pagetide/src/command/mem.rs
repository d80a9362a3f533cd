//! `pagetide mem`: memory now.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use pagetide_core::derived::{self, Derived, Term};
use pagetide_core::memory::{Split, SplitFields};
use pagetide_core::{Bytes, Error, Nanos, Pages, Quantity, Ratio};
use pagetide_kernel::formula::{Snapshot, dirtyable};
use pagetide_kernel::{Root, facts};
use pagetide_view::text::Style;
use pagetide_view::{Cell, Table};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Show memory now: available, free, cache, anonymous, the dirty thresholds, and the room until throttling.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide mem
  pagetide mem --watch 2s
  pagetide mem --root /tmp/tree        files copied from another machine's /proc")]
pub(crate) struct Arguments {
    /// Repeat every second, or every TIME, until Ctrl-C. With --json, one object per line.
    #[arg(value_parser = Nanos::typed_interval, long, value_name = "TIME", num_args = 0..=1, default_missing_value = "1s")]
    watch: Option<Nanos>,
    /// Read the kernel's files below this folder.
    #[arg(long, value_name = "DIR", default_value = "/")]
    root: PathBuf,
}

/// Memory now, in bytes; absent where the kernel does not report it.
#[derive(Debug, Serialize)]
pub(super) struct Memory {
    pub(super) total_bytes: Option<u64>,
    pub(super) available_bytes: Option<u64>,
    pub(super) free_bytes: Option<u64>,
    /// [`derived::USED`].
    pub(super) used_bytes: Option<u64>,
    /// Page cache of files and of block devices (Cached and Buffers) without shared memory.
    pub(super) cache_bytes: Option<u64>,
    /// Part of the cache.
    pub(super) dirty_bytes: Option<u64>,
    pub(super) writeback_bytes: Option<u64>,
    /// Anonymous and shared memory, which reclaim can only write to swap.
    pub(super) anonymous_bytes: Option<u64>,
    /// Slab that can be reclaimed.
    pub(super) reclaimable_slab_bytes: Option<u64>,
    /// Neither free, cache, anonymous nor reclaimable slab: memory of the kernel.
    pub(super) other_bytes: Option<u64>,
    pub(super) swap_total_bytes: Option<u64>,
    pub(super) swap_used_bytes: Option<u64>,
    /// The memory that the dirty ratios are of: free and file pages (`global_dirtyable_memory`).
    pub(super) dirtyable_bytes: Option<u64>,
    pub(super) background_threshold_bytes: Option<u64>,
    pub(super) dirty_threshold_bytes: Option<u64>,
    /// [`derived::FREERUN_CEILING`].
    pub(super) freerun_bytes: Option<u64>,
    /// [`derived::DIRTY_ROOM`].
    pub(super) until_throttled_bytes: Option<u64>,
    /// Share of the last 10 s in which at least one task waited for memory (PSI).
    pub(super) pressure_some: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let root = Root::new(&arguments.root);
    // Of a watch, an object is a line.
    let show = |memory: &Memory| match (json, arguments.watch) {
        (true, None) => output::print_json(memory),
        (true, Some(_)) => output::print_json_line(memory),
        (false, _) => output::print(&text(memory)),
    };
    let Some(every) = arguments.watch else {
        show(&read(&root)?)?;
        return Ok(Outcome::Done);
    };
    let interrupt = Interrupt::catch()?;
    while !interrupt.came() {
        if !json && output::colour() {
            output::clear_screen()?;
        }
        show(&read(&root)?)?;
        let mut left = Duration::from_nanos(every.get().max(10_000_000));
        while !left.is_zero() && !interrupt.came() {
            let nap = left.min(Duration::from_millis(50));
            std::thread::sleep(nap);
            left -= nap;
        }
    }
    Ok(Outcome::Done)
}

pub(super) fn read(root: &Root) -> Result<Memory, Error> {
    let refused = |error: pagetide_kernel::Error| {
        Error::system(error.to_string(), "is /proc mounted? --root names another tree of kernel files")
    };
    let meminfo = root.meminfo().map_err(refused)?;
    let vmstat = root.vmstat().map_err(refused)?;
    let page = facts(root).map_err(refused)?.page_size;
    let get = |name: &str| meminfo.get(name).map(Bytes::get);
    let pages = |name: &str| vmstat.pages(name).and_then(|pages: Pages| pages.to_bytes(page)).map(Bytes::get);
    let total = get("MemTotal");
    let free = get("MemFree");
    let available = get("MemAvailable");
    let split = Split::new(SplitFields::HOST, |name| get(name).map(|bytes| bytes as f64));
    let slab = get("SReclaimable");
    let other = split.and_then(|split| whole(split.other?)).map(|other| other.saturating_sub(slab.unwrap_or(0)));
    let field = |term: Term| {
        let name = term.own()?;
        get(name).or_else(|| vmstat.pages(name).map(Pages::get)).map(|value| value as f64)
    };
    let derived = |metric: &Derived| whole(metric.evaluate(&field)?);
    let derived_pages = |metric: &Derived| Pages::new(derived(metric)?).to_bytes(page).map(Bytes::get);
    // Below a folder that is not a whole /proc the zones or the settings may be missing.
    let dirtyable = Snapshot::read(root).ok().as_ref().and_then(dirtyable).and_then(|pages| pages.to_bytes(page));
    let memory_pressure = root.pressure().ok().and_then(|pressures| pressures.memory).and_then(|memory| memory.some);
    Ok(Memory {
        total_bytes: total,
        available_bytes: available,
        free_bytes: free,
        used_bytes: derived(&derived::USED),
        cache_bytes: split.and_then(|split| whole(split.dirty + split.clean)),
        dirty_bytes: get("Dirty"),
        writeback_bytes: get("Writeback"),
        anonymous_bytes: split.and_then(|split| whole(split.anonymous)),
        reclaimable_slab_bytes: slab,
        other_bytes: other,
        swap_total_bytes: get("SwapTotal"),
        swap_used_bytes: derived(&derived::SWAP_USED),
        dirtyable_bytes: dirtyable.map(Bytes::get),
        background_threshold_bytes: pages("nr_dirty_background_threshold"),
        dirty_threshold_bytes: pages("nr_dirty_threshold"),
        freerun_bytes: derived_pages(&derived::FREERUN_CEILING),
        until_throttled_bytes: derived_pages(&derived::DIRTY_ROOM),
        pressure_some: memory_pressure.map(|stall| stall.average[0] as f64 / 1e4),
    })
}

/// An amount that is whole and not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
fn whole(value: f64) -> Option<u64> {
    (value >= 0.0 && value < u64::MAX as f64).then_some(value as u64)
}

fn text(memory: &Memory) -> String {
    let mut table = Table::new().left("memory").right("size").right("of total").left("description");
    let mut row = |name: &str, bytes: Option<u64>, what: &str| {
        let share = bytes.zip(memory.total_bytes).and_then(|(part, total)| Ratio::of(part as f64, total as f64));
        table.row([
            name.into(),
            bytes.map(|bytes| Quantity::bytes(Bytes::new(bytes))).into(),
            share.map_or_else(|| Cell::from("-"), |share| share.to_string().into()),
            what.into(),
        ]);
    };
    row("total", memory.total_bytes, "memory that the kernel manages (MemTotal)");
    row("available", memory.available_bytes, "available to new processes without swapping (MemAvailable)");
    row("used", memory.used_bytes, "total minus available, as free(1) prints it");
    row("free", memory.free_bytes, "unused, not even for cache (MemFree)");
    row("cache", memory.cache_bytes, "pages of files and block devices; reclaim frees them when memory is short");
    row("  dirty", memory.dirty_bytes, "part of the cache that is changed and not yet written");
    row("  writeback", memory.writeback_bytes, "part of the cache that is being written now");
    row("anonymous", memory.anonymous_bytes, "memory of processes, and shared memory; reclaim can only swap it out");
    row("slab", memory.reclaimable_slab_bytes, "kernel caches that can be reclaimed");
    row("other", memory.other_bytes, "the rest: kernel, page tables, pools of huge pages");
    row("swap used", memory.swap_used_bytes, "anonymous memory in swap");
    row("dirtyable", memory.dirtyable_bytes, "free and file pages: the dirty ratios are shares of it");
    row("background", memory.background_threshold_bytes, "dirty memory at which the flusher starts");
    row("freerun", memory.freerun_bytes, "dirty and writeback memory below which no writer is throttled");
    row("threshold", memory.dirty_threshold_bytes, "dirty memory at which every writer is throttled");
    row("room", memory.until_throttled_bytes, "room until throttling: freerun minus dirty and writeback");
    let pressure = memory.pressure_some.map_or_else(
        || "memory pressure: unknown (the kernel runs without PSI)".to_owned(),
        |some| format!("memory pressure: tasks waited for memory in {} of the last 10 s", Quantity::ratio(some)),
    );
    format!("{}{pressure}\n", table.to_text(Style { colour: output::colour(), width: output::width() }))
}
