//! The text of a scenario.

use crate::change::{Change, ChangeKind};
use crate::command::Phase;
use crate::culprit::Culprit;
use crate::disk::DiskModel;
use crate::group::{self, Throttled};
use crate::guess::{Factors, Guess, Knob};
use crate::load::{CommandLoad, Kind};
use crate::place;
use crate::stretch::{Stretch, at_onset, whole};
use crate::synthesis::INCIDENT;
use pagetide_core::{GroupSpec, Lru, Table, part_name, plain_name};
use pagetide_lab::plan::model_settings;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What is cached and nobody uses.
const UNUSED: &str = "file:cached";
/// Of its time a closed loop waits this share at most, before the incident.
const MAX_WAITS: f64 = 0.95;

/// Writes the scenario.
pub(crate) struct Text<'a> {
    pub(crate) calm: Stretch<'a>,
    pub(crate) trouble: Stretch<'a>,
    pub(crate) disks: &'a [DiskModel],
    pub(crate) loads: &'a [CommandLoad],
    pub(crate) group_memory: &'a [(String, f64)],
    pub(crate) cache: f64,
    pub(crate) reclaim_slowdown: Option<u64>,
    pub(crate) throttled: &'a [Throttled],
    pub(crate) changes: &'a [Change],
    pub(crate) guesses: &'a [Guess],
    pub(crate) factors: Factors,
}

/// What programs do in the incident.
struct Programs {
    /// A part of the step for each thing that one does.
    parts: Vec<String>,
    /// What their processes are called, and which of them began it.
    names: Vec<String>,
    culprits: Vec<Culprit>,
    /// The sizes of their files.
    files: BTreeMap<usize, f64>,
}

/// A scenario as a text, what the processes of its programs are called, and those that began the incident.
pub(crate) struct Written {
    pub(crate) toml: String,
    pub(crate) programs: Vec<String>,
    pub(crate) culprits: Vec<Culprit>,
}

/// A whole number of KiB, at least one page.
fn size(bytes: f64) -> String {
    format!("\"{}KiB\"", whole((bytes / 4096.0).max(1.0)) * 4)
}

/// A size in whole blocks.
fn blocks(bytes: f64, block: f64) -> String {
    size((bytes / block).ceil().max(1.0) * block)
}

fn seconds(time: f64) -> String {
    format!("\"{}ms\"", whole((time * 1e3).max(1.0)))
}

fn per_second(rate: f64) -> String {
    format!("\"{}B/s\"", whole(rate.max(4096.0)))
}

/// The CPU time after each request of a load, where it is more than that of the system call itself.
fn compute(load: &CommandLoad) -> String {
    const MIN_COMPUTE: f64 = 1e3;
    if load.compute >= MIN_COMPUTE { format!(", compute = \"{}ns\"", whole(load.compute)) } else { String::new() }
}

