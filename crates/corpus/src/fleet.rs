//! Fleets to test on: hosts made of the corpus' recordings, with attributes, a planted cause, a confounder and noise, and the truth beside.

use crate::draw;
use crate::truth::{FILE as TRUTH, Truth};
use pagetide_core::{Disk, Error, Lru, Manifest, Mark, Recording, Sample, Schema, Selection, Sink, Source, Stamp};
use pagetide_fleet::{Row, TimeRange};
use pagetide_store::{Keep, Reader, Writer, import};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The family whose incidents the planted cause makes.
pub const CAUSE: &str = "swap-thrash";
/// The planted cause: this kernel with this disk.
pub const KERNEL: &str = "6.1.0-37-amd64";
/// See [`KERNEL`].
pub const MODEL: &str = "ST4000NM0035";
/// The confounder: the disk is common here.
pub const SITE: &str = "fra";
/// The label that is weakly over-represented where a weak factor is planted.
pub const FIRMWARE: &str = "F7";

const KERNELS: [(&str, u64); 4] =
    [(KERNEL, 30), ("6.1.0-32-amd64", 25), ("6.12.43-amd64", 30), ("5.10.0-35-amd64", 15)];
const MODELS: [(&str, u64); 4] =
    [("SAMSUNG MZ7L3960", 45), ("INTEL SSDSC2KG960G8", 25), ("WDC WUH721816AL", 20), (MODEL, 10)];
const MODELS_AT_SITE: [(&str, u64); 4] =
    [("SAMSUNG MZ7L3960", 20), ("INTEL SSDSC2KG960G8", 15), ("WDC WUH721816AL", 10), (MODEL, 55)];
const SITES: [(&str, u64); 4] = [(SITE, 30), ("ber", 30), ("ams", 25), ("waw", 15)];
const TEAMS: [(&str, u64); 5] = [("web", 30), ("search", 20), ("billing", 20), ("batch", 20), ("ops", 10)];
const FIRMWARES: [(&str, u64); 4] = [("F3", 40), ("F4", 30), ("F5", 25), (FIRMWARE, 5)];
// What the machines of the corpus have of these goes with their incidents. The inventory says it of the hosts, and its word counts.
const MEMORY: [(&str, u64); 3] = [("16 GiB", 40), ("32 GiB", 40), ("64 GiB", 20)];
const CPUS: [(&str, u64); 3] = [("4", 40), ("8", 40), ("16", 20)];
const SWAP: [(&str, u64); 2] = [("yes", 60), ("no", 40)];
/// The columns of the inventory.
const LABELS: [&str; 6] = ["site", "team", "firmware", "memory", "cpus", "swap"];

/// How many of 1000 host-hours have an incident without a planted cause.
const NOISE: u64 = 15;
/// How many of 1000 hours of a host with the planted cause have its incident.
const STRONG: u64 = 500;
/// How many of 1000 hosts have incidents where a weak factor is planted.
const WEAK_AFFECTED: u64 = 150;
/// How many of 1000 affected hosts have the weak factor; [`FIRMWARES`] has the share of the others.
const WEAK_SHARE: u64 = 200;

/// What is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Planted {
    /// Nothing: incidents hit all hosts alike.
    Nothing,
    /// [`KERNEL`] with [`MODEL`] makes swap-thrash; [`SITE`] has many of these disks.
    Strong,
    /// 20 % of the affected hosts have [`FIRMWARE`], and 5 % of the others.
    Weak,
}

/// How to make a fleet.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Hosts.
    pub hosts: u64,
    /// Hours of each.
    pub hours: u64,
    /// What decides about everything drawn.
    pub seed: u64,
    /// What is planted.
    pub planted: Planted,
    /// The end of the last hour, ns since 1970-01-01 UTC.
    pub until_ns: i64,
}

/// One host.
#[derive(Debug, Clone, Serialize)]
pub struct HostPlan {
    /// Its name.
    pub name: String,
    /// What its recordings say of it.
    pub kernel: &'static str,
    /// The model of its disk.
    pub model: &'static str,
    /// What only the inventory says of it.
    pub labels: BTreeMap<&'static str, &'static str>,
    /// Whether the planted cause hits it.
    pub planted: bool,
    /// The corpus' recording of each hour.
    pub recordings: Vec<String>,
}

/// A fleet: what is written as its truth.
#[derive(Debug, Clone, Serialize)]
pub struct FleetPlan {
    /// What decides about everything drawn.
    pub seed: u64,
    /// What is planted.
    pub planted: Planted,
    /// The end of the last hour.
    pub until_ns: i64,
    /// The hosts.
    pub hosts: Vec<HostPlan>,
}

/// The recordings that fleets are made of.
#[derive(Debug)]
pub struct Library {
    recordings: BTreeMap<String, Recording>,
    /// Names of healthy ones, of incidents of the planted cause, of other incidents.
    healthy: Vec<String>,
    planted: Vec<String>,
    other: Vec<String>,
}

