//! Reads the TOML of a scenario. Every error names its line.

use super::{
    Action, Claim, DeviceChange, DropCaches, FileSystem, FioJob, GroupSpec, Headline, Load, Machine, PageSample,
    Parallel, Part, Place, Scenario, Step, SwapSpec, Swaps, TimedChange, name, page_sample,
};
use crate::error::Error;
use crate::figure::{Figure, Figures};
use crate::quantity::{Dimension, Quantity, Unit};
use crate::suggest;
use crate::units::{Bytes, BytesPerSecond, Nanos};
use serde::de::{self, Deserialize, Deserializer, MapAccess};
use std::collections::{BTreeMap, HashSet};
use std::fmt;

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScenario {
    id: String,
    title: String,
    source: String,
    #[serde(default)]
    about: String,
    headline: Option<toml::Spanned<Headline>>,
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default, deserialize_with = "page_sample::optional")]
    trace: Option<PageSample>,
    machine: Machine,
    #[serde(default, rename = "step")]
    steps: Vec<toml::Spanned<RawItem<false>>>,
    #[serde(default, rename = "claim")]
    claims: Vec<toml::Spanned<Claim>>,
}

/// A step, or a part of a parallel step, as it stands in the file.
#[derive(Debug, Default)]
struct RawItem<const PART: bool> {
    name: Option<String>,
    process: Option<String>,
    title: String,
    fio: Option<toml::Table>,
    parallel: Option<Vec<RawItem<true>>>,
    actions: Vec<Action>,
    cgroup: Option<GroupSpec>,
    meanwhile: Vec<TimedChange>,
    delay: Nanos,
    background: bool,
    predicted_from: Option<String>,
    published: BTreeMap<String, toml::Value>,
}

impl<const PART: bool> RawItem<PART> {
    /// The keys that are not a kind of step; the first one is its name.
    const HEAD: &'static [&'static str] = if PART {
        &["name", "process", "cgroup", "delay", "background", "published"]
    } else {
        &["id", "title", "cgroup", "meanwhile", "predicted_from", "published"]
    };

    /// The kinds that it can be.
    fn kinds() -> impl Iterator<Item = &'static str> {
        let actions = if PART { &[] } else { Action::KINDS };
        actions.iter().chain(Load::KINDS).map(|(key, _)| *key)
    }
}

/// A key of an item, checked while the reader still knows its line.
struct Key<const PART: bool>(String);

impl<'de, const PART: bool> Deserialize<'de> for Key<PART> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = String::deserialize(deserializer)?;
        let known = || RawItem::<PART>::HEAD.iter().copied().chain(RawItem::<PART>::kinds());
        if known().any(|known| known == key) {
            return Ok(Self(key));
        }
        let known: Vec<String> = known().map(|known| format!("`{known}`")).collect();
        Err(de::Error::custom(format!("unknown field `{key}`, expected one of {}", known.join(", "))))
    }
}

impl<'de, const PART: bool> Deserialize<'de> for RawItem<PART> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<const PART: bool>;
        impl<'de, const PART: bool> de::Visitor<'de> for Visitor<PART> {
            type Value = RawItem<PART>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(if PART { "a part of a parallel step" } else { "a step" })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut item = RawItem::<PART>::default();
                while let Some(Key(key)) = map.next_key::<Key<PART>>()? {
                    match key.as_str() {
                        "id" | "name" => item.name = Some(map.next_value()?),
                        "process" => item.process = Some(map.next_value()?),
                        "title" => item.title = map.next_value()?,
                        "cgroup" => item.cgroup = Some(map.next_value()?),
                        "meanwhile" => item.meanwhile = map.next_value()?,
                        "delay" => item.delay = map.next_value()?,
                        "predicted_from" => item.predicted_from = Some(map.next_value()?),
                        "background" => item.background = map.next_value()?,
                        "published" => item.published = map.next_value()?,
                        "fio" => item.fio = Some(map.next_value()?),
                        "parallel" => item.parallel = Some(map.next_value()?),
                        key => item.actions.extend(Action::read(key, &mut map)?),
                    }
                }
                if item.name.is_none() {
                    return Err(de::Error::missing_field(RawItem::<PART>::HEAD[0]));
                }
                Ok(item)
            }
        }
        deserializer.deserialize_map(Visitor::<PART>)
    }
}

/// The byte offsets at which the lines of a text start.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// The line of a byte offset, from 1.
    fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }
}

