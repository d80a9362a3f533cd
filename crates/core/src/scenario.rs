//! An experiment as a TOML text: a machine, steps, published figures and claims.

use crate::figure::Figures;
use serde::{Deserialize, Serialize};
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

    /// What it makes of disks.
    pub fn device_changes(&self) -> impl Iterator<Item = &DeviceChange> {
        let own = if let Action::Device(change) = &self.action { Some(change) } else { None };
        own.into_iter().chain(self.meanwhile.iter().filter_map(|change| change.device.as_ref()))
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
