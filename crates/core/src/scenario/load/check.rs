//! From the TOML of a load to a checked one.

use super::{CopySpec, DdSpec, GroupSpec, GrowSpec, Load, NamesSpec, Part, Place, SpinSpec, StreamSpec, WalkSpec};
use crate::error::Error;
use crate::scenario::{Action, FileSystem, Machine, Step, SwapSpec};
use crate::suggest;
use crate::units::{Bytes, Nanos};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The loads that a step or a part may be, as tables of the file.
#[derive(Debug)]
pub(in crate::scenario) struct RawLoads {
    pub(in crate::scenario) stream: Option<StreamSpec>,
    pub(in crate::scenario) dd: Option<DdSpec>,
    pub(in crate::scenario) copy: Option<CopySpec>,
    pub(in crate::scenario) map_and_walk: Option<WalkSpec>,
    pub(in crate::scenario) grow: Option<GrowSpec>,
    pub(in crate::scenario) spin: Option<SpinSpec>,
    pub(in crate::scenario) names: Option<NamesSpec>,
}

impl RawLoads {
    /// All that are given, checked.
    pub(in crate::scenario) fn check(self, place: &str) -> Result<Vec<Load>, Error> {
        let loads: Vec<Load> = [
            self.stream.map(Load::Stream),
            self.dd.map(Load::Dd),
            self.copy.map(Load::Copy),
            self.map_and_walk.map(Load::MapAndWalk),
            self.grow.map(Load::Grow),
            self.spin.map(Load::Spin),
            self.names.map(Load::Names),
        ]
        .into_iter()
        .flatten()
        .collect();
        for load in &loads {
            amounts(load, place)?;
        }
        Ok(loads)
    }
}

/// A part of a parallel step as it stands in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct RawPart {
    name: String,
    stream: Option<StreamSpec>,
    dd: Option<DdSpec>,
    copy: Option<CopySpec>,
    map_and_walk: Option<WalkSpec>,
    grow: Option<GrowSpec>,
    spin: Option<SpinSpec>,
    names: Option<NamesSpec>,
    cgroup: Option<GroupSpec>,
    #[serde(default)]
    delay: Nanos,
    #[serde(default)]
    background: bool,
    #[serde(default)]
    published: BTreeMap<String, toml::Value>,
}

impl RawPart {
    pub(in crate::scenario) fn check(self, place: &str) -> Result<Part, Error> {
        if self.name.is_empty() || !self.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(Error::input(
                format!("{place}: `{}` cannot be a part's name", self.name),
                "use letters, digits and _",
            ));
        }
        let published = crate::scenario::raw::published_figures(&self.published, place)?;
        let raw = RawLoads {
            stream: self.stream,
            dd: self.dd,
            copy: self.copy,
            map_and_walk: self.map_and_walk,
            grow: self.grow,
            spin: self.spin,
            names: self.names,
        };
        let mut loads = raw.check(place)?;
        let count = loads.len();
        match loads.pop() {
            Some(load) if count == 1 => Ok(Part {
                name: self.name,
                load,
                cgroup: self.cgroup,
                delay: self.delay,
                background: self.background,
                published,
            }),
            _ => Err(Error::input(
                format!("{place}: part `{}` does {count} things", self.name),
                "a part does one: stream, dd, copy, map_and_walk, grow, spin or names",
            )),
        }
    }
}