impl Text<'_> {
    /// The text.
    pub(crate) fn write(&self) -> Written {
        let length = self.calm.seconds() + self.trouble.seconds();
        let Programs { mut parts, names, culprits, files } = self.programs(length);
        parts.extend(self.group_parts(length));
        let mut text = String::new();
        let manifest = &self.trouble.recording.manifest;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "id = \"reproduction\"\ntitle = \"An incident of a recording, again\"\nsource = \"a recording\"\n\
             about = \"Made by `pagetide reproduce` of a recording: {:.0} s before the incident, and {:.0} s of it.\"\n",
            self.calm.seconds(),
            self.trouble.seconds()
        );
        for guess in self.guesses {
            let _ = writeln!(text, "# guess: {}: {}", guess.what, guess.why);
        }
        for knob in Knob::ALL.into_iter().filter(|knob| (self.factors.of(*knob) - 1.0).abs() > 1e-6) {
            let factor = self.factors.of(knob);
            let _ = writeln!(text, "# fitted: {} x {factor:.2}: {}", knob.name(), knob.why());
        }
        let held = Held::of(&self.calm, &self.trouble);
        let _ = writeln!(
            text,
            "\n[machine]\ncpus = {}\nmemory = {}\nsystem = {}",
            manifest.cpus,
            size(manifest.memory_total.as_f64()),
            size(held.system)
        );
        let _ = writeln!(text, "swap = {}", self.swap());
        if let Some(lru) = manifest.lru {
            let _ = writeln!(text, "lru = \"{}\"", if lru == Lru::Mglru { "mglru" } else { "classic" });
        }
        if let Some(times) = self.reclaim_slowdown {
            let _ = writeln!(text, "reclaim_slowdown = {times}");
        }
        let settings: Vec<String> =
            model_settings(manifest).iter().map(|(name, value)| format!("\"{name}\" = {value}")).collect();
        let _ = writeln!(text, "sysctl = {{ {} }}", settings.join(", "));
        let used: f64 = files.values().sum::<f64>() + self.cache + self.swap_bytes();
        for disk in self.disks {
            let _ = writeln!(
                text,
                "\n[[machine.disk]]\nname = \"{}\"\nsize = {}",
                plain_name(&disk.name),
                size(used * 1.3 + 1e9)
            );
            let _ = writeln!(
                text,
                "latency = \"{}us\"",
                whole((disk.latency / 1e3 * self.factors.of(Knob::Latency)).max(1.0))
            );
            if let Some(flush) = disk.flush {
                let _ = writeln!(text, "flush = \"{}us\"", whole(flush / 1e3 * self.factors.of(Knob::Latency)));
            }
            if let Some(iops) = disk.iops {
                let _ = writeln!(text, "iops = {}", whole((iops * self.factors.of(Knob::Limits)).max(1.0)));
            }
            if let Some(bandwidth) = disk.bandwidth {
                let _ = writeln!(text, "bandwidth = {}", per_second(bandwidth * self.factors.of(Knob::Limits)));
            }
            if let Some(ahead) = disk.read_ahead {
                let _ = writeln!(text, "read_ahead = {}", size(ahead));
            }
            if let Some(burst) = disk.burst {
                let _ = writeln!(text, "burst = \"{}us\"", whole(burst / 1e3));
            }
            if disk.reads_apart {
                text += "reads_apart = true\n";
            }
        }
        self.prepare(&mut text, &held);
        let _ = writeln!(
            text,
            "\n[[step]]\nid = \"{INCIDENT}\"\ntitle = \"before the incident, and the incident\"\nparallel = ["
        );
        for part in parts {
            let _ = writeln!(text, "  {part},");
        }
        text += "]\n";
        let changes = self.meanwhile();
        if !changes.is_empty() {
            let _ = writeln!(text, "meanwhile = [\n  {},\n]", changes.join(",\n  "));
        }
        Written { toml: text, programs: names, culprits }
    }

    /// What becomes of the machine in the incident.
    fn meanwhile(&self) -> Vec<String> {
        let mut changes = Vec::new();
        let after = |at: i64| seconds(at.saturating_sub(self.calm.from) as f64 / 1e9);
        for disk in self.disks {
            let Some(slower) = &disk.slower else { continue };
            let mut fields = format!("disk = \"{}\"", plain_name(&disk.name));
            let us = |time: f64| whole((time / 1e3 * self.factors.of(Knob::Latency)).max(1.0));
            let limits = self.factors.of(Knob::Limits);
            // Writing to a string does not fail.
            if let Some(latency) = slower.latency {
                let _ = write!(fields, ", latency = \"{}us\"", us(latency));
            }
            if let Some(iops) = slower.iops {
                let _ = write!(fields, ", iops = {}", whole((iops * limits).max(1.0)));
            }
            if let Some(bandwidth) = slower.bandwidth {
                let _ = write!(fields, ", bandwidth = {}", per_second(bandwidth * limits));
            }
            changes.push(format!("{{ after = {}, device = {{ {fields} }} }}", after(self.calm.to)));
        }
        for Change { at, what } in self.changes {
            let fields = match what {
                ChangeKind::HugePages { count } => format!("sysctl = {{ \"vm.nr_hugepages\" = {count} }}"),
                ChangeKind::CachesDropped => "drop_caches = true".to_owned(),
                ChangeKind::Reclaimed { group, bytes } => {
                    let is_in = |load: &CommandLoad| load.command.group.as_ref() == Some(group);
                    if !self.loads.iter().any(is_in) {
                        continue;
                    }
                    let Some(name) = group_name(group) else { continue };
                    format!("reclaim = {{ cgroup = \"{name}\", size = {} }}", size(*bytes))
                }
                ChangeKind::FilesDropped { bytes } => format!("drop_files = [{}]", self.dropped(*bytes).join(", ")),
                ChangeKind::DirtyLimits { background, limit } => {
                    format!("sysctl = {{ \"vm.dirty_background_bytes\" = {background}, \"vm.dirty_bytes\" = {limit} }}")
                }
            };
            changes.push(format!("{{ after = {}, {fields} }}", after(*at)));
        }
        changes
    }

    /// The files that left the cache when so many bytes did: those that are missed, and the others where that is not all.
    fn dropped(&self, bytes: f64) -> Vec<String> {
        const MORE: f64 = 1.1;
        let sets = self.sets();
        let used = self.loads.iter().enumerate().filter(|(_, load)| load.kind.set().is_some());
        let mut files: Vec<String> = used.map(|(at, _)| format!("\"{}\"", self.place(at))).collect();
        if bytes > MORE * sets && self.unused() > 0.0 || files.is_empty() {
            files.push(format!("\"{UNUSED}\""));
        }
        files
    }

    /// Bytes of all working sets, and of the page cache that is in none.
    fn sets(&self) -> f64 {
        self.loads.iter().filter_map(|load| load.kind.set()).map(|size| self.set(size)).sum()
    }

    fn unused(&self) -> f64 {
        let rest = self.cache - self.sets();
        if rest > 4e6 { rest } else { 0.0 }
    }

    /// Disks that wrote since boot, and bytes in proportion, where somebody wrote before the incident and did not sync: the kernel gives each device a share
    /// of dirty memory by what it wrote lately, and flushes at once what one without a share has (`mm/page-writeback.c: wb_calc_thresh`).
    fn written_before(&self) -> Vec<(&str, f64)> {
        const ALL: f64 = 16.0 * 1048576.0;
        const MIN_WRITTEN: f64 = 65536.0;
        let is_usual = |load: &CommandLoad| {
            load.ran_before && matches!(load.kind, Kind::Write { direct: false, sync_every: None, .. })
        };
        if !self.loads.iter().any(is_usual) {
            return Vec::new();
        }
        let sectors =
            |disk: &DiskModel| self.trouble.value_at(Table::Disk, &disk.name, "write_sectors", self.calm.from);
        let written: Vec<(&str, f64)> =
            self.disks.iter().filter_map(|disk| Some((disk.name.as_str(), sectors(disk)?))).collect();
        let all: f64 = written.iter().map(|(_, sectors)| sectors).sum();
        let shares = written.into_iter().map(|(disk, sectors)| (disk, ALL * sectors / all.max(1.0)));
        shares.filter(|(_, bytes)| *bytes >= MIN_WRITTEN).collect()
    }

    /// The steps that fill memory as it was at the onset: what nobody used, then the working sets.
    fn prepare(&self, text: &mut String, held: &Held) {
        let of_groups: f64 = self.group_memory.iter().map(|(_, bytes)| bytes).sum();
        let brought: f64 = self.loads.iter().map(|load| load.brings(&self.calm)).sum();
        let anonymous = held.anonymous - of_groups - brought;
        for (id, kind, bytes) in [("anonymous", "anon", anonymous), ("shared", "shared", held.shared)] {
            if bytes > 1e6 {
                let _ = writeln!(
                    text,
                    "\n[[step]]\nid = \"{id}\"\ntitle = \"memory that programs hold\"\nhold = {{ size = {}, kind = \"{kind}\" }}",
                    size(bytes)
                );
            }
        }
        for (disk, bytes) in self.written_before() {
            let name = plain_name(disk);
            let bytes = size(bytes);
            let _ = writeln!(
                text,
                "\n[[step]]\nid = \"written_{name}\"\ntitle = \"a disk that wrote before has its share of dirty memory\"\ndd = {{ from = \"zero\", to = \"file:written@{name}\", size = {bytes}, bs = {bytes}, sync_every = {bytes} }}"
            );
        }
        if self.unused() > 0.0 {
            let bytes = blocks(self.unused(), 1048576.0);
            let _ = writeln!(
                text,
                "\n[[step]]\nid = \"cached\"\ntitle = \"files in the page cache that nobody uses\"\nstream = {{ from = \"{UNUSED}\", size = {bytes} }}"
            );
        }
        for (at, load) in self.loads.iter().enumerate() {
            let Some(size) = load.kind.set() else { continue };
            let _ = writeln!(
                text,
                "\n[[step]]\nid = \"warm_{at}\"\ntitle = \"the files of a working set are read\"\nstream = {{ from = \"{}\", size = {} }}",
                self.place(at),
                blocks(self.set(size).min(load.charged.unwrap_or(f64::MAX)), 1048576.0)
            );
            if let Some(group) = self.group(load, self.calm.from) {
                let _ = writeln!(text, "cgroup = {group}");
            }
            if load.charged.is_some_and(|charged| charged < self.set(size)) {
                let _ = writeln!(
                    text,
                    "\n[[step]]\nid = \"rest_{at}\"\ntitle = \"what others had read of them\"\nstream = {{ from = \"{}\", size = {} }}",
                    self.place(at),
                    blocks(self.set(size), 1048576.0)
                );
            }
        }
    }

    /// The file of a load, on the disk that it used as far as that is known: the busiest one.
    fn place(&self, at: usize) -> String {
        let at = self.file_of(at);
        format!("file:f{at}@{}", plain_name(&self.disk_of(&self.loads[at])))
    }

    /// The load whose file a load reads: a program whose working set changes goes on with the same files.
    fn file_of(&self, at: usize) -> usize {
        let load = &self.loads[at];
        let is_usual = |other: &CommandLoad| {
            let has_set = matches!(other.kind, Kind::WorkingSet { .. });
            other.command.phase == Phase::Usual && other.command.processes == load.command.processes && has_set
        };
        match load.kind {
            Kind::WorkingSet { warm: true, .. } if load.command.phase == Phase::Changed => {
                self.loads.iter().position(is_usual).unwrap_or(at)
            }
            _ => at,
        }
    }

    fn disk_of(&self, load: &CommandLoad) -> String {
        place::disk_of(&self.calm, &self.trouble, self.disks, load)
    }

    /// The control group of a load.
    fn group(&self, load: &CommandLoad, at: i64) -> Option<String> {
        load.command.group.as_deref().and_then(|path| self.group_at(path, at))
    }

    /// A control group with the limits that it had at a moment.
    fn group_at(&self, path: &str, at: i64) -> Option<String> {
        let name = group_name(path)?;
        let limits = group::limits(&self.trouble, self.throttled, path, at);
        let mut fields = format!("{{ name = \"{name}\"");
        // Writing to a string does not fail.
        for (limit, key) in [(limits.memory_max, "memory_max"), (limits.memory_high, "memory_high")] {
            if let Some(limit) = limit {
                let _ = write!(fields, ", {key} = {}", size(limit));
            }
        }
        if let Some(cpus) = limits.cpu_max {
            let (least, most) = GroupSpec::CPU_MAX.into_inner();
            let _ = write!(fields, ", cpu_max = {:.3}", cpus.clamp(least, most));
        }
        let of_disks: Vec<String> = self.disks.iter().filter_map(|disk| io_max(disk, &limits.io)).collect();
        if !of_disks.is_empty() {
            let _ = write!(fields, ", io_max = [{}]", of_disks.join(", "));
        }
        Some(fields + " }")
    }

    /// Parts that hold the memory of groups, and parts that change a group's limits where they changed: what begins in a group sets them.
    fn group_parts(&self, length: f64) -> Vec<String> {
        let mut parts = Vec::new();
        for (at, (path, bytes)) in self.group_memory.iter().enumerate() {
            let first =
                self.trouble.recording.series(Table::Cgroup, path, "current").and_then(|all| all.points().next());
            let from = first.map_or(self.calm.from, |(at, _)| at.max(self.calm.from));
            if let Some(group) = self.group_at(path, from) {
                let (bytes, time) = (size(*bytes), seconds(length));
                let late = from - self.calm.from;
                let delay = if late > 0 { format!(", delay = {}", seconds(late as f64 / 1e9)) } else { String::new() };
                parts.push(format!(
                    "{{ name = \"held_{at}\", grow = {{ size = {bytes}, fill = \"random\", hold_for = {time} }}, background = true{delay}, cgroup = {group} }}"
                ));
            }
        }
        let mut paths: Vec<&str> = self.loads.iter().filter_map(|load| load.command.group.as_deref()).collect();
        paths.extend(self.group_memory.iter().map(|(path, _)| path.as_str()));
        paths.sort_unstable();
        paths.dedup();
        for path in paths {
            let moments = self.trouble.recording.stamps().iter().map(|stamp| stamp.boot_ns);
            let mut was = self.group_at(path, self.calm.from);
            for moment in moments.filter(|at| *at > self.calm.from && *at < self.trouble.to) {
                let is = self.group_at(path, moment);
                if is != was
                    && let Some(group) = &is
                {
                    // A page more: the model reclaims to a limit when something is charged, and the kernel when it is set.
                    let delay = seconds((moment - self.calm.from) as f64 / 1e9);
                    let name = format!("limit_{}", parts.len());
                    parts.push(format!(
                        "{{ name = \"{name}\", grow = {{ size = \"4KiB\", fill = \"random\", hold_for = \"1ms\" }}, delay = {delay}, cgroup = {group} }}"
                    ));
                }
                was = is;
            }
        }
        parts
    }

    /// What programs do in an incident that is so long, with what comes before it.
    fn programs(&self, length: f64) -> Programs {
        let (mut parts, mut culprits, mut files) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        let mut processes = BTreeMap::new();
        for (at, load) in self.loads.iter().enumerate() {
            let calm = self.calm.seconds();
            let delay = match load.command.appeared {
                Some(appeared) => ((appeared - self.calm.from) as f64 / 1e9).clamp(0.0, length - 1.0),
                None if load.ran_before => 0.0,
                None => calm,
            };
            let end = load.command.ended.map_or(length, |at| (at - self.calm.from) as f64 / 1e9);
            let time = (end - delay).clamp(1.0, length - delay);
            let begins = self.calm.from.saturating_add(whole(delay * 1e9).cast_signed());
            let group = self.group(load, begins).map_or_else(String::new, |group| format!(", cgroup = {group}"));
            let delay = if delay > 0.0 { format!(", delay = {}", seconds(delay)) } else { String::new() };
            let at_once = load.at_once();
            // All that a command does which came with the incident is one program to the rules, and to advice. Of one that ran before it is
            // each load: one is what it usually does, and another what it did to others.
            let is_apart = load.ran_before && load.command.phase == Phase::Whole;
            // Whatever their groups, the rules see new processes of one command together.
            let key = (load.command.name.clone(), is_apart.then_some(at));
            for nth in 0..at_once {
                let base = part_name(&load.command.name);
                let count = names.entry(base.clone()).or_default();
                *count += 1;
                let name = if *count == 1 { base } else { format!("{base}_{count}") };
                let process: &String = processes.entry(key.clone()).or_insert_with(|| name.clone());
                let of = if *process == name { String::new() } else { format!(", process = \"{process}\"") };
                if load.is_culprit() && !culprits.iter().any(|known: &Culprit| known.process == *process) {
                    culprits.push(Culprit::new(process, &load.command.name));
                }
                let (work, file) = self.work((at, nth), &load.part_of(at_once), time);
                *files.entry(at).or_default() += file;
                parts.push(format!("{{ name = \"{name}\"{of}, {work}{delay}{group} }}"));
            }
            // Who ran before and waits now is no program that has just started, and waits for itself.
            let was_there = if load.command.was_there() && load.command.waits() && self.is_first_unseen(at) {
                Some(self.unseen(at))
            } else if matches!(load.kind, Kind::Grow { .. }) && load.command.appeared.is_none() {
                let time = seconds(length);
                Some(format!("grow = {{ size = \"4KiB\", fill = \"random\", hold_for = {time} }}, background = true"))
            } else {
                None
            };
            if let Some(was_there) = was_there {
                let base = part_name(&load.command.name);
                let count = names.entry(base.clone()).or_default();
                *count += 1;
                let (name, process) = (format!("{base}_{count}"), &processes[&key]);
                parts.push(format!("{{ name = \"{name}\", process = \"{process}\", {was_there}{group} }}"));
            }
        }
        let mut names: Vec<String> = processes.into_values().collect();
        names.sort();
        Programs { parts, names, culprits, files }
    }

    /// Whether a load is the first of a program of which nothing in the scenario runs before the incident.
    fn is_first_unseen(&self, at: usize) -> bool {
        let mut own = self.loads.iter().enumerate().filter(|(_, other)| other.is_of_program(&self.loads[at]));
        own.clone().all(|(_, other)| !other.ran_before) && own.next().is_some_and(|(first, _)| first == at)
    }

    /// What such a program did before the incident: it used a little CPU time now and then, and waited for a page when it began. Who never ran and never
    /// waited has just started.
    fn unseen(&self, at: usize) -> String {
        const EVERY: f64 = 0.1;
        const MIN_SHARE: f64 = 0.001;
        let calm = &self.loads[at].command.calm;
        let busy = (calm.cpu - calm.reclaim).clamp(MIN_SHARE, 0.9) * EVERY;
        let page = self.place(at).replacen('@', "-usual@", 1);
        let ns = |time: f64| format!("\"{}ns\"", whole(time * 1e9));
        let pace = format!("compute = {}, think = {}", ns(busy), ns(EVERY - busy));
        let time = seconds(self.calm.seconds());
        format!(
            "stream = {{ from = \"{page}\", size = \"4KiB\", bs = \"4KiB\", {pace}, repeat = true, time = {time} }}"
        )
    }

    /// The size of a working set.
    fn set(&self, size: f64) -> f64 {
        (size * self.factors.of(Knob::WorkingSets)).max(1e6)
    }

    /// How fast a load goes on. Who ran before is a closed loop: it sends a request, works on what it got, and sends the next one.
    fn pace(&self, load: &CommandLoad, rate: Option<f64>, block: f64) -> String {
        let mut fields = compute(load);
        let Some(rate) = rate else { return fields };
        if !load.is_loop() {
            let _ = write!(fields, ", rate = {}", per_second(rate * self.factors.of(Knob::NewLoad)));
            return fields;
        }
        let did = if load.ran_before { &load.command.calm } else { &load.command.trouble };
        let at_work = (did.at_work() / load.at_once() as f64).clamp(0.0, MAX_WAITS);
        let think = block / rate.max(1.0) * (1.0 - at_work) * self.factors.of(Knob::ThinkTime);
        let _ = write!(fields, ", think = \"{}ns\"", whole((think * 1e9).clamp(1.0, 1e12)));
        fields
    }

    /// What a part does, and the bytes of its file.
    fn work(&self, (at, nth): (usize, usize), load: &CommandLoad, time: f64) -> (String, f64) {
        const MIB: f64 = 1048576.0;
        /// Bytes of a request at most (`BLK_DEF_MAX_SECTORS_CAP`).
        const LARGEST_REQUEST: f64 = 1280.0 * 1024.0;
        /// What goes as fast as it can may be so many times as fast on the model: a limit that was not measured is up to four times as high, and advice
        /// has faster disks.
        const MOST_TIMES_FASTER: f64 = 16.0;
        /// Of processes that do the same on a disk, one does so many times as much as the others on average at most.
        const MOST_TIMES_MORE: f64 = 2.0;
        /// Bytes per second that nearly any disk does.
        const MIN_ABLE: f64 = 64e6;
        // Processes share a working set, and each writes a file of its own.
        let place = self.place(at);
        let own = if nth == 0 { place.clone() } else { place.replacen('@', &format!("-{nth}@"), 1) };
        let memory = self.trouble.recording.manifest.memory_total.as_f64();
        // As fast as the disk can, as far as that is known.
        let able = self
            .disks
            .iter()
            .find(|disk| disk.name == self.disk_of(load))
            .and_then(|disk| disk.bandwidth.or_else(|| disk.iops.map(|iops| iops * LARGEST_REQUEST)));
        let parts = self.loads[at].at_once() as f64;
        let most = |did: f64| {
            let by_did = (did / parts * MOST_TIMES_FASTER).max(MIN_ABLE);
            able.map_or(by_did, |able| able.min(able / parts * MOST_TIMES_MORE))
        };
        let trouble = &load.command.trouble;
        let faster =
            if load.is_loop() { 1.0 / self.factors.of(Knob::ThinkTime) } else { self.factors.of(Knob::NewLoad) };
        let cache = |direct: bool| if direct { ", cache = \"direct\"" } else { "" };
        let until = seconds(time);
        match load.kind {
            Kind::Stream { rate, block, direct, pass, stride } => {
                let apart = stride.map_or(1.0, |stride| stride / block);
                let all =
                    (rate.map_or_else(|| most(trouble.read), |rate| rate * faster) * time * 1.2 * apart).min(1e12);
                let bytes = pass.map_or(all, |pass| pass.min(all));
                let text = blocks(bytes, MIB);
                let repeat = if pass.is_some() { ", repeat = true" } else { "" };
                let stride = stride.map_or_else(String::new, |stride| {
                    format!(", stride = {{ read = {}, skip = {} }}", size(block), size(stride - block))
                });
                let fields =
                    format!("bs = {}{stride}{}{}{repeat}", size(block), self.pace(load, rate, block), cache(direct));
                (format!("stream = {{ from = \"{own}\", size = {text}, {fields}, time = {until} }}"), bytes)
            }
            Kind::Cold { rate, block, direct } => {
                let bytes = 4.0 * memory;
                let text = blocks(bytes, block);
                let fields =
                    format!("bs = {}, random = true{}{}", size(block), self.pace(load, rate, block), cache(direct));
                (format!("stream = {{ from = \"{place}\", size = {text}, {fields}, time = {until} }}"), bytes)
            }
            Kind::WorkingSet { rate, block, size: set, .. } => {
                let fields = format!("bs = {}, random = true{}", size(block), self.pace(load, Some(rate), block));
                let set = self.set(set);
                let text = blocks(set, MIB);
                (format!("stream = {{ from = \"{place}\", size = {text}, {fields}, time = {until} }}"), set)
            }
            Kind::Touch { code, data, fill, rate, .. } => {
                let rate = whole((rate * faster).max(1.0));
                let touches = format!("iterations = 1000000, rate = {rate}, time = {until}");
                if data > 0.0 {
                    let fill = fill.map(|rate| format!(", fill_rate = {}", per_second(rate * faster)));
                    let touches = format!("{touches}{}{}", fill.unwrap_or_default(), compute(load));
                    // Zeros take no swap (`mm/page_io.c: swap_zeromap_folio_set`, 6.12).
                    return (format!("map_and_walk = {{ data = {}, fill = \"random\", {touches} }}", size(data)), 0.0);
                }
                let code = self.set(code);
                let text = blocks(code, MIB);
                (format!("map_and_walk = {{ file = \"{place}\", code = {text}, {touches} }}"), code)
            }
            Kind::Write { rate, block, direct, sync_every, random } => {
                let all = (rate.map_or_else(|| most(trouble.written), |rate| rate * faster) * time * 1.2).min(1e12);
                let bytes = random.unwrap_or(all);
                let text = blocks(bytes, MIB);
                let order = if random.is_some() { ", random = true" } else { "" };
                let sync = sync_every.map_or_else(String::new, |bytes| {
                    format!(", sync_every = {}", size(bytes * self.factors.of(Knob::Syncs)))
                });
                let pace = self.pace(load, rate, block);
                let fields = format!(", bs = {}{order}{pace}{}{sync}", size(block), cache(direct));
                (format!("dd = {{ from = \"zero\", to = \"{own}\", size = {text}{fields}, time = {until} }}"), bytes)
            }
            Kind::Grow { to, rate } => {
                let rate = rate * self.factors.of(Knob::NewLoad);
                let hold = (time - to / rate.max(1.0)).max(0.0);
                let fields = format!("size = {}, rate = {}, fill = \"random\"", size(to), per_second(rate));
                (format!("grow = {{ {fields}, hold_for = {} }}", seconds(hold)), 0.0)
            }
            Kind::Lookups { rate } => {
                let count = whole((rate * time).max(1.0));
                (
                    format!(
                        "stat_missing = {{ folder_of = \"{place}\", count = {count}, rate = {} }}",
                        whole(rate.max(1.0))
                    ),
                    0.0,
                )
            }
            Kind::Spin { cpus } => {
                let share = if cpus < 0.99 { format!("share = {:.3}, ", cpus.max(0.001)) } else { String::new() };
                (format!("spin = {{ {share}time = {until} }}"), 0.0)
            }
        }
    }

    fn swap_bytes(&self) -> f64 {
        self.trouble.most(Table::Host, "", "SwapTotal").unwrap_or(0.0)
    }

    fn swap(&self) -> String {
        let total = self.swap_bytes();
        if total < 1e6 {
            return "\"none\"".to_owned();
        }
        let area = self.trouble.recording.manifest.swaps.first().map(|swap| swap.path.clone()).unwrap_or_default();
        if area.contains("zram") {
            return format!("{{ zram = {} }}", size(total));
        }
        let device = area.rsplit('/').next().unwrap_or_default();
        let on = self.disks.iter().find(|disk| !device.is_empty() && device.starts_with(disk.name.as_str()));
        let disk = on.or(self.disks.first()).map(|disk| disk.name.clone()).unwrap_or_default();
        format!("{{ size = {}, disk = \"{}\" }}", size(total), plain_name(&disk))
    }
}

