//! `pagetide` without a command: the state of this host in ten lines, and the commands to go on with.

use super::Outcome;
use super::mem::{self, Memory};
use crate::{output, sampling};
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Bytes, Error, Nanos, Quantity, Recording, Selection, Source, Table, printable};
use pagetide_kernel::Root;
use pagetide_recorder::Scope;
use serde::Serialize;
use std::fmt::Write;
use std::time::Duration;

/// Time between the samples for rates, and their number.
const INTERVAL: Nanos = Nanos::new(250_000_000);
const SAMPLED: Duration = Duration::from_millis(1_100);

/// Share of time from which a stall or a busy disk is worth a line.
const STANDS_OUT: f64 = 0.2;
/// A disk is taken to be busy.
const BUSY_DISK: f64 = 0.9;

/// The commands to go on with.
const NEXT: [(&str, &str); 5] = [
    ("pagetide top", "watch it live: who reads, who writes, who waits"),
    ("pagetide record -o rec -- CMD", "record the host while a command runs"),
    ("pagetide diagnose rec", "name the cause of slow IO in a recording"),
    ("pagetide show --sample cache", "hit ratio, device reads and reclaim, row by row"),
    ("pagetide doctor", "what this machine can do, and the fix for what is missing"),
];

/// A disk that did something.
#[derive(Debug, Serialize)]
struct Disk {
    name: String,
    busy: f64,
    read_bytes_per_s: f64,
    write_bytes_per_s: f64,
    await_ns: Option<f64>,
}

/// What the samples of about a second show; a field is absent if the kernel does not report it.
#[derive(Debug, Default, Serialize)]
struct Rates {
    hit_ratio: Option<f64>,
    asked_bytes_per_s: Option<f64>,
    device_read_bytes_per_s: Option<f64>,
    disk: Option<Disk>,
    cpu_some: Option<f64>,
    io_some: Option<f64>,
    memory_some: Option<f64>,
    direct_reclaim_pages_per_s: Option<f64>,
    swap_in_pages_per_s: Option<f64>,
}

#[derive(Debug, Serialize)]
struct State {
    host: String,
    kernel: String,
    cpus: u32,
    memory: Memory,
    /// Over about a second; absent when this user may not sample.
    rates: Option<Rates>,
    stands_out: Vec<String>,
}

pub(crate) fn run(json: bool) -> Result<Outcome, Error> {
    let memory = mem::read(&Root::host())?;
    let recording = sampled()?;
    let rates = rates(&recording);
    let stands_out = stands_out(&memory, &rates);
    let manifest = &recording.manifest;
    let (host, kernel, cpus) = (manifest.host.clone(), manifest.kernel.clone(), manifest.cpus);
    let state = State { host, kernel, cpus, memory, rates: Some(rates), stands_out };
    if json {
        output::print_json(&state)?;
    } else {
        output::print(&text(&state))?;
    }
    Ok(Outcome::Done)
}

/// Samples of about a second.
fn sampled() -> Result<Recording, Error> {
    let (recorder, history) = sampling::start(INTERVAL, Scope::All)?;
    std::thread::sleep(SAMPLED);
    let recording = history.load(&Selection::default());
    recorder.finish()?;
    recording
}

fn rates(recording: &Recording) -> Rates {
    let stamps = recording.stamps();
    let (Some(first), Some(last)) = (stamps.first(), stamps.last()) else { return Rates::default() };
    let span = (first.boot_ns, last.boot_ns);
    let host = |derived: &'static Derived| derived.over(recording, Table::Host, "", span);
    let disks = recording.entities(Table::Disk).filter_map(|(name, _)| {
        let of = |derived: &'static Derived| derived.over(recording, Table::Disk, name, span);
        Some(Disk {
            name: name.to_owned(),
            busy: of(&derived::BUSY).filter(|busy| *busy > 0.0)?,
            read_bytes_per_s: of(&derived::READ_BANDWIDTH).unwrap_or(0.0),
            write_bytes_per_s: of(&derived::WRITE_BANDWIDTH).unwrap_or(0.0),
            await_ns: of(&derived::AWAIT),
        })
    });
    Rates {
        hit_ratio: host(&derived::HOST_HIT_RATIO),
        asked_bytes_per_s: host(&derived::HOST_READ_ASKED),
        device_read_bytes_per_s: host(&derived::HOST_READ_BANDWIDTH),
        disk: disks.max_by(|one, other| one.busy.total_cmp(&other.busy)),
        cpu_some: host(&derived::PSI_CPU_SOME),
        io_some: host(&derived::PSI_IO_SOME),
        memory_some: host(&derived::PSI_MEMORY_SOME),
        direct_reclaim_pages_per_s: host(&derived::SCANNED_DIRECT),
        swap_in_pages_per_s: host(&derived::SWAP_IN),
    }
}