/// Keys of earlier versions and what replaced them.
const RENAMED: [(&str, &str); 4] =
    [("names", "stat_missing"), ("walked", "hot"), ("linger", "hold_for"), ("beside", "folder_of")];

/// Rewords serde's list of expected names as a suggestion.
fn unknown_name(place: &str, message: &str) -> Error {
    let message = message.lines().next().unwrap_or_default();
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let Some((unknown, known)) = words.split_first().filter(|(_, known)| !known.is_empty()) else {
        return Error::input(format!("{place}: {message}"), "");
    };
    let what = match message.strip_prefix("unknown ").and_then(|rest| rest.split_once(' ')) {
        Some(("variant", _)) => "value",
        Some(("field", _)) => "key",
        _ => return Error::input(format!("{place}: {message}"), ""),
    };
    let renamed = RENAMED.iter().find(|(old, new)| old == unknown && known.contains(new));
    let hint = renamed.map_or_else(
        || format!("known {what}s: {}", known.join(", ")),
        |(old, new)| format!("`{old}` is called `{new}` now"),
    );
    Error::input(format!("{place}: unknown {what} `{unknown}`{}", suggest::hint(unknown, known.iter().copied())), hint)
}

impl Scenario {
    /// Bytes of a scenario's file at most: 40 000 steps take 3 MiB. What is read of it takes some 100 times as much.
    pub const LARGEST_FILE: u64 = 4 << 20;

    /// Reads a scenario. `file` is its name, for messages.
    ///
    /// # Errors
    /// Something in it is wrong; the error names the line and the fix.
    pub fn parse(text: &str, file: &str) -> Result<Self, Error> {
        scenario(text, file)
    }
}

fn scenario(text: &str, file: &str) -> Result<Scenario, Error> {
    let lines = Lines::new(text);
    let raw: RawScenario = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| format!("{file}:{}", lines.line(span.start)));
        unknown_name(line.as_deref().unwrap_or(file), error.message())
    })?;
    name::plain(&raw.id, "scenario", file)?;
    machine(&raw.machine, file)?;
    let (mut steps, mut ids): (Vec<Step>, HashSet<String>) = Default::default();
    for raw_step in raw.steps {
        let place = format!("{file}:{}", lines.line(raw_step.span().start));
        let step = step(raw_step.into_inner(), &place, &steps, &raw.machine)?;
        unique(!ids.insert(step.id.clone()), "step", &step.id, &place)?;
        if step.predicted_from.is_some() && raw.trace.is_none() {
            return Err(Error::input(
                format!("{place}: predicted_from needs the trace of the run"),
                "add trace = true above [machine]",
            ));
        }
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(Error::input(format!("{file}: no steps"), "add a [[step]]"));
    }
    let (mut claims, mut ids): (Vec<Claim>, HashSet<String>) = Default::default();
    for raw_claim in raw.claims {
        let place = format!("{file}:{}", lines.line(raw_claim.span().start));
        let claim = raw_claim.into_inner();
        unique(!ids.insert(claim.id.clone()), "claim", &claim.id, &place)?;
        claims.push(claim);
    }
    let about = raw.about.trim().to_owned();
    let headline_line = raw.headline.as_ref().map(|headline| lines.line(headline.span().start));
    let scenario = Scenario {
        id: raw.id,
        title: raw.title,
        source: raw.source,
        about,
        headline: raw.headline.map(toml::Spanned::into_inner).unwrap_or_default(),
        notes: raw.notes,
        trace: raw.trace,
        machine: raw.machine,
        steps,
        claims,
    };
    let mut ids: Vec<String> = scenario.result_ids().collect();
    if let Some((unknown, _)) = scenario.headline.figures().find(|(step, _)| !ids.iter().any(|id| id == step)) {
        let place = headline_line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"));
        let hint = suggest::nearest(unknown, ids.iter().map(String::as_str));
        return Err(Error::input(
            format!("{place}: the headline names the step `{unknown}`, which does not exist"),
            hint.map_or_else(|| format!("steps: {}", ids.join(", ")), |near| format!("did you mean `{near}`?")),
        ));
    }
    ids.sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::input(
            format!("{file}: two results are called `{}`", pair[0]),
            "results are called STEP and STEP_PART: rename a step or a part",
        )),
        None => Ok(scenario),
    }
}