/// Memory at the onset that is neither free nor cache, bytes.
pub(crate) struct Held {
    system: f64,
    pub(crate) anonymous: f64,
    shared: f64,
}

impl Held {
    pub(crate) fn of(calm: &Stretch<'_>, trouble: &Stretch<'_>) -> Self {
        let at = |metric: &str| at_onset(calm, trouble, metric);
        let total = trouble.recording.manifest.memory_total.as_f64();
        let (anonymous, shared) = (at("AnonPages").unwrap_or(0.0), at("Shmem").unwrap_or(0.0));
        let available = at("MemAvailable").unwrap_or(total * 0.9);
        Self { system: (total - available - anonymous - shared).max(total / 100.0), anonymous, shared }
    }
}

/// What the scenario calls the group with this path.
fn group_name(path: &str) -> Option<String> {
    path.rsplit('/').find(|part| !part.is_empty()).map(plain_name)
}

/// The limits of a group's IO on a disk.
fn io_max(disk: &DiskModel, limits: &[(String, [Option<f64>; 4])]) -> Option<String> {
    let (_, limits) = limits.iter().find(|(name, _)| *name == disk.name)?;
    let keys = ["read", "write", "read_iops", "write_iops"];
    let limit = |(limit, key): (&Option<f64>, &str)| {
        let limit = (*limit)?;
        Some(if key.ends_with("iops") {
            format!("{key} = {}", whole(limit.max(1.0)))
        } else {
            format!("{key} = {}", per_second(limit))
        })
    };
    let limits: Vec<String> = limits.iter().zip(keys).filter_map(limit).collect();
    Some(format!("{{ disk = \"{}\", {} }}", plain_name(&disk.name), limits.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Command, Did};
    use crate::disk;
    use pagetide_core::{Column, Kind as MetricKind, Manifest, Recording, RecordingBuilder, Stamp, Unit};

    fn moments() -> Recording {
        let mut made = RecordingBuilder::new(Manifest::default());
        for second in 0..=20 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
        }
        made.finish()
    }

    /// Loads that run for 20 s, and nothing else.
    fn text_of<'a>(calm: Stretch<'a>, loads: &'a [CommandLoad]) -> Text<'a> {
        Text {
            calm,
            trouble: calm.with(calm.to, 20_000_000_000),
            disks: &[],
            loads,
            group_memory: &[],
            cache: 0.0,
            reclaim_slowdown: None,
            throttled: &[],
            changes: &[],
            guesses: &[],
            factors: Factors::FIRST,
        }
    }

    /// Their programs.
    fn programs_of(calm: Stretch<'_>, loads: &[CommandLoad]) -> Programs {
        text_of(calm, loads).programs(20.0)
    }

    #[test]
    fn what_goes_as_fast_as_a_disk_without_a_known_limit_has_files_by_what_it_did() {
        let recording = moments();
        let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let bytes = |rate: Option<f64>| {
            let command = Command {
                trouble: Did { written: 40e6, active: 4, waits: 4.0, ..Did::default() },
                appeared: Some(calm.to),
                ran: [1.0; 2],
                ..Command::default()
            };
            let kind = Kind::Write { rate, block: 1048576.0, direct: true, sync_every: None, random: None };
            programs_of(calm, &[CommandLoad::new(&command, kind, false)]).files[&0]
        };
        // Four processes that write 40 MB/s together, for 10 s.
        assert!((bytes(None) - 16.0 * 40e6 * 10.0 * 1.2).abs() < 1.0, "{}", bytes(None));
        assert!((bytes(Some(2e6)) - 2e6 * 10.0 * 1.2).abs() < 1.0, "{}", bytes(Some(2e6)));
    }

    #[test]
    fn many_that_write_a_disk_share_the_files_that_it_could_fill() {
        let recording = moments();
        let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let disks = [DiskModel { bandwidth: Some(100e6), ..DiskModel::default() }];
        let bytes = |processes: usize| {
            let command = Command {
                trouble: Did { written: 40e6, active: processes, waits: processes as f64, ..Did::default() },
                appeared: Some(calm.to),
                ran: [1.0; 2],
                ..Command::default()
            };
            let kind = Kind::Write { rate: None, block: 1048576.0, direct: true, sync_every: None, random: None };
            let loads = [CommandLoad::new(&command, kind, false)];
            Text { disks: &disks, ..text_of(calm, &loads) }.programs(20.0).files[&0]
        };
        // 100 MB/s for 10 s, and a fifth more.
        assert!((bytes(1) - 1.2e9).abs() < 1e6, "{}", bytes(1));
        assert!((bytes(8) - 2.0 * 1.2e9).abs() < 1e6, "all together: {}", bytes(8));
    }

    #[test]
    fn new_processes_of_one_command_are_one_program_whatever_their_groups() {
        let recording = moments();
        let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let programs = |ran_before: bool| {
            let load = |group: &str| {
                let appeared = (!ran_before).then_some(calm.to);
                let command = Command {
                    name: "pod".to_owned(),
                    group: Some(format!("/sys/fs/cgroup/{group}")),
                    appeared,
                    ran: [1.0; 2],
                    ..Command::default()
                };
                CommandLoad::new(&command, Kind::Spin { cpus: 1.0 }, ran_before)
            };
            let Programs { parts, culprits, .. } = programs_of(calm, &["one", "two"].map(load));
            let shared = parts.iter().filter(|part| part.contains("process = \"pod\"")).count();
            (shared, culprits.len())
        };
        assert_eq!(programs(false), (1, 1));
        assert_eq!(programs(true), (0, 0), "each does what it usually does");
    }

    #[test]
    fn who_ran_before_is_there_before_it_does_what_it_did_in_the_incident() {
        let recording = moments();
        let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let programs = |phase: Phase, appeared: Option<i64>, usual: bool, waits: f64| {
            let load = |ran_before: bool| {
                let (calm, trouble) = (Did { cpu: 0.02, ..Did::default() }, Did { waits, ..Did::default() });
                let name = "service".to_owned();
                let command = Command { name, appeared, phase, calm, trouble, ran: [1.0; 2], ..Command::default() };
                CommandLoad::new(&command, Kind::Spin { cpus: 1.0 }, ran_before)
            };
            let parts = programs_of(calm, &[load(false), load(usual)]).parts;
            parts.into_iter().filter(|part| part.contains("-usual@")).collect::<Vec<_>>()
        };
        let there = programs(Phase::Whole, None, false, 0.5);
        let pace = "compute = \"2000000ns\", think = \"98000000ns\", repeat = true, time = \"10000ms\"";
        assert!(there.len() == 1 && there[0].contains(pace), "{there:?}");
        assert!(there[0].contains("process = \"service\"") && !there[0].contains("delay"), "{there:?}");
        assert_eq!(programs(Phase::Changed, Some(calm.to), false, 0.5).len(), 1, "it turns at the onset");
        assert!(programs(Phase::Whole, Some(calm.to), false, 0.5).is_empty(), "it came");
        assert!(programs(Phase::Whole, None, true, 0.5).is_empty(), "what it usually does is a load");
        assert!(programs(Phase::Whole, None, false, 0.0).is_empty(), "it waits for nothing");
    }

    #[test]
    fn disks_that_wrote_before_have_their_shares_of_dirty_memory() {
        let mut made = RecordingBuilder::new(Manifest::default());
        let column = Column { name: "write_sectors".to_owned(), kind: MetricKind::Counter, unit: Unit::Count };
        for second in 0..=20 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            for (disk, sectors) in [("vda", 0), ("vdb", 300_000), ("vdc", 100_000)] {
                made.value(Table::Disk, disk, &column, sectors + second);
            }
        }
        let recording = made.finish();
        let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
        let disks = ["vda", "vdb", "vdc"].map(|name| disk::model(&calm, calm.to, name, &mut Vec::new()));
        let shares = |sync_every: Option<f64>, ran_before: bool| {
            let kind = Kind::Write { rate: Some(1e6), block: 4096.0, direct: false, sync_every, random: None };
            let loads = [CommandLoad::new(&Command::default(), kind, ran_before)];
            let text = Text { disks: &disks, ..text_of(calm, &loads) };
            let all = text.written_before().into_iter();
            all.map(|(disk, bytes)| (disk.to_owned(), bytes / 1048576.0)).collect::<Vec<_>>()
        };
        assert_eq!(shares(None, true), [("vdb".to_owned(), 12.0), ("vdc".to_owned(), 4.0)], "vda never wrote");
        assert_eq!(shares(Some(65536.0), true), [], "it waits for its writes");
        assert_eq!(shares(None, false), [], "it comes with the incident");
    }
}
