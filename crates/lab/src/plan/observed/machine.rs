//! The machine: memory, swap, settings, the disk with its latency and limits.

use pagetide_core::{Bytes, Error, Lru, Manifest, Quantity, Recording, Table as Rows, Unit};
use pagetide_kernel::Root;
use pagetide_sim::Sysctls;
use toml::{Table, Value};

/// Fewest requests from which a disk's latency is estimated.
const ENOUGH_REQUESTS: f64 = 100.0;
/// The same for one interval of a recording.
const ENOUGH_OF_SAMPLE: f64 = 20.0;
/// The quantile of the intervals' mean latencies that is taken as the latency without a queue.
const UNLOADED: f64 = 0.1;
/// A limit of the disk delays requests that take more than this times its latency.
const HELD_UP: f64 = 2.0;
/// At this mean request size and above, a disk is limited by bandwidth, not by requests.
const LARGE_REQUEST: f64 = 65_536.0;
/// A setting that depends on the amount of memory, so it is not copied to another machine.
const OF_MEMORY: &str = "vm.min_free_kbytes";

/// A machine as a host or a recording shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedMachine {
    pub(super) cpus: u32,
    pub(super) memory: Bytes,
    /// Memory that its programs and its kernel use.
    pub(super) system: Bytes,
    swap: Bytes,
    zram: bool,
    sysctls: Vec<(String, i64)>,
    lru: Option<Lru>,
    pub(super) disk: ObservedDisk,
    /// What was guessed, a sentence each.
    pub(super) guesses: Vec<String>,
}

/// Its busiest disk.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ObservedDisk {
    pub(super) name: String,
    size: Bytes,
    read_ahead: Option<Bytes>,
    latency_ns: f64,
    iops: Option<f64>,
    bytes_per_s: Option<f64>,
}

/// Requests of a disk in an interval, or since boot.
#[derive(Debug, Clone, Copy, Default)]
struct Served {
    seconds: f64,
    requests: f64,
    bytes: f64,
    /// Sum of the times of all requests, in ns.
    waited_ns: f64,
}

impl Served {
    fn await_ns(&self) -> f64 {
        self.waited_ns / self.requests
    }
}

impl ObservedMachine {
    /// This host, as it is now.
    ///
    /// # Errors
    /// Its kernel shows too little.
    pub fn of_host(root: &Root) -> Result<Self, Error> {
        let lost = |error: pagetide_kernel::Error| Error::system(error.to_string(), "");
        let manifest = pagetide_kernel::facts(root).map_err(lost)?;
        let meminfo = root.meminfo().map_err(lost)?;
        let available = meminfo.available().ok_or_else(|| too_little("this host", "MemAvailable"))?;
        let disks = root.diskstats().map_err(lost)?;
        let served = |name: &str| {
            let disk = disks.iter().find(|disk| disk.name == name)?;
            let value =
                |metric: &str| disk.iter().find(|(name, _)| *name == metric).map_or(0.0, |(_, value)| value as f64);
            Some(vec![Served {
                seconds: 0.0,
                requests: value("reads") + value("writes"),
                bytes: (value("read_sectors") + value("write_sectors")) * 512.0,
                waited_ns: (value("read_ms") + value("write_ms")) * 1e6,
            }])
        };
        let mut machine = Self::of("this host", &manifest, available, served)?;
        machine.guesses.push("The mean wait of its requests since boot includes the time in the queue.".to_owned());
        Ok(machine)
    }

    /// The machine of a recording.
    ///
    /// # Errors
    /// The recording does not say enough.
    pub fn of_recording(recording: &Recording) -> Result<Self, Error> {
        let available = recording.host("MemAvailable").map(|series| series.points().map(|(_, value)| value).collect());
        let mut available: Vec<i64> = available.unwrap_or_default();
        available.sort_unstable();
        let median = available.get(available.len() / 2).and_then(|bytes| u64::try_from(*bytes).ok());
        let median = median.ok_or_else(|| too_little("the recording", "MemAvailable"))?;
        let mut machine = Self::of("the recording", &recording.manifest, Bytes::new(median), |disk| {
            Some(intervals(recording, disk))
        })?;
        machine.guesses.push("The work could use the median MemAvailable of the recording.".to_owned());
        Ok(machine)
    }