fn unique(taken: bool, what: &str, id: &str, place: &str) -> Result<(), Error> {
    if taken { Err(Error::input(format!("{place}: {what} `{id}` exists already"), "use another id")) } else { Ok(()) }
}

fn machine(machine: &Machine, file: &str) -> Result<(), Error> {
    let Some(first) = machine.disks.first() else {
        return Err(Error::input(format!("{file}: the machine has no disk"), "add a [[machine.disk]]"));
    };
    if first.filesystem == FileSystem::None {
        return Err(Error::input(
            format!("{file}: the first disk has no file system"),
            "files are on the first disk: put one with a file system first",
        ));
    }
    if let Some(factor) = machine.reclaim_slowdown.filter(|factor| factor.get() > Machine::MAX_RECLAIM_SLOWDOWN) {
        return Err(Error::input(
            format!("{file}: reclaim_slowdown is {factor}"),
            format!("write a number from 1 to {}", Machine::MAX_RECLAIM_SLOWDOWN),
        ));
    }
    name::sysctls(machine.sysctl.keys(), file)?;
    let mut names = HashSet::new();
    for disk in &machine.disks {
        name::plain(&disk.name, "disk", file)?;
        unique(!names.insert(&disk.name), "disk", &disk.name, file)?;
        no_zero_limit(disk.iops, disk.bandwidth, &disk.name, file)?;
    }
    if let SwapSpec::Disk { disk, .. } = &machine.swap {
        machine.disk(Some(disk), file)?;
    }
    Ok(())
}

/// A disk that does nothing never ends a request.
fn no_zero_limit(iops: Option<u64>, bandwidth: Option<BytesPerSecond>, disk: &str, place: &str) -> Result<(), Error> {
    let limits = [("iops", iops), ("bandwidth", bandwidth.map(BytesPerSecond::get))];
    limits.into_iter().find(|(_, limit)| *limit == Some(0)).map_or(Ok(()), |(name, _)| {
        let what = format!("{place}: {name} of disk `{disk}` is 0, so that no request would end");
        Err(Error::input(what, format!("write 1 at least, or leave {name} out for no limit")))
    })
}

fn step(raw: RawItem<false>, place: &str, before: &[Step], machine: &Machine) -> Result<Step, Error> {
    let id = raw.name.unwrap_or_default();
    name::word(&id, "step", place)?;
    let mut actions = raw.actions;
    let drops = |action: &Action| matches!(action, Action::DropCaches(DropCaches(true)));
    let drop_caches = actions.iter().any(drops);
    if actions.len() > 1 || raw.fio.is_some() || raw.parallel.is_some() {
        // Beside another action it is what happens before that.
        actions.retain(|action| !matches!(action, Action::DropCaches(_)));
    }
    actions.extend(raw.fio.map(|table| fio_job(table, place, before)).transpose()?.map(Action::Fio));
    if let Some(parts) = raw.parallel {
        let parts = parts.into_iter().map(|raw| part(raw, place)).collect::<Result<_, _>>()?;
        actions.push(Action::Parallel(Parallel(parts)));
    }
    let action = only_one(actions, "step", &id, RawItem::<false>::kinds(), place, Action::kind)?;
    action.spec().check().map_err(|error| at(&format!("{place}: {}", action.kind()), error))?;
    if raw.cgroup.is_some() && !matches!(action, Action::Fio(_) | Action::Load(_)) {
        return Err(Error::input(
            format!("{place}: a {} step has no process for a control group", action.kind()),
            "move cgroup to a fio step, a load or a part",
        ));
    }
    if !raw.meanwhile.is_empty() && !matches!(action, Action::Parallel(_)) {
        return Err(Error::input(
            format!("{place}: meanwhile belongs to parallel steps"),
            "make it a parallel step, or a step of its own before this one",
        ));
    }
    let parts = if let Action::Parallel(Parallel(parts)) = &action { &parts[..] } else { &[] };
    raw.meanwhile.iter().try_for_each(|change| change.check(parts).map_err(|error| at(place, error)))?;
    let title = if raw.title.is_empty() { action.spec().describe() } else { raw.title };
    let published = figures(&raw.published, place)?;
    let step = Step {
        id,
        title,
        drop_caches,
        action,
        cgroup: raw.cgroup,
        meanwhile: raw.meanwhile,
        predicted_from: raw.predicted_from,
        published,
    };
    references(&step, before, machine, place)?;
    Ok(step)
}

