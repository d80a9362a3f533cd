//! A scenario that shows what a recording shows.

use crate::command::{self, Command};
use crate::disk::{self, DiskModel};
use crate::guess::Guess;
use crate::load::{self, CommandLoad, HostShape, Kind};
use crate::stretch::{Stretch, whole};
use pagetide_core::{Diagnosis, Error, Lru, Nanos, Recording, Scenario, Span, Table};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The longest incident and the longest time before it that a scenario repeats, s.
const TROUBLE: f64 = 60.0;
const CALM: f64 = 30.0;
/// The shortest.
const SHORTEST: f64 = 4.0;
/// Commands that a scenario has at most: those that do most.
const MOST_LOADS: usize = 12;
/// Settings of the kernel that the model has.
const SYSCTLS: [&str; 11] = [
    "vm.swappiness",
    "vm.dirty_ratio",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_background_bytes",
    "vm.dirty_expire_centisecs",
    "vm.dirty_writeback_centisecs",
    "vm.min_free_kbytes",
    "vm.watermark_scale_factor",
    "vm.page-cluster",
    "vm.vfs_cache_pressure",
];

/// The id of the step in which it happens.
pub const INCIDENT: &str = "incident";

/// A scenario made of a recording.
#[derive(Debug, Clone)]
pub struct Synthesis {
    /// The scenario as a text that people can read and edit, with the guesses as comments.
    pub toml: String,
    /// The same, read.
    pub scenario: Scenario,
    /// What the recording does not tell.
    pub guesses: Vec<Guess>,
    /// The part of the recording that it repeats: what was before the incident, and the incident.
    pub calm: Span,
    /// The incident, or its first minute.
    pub trouble: Span,
    /// Parts of the scenario that began the incident, by name.
    pub culprits: Vec<String>,
    /// Time between samples of the recording.
    pub interval: Nanos,
}

/// Makes a scenario of the first incident of a recording.
///
/// # Errors
/// There is no incident with a cause, or the recording does not say enough.
pub fn synthesise(recording: &Recording, diagnosis: &Diagnosis) -> Result<Synthesis, Error> {
    let hint = "record the host with `pagetide record`, as root, while it happens";
    let refuse = |what: &str| Err(Error::input(what.to_owned(), hint));
    let Some(incident) = diagnosis.incidents.iter().find(|incident| incident.cause.is_some()) else {
        return Err(Error::input(
            "the recording has no incident with a cause: there is nothing to reproduce",
            "`pagetide diagnose` says what it shows",
        ));
    };
    let Some((begin, end)) = recording.span() else { return refuse("the recording has no samples") };
    if recording.manifest.cpus == 0 || recording.manifest.memory_total.get() == 0 {
        return refuse("the recording does not say how many CPUs and how much memory the host has");
    }
    if recording.entities(Table::Process).next().is_none() {
        return refuse("the recording has no processes: it does not say who did what");
    }
    let ns = |seconds: f64| whole(seconds * 1e9).cast_signed();
    let from = incident.range.from.ns().clamp(begin, end);
    let to = incident.range.to.ns().clamp(from, end).min(from.saturating_add(ns(TROUBLE)));
    let trouble = Stretch { recording, from, to };
    let calm = Stretch { recording, from: from.saturating_sub(ns(CALM)).max(begin), to: from };
    if trouble.seconds() < SHORTEST {
        return refuse("the incident is shorter than 4 s: too few samples to say what each process did");
    }
    let mut guesses = Vec::new();
    if calm.seconds() < SHORTEST {
        guesses.push(Guess::new(
            "what ran at the first sample ran before the incident",
            "the recording begins with it: it has no time before",
        ));
    }
    let whole = trouble.with(calm.from, to);
    let disks: Vec<DiskModel> = disk::used(&whole).iter().map(|name| disk::model(&whole, name, &mut guesses)).collect();
    if disks.is_empty() {
        return refuse("the recording has no disks, or none of them did anything");
    }
    let mut loads = loads(&calm, &trouble, &mut guesses);
    book_flushes(&trouble, &disks, &mut loads, &mut guesses);
    if loads.is_empty() {
        return refuse(
            "no process of the recording read, wrote or took memory in the incident: the IO of other users' processes needs root",
        );
    }
    let mut scenario = Text { calm: &calm, trouble: &trouble, disks: &disks, loads: &loads, guesses: &mut guesses };
    let (toml, culprits) = scenario.write();
    let scenario = Scenario::parse(&toml, "reproduction.toml")?;
    Ok(Synthesis {
        toml,
        scenario,
        guesses,
        calm: Span::new(calm.from, calm.to),
        trouble: Span::new(trouble.from, trouble.to),
        culprits,
        interval: recording.manifest.interval,
    })
}