/// What can be wrong in a load alone.
fn amounts(load: &Load, place: &str) -> Result<(), Error> {
    let wrong = |what: String, hint: &str| Err(Error::input(format!("{place}: {}: {what}", load.kind()), hint));
    let block = match load {
        Load::Stream(stream) => Some((stream.bs, stream.size)),
        Load::Dd(dd) => Some((dd.bs, dd.size)),
        Load::Copy(copy) => Some((copy.bs, copy.size)),
        Load::MapAndWalk(_) | Load::Grow(_) | Load::Spin(_) | Load::Names(_) => None,
    };
    if let Some((bs, size)) = block
        && (bs == Bytes::ZERO || size < bs)
    {
        return wrong("size is smaller than bs".into(), "give a size of one block or more");
    }
    let file = |place: &Place| matches!(place, Place::File { .. });
    match load {
        Load::Stream(stream) if !stream.from.stored() => {
            wrong(format!("from = \"{}\"", stream.from), "it reads a file or a disk")
        }
        Load::Stream(stream) if stream.rate.is_some_and(|rate| rate.get() == 0) => {
            wrong("a rate of nothing".into(), "leave rate out to read as fast as it can")
        }
        Load::Stream(stream) if stream.stride.is_some_and(|stride| stride.read < stream.bs) => {
            wrong("a stride that reads less than a block".into(), "make bs smaller or read larger")
        }
        Load::Stream(stream) if stream.stride.is_some() && stream.random => {
            wrong("random and a stride".into(), "leave one of them out")
        }
        Load::Dd(dd) if dd.rate.is_some_and(|rate| rate.get() == 0) => {
            wrong("a rate of nothing".into(), "leave rate out to write as fast as it can")
        }
        Load::Names(names) if !file(&names.beside) => {
            wrong(format!("beside = \"{}\"", names.beside), "name a file, such as \"file:a\"")
        }
        Load::Names(names) if names.count == 0 || names.rate == Some(0) => {
            wrong("nothing to look up".into(), "give count = 1 or more, and no rate of 0")
        }
        Load::Dd(dd) if dd.from == Place::Null => wrong("from = \"null\"".into(), "nothing can be read from it"),
        Load::Dd(dd) if dd.from.stored() && dd.from == dd.to => {
            wrong("from and to are the same".into(), "name another file or disk")
        }
        Load::Copy(copy) if !file(&copy.from) || !file(&copy.to) || copy.from == copy.to => {
            wrong(format!("from = \"{}\", to = \"{}\"", copy.from, copy.to), "it copies a file to another file")
        }
        Load::MapAndWalk(walk) if walk.code == Bytes::ZERO && walk.data == Bytes::ZERO => {
            wrong("neither code nor data".into(), "give code = \"3GiB\", data = \"14GiB\" or both")
        }
        Load::MapAndWalk(walk) if !file(&walk.file) => {
            wrong(format!("file = \"{}\"", walk.file), "it maps a file, such as \"file:code\"")
        }
        Load::MapAndWalk(walk) if walk.iterations == 0 => wrong("no iterations".into(), "give iterations = 1 or more"),
        Load::MapAndWalk(walk) if walk.rate == Some(0) => {
            wrong("a rate of nothing".into(), "leave rate out to touch as fast as it can")
        }
        Load::MapAndWalk(walk) if walk.chunk == Some(Bytes::ZERO) => {
            wrong("an empty chunk".into(), "leave chunk out to walk all in one iteration")
        }
        Load::MapAndWalk(walk) if walk.walked.is_some_and(|walked| walked == Bytes::ZERO || walked > walk.data) => {
            wrong("more walked than there are data, or nothing".into(), "leave walked out to walk all of the data")
        }
        Load::Grow(grow) if grow.size == Bytes::ZERO => wrong("no size".into(), "give a size such as \"1GiB\""),
        Load::Grow(grow) if grow.rate.is_some_and(|rate| rate.get() == 0) => {
            wrong("a rate of nothing".into(), "leave rate out to grow as fast as it can")
        }
        _ => Ok(()),
    }
}

/// Checks what a step names against the machine: disks are there, and are with or without a file system as they must be.
pub(in crate::scenario) fn places(step: &Step, machine: &Machine, place: &str) -> Result<(), Error> {
    let known = || machine.disks.iter().map(|disk| disk.name.as_str());
    let find = |name: &str| {
        machine.disks.iter().find(|disk| disk.name == name).ok_or_else(|| {
            Error::input(
                format!("{place}: no disk `{name}`{}", suggest::hint(name, known())),
                format!("disks: {}", known().collect::<Vec<_>>().join(", ")),
            )
        })
    };
    let loads: Vec<&Load> = match &step.action {
        Action::Load(load) => vec![load],
        Action::Parallel(parts) => parts.iter().map(|part| &part.load).collect(),
        Action::Device(change) => {
            let disk = find(&change.disk)?;
            if disk.latency.is_none() {
                return Err(Error::input(
                    format!("{place}: disk `{}` has no latency, so that nothing of it can be changed", disk.name),
                    "give the disk a latency, however small",
                ));
            }
            Vec::new()
        }
        Action::Swap(swaps) => {
            for swap in swaps {
                if let SwapSpec::Disk { disk, .. } = swap {
                    find(disk)?;
                }
            }
            Vec::new()
        }
        _ => Vec::new(),
    };
    for load in loads {
        for at in load.stored() {
            let disk = at.disk().map_or_else(|| Ok(&machine.disks[0]), find)?;
            if matches!(at, Place::File { .. }) && disk.filesystem == FileSystem::None {
                return Err(Error::input(
                    format!("{place}: {at}: disk `{}` has no file system", disk.name),
                    "write to it as disk:NAME, or give it a filesystem",
                ));
            }
        }
        if let Some((at @ Place::Disk(name), _)) = load.writes()
            && find(name)?.filesystem != FileSystem::None
        {
            return Err(Error::input(
                format!("{place}: {at}: writing to it would destroy its file system"),
                "give the disk filesystem = \"none\"",
            ));
        }
    }
    let parts = match &step.action {
        Action::Parallel(parts) => parts.as_slice(),
        _ => &[],
    };
    for group in step.cgroup.iter().chain(parts.iter().filter_map(|part| part.cgroup.as_ref())) {
        group_name(group, place)?;
        for limit in &group.io_max {
            find(&limit.disk)?;
        }
    }
    Ok(())
}

fn group_name(group: &GroupSpec, place: &str) -> Result<(), Error> {
    super::super::name::check("the name of a control group", &group.name, place)
}