fn part(raw: RawItem<true>, place: &str) -> Result<Part, Error> {
    let name = raw.name.unwrap_or_default();
    name::word(&name, "part", place)?;
    raw.process.iter().try_for_each(|process| name::word(process, "process", place))?;
    let loads = raw.actions.into_iter().filter_map(|action| match action {
        Action::Load(load) => Some(load),
        _ => None,
    });
    let load = only_one(loads.collect(), "part", &name, RawItem::<true>::kinds(), place, Load::kind)?;
    let published = figures(&raw.published, place)?;
    Ok(Part {
        name,
        process: raw.process,
        load,
        cgroup: raw.cgroup,
        delay: raw.delay,
        background: raw.background,
        published,
    })
}

/// Reads a fio table. `same_as` takes all options that the table leaves out from the earlier step it names.
fn fio_job(mut table: toml::Table, place: &str, before: &[Step]) -> Result<FioJob, Error> {
    if let Some(same) = table.remove("same_as") {
        let id = same.as_str().unwrap_or_default();
        let jobs = || {
            before.iter().filter_map(|step| match &step.action {
                Action::Fio(job) => Some((step.id.as_str(), job)),
                _ => None,
            })
        };
        let Some((_, job)) = jobs().find(|(step, _)| *step == id) else {
            return Err(Error::input(
                format!("{place}: no fio step `{id}` before this step{}", suggest::hint(id, jobs().map(|(id, _)| id))),
                "write same_as = the id of an earlier fio step",
            ));
        };
        let inherited = toml::Table::try_from(job).map_err(|error| Error::input(format!("{place}: {error}"), ""))?;
        for (key, value) in inherited {
            table.entry(key).or_insert(value);
        }
    }
    table.try_into().map_err(|error: toml::de::Error| unknown_name(place, error.message()))
}

/// The single action of a step or a part.
fn only_one<T>(
    mut actions: Vec<T>,
    what: &str,
    id: &str,
    kinds: impl Iterator<Item = &'static str>,
    place: &str,
    kind: impl Fn(&T) -> &'static str,
) -> Result<T, Error> {
    match (actions.pop(), actions.is_empty()) {
        (Some(action), true) => Ok(action),
        (last, _) => {
            let given: Vec<&str> = actions.iter().chain(&last).map(kind).collect();
            let given =
                if given.is_empty() { "no action".to_owned() } else { format!("actions {}", given.join(" and ")) };
            Err(Error::input(
                format!("{place}: {what} `{id}`: {given}: a {what} needs exactly one"),
                format!("one of {}", kinds.collect::<Vec<_>>().join(", ")),
            ))
        }
    }
}

/// An error with the place where it is.
fn at(place: &str, error: Error) -> Error {
    Error { what: format!("{place}: {}", error.what), ..error }
}

impl Machine {
    /// The disk of this name, or the first.
    fn disk(&self, name: Option<&str>, place: &str) -> Result<&super::DiskSpec, Error> {
        let known = || self.disks.iter().map(|disk| disk.name.as_str());
        self.disks.iter().find(|disk| name.is_none_or(|name| disk.name == name)).ok_or_else(|| {
            let name = name.unwrap_or_default();
            Error::input(
                format!("{place}: `{name}` is not a disk of this machine{}", suggest::hint(name, known())),
                format!("disks: {}", known().collect::<Vec<_>>().join(", ")),
            )
        })
    }
}