/// A gauge of the host when the incident began.
fn at_onset(calm: &Stretch<'_>, trouble: &Stretch<'_>, metric: &str) -> Option<f64> {
    let last = calm.ends(Table::Host, "", metric).map(|ends| ends.1);
    last.or_else(|| trouble.ends(Table::Host, "", metric).map(|ends| ends.0))
}

/// The loads of the commands that did most.
fn loads(calm: &Stretch<'_>, trouble: &Stretch<'_>, guesses: &mut Vec<Guess>) -> Vec<CommandLoad> {
    let rate = |metric: &str| trouble.host_rate(metric).unwrap_or(0.0);
    let cache_at_onset = at_onset(calm, trouble, "Cached").unwrap_or(0.0);
    let grown = trouble.ends(Table::Host, "", "Cached").map_or(0.0, |(from, to)| to - from);
    let stolen = rate("pgsteal_kswapd") + rate("pgsteal_direct") - rate("pgsteal_anon");
    let host = HostShape {
        memory: calm.recording.manifest.memory_total.as_f64(),
        cache: cache_at_onset - calm.host("Shmem").unwrap_or(0.0),
        read: rate("pgpgin") * 1024.0,
        cached: (grown / trouble.seconds() + stolen * 4096.0).max(0.0),
        read_size: disk::read_size(trouble, trouble.recording).unwrap_or(4096.0),
    };
    let mut commands = command::all(calm, trouble);
    let weight = |command: &Command| {
        let did = [&command.calm, &command.trouble];
        let io = did.iter().map(|did| did.read + did.written + did.asked / 16.0).fold(0.0, f64::max);
        let grown = (command.trouble.anon.1 - command.trouble.anon.0).max(0.0) / trouble.seconds();
        io + grown + command.trouble.cpu * 1e6
    };
    commands.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    commands.truncate(MOST_LOADS);
    // Commands that share a cache have it in proportion to what they ask for.
    let pool = |command: &Command| command.group.clone().filter(|path| path.as_str() != "/");
    let mut asked: BTreeMap<Option<String>, f64> = BTreeMap::new();
    for command in &commands {
        *asked.entry(pool(command)).or_default() += command.calm.asked;
    }
    let share = |command: &Command| {
        let own = command.calm.asked;
        let all = asked.get(&pool(command)).copied().unwrap_or(own);
        if all > 0.0 { own / all } else { 1.0 }
    };
    let file = |command: &Command| {
        let path = pool(command)?;
        let at_onset = calm.ends(Table::Cgroup, &path, "file").map(|ends| ends.1);
        at_onset.or_else(|| trouble.ends(Table::Cgroup, &path, "file").map(|ends| ends.0))
    };
    let mut loads = Vec::new();
    for command in &commands {
        let cache = file(command).map(|bytes| bytes * share(command));
        let shape = HostShape { cache: host.cache * share(command), ..host };
        loads.extend(load::of(command, &shape, cache, guesses));
    }
    for load in &mut loads {
        if let Kind::Grow { to, rate } = &mut load.kind {
            *rate = *to / trouble.seconds();
        }
    }
    loads
}

/// Gives the flushes of the disks to those who write: nobody counts the syncs of a process. A flush of a journal serves all who wait for it.
fn book_flushes(trouble: &Stretch<'_>, disks: &[DiskModel], loads: &mut [CommandLoad], guesses: &mut Vec<Guess>) {
    // The kernel's own writeback and a journal that commits every five seconds flush less often.
    const COMMITS: f64 = 1.0;
    let flushes: f64 = disks.iter().filter_map(|disk| trouble.rate(Table::Disk, &disk.name, "flushes")).sum();
    // Of a sync the journal flushes once before its commit block, and with that block (FUA, or a flush more).
    let syncs = flushes / 2.0;
    let writers =
        |load: &CommandLoad| if let Kind::Write { .. } = load.kind { load.command.trouble.written } else { 0.0 };
    // Who syncs waits for it: writers that wait have the flushes, in proportion to what they write. Delays are not always recorded.
    let told = loads.iter().any(|load| load.command.trouble.waits > 0.01);
    let waits = |load: &CommandLoad| !told || load.command.trouble.waits > 0.01;
    let all: f64 = loads.iter().filter(|load| waits(load)).map(writers).sum();
    if syncs < COMMITS || all <= 0.0 {
        return;
    }
    let every = all / syncs;
    for load in loads.iter_mut().filter(|load| waits(load)) {
        let Kind::Write { sync_every, block, .. } = &mut load.kind else { continue };
        *sync_every = Some(every.max(4096.0));
        *block = block.min(every).max(4096.0);
        guesses.push(Guess::new(
            format!("{} syncs every {:.0} KiB that it writes", load.command.name, every / 1024.0),
            "the flushes of the disks, booked to the writers that wait for IO",
        ));
    }
}