/// The conditions on this host that need attention.
fn stands_out(memory: &Memory, rates: &Rates) -> Vec<String> {
    let share = |share: f64| Quantity::ratio(share).to_string();
    let mut found = Vec::new();
    if memory.until_throttled_bytes == Some(0) {
        found.push("dirty memory is above freerun: writers are throttled".to_owned());
    }
    if let Some(disk) = rates.disk.as_ref().filter(|disk| disk.busy >= BUSY_DISK) {
        found.push(format!("{} is busy {} of the time", printable(&disk.name), share(disk.busy)));
    }
    for (what, some) in [("a CPU", rates.cpu_some), ("IO", rates.io_some), ("memory", rates.memory_some)] {
        if let Some(some) = some.filter(|some| *some >= STANDS_OUT) {
            found.push(format!("tasks waited for {what} {} of the time", share(some)));
        }
    }
    if rates.direct_reclaim_pages_per_s.is_some_and(|pages| pages > 0.0) {
        found.push("tasks reclaim memory themselves (direct reclaim)".to_owned());
    }
    if rates.swap_in_pages_per_s.is_some_and(|pages| pages > 0.0) {
        found.push("pages are read back from swap".to_owned());
    }
    found
}

fn text(state: &State) -> String {
    let size = |bytes: Option<u64>| {
        bytes.map_or_else(|| "unknown".to_owned(), |bytes| Quantity::bytes(Bytes::new(bytes)).to_string())
    };
    let speed = |bytes: Option<f64>| match bytes {
        Some(bytes) => Quantity::new(bytes, pagetide_core::Unit::BytesPerSecond).to_string(),
        None => "unknown".to_owned(),
    };
    let share = |share: Option<f64>| share.map_or_else(|| "unknown".to_owned(), |of| Quantity::ratio(of).to_string());
    let memory = &state.memory;
    let rates = state.rates.as_ref();
    let of = |pick: fn(&Rates) -> Option<f64>| rates.and_then(pick);
    let mut text = String::new();
    let (host, kernel) = (printable(&state.host).to_string(), printable(&state.kernel).to_string());
    let _ = writeln!(text, "{host}: Linux {kernel}, {} CPUs, {} of memory", state.cpus, size(memory.total_bytes));
    let mut line = |name: &str, what: String| {
        let _ = writeln!(text, "{name:<12}{what}");
    };
    line(
        "memory",
        format!(
            "{} available, {} cache, {} anonymous, {} free",
            size(memory.available_bytes),
            size(memory.cache_bytes),
            size(memory.anonymous_bytes),
            size(memory.free_bytes)
        ),
    );
    line(
        "dirty",
        format!(
            "{} dirty, {} being written; room for {} until writers are throttled",
            size(memory.dirty_bytes),
            size(memory.writeback_bytes),
            size(memory.until_throttled_bytes)
        ),
    );
    line("swap", format!("{} of {} used", size(memory.swap_used_bytes), size(memory.swap_total_bytes)));
    line(
        "hit ratio",
        match of(|rates| rates.hit_ratio) {
            Some(hits) => {
                format!("{} of {} read by processes", share(Some(hits)), speed(of(|rates| rates.asked_bytes_per_s)))
            }
            None => "no process visible to this user read anything".to_owned(),
        },
    );
    line("disk reads", speed(of(|rates| rates.device_read_bytes_per_s)));
    line(
        "disk",
        match rates.and_then(|rates| rates.disk.as_ref()) {
            None => "all idle".to_owned(),
            Some(disk) => format!(
                "{} busy {}: reads {}, writes {}, await {}",
                printable(&disk.name),
                share(Some(disk.busy)),
                speed(Some(disk.read_bytes_per_s)),
                speed(Some(disk.write_bytes_per_s)),
                disk.await_ns
                    .map_or_else(|| "-".to_owned(), |at| Quantity::new(at, pagetide_core::Unit::Nanos).to_string())
            ),
        },
    );
    line(
        "pressure",
        format!(
            "tasks waited for a CPU {}, for IO {}, for memory {} of the last second",
            share(of(|rates| rates.cpu_some)),
            share(of(|rates| rates.io_some)),
            share(of(|rates| rates.memory_some))
        ),
    );
    let nothing = ["nothing in the last second".to_owned()];
    let found = if state.stands_out.is_empty() { &nothing[..] } else { &state.stands_out[..] };
    line("stands out", found.join("; "));
    text.push('\n');
    for (command, what) in NEXT {
        let _ = writeln!(text, "{command:<31}{what}");
    }
    text
}
