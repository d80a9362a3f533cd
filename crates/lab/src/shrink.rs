//! Makes this host as small as a scenario's machine, by a memory control group and, where the kernel counts dirty memory for
//! the whole host only, by dirty thresholds in bytes.

mod controller;
mod dirty;

pub(crate) use controller::Controller;

use crate::control::MachineControl;
use crate::group::{Group, page_size};
use crate::undo::Journal;
use dirty::{Kind, Part, thresholds};
use pagetide_core::{Bytes, Error, Machine, SwapSpec};
use pagetide_kernel::cgroup::Version;

/// A control group that stands for a machine.
pub(crate) struct Shrunk<'a> {
    journal: &'a Journal,
    version: Version,
    group: Group,
    limit: Bytes,
    /// The settings that give the machine's dirty and background thresholds.
    dirty: Part,
    background: Part,
}

impl<'a> Shrunk<'a> {
    /// Makes the group for a machine: its memory less what its own system would hold.
    pub(crate) fn make(journal: &'a Journal, controller: &Controller, machine: &Machine) -> Result<Self, Error> {
        let limit = limit(machine);
        let mut group = Group::new(controller.mount.join(format!("pagetide-{}", std::process::id())));
        journal.make_cgroup(group.path())?;
        match controller.version {
            Version::V1 => {
                group.write("memory.limit_in_bytes", &limit.get().to_string())?;
                // Memory and swap together: a machine without swap has none in its group either.
                if machine.swap == SwapSpec::None && group.has("memory.memsw.limit_in_bytes") {
                    group.write("memory.memsw.limit_in_bytes", &limit.get().to_string())?;
                }
            }
            Version::V2 => {
                group.write("memory.max", &limit.get().to_string())?;
                if machine.swap == SwapSpec::None && group.has("memory.swap.max") {
                    group.write("memory.swap.max", "0")?;
                }
                // No step can give a group of its own this name: names begin with a letter or a digit.
                let leaf = group.path().join("pagetide-_work");
                journal.make_cgroup(&leaf)?;
                group = group.with_leaf(leaf);
            }
        }
        // The kernel's own defaults (`mm/page-writeback.c`): the host's settings say nothing about the scenario's machine.
        let (dirty, background) = (Part::Percent(20), Part::Percent(10));
        let mut shrunk = Self { journal, version: controller.version, group, limit, dirty, background };
        for (name, value) in &machine.sysctl {
            shrunk.set_sysctl(name, *value)?;
        }
        shrunk.before_step()?;
        Ok(shrunk)
    }

    pub(crate) fn group(&self) -> &Group {
        &self.group
    }

    pub(crate) fn limit(&self) -> Bytes {
        self.limit
    }

    /// The thresholds of the machine that the group emulates, from the memory that no process holds.
    fn machine_thresholds(&self) -> Result<(Bytes, Bytes), Error> {
        let usage = self.group.usage()?;
        Ok(thresholds(self.limit.saturating_sub(usage.held()), self.dirty, self.background, page_size()))
    }
}

/// What the group of a machine may use.
pub(crate) fn limit(machine: &Machine) -> Bytes {
    let limit = machine.memory.saturating_sub(machine.system).get();
    Bytes::new(limit & !(page_size().get() - 1))
}

impl MachineControl for Shrunk<'_> {
    fn set_sysctl(&mut self, name: &str, value: i64) -> Result<(), Error> {
        match Kind::of(name, value) {
            Some(kind) => {
                match kind {
                    Kind::Dirty(part) => self.dirty = part,
                    Kind::Background(part) => self.background = part,
                }
                // Under v2 the kernel itself applies the setting to the group's own memory
                // (`mm/page-writeback.c: domain_dirty_limits` with a memory control group's domain).
                if self.version == Version::V2 { self.journal.set_sysctl(name, value) } else { Ok(()) }
            }
            None => {
                self.journal.set_sysctl(name, value)?;
                // A v1 group copies the host's swappiness when it is made, and keeps it.
                if name == "vm.swappiness" && self.version == Version::V1 {
                    self.group.write("memory.swappiness", &value.to_string())?;
                }
                Ok(())
            }
        }
    }

    fn before_step(&mut self) -> Result<(), Error> {
        if self.version == Version::V1 {
            let (dirty, background) = self.machine_thresholds()?;
            let bytes = |threshold: Bytes| i64::try_from(threshold.get()).unwrap_or(i64::MAX);
            self.journal.set_sysctl("vm.dirty_background_bytes", bytes(background))?;
            self.journal.set_sysctl("vm.dirty_bytes", bytes(dirty))?;
        }
        Ok(())
    }

    fn dirty_thresholds(&self) -> Option<(Bytes, Bytes)> {
        match self.version {
            Version::V1 => None,
            Version::V2 => self.machine_thresholds().ok(),
        }
    }
}

impl Shrunk<'_> {
    /// What was done about dirty memory, in a sentence.
    pub(crate) fn dirty_in_words(&self) -> Option<String> {
        let (dirty, background) = self.machine_thresholds().ok()?;
        Some(match self.version {
            Version::V1 => format!(
                "Control groups of v1 do not limit dirty memory, so vm.dirty_bytes and vm.dirty_background_bytes of the host are those \
                 of a machine of that size: {dirty} and {background}, less while memory is held."
            ),
            Version::V2 => format!(
                "With control groups of v2 the kernel applies the dirty ratios to the group's own memory: about {dirty} and \
                 {background}."
            ),
        })
    }
}
