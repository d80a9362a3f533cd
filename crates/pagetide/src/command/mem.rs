//! `pagetide mem`: where memory stands.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use pagetide_core::{Bytes, Error, Nanos, Pages, Quantity, Ratio};
use pagetide_kernel::{Root, facts};
use pagetide_view::text::Style;
use pagetide_view::{Cell, Table};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Show where memory stands: what is free, available, cache and anonymous, and how much may still be dirtied.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide mem
  pagetide mem --watch 2s
  pagetide mem --root /tmp/tree        a copy of another machine's /proc below /tmp/tree")]
pub(crate) struct Arguments {
    /// Show it again every second, or as often as said, until Ctrl-C.
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "1s")]
    watch: Option<Nanos>,
    /// Read the kernel's files below this folder.
    #[arg(long, value_name = "DIR", default_value = "/")]
    root: PathBuf,
}

/// Where memory stands, in bytes; absent where the kernel does not say.
#[derive(Debug, Serialize)]
struct Memory {
    total_bytes: Option<u64>,
    available_bytes: Option<u64>,
    free_bytes: Option<u64>,
    /// Total less available.
    used_bytes: Option<u64>,
    /// Page cache of files and of block devices (Cached and Buffers) without shared memory.
    cache_bytes: Option<u64>,
    /// Of the cache, what is dirty or being written.
    dirty_bytes: Option<u64>,
    writeback_bytes: Option<u64>,
    /// Anonymous memory and shared memory: what only swap can take.
    anonymous_bytes: Option<u64>,
    /// Slab that can be reclaimed.
    reclaimable_slab_bytes: Option<u64>,
    /// Neither free, cache, anonymous nor reclaimable slab: the kernel's own.
    other_bytes: Option<u64>,
    swap_total_bytes: Option<u64>,
    swap_used_bytes: Option<u64>,
    background_threshold_bytes: Option<u64>,
    dirty_threshold_bytes: Option<u64>,
    /// Dirty memory up to which no writer is throttled: half way between the two thresholds.
    freerun_bytes: Option<u64>,
    /// What may still be dirtied before writers are throttled.
    until_throttled_bytes: Option<u64>,
    /// Part of the last 10 s in which at least one task waited for memory (PSI).
    pressure_some: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let root = Root::new(&arguments.root);
    let show = |memory: &Memory| if json { output::print_json(memory) } else { output::print(&text(memory)) };
    let Some(every) = arguments.watch else {
        show(&read(&root)?)?;
        return Ok(Outcome::Done);
    };
    let interrupt = Interrupt::catch()?;
    while !interrupt.came() {
        if !json && output::colour() {
            output::print("\x1b[2J\x1b[H")?;
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

fn read(root: &Root) -> Result<Memory, Error> {
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
    let shmem = get("Shmem").unwrap_or(0);
    let cache = sum(&[get("Cached"), get("Buffers")]).map(|cache| cache.saturating_sub(shmem));
    let anonymous = sum(&[get("AnonPages"), get("Shmem")]);
    let slab = get("SReclaimable");
    let known = sum(&[free, cache, anonymous, slab]);
    let dirty = get("Dirty");
    let writeback = get("Writeback");
    let background_threshold = pages("nr_dirty_background_threshold");
    let dirty_threshold = pages("nr_dirty_threshold");
    let freerun = background_threshold.zip(dirty_threshold).map(|(background, dirty)| background.midpoint(dirty));
    let memory_pressure = root.pressure().ok().and_then(|pressures| pressures.memory).and_then(|memory| memory.some);
    Ok(Memory {
        total_bytes: total,
        available_bytes: available,
        free_bytes: free,
        used_bytes: less(total, available),
        cache_bytes: cache,
        dirty_bytes: dirty,
        writeback_bytes: writeback,
        anonymous_bytes: anonymous,
        reclaimable_slab_bytes: slab,
        other_bytes: less(total, known),
        swap_total_bytes: get("SwapTotal"),
        swap_used_bytes: less(get("SwapTotal"), get("SwapFree")),
        background_threshold_bytes: background_threshold,
        dirty_threshold_bytes: dirty_threshold,
        freerun_bytes: freerun,
        until_throttled_bytes: less(freerun, sum(&[dirty, writeback])),
        pressure_some: memory_pressure.map(|stall| stall.average[0] as f64 / 1e4),
    })
}

/// The sum of what is there; absent when nothing is.
fn sum(parts: &[Option<u64>]) -> Option<u64> {
    parts.iter().flatten().copied().reduce(u64::saturating_add)
}

fn less(whole: Option<u64>, part: Option<u64>) -> Option<u64> {
    Some(whole?.saturating_sub(part?))
}

fn text(memory: &Memory) -> String {
    let mut table = Table::new().left("memory").right("size").right("of total").left("what it is");
    let mut row = |name: &str, bytes: Option<u64>, what: &str| {
        let share = bytes.zip(memory.total_bytes).and_then(|(part, total)| Ratio::of(part as f64, total as f64));
        table.row([
            name.into(),
            bytes.map(|bytes| Quantity::bytes(Bytes::new(bytes))).into(),
            share.map_or_else(|| Cell::from("-"), |share| share.to_string().into()),
            what.into(),
        ]);
    };
    row("total", memory.total_bytes, "all that the kernel manages (MemTotal)");
    row("available", memory.available_bytes, "what new work can have without swapping (MemAvailable)");
    row("used", memory.used_bytes, "total less available");
    row("free", memory.free_bytes, "not even used as cache (MemFree)");
    row("cache", memory.cache_bytes, "pages of files and block devices, given back when needed");
    row("  dirty", memory.dirty_bytes, "of it: waits to be written");
    row("  writeback", memory.writeback_bytes, "of it: being written now");
    row("anonymous", memory.anonymous_bytes, "processes' own and shared memory; only swap can take it");
    row("slab", memory.reclaimable_slab_bytes, "kernel caches that can be reclaimed");
    row("other", memory.other_bytes, "the rest: kernel, page tables, huge page pools");
    row("swap used", memory.swap_used_bytes, "anonymous memory in swap");
    row("background", memory.background_threshold_bytes, "dirty memory at which the flusher starts");
    row("free run", memory.freerun_bytes, "dirty memory up to which no writer is throttled");
    row("threshold", memory.dirty_threshold_bytes, "dirty memory at which every writer is throttled");
    row("dirtyable", memory.until_throttled_bytes, "may still be dirtied before writers are throttled");
    let pressure = memory.pressure_some.map_or_else(
        || "memory pressure: the kernel does not say (PSI is off)".to_owned(),
        |some| format!("memory pressure: tasks waited {} of the last 10 s", Quantity::ratio(some)),
    );
    format!("{}{pressure}\n", table.to_text(Style { colour: output::colour(), width: output::width() }))
}