impl Library {
    /// Reads the corpus' recordings whose truth is an incident or a healthy host.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let wrong =
            |error: std::io::Error| Error::input(format!("{}: {error}", folder.display()), "`make corpus` records it");
        let mut names: Vec<String> = fs::read_dir(folder)
            .map_err(wrong)?
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        let mut library =
            Self { recordings: BTreeMap::new(), healthy: Vec::new(), planted: Vec::new(), other: Vec::new() };
        for name in names {
            let file = folder.join(&name).join(TRUTH);
            if !file.exists() {
                continue;
            }
            let truth = Truth::read(&file)?;
            let list = match truth.best.as_str() {
                "healthy" | "served-from-cache" => &mut library.healthy,
                CAUSE => &mut library.planted,
                // The hours of a fleet are one by one: what is cold or was dropped is what another hour did.
                "cold-cache" | "caches-dropped" | "swap-in-use-harmless" => continue,
                _ => &mut library.other,
            };
            list.push(name.clone());
            let recording = Reader::open(&folder.join(&name).join("recording"))?.load(&Selection::default())?;
            library.recordings.insert(name, recording);
        }
        if library.healthy.is_empty() || library.planted.is_empty() || library.other.is_empty() {
            let what = format!("{}: too few recordings to make a fleet of", folder.display());
            return Err(Error::input(what, "`make corpus` records them"));
        }
        Ok(library)
    }
}

/// Draws one of some weighted values for a host.
fn weighted<T: Copy>(values: &[(T, u64)], host: &str, key: &str, seed: u64) -> T {
    let total: u64 = values.iter().map(|(_, weight)| weight).sum();
    let mut drawn = draw::below(total, host, key, seed);
    for (value, weight) in values {
        if drawn < *weight {
            return *value;
        }
        drawn -= weight;
    }
    values[0].0
}

/// Draws a fleet.
pub fn plan(settings: &Settings, library: &Library) -> FleetPlan {
    let hosts = (0..settings.hosts).map(|number| host(number, settings, library)).collect();
    FleetPlan { seed: settings.seed, planted: settings.planted, until_ns: settings.until_ns, hosts }
}

fn host(number: u64, settings: &Settings, library: &Library) -> HostPlan {
    let Settings { seed, planted, hours, .. } = *settings;
    let name = format!("host{number:05}");
    let site = weighted(&SITES, &name, "site", seed);
    let kernel = weighted(&KERNELS, &name, "kernel", seed);
    let model = weighted(if site == SITE { &MODELS_AT_SITE } else { &MODELS }, &name, "model", seed);
    let chance = |of_1000: u64, key: &str| draw::below(1000, &name, key, seed) < of_1000;
    let affected = match planted {
        Planted::Nothing => false,
        Planted::Strong => kernel == KERNEL && model == MODEL,
        Planted::Weak => chance(WEAK_AFFECTED, "affected"),
    };
    let weak = planted == Planted::Weak && affected && chance(WEAK_SHARE, "weak");
    // The others of the affected draw among the other firmwares.
    let others = if planted == Planted::Weak && affected { &FIRMWARES[..3] } else { &FIRMWARES[..] };
    let firmware = if weak { FIRMWARE } else { weighted(others, &name, "firmware", seed) };
    let recording = |hour: u64| {
        let key = |what: &str| format!("{what}{hour}");
        let list = if affected && (chance(STRONG, &key("planted")) || hour == 0) {
            &library.planted
        } else if chance(NOISE, &key("noise")) {
            if draw::below(10, &name, &key("kind"), seed) == 0 { &library.planted } else { &library.other }
        } else {
            &library.healthy
        };
        draw::one(list, &name, &key("recording"), seed).cloned().unwrap_or_default()
    };
    HostPlan {
        kernel,
        model,
        labels: BTreeMap::from([
            ("site", site),
            ("team", weighted(&TEAMS, &name, "team", seed)),
            ("firmware", firmware),
            ("memory", weighted(&MEMORY, &name, "memory", seed)),
            ("cpus", weighted(&CPUS, &name, "cpus", seed)),
            ("swap", weighted(&SWAP, &name, "swap", seed)),
        ]),
        planted: affected,
        recordings: (0..hours).map(recording).collect(),
        name,
    }
}

const HOUR: i64 = 3_600_000_000_000;

impl FleetPlan {
    /// When an hour of its hosts begins.
    fn begin_of(&self, hour: usize, host: &HostPlan) -> i64 {
        let left = i64::try_from(host.recordings.len() - hour).unwrap_or(0);
        self.until_ns - left * HOUR
    }

    /// The inventory of its hosts, as CSV.
    pub fn inventory(&self) -> String {
        let mut text = format!("host,{}\n", LABELS.join(","));
        for host in &self.hosts {
            let labels = LABELS.map(|name| host.labels.get(name).copied().unwrap_or_default());
            let _ = writeln!(text, "{},{}", host.name, labels.join(","));
        }
        text
    }