/// Writes the scenario.
struct Text<'a> {
    calm: &'a Stretch<'a>,
    trouble: &'a Stretch<'a>,
    disks: &'a [DiskModel],
    loads: &'a [CommandLoad],
    guesses: &'a mut Vec<Guess>,
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

/// A name that a scenario may have, of one that another user chose.
pub(crate) fn word(name: &str) -> String {
    let kept: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(40).collect();
    if kept.starts_with(|c: char| c.is_ascii_alphabetic()) { kept } else { format!("p{kept}") }
}

impl Text<'_> {
    /// The text, and the parts that began the incident.
    fn write(&mut self) -> (String, Vec<String>) {
        let length = self.calm.seconds() + self.trouble.seconds();
        let (parts, culprits, files) = self.parts(length);
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
        for guess in self.guesses.iter() {
            let _ = writeln!(text, "# guess: {}: {}", guess.what, guess.why);
        }
        let held = self.held();
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
        let settings: Vec<String> = SYSCTLS
            .iter()
            .filter_map(|name| Some((name, manifest.sysctls.get(*name)?.trim().parse::<i64>().ok()?)))
            .filter(|(name, value)| *value > 0 || !name.contains("dirty_"))
            .filter(|(name, _)| !name.ends_with("_ratio") || !self.is_set(&name.replace("_ratio", "_bytes")))
            .map(|(name, value)| format!("\"{name}\" = {value}"))
            .collect();
        let _ = writeln!(text, "sysctl = {{ {} }}", settings.join(", "));
        let cache = self.cache_at_onset();
        let used: f64 = files.values().sum::<f64>() + cache + self.swap_bytes();
        for disk in self.disks {
            let _ = writeln!(
                text,
                "\n[[machine.disk]]\nname = \"{}\"\nsize = {}",
                plain(&disk.name),
                size(used * 1.3 + 1e9)
            );
            let _ = writeln!(text, "latency = \"{}us\"", whole((disk.latency / 1e3).max(1.0)));
            if let Some(iops) = disk.iops {
                let _ = writeln!(text, "iops = {}", whole(iops));
            }
            if let Some(bandwidth) = disk.bandwidth {
                let _ = writeln!(text, "bandwidth = {}", per_second(bandwidth));
            }
            if let Some(ahead) = disk.read_ahead {
                let _ = writeln!(text, "read_ahead = {}", size(ahead));
            }
        }
        self.prepare(&mut text, &held, cache);
        let _ = writeln!(
            text,
            "\n[[step]]\nid = \"{INCIDENT}\"\ntitle = \"before the incident, and the incident\"\nparallel = ["
        );
        for part in parts {
            let _ = writeln!(text, "  {part},");
        }
        text += "]\n";
        (text, culprits)
    }

    fn is_set(&self, name: &str) -> bool {
        let value = self.trouble.recording.manifest.sysctls.get(name);
        value.and_then(|value| value.trim().parse::<i64>().ok()).is_some_and(|value| value > 0)
    }

    /// The steps that fill memory as it was at the onset: what nobody used, then the working sets.
    fn prepare(&self, text: &mut String, held: &Held, cache: f64) {
        for (id, kind, bytes) in [("anonymous", "anon", held.anonymous), ("shared", "shared", held.shared)] {
            if bytes > 1e6 {
                let _ = writeln!(
                    text,
                    "\n[[step]]\nid = \"{id}\"\ntitle = \"memory that programs hold\"\nhold = {{ size = {}, kind = \"{kind}\" }}",
                    size(bytes)
                );
            }
        }
        let sets: f64 =
            self.loads.iter().map(|load| if let Kind::WorkingSet { size, .. } = load.kind { size } else { 0.0 }).sum();
        if cache - sets > 4e6 {
            let bytes = blocks(cache - sets, 1048576.0);
            let _ = writeln!(
                text,
                "\n[[step]]\nid = \"cached\"\ntitle = \"files in the page cache that nobody uses\"\nstream = {{ from = \"file:cached\", size = {bytes} }}"
            );
        }
        for (at, load) in self.loads.iter().enumerate() {
            let Kind::WorkingSet { size, .. } = load.kind else { continue };
            let _ = writeln!(
                text,
                "\n[[step]]\nid = \"warm_{at}\"\ntitle = \"the files of a working set are read\"\nstream = {{ from = \"{}\", size = {} }}",
                self.place(at),
                blocks(size, 1048576.0)
            );
            if let Some(group) = self.group(load) {
                let _ = writeln!(text, "cgroup = {group}");
            }
        }
    }

    /// The file of a load, on the disk that it used as far as that is known: the busiest one.
    fn place(&self, at: usize) -> String {
        format!("file:f{at}@{}", plain(&self.disk_of(&self.loads[at])))
    }

    /// The disk of a load: that on which its group did most, else the one that did what the command did.
    fn disk_of(&self, load: &CommandLoad) -> String {
        let nearest = self.disk_by_rate(load);
        let Some(group) = &load.command.group else { return nearest };
        let recording = self.trouble.recording;
        let of = |disk: &DiskModel| {
            let row = format!("{group}\t{}", disk.name);
            let whole = self.trouble.with(self.calm.from, self.trouble.to);
            recording.series(Table::CgroupDisk, &row, "rbytes")?;
            let rate = |metric| whole.rate(Table::CgroupDisk, &row, metric).unwrap_or(0.0);
            Some((rate("rbytes") + rate("wbytes"), disk.name.clone()))
        };
        let most = self.disks.iter().filter_map(of).max_by(|one, other| one.0.total_cmp(&other.0));
        most.filter(|(bytes, _)| *bytes > 0.0).map_or(nearest, |(_, name)| name)
    }

    /// The disk whose reads, or writes, are nearest to those of a command.
    fn disk_by_rate(&self, load: &CommandLoad) -> String {
        let did = &load.command.trouble;
        let (bytes, metric) =
            if did.written > did.read { (did.written, "write_sectors") } else { (did.read, "read_sectors") };
        let apart = |disk: &&DiskModel| {
            let moved = self.trouble.rate(Table::Disk, &disk.name, metric).unwrap_or(0.0) * 512.0;
            (moved.max(1.0) / bytes.max(1.0)).ln().abs()
        };
        let nearest = self.disks.iter().min_by(|one, other| apart(one).total_cmp(&apart(other)));
        nearest.map(|disk| disk.name.clone()).unwrap_or_default()
    }

    /// The control group of a load, with the limits that it had.
    fn group(&self, load: &CommandLoad) -> Option<String> {
        let path = load.command.group.as_deref().filter(|path| *path != "/")?;
        let name = plain(path.rsplit('/').find(|part| !part.is_empty())?);
        let mut fields = format!("{{ name = \"{name}\"");
        for (metric, key) in [("max", "memory_max"), ("high", "memory_high")] {
            if let Some(limit) =
                self.trouble.mean(Table::Cgroup, path, metric).filter(|limit| *limit > 0.0 && *limit < 1e15)
            {
                let _ = write!(fields, ", {key} = {}", size(limit));
            }
        }
        Some(fields + " }")
    }

    /// The parts of the incident, those that began it, and the sizes of their files.
    fn parts(&mut self, length: f64) -> (Vec<String>, Vec<String>, BTreeMap<usize, f64>) {
        let (mut parts, mut culprits, mut files) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for (at, load) in self.loads.iter().enumerate() {
            let calm = self.calm.seconds();
            let delay = match load.command.appeared {
                Some(appeared) => ((appeared - self.calm.from) as f64 / 1e9).clamp(0.0, length - 1.0),
                None if load.ran_before => 0.0,
                None => calm,
            };
            let time = length - delay;
            let group = self.group(load).map_or_else(String::new, |group| format!(", cgroup = {group}"));
            let delay = if delay > 0.0 { format!(", delay = {}", seconds(delay)) } else { String::new() };
            let at_once = load.at_once();
            for nth in 0..at_once {
                let base = word(&load.command.name);
                let count = names.entry(base.clone()).or_default();
                *count += 1;
                let name = if *count == 1 { base } else { format!("{base}_{count}") };
                if !load.ran_before {
                    culprits.push(name.clone());
                }
                let (work, file) = self.work((at, nth), &load.part_of(at_once), time);
                *files.entry(at).or_default() += file;
                parts.push(format!("{{ name = \"{name}\", {work}{delay}{group} }}"));
            }
        }
        (parts, culprits, files)
    }

    /// What a part does, and the bytes of its file.
    fn work(&self, (at, nth): (usize, usize), load: &CommandLoad, time: f64) -> (String, f64) {
        const MIB: f64 = 1048576.0;
        // Processes share a working set, and each writes a file of its own.
        let place = self.place(at);
        let own =
            if nth == 0 { place.clone() } else { place.replacen(&format!("f{at}@"), &format!("f{at}-{nth}@"), 1) };
        let memory = self.trouble.recording.manifest.memory_total.as_f64();
        // As fast as the disk can.
        let most = self
            .disks
            .iter()
            .find(|disk| disk.name == self.disk_of(load))
            .map_or(1e9, |disk| disk.bandwidth.unwrap_or(disk.iops.unwrap_or(1e5) * 128.0 * 1024.0));
        let pace = |rate: Option<f64>| rate.map_or_else(String::new, |rate| format!(", rate = {}", per_second(rate)));
        let cache = |direct: bool| if direct { ", cache = \"direct\"" } else { "" };
        let until = seconds(time);
        match load.kind {
            Kind::Stream { rate, block, direct } => {
                let bytes = (rate.unwrap_or(most) * time * 1.2).min(1e12);
                let text = blocks(bytes, MIB);
                let fields = format!("bs = {}{}{}", size(block), pace(rate), cache(direct));
                (format!("stream = {{ from = \"{place}\", size = {text}, {fields}, time = {until} }}"), bytes)
            }
            Kind::Cold { rate, block, direct } => {
                let bytes = 4.0 * memory;
                let text = blocks(bytes, block);
                let fields = format!("bs = {}, random = true{}{}", size(block), pace(rate), cache(direct));
                (format!("stream = {{ from = \"{place}\", size = {text}, {fields}, time = {until} }}"), bytes)
            }
            Kind::WorkingSet { rate, block, size: set } => {
                let fields = format!("bs = {}, random = true{}", size(block), pace(Some(rate)));
                let text = blocks(set, MIB);
                (format!("stream = {{ from = \"{place}\", size = {text}, {fields}, time = {until} }}"), set)
            }
            Kind::Write { rate, block, sync_every } => {
                let bytes = (rate.unwrap_or(most) * time * 1.2).min(1e12);
                let text = blocks(bytes, MIB);
                let sync = sync_every.map_or_else(String::new, |bytes| format!(", sync_every = {}", size(bytes)));
                let fields = format!(", bs = {}{}{sync}", size(block), pace(rate));
                (format!("dd = {{ from = \"zero\", to = \"{own}\", size = {text}{fields}, time = {until} }}"), bytes)
            }
            Kind::Grow { to, rate } => {
                let hold = (time - to / rate.max(1.0)).max(0.0);
                let fields = format!("size = {}, rate = {}, fill = \"random\"", size(to), per_second(rate));
                (format!("grow = {{ {fields}, hold_for = {} }}", seconds(hold)), 0.0)
            }
            Kind::Spin => (format!("spin = {{ time = {until} }}"), 0.0),
        }
    }

    /// Memory at the onset that is neither free nor cache.
    fn held(&mut self) -> Held {
        let at = |metric: &str| at_onset(self.calm, self.trouble, metric);
        let total = self.trouble.recording.manifest.memory_total.as_f64();
        let (anonymous, shared) = (at("AnonPages").unwrap_or(0.0), at("Shmem").unwrap_or(0.0));
        let available = at("MemAvailable").unwrap_or(total * 0.9);
        if anonymous > total / 50.0 {
            self.guesses.push(Guess::new(
                "anonymous memory that was there before the incident is not in use",
                "a recording does not tell which pages a program touches",
            ));
        }
        Held { system: (total - available - anonymous - shared).max(total / 100.0), anonymous, shared }
    }

    fn cache_at_onset(&self) -> f64 {
        let at = |metric: &str| at_onset(self.calm, self.trouble, metric).unwrap_or(0.0);
        (at("Cached") - at("Shmem")).max(0.0)
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
        format!("{{ size = {}, disk = \"{}\" }}", size(total), plain(&disk))
    }
}

/// Memory that is neither free nor cache, bytes.
struct Held {
    system: f64,
    anonymous: f64,
    shared: f64,
}

/// A name of a disk or a group.
fn plain(name: &str) -> String {
    let kept: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).take(60).collect();
    if kept.starts_with(|c: char| c.is_ascii_alphanumeric()) { kept } else { format!("d{kept}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_another_user_chose_are_names_that_a_scenario_may_have() {
        for hostile in
            ["", "../../etc", "a\"\n[[step]]", "\u{202e}x", "-rf", "9lives", "kworker/u8:1", &"x".repeat(500)]
        {
            for name in [word(hostile), plain(hostile)] {
                assert!(
                    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.len() <= 64,
                    "{hostile:?}: {name:?}"
                );
                assert!(
                    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'),
                    "{hostile:?}: {name:?}"
                );
            }
            assert!(word(hostile).starts_with(|c: char| c.is_ascii_alphabetic()), "{hostile:?}");
        }
    }
}
