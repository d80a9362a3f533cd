//! An experiment as a TOML text: a machine, steps, published figures and claims.

use crate::figure::Figures;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::num::NonZeroU64;

mod action;
mod fio;
mod headline;
mod kind;
mod load;
mod machine;
mod meanwhile;
mod name;
mod page_sample;
mod parallel;
mod place;
mod read;
mod scale;

pub use action::*;
pub use fio::{FioEngine, FioJob};
pub use headline::Headline;
pub use kind::{Caching, Effort, Goal, StepKind};
pub use load::*;
pub use machine::*;
pub use meanwhile::{GroupReclaim, TimedChange};
pub use name::{part_name, plain_name};
pub use page_sample::PageSample;
pub use parallel::{GroupSpec, IoMax, Parallel, Part};
pub use place::Place;
pub use scale::Scale;

/// A scenario, checked: names are unique and lead nowhere else, references exist, every amount has its unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// Its id, which is its file's name.
    pub id: String,
    /// What it is, in one line.
    pub title: String,
    /// Who published the figures.
    pub source: String,
    /// What it shows, in at most five short sentences.
    pub about: String,
    /// What its report says first, with the figures of the run.
    #[serde(default)]
    pub headline: Headline,
    /// Measurements and remarks, one each.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Traces the page cache while it runs, this share of its pages: who evicts whom, and what more memory would save.
    #[serde(default, deserialize_with = "page_sample::optional", skip_serializing_if = "Option::is_none")]
    pub trace: Option<PageSample>,
    /// The machine it describes.
    pub machine: Machine,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// What must hold.
    pub claims: Vec<Claim>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Unique in the scenario; a name that claims can use.
    pub id: String,
    /// What it is, in a few words.
    pub title: String,
    /// Whether dirty pages are written and clean ones dropped before it.
    pub drop_caches: bool,
    /// What it does.
    pub action: Action,
    /// The control group of its processes, inside that of the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<GroupSpec>,
    /// What becomes of the machine while its loads run; of a parallel step only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meanwhile: Vec<TimedChange>,
    /// An earlier step, whose trace predicts the hit ratio of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted_from: Option<String>,
    /// What its author measured, not scaled.
    pub published: Figures,
}

impl Step {
    /// The parts of a parallel step.
    pub fn parts(&self) -> &[Part] {
        if let Action::Parallel(Parallel(parts)) = &self.action { parts } else { &[] }
    }

    /// Its loads: its own, or those of its parts.
    pub fn loads(&self) -> impl Iterator<Item = &Load> {
        let own = if let Action::Load(load) = &self.action { Some(load) } else { None };
        own.into_iter().chain(self.parts().iter().map(|part| &part.load))
    }

    /// The kernel settings that it changes.
    pub fn sysctls(&self) -> impl Iterator<Item = &Sysctls> {
        let own = if let Action::Sysctl(settings) = &self.action { Some(settings) } else { None };
        own.into_iter().chain(self.meanwhile.iter().filter_map(|change| change.sysctl.as_ref()))
    }

    /// The control groups of its processes.
    pub fn cgroups(&self) -> impl Iterator<Item = &GroupSpec> {
        self.cgroup.iter().chain(self.parts().iter().filter_map(|part| part.cgroup.as_ref()))
    }

    /// What it makes of disks.
    pub fn device_changes(&self) -> impl Iterator<Item = &DeviceChange> {
        let own = if let Action::Device(change) = &self.action { Some(change) } else { None };
        own.into_iter().chain(self.meanwhile.iter().filter_map(|change| change.device.as_ref()))
    }

    /// What it does, apart from its parts, a line each, whatever its title says: what a machine goes through.
    pub fn describe(&self) -> Vec<String> {
        let dropped = self.drop_caches && !matches!(self.action, Action::DropCaches(_));
        let first = dropped.then(|| "first: drop caches".to_owned());
        let own = self.action.spec().describe();
        let own = if let Some(group) = &self.cgroup { format!("{own}, in {}", group.describe()) } else { own };
        let own = if self.parts().is_empty() { Some(own) } else { None };
        let meanwhile = self.meanwhile.iter().map(|change| format!("after {}: {}", change.after, change.describe()));
        first.into_iter().chain(own).chain(meanwhile).collect()
    }

    /// The id of the result of one of its parts.
    pub fn part_id(&self, part: &Part) -> String {
        format!("{}_{}", self.id, part.name)
    }
}

/// Something that must hold, as an expression over the steps' figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Unique in the scenario.
    pub id: String,
    /// The claim in words.
    pub text: String,
    /// The expression, such as `A2.disk_reads < 0.001 * A2.issued`.
    pub check: String,
}