    /// `served` returns the requests of a disk, in one or more intervals.
    fn of(
        whose: &str,
        manifest: &Manifest,
        available: Bytes,
        served: impl Fn(&str) -> Option<Vec<Served>>,
    ) -> Result<Self, Error> {
        if manifest.memory_total == Bytes::ZERO {
            return Err(too_little(whose, "MemTotal"));
        }
        let mut guesses = Vec::new();
        let disk = busiest(manifest, served)
            .ok_or_else(|| too_little(whose, &format!("a disk that did {ENOUGH_REQUESTS} requests or more")))?;
        let shown = |value: f64, unit: Unit| Quantity::new(value, unit).to_string();
        let limit = |limit: Option<f64>, unit| limit.map_or_else(|| "no limit".to_owned(), |limit| shown(limit, unit));
        guesses.push(format!(
            "All files lie on {}, the disk with most requests; a request takes {}, requests have {}, and bandwidth {}.",
            disk.name,
            shown(disk.latency_ns, Unit::Nanos),
            limit(disk.iops, Unit::PerSecond),
            limit(disk.bytes_per_s, Unit::BytesPerSecond),
        ));
        let (of_memory, sysctls): (Vec<_>, Vec<_>) =
            model_settings(manifest).into_iter().partition(|(name, _)| name == OF_MEMORY);
        guesses.extend(
            of_memory.iter().map(|(name, value)| {
                format!("The model lacks this setting or derives it from memory: {name} = {value}.")
            }),
        );
        if manifest.lru.is_none() {
            guesses.push("Assumed: reclaim by the classic LRU.".to_owned());
        }
        guesses.push("Assumed: huge pages as the kernel sets them for this amount of memory.".to_owned());
        let is_zram = |path: &str| path.starts_with("/dev/zram");
        let zram = !manifest.swaps.is_empty() && manifest.swaps.iter().all(|area| is_zram(&area.path));
        if manifest.swaps.len() > 1 {
            guesses.push("All swap areas count as one.".to_owned());
        }
        Ok(Self {
            cpus: manifest.cpus.max(1),
            memory: manifest.memory_total,
            system: manifest.memory_total.saturating_sub(available),
            swap: Bytes::new(manifest.swaps.iter().map(|area| area.size.get()).sum()),
            zram,
            sysctls,
            lru: manifest.lru,
            disk,
            guesses,
        })
    }

    /// A scenario's text with this machine instead of its own. Its disks keep their names and get the properties of this machine's disk.
    pub(super) fn replace_in(&self, text: &str, place: &str) -> Result<String, Error> {
        let broken = |error: String| Error::input(format!("{place}: {error}"), "");
        let mut document: Table = text.parse().map_err(|error: toml::de::Error| broken(error.message().to_owned()))?;
        let machine = document
            .get_mut("machine")
            .and_then(Value::as_table_mut)
            .ok_or_else(|| broken("the scenario has no machine".to_owned()))?;
        let disks = machine.get_mut("disk").and_then(Value::as_array_mut);
        let mut disks: Vec<&mut Table> = disks.into_iter().flatten().filter_map(Value::as_table_mut).collect();
        for disk in &mut disks {
            self.disk.replace_in(disk);
        }
        let first = disks.first().and_then(|disk| disk.get("name")).cloned();
        let swap = match first {
            _ if self.swap == Bytes::ZERO => Value::from("none"),
            Some(_) | None if self.zram => Table::from_iter([("zram".to_owned(), bytes(self.swap))]).into(),
            Some(name) => Table::from_iter([("size".to_owned(), bytes(self.swap)), ("disk".to_owned(), name)]).into(),
            None => Value::from("none"),
        };
        let sysctls = self.sysctls.iter().map(|(name, value)| (name.clone(), Value::from(*value)));
        let mut set = |key: &str, value: Value| machine.insert(key.to_owned(), value);
        set("cpus", i64::from(self.cpus).into());
        set("memory", bytes(self.memory));
        set("system", bytes(self.system));
        set("swap", swap);
        set("sysctl", Table::from_iter(sysctls).into());
        set("lru", if self.lru == Some(Lru::Mglru) { "mglru" } else { "classic" }.into());
        machine.remove("huge_pages");
        toml::to_string(&document).map_err(|error| broken(error.to_string()))
    }
}

impl ObservedDisk {
    fn replace_in(&self, disk: &mut Table) {
        let whole = |value: f64| value.max(1.0).round();
        let mut set = |key: &str, value: Option<Value>| match value {
            Some(value) => drop(disk.insert(key.to_owned(), value)),
            None => drop(disk.remove(key)),
        };
        set("latency", Some(format!("{}ns", whole(self.latency_ns)).into()));
        #[expect(clippy::cast_possible_truncation, reason = "a rate that was measured")]
        set("iops", self.iops.map(|iops| (whole(iops) as i64).into()));
        set("bandwidth", self.bytes_per_s.map(|rate| format!("{}B/s", whole(rate)).into()));
        set("read_ahead", self.read_ahead.map(bytes));
        // The files of the scenario must fit.
        let own = disk.get("size").and_then(Value::as_str).and_then(|size| size.parse::<Bytes>().ok());
        disk.insert("size".to_owned(), bytes(own.unwrap_or_default().max(self.size)));
    }
}