/// Checks what a step refers to: earlier steps, and disks with or without a file system.
fn references(step: &Step, before: &[Step], machine: &Machine, place: &str) -> Result<(), Error> {
    if let Some(id) = &step.predicted_from {
        let readers =
            before.iter().chain([step]).filter(|step| matches!(&step.action, Action::Fio(job) if job.reads_only()));
        let readers: Vec<&str> = readers.map(|step| step.id.as_str()).collect();
        let earlier: Vec<&str> = readers.iter().copied().filter(|reader| *reader != step.id).collect();
        if !readers.contains(&step.id.as_str()) || !earlier.contains(&id.as_str()) {
            return Err(Error::input(
                format!("{place}: predicted_from: no hit ratio of step `{}` can be predicted from `{id}`", step.id),
                format!("both must be fio steps that only read; before this one: {}", earlier.join(", ")),
            ));
        }
    }
    name::sysctls(step.sysctls().flat_map(|settings| settings.0.keys()), place)?;
    for DeviceChange { disk, iops, bandwidth, .. } in step.device_changes() {
        no_zero_limit(*iops, *bandwidth, disk, place)?;
        if !machine.disk(Some(disk), place)?.delays() {
            return Err(Error::input(
                format!("{place}: disk `{disk}` has no latency, so its limits cannot change during a run"),
                "give the disk a latency in [[machine.disk]], for example latency = \"1us\"",
            ));
        }
    }
    match &step.action {
        Action::Release(id) => {
            let holds = before.iter().filter(|step| matches!(step.action, Action::Hold(_)));
            let holds: Vec<&str> = holds.map(|step| step.id.as_str()).collect();
            if !holds.contains(&id.0.as_str()) {
                return Err(Error::input(
                    format!("{place}: no hold step `{}` before this step{}", id.0, suggest::hint(&id.0, holds)),
                    "write release = the id of a hold step",
                ));
            }
        }
        Action::Swap(Swaps(areas)) => {
            for area in areas {
                if let SwapSpec::Disk { disk, .. } = area {
                    machine.disk(Some(disk), place)?;
                }
            }
        }
        Action::Fio(job) => drop(machine.disk(job.disk.as_deref(), place)?),
        _ => {}
    }
    for load in step.loads() {
        for at in load.stored() {
            let disk = machine.disk(at.disk(), place)?;
            if at.is_file() && disk.filesystem == FileSystem::None {
                return Err(Error::input(
                    format!("{place}: {at}: disk `{}` has no file system", disk.name),
                    "write disk:NAME for the block device, or give the disk a filesystem",
                ));
            }
        }
        if let Some((at @ Place::Disk(name), _)) = load.spec().writes()
            && machine.disk(Some(name), place)?.filesystem != FileSystem::None
        {
            return Err(Error::input(
                format!("{place}: {at}: the write would destroy its file system"),
                "give the disk filesystem = \"none\"",
            ));
        }
    }
    for group in step.cgroups() {
        name::plain(&group.name, "control group", place)?;
        let limits = [("memory_max", group.memory_max), ("memory_high", group.memory_high)];
        if let Some((limit, _)) = limits.into_iter().find(|(_, limit)| *limit == Some(Bytes::ZERO)) {
            let what = format!("{place}: {limit} of cgroup {} is 0, so that nothing could run in it", group.name);
            return Err(Error::input(what, format!("leave {limit} out for no limit")));
        }
        if let Some(cpus) = group.cpu_max.filter(|cpus| !GroupSpec::CPU_MAX.contains(cpus)) {
            return Err(Error::input(
                format!("{place}: cpu_max = {cpus} is not a number of CPUs"),
                "write 0.01 to 4096, such as 0.5 for half of a CPU",
            ));
        }
        for limit in &group.io_max {
            machine.disk(Some(&limit.disk), place)?;
        }
    }
    Ok(())
}

/// The figures of a `published` table.
fn figures(table: &BTreeMap<String, toml::Value>, place: &str) -> Result<Figures, Error> {
    let mut figures = Figures::default();
    for (name, value) in table {
        let figure = Figure::by_name(name).ok_or_else(|| {
            let known = Figure::ALL.iter().map(|figure| figure.name());
            Error::input(
                format!("{place}: `{name}` is not a figure{}", suggest::hint(name, known.clone())),
                format!("figures: {}", known.collect::<Vec<_>>().join(", ")),
            )
        })?;
        let value =
            published(figure, value).map_err(|why| Error::input(format!("{place}: published {name}: {why}"), ""))?;
        figures.set(figure, value);
    }
    Ok(figures)
}

/// A published number in the figure's own unit.
fn published(figure: Figure, value: &toml::Value) -> Result<f64, String> {
    let unit = figure.unit();
    let (wanted, factor) = unit.base();
    let bare = wanted == Dimension::default() || unit == Unit::PerSecond;
    match value {
        toml::Value::Integer(number) if bare => Ok(*number as f64),
        toml::Value::Float(number) if bare => Ok(*number),
        toml::Value::String(text) => {
            let quantity = Quantity::parse(text).map_err(|error| error.to_string())?;
            let (dimension, from) = quantity.unit.base();
            if dimension == wanted && quantity.unit != Unit::Count {
                Ok(quantity.value * from / factor)
            } else {
                Err(format!("`{text}` has the wrong unit"))
            }
        }
        other => Err(format!("`{other}` has no unit (write text with a unit, such as \"448ms\" or \"2GiB\")")),
    }
}

#[cfg(test)]
mod tests;