    /// Writes its recordings, `truth.json` and `inventory.csv` into a folder, which must not be there.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, library: &Library, folder: &Path, done: impl Fn(usize) + Sync) -> Result<(), Error> {
        let failed = |error: std::io::Error| {
            Error::input(format!("{}: {error}", folder.display()), "name a folder that is not there yet")
        };
        fs::create_dir(folder).map_err(failed)?;
        // Half of the cores' time would be spent waiting for the disk.
        let threads = std::thread::available_parallelism().map_or(1, usize::from) * 2;
        let count = std::sync::atomic::AtomicUsize::new(0);
        let part = |first: usize| {
            for host in self.hosts.iter().skip(first).step_by(threads) {
                self.write_host(host, library, &folder.join(&host.name))?;
                done(count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1);
            }
            Ok::<(), Error>(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|first| scope.spawn(move || part(first))).collect();
            let ended = threads.into_iter().map(|thread| thread.join());
            ended
                .collect::<Result<Vec<_>, _>>()
                .map_err(|_| Error::system("a thread of the generator ended", ""))?
                .into_iter()
                .collect::<Result<(), Error>>()
        })?;
        fs::write(folder.join("inventory.csv"), self.inventory()).map_err(failed)?;
        let truth = serde_json::to_string_pretty(self).map_err(|error| failed(error.into()))?;
        fs::write(folder.join("truth.json"), truth).map_err(failed)
    }

    fn write_host(&self, host: &HostPlan, library: &Library, folder: &Path) -> Result<(), Error> {
        for (hour, name) in host.recordings.iter().enumerate() {
            let Some(recording) = library.recordings.get(name) else { continue };
            let begin = self.begin_of(hour, host);
            let first = recording.stamps().first().copied().unwrap_or_default();
            // A minute into the hour, on a host that was started then: the counters of two recordings have nothing in common.
            let shift = begin + 60_000_000_000 - first.wall_ns;
            let manifest = of_host(host, &recording.manifest, &format!("{}-{begin}", host.name));
            let writer = Writer::open_or_continue(folder, Keep::default())?;
            import::replay(recording, &mut Moved { writer, shift, manifest })?;
        }
        Ok(())
    }
}

/// A manifest as a host of the fleet would have it.
fn of_host(host: &HostPlan, recorded: &Manifest, boot_id: &str) -> Manifest {
    let rotates = host.model == MODEL || host.model.starts_with("WDC");
    let disk = |disk: &Disk| Disk {
        model: disk.below.is_empty().then(|| host.model.to_owned()),
        rotational: Some(rotates),
        ..disk.clone()
    };
    Manifest {
        host: host.name.clone(),
        kernel: host.kernel.to_owned(),
        boot_id: boot_id.to_owned(),
        // Those of the machine that was recorded go with its incident.
        sysctls: BTreeMap::new(),
        lru: Some(if host.kernel.starts_with("6.12") { Lru::Mglru } else { Lru::Classic }),
        disks: recorded.disks.iter().map(disk).collect(),
        ..recorded.clone()
    }
}

/// Writes a recording at another time, as another host's.
struct Moved {
    writer: Writer,
    shift: i64,
    manifest: Manifest,
}

impl Moved {
    fn stamp(&self, stamp: Stamp) -> Stamp {
        Stamp { wall_ns: stamp.wall_ns + self.shift, ..stamp }
    }
}

impl Sink for Moved {
    fn begin(&mut self, _: &Manifest) -> Result<(), Error> {
        self.writer.begin(&self.manifest)
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        let mut sample = sample.clone();
        sample.stamp = self.stamp(sample.stamp);
        self.writer.sample(schema, &sample)
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        self.writer.mark(&Mark { stamp: self.stamp(mark.stamp), kind: mark.kind.clone() })
    }

    fn finish(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.writer.finish(&Manifest { samples: manifest.samples, ..self.manifest.clone() })
    }
}

/// The rows that the corpus' recordings give, by name: what a fleet's rows are made of without writing one.
pub fn rows_of(library: &Library, folder: &Path) -> BTreeMap<String, Row> {
    let range = TimeRange { from_ns: None, until_ns: i64::MAX / 2 };
    let row = |name: &String| {
        let rows = pagetide_fleet::map(&folder.join(name).join("recording").display().to_string(), range);
        Some((name.clone(), rows.into_iter().next()?))
    };
    library.recordings.keys().filter_map(row).collect()
}

impl FleetPlan {
    /// The rows that its recordings would give, from those of [`rows_of`].
    pub fn rows(&self, rows: &BTreeMap<String, Row>) -> Vec<Row> {
        let of_host = |host: &HostPlan| {
            let name: pagetide_fleet::Text = host.name.as_str().into();
            let row = |(hour, recording): (usize, &String)| {
                let lru = if host.kernel.starts_with("6.12") { "mglru" } else { "classic" };
                Some(Row {
                    recording: Some(name.clone()),
                    host: Some(name.clone()),
                    hour_ns: Some(self.begin_of(hour, host)),
                    kernel: Some(host.kernel.into()),
                    disk_models: Some(host.model.into()),
                    lru: Some(lru.into()),
                    sysctls: None,
                    ..rows.get(recording)?.clone()
                })
            };
            host.recordings.iter().enumerate().filter_map(row).collect::<Vec<Row>>()
        };
        self.hosts.iter().flat_map(of_host).collect()
    }
}