pub(super) fn bytes(size: Bytes) -> Value {
    format!("{}B", size.get()).into()
}

/// The error that a recording or a host lacks something.
pub(super) fn too_little(whose: &str, what: &str) -> Error {
    Error::input(
        format!("{whose} does not show {what}"),
        "record the work with `pagetide record` as root for some minutes, or write a scenario",
    )
}

/// The settings of a manifest that the model has.
pub fn model_settings(manifest: &Manifest) -> Vec<(String, i64)> {
    let numbers = manifest.sysctls.iter().filter_map(|(name, text)| Some((name, text.trim().parse::<i64>().ok()?)));
    // In a pair, the setting that is 0 is not in use.
    let unused = |name: &str, value: i64| {
        value == 0 && name.starts_with("vm.dirty_") && (name.ends_with("_ratio") || name.ends_with("_bytes"))
    };
    numbers
        .filter(|(name, value)| !unused(name, *value) && Sysctls::default().set(name, *value).is_ok())
        .map(|(name, value)| (name.clone(), value))
        .collect()
}

/// The whole device with the most requests.
fn busiest(manifest: &Manifest, served: impl Fn(&str) -> Option<Vec<Served>>) -> Option<ObservedDisk> {
    let virtual_device =
        |name: &str| ["loop", "ram", "zram", "md", "dm-", "sr"].iter().any(|kind| name.starts_with(kind));
    let whole = manifest.disks.iter().filter(|disk| disk.below.is_empty() && !virtual_device(&disk.name));
    let sums = whole.filter_map(|disk| {
        let parts = served(&disk.name)?;
        let requests: f64 = parts.iter().map(|part| part.requests).sum();
        (requests >= ENOUGH_REQUESTS).then_some((requests, disk, parts))
    });
    let (_, disk, parts) = sums.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let mut waits: Vec<f64> = with_enough_requests(&parts).iter().map(Served::await_ns).collect();
    waits.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a list")]
    let latency_ns = *waits.get((waits.len().saturating_sub(1) as f64 * UNLOADED) as usize)?;
    let held_up = |part: &&Served| {
        part.seconds > 0.0 && part.requests >= ENOUGH_OF_SAMPLE && part.await_ns() >= HELD_UP * latency_ns
    };
    let largest = |large: bool, of: fn(&Served) -> f64| {
        let alike = parts.iter().filter(held_up).filter(|part| (part.bytes / part.requests >= LARGE_REQUEST) == large);
        alike.map(|part| of(part) / part.seconds).reduce(f64::max)
    };
    Some(ObservedDisk {
        name: disk.name.clone(),
        size: disk.size,
        read_ahead: disk.read_ahead,
        latency_ns,
        iops: largest(false, |part| part.requests),
        bytes_per_s: largest(true, |part| part.bytes),
    })
}

/// Intervals with enough requests for a latency: those with few count together with the next ones that have few.
fn with_enough_requests(parts: &[Served]) -> Vec<Served> {
    let mut all = Vec::new();
    let mut few = Served::default();
    for part in parts {
        if part.requests >= ENOUGH_OF_SAMPLE {
            all.push(*part);
            continue;
        }
        few.seconds += part.seconds;
        few.requests += part.requests;
        few.bytes += part.bytes;
        few.waited_ns += part.waited_ns;
        if few.requests >= ENOUGH_OF_SAMPLE {
            all.push(std::mem::take(&mut few));
        }
    }
    all
}

/// The requests of a disk between the samples of a recording.
fn intervals(recording: &Recording, disk: &str) -> Vec<Served> {
    let names = ["reads", "writes", "read_sectors", "write_sectors", "read_ms", "write_ms"];
    let Some(series) =
        names.map(|name| recording.series(Rows::Disk, disk, name)).into_iter().collect::<Option<Vec<_>>>()
    else {
        return Vec::new();
    };
    let rates: Vec<Vec<(i64, i64, f64)>> = series.iter().map(pagetide_core::Series::rates).collect();
    // The counters of a sample are of one moment. An interval in which one of them was reset is left out for all.
    let at = |values: &[(i64, i64, f64)], from: i64, to: i64| {
        let found = values.binary_search_by_key(&from, |(from, ..)| *from).ok()?;
        (values[found].1 == to).then_some(values[found].2)
    };
    rates[0]
        .iter()
        .filter_map(|(from, to, reads)| {
            let seconds = (to - from) as f64 / 1e9;
            let others: Vec<f64> = rates[1..].iter().map(|values| at(values, *from, *to)).collect::<Option<_>>()?;
            Some(Served {
                seconds,
                requests: (reads + others[0]) * seconds,
                bytes: (others[1] + others[2]) * 512.0 * seconds,
                waited_ns: (others[3] + others[4]) * 1e6 * seconds,
            })
        })
        .collect()
}