impl Scenario {
    /// What it changes on a machine beside its own files, once each: settings, caches, swap, disks and control groups.
    pub fn changes(&self) -> Vec<String> {
        let settings = Sysctls(self.machine.sysctl.clone());
        let mut changes: Vec<String> = Vec::new();
        let of_steps = self.steps.iter().flat_map(Step::sysctls);
        for Sysctls(settings) in std::iter::once(&settings).chain(of_steps) {
            changes.extend(settings.iter().map(|(name, value)| format!("{name}={value}")));
        }
        for step in &self.steps {
            let drops = step.drop_caches || step.meanwhile.iter().any(|change| change.drop_caches);
            changes.extend(drops.then(|| "drops caches".to_owned()));
            changes.extend(matches!(step.action, Action::Swap(_)).then(|| "replaces swap".to_owned()));
            changes.extend(step.device_changes().map(|change| format!("changes disk {}", change.disk)));
            changes.extend(step.cgroups().map(GroupSpec::describe));
        }
        let mut seen = HashSet::new();
        changes.retain(|change| seen.insert(change.clone()));
        changes
    }

    /// The ids of all results of a run with what was published of each: of the steps, and of parts of parallel steps as
    /// `STEP_PART`.
    pub fn results(&self) -> impl Iterator<Item = (String, &Figures)> {
        self.steps.iter().flat_map(|step| {
            let parts = step.parts().iter().map(|part| (step.part_id(part), &part.published));
            std::iter::once((step.id.clone(), &step.published)).chain(parts)
        })
    }

    /// The ids of all results of a run.
    pub fn result_ids(&self) -> impl Iterator<Item = String> {
        self.results().map(|(id, _)| id)
    }

    /// What was published of the result `id`.
    pub fn published(&self, id: &str) -> Option<&Figures> {
        self.results().find_map(|(result, published)| (result == id).then_some(published))
    }

    /// Whether `id` is the result of a part beside which another part works on the same disk: what is counted at that disk is of both.
    pub fn shares_a_disk(&self, id: &str) -> bool {
        let first = self.machine.disks.first().map(|disk| disk.name.as_str());
        let disks = |part: &Part| -> Vec<Option<String>> {
            part.load.stored().map(|place| place.disk().or(first).map(str::to_owned)).collect()
        };
        let parts = self.steps.iter().flat_map(|step| step.parts().iter().map(move |part| (step, part)));
        let Some((step, own)) = parts.clone().find(|(step, part)| step.part_id(part) == id) else { return false };
        // Of a load without a disk, the first one is looked at.
        let mut of_own = disks(own);
        if of_own.is_empty() {
            of_own.push(first.map(str::to_owned));
        }
        let others = step.parts().iter().filter(|part| part.name != own.name);
        others.flat_map(disks).any(|disk| of_own.contains(&disk))
    }

    /// The loads of all steps and their parts.
    pub fn loads(&self) -> impl Iterator<Item = &Load> {
        self.steps.iter().flat_map(Step::loads)
    }

    /// The scenario on disks that are `factor` times slower ([`Machine::time_dilation`]).
    #[must_use]
    pub fn dilated(&self, factor: NonZeroU64) -> Self {
        let mut scenario = self.clone();
        scenario.machine.dilate(factor);
        for step in &mut scenario.steps {
            if let Action::Device(change) = &mut step.action {
                change.dilate(factor);
            }
            step.meanwhile
                .iter_mut()
                .filter_map(|change| change.device.as_mut())
                .for_each(|change| change.dilate(factor));
        }
        scenario
    }

    /// The scenario at another scale. Its texts have the sizes of that scale; published figures stay as they are.
    #[must_use]
    pub fn scaled(&self, scale: Scale) -> Self {
        let mut scenario = self.clone();
        scenario.title = scale.words(&scenario.title);
        scenario.headline = scenario.headline.scaled(scale);
        for claim in &mut scenario.claims {
            claim.text = scale.words(&claim.text);
        }
        let machine = &mut scenario.machine;
        machine.memory = scale.bytes(machine.memory);
        machine.system = scale.bytes(machine.system);
        machine.swap.scale(scale);
        for disk in &mut machine.disks {
            disk.size = scale.bytes(disk.size);
        }
        for step in &mut scenario.steps {
            step.title = scale.words(&step.title);
            step.action.spec_mut().scale(scale);
            if let Some(group) = &mut step.cgroup {
                group.scale(scale);
            }
            step.meanwhile.iter_mut().for_each(|change| change.scale(scale));
        }
        scenario
    }
}
