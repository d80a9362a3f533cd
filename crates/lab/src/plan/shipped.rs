//! The plans that come with pagetide.

use super::{PlanRequest, parse_varied};
use crate::sim::ModelOptions;
use pagetide_core::{Error, Scale, suggest};
use serde::Deserialize;

/// The shipped plans: id and text.
const SHIPPED: &[(&str, &str)] = &[
    ("database-memory", include_str!("../../plans/database-memory.toml")),
    ("swap-or-not", include_str!("../../plans/swap-or-not.toml")),
    ("dirty-limits", include_str!("../../plans/dirty-limits.toml")),
];

/// A shipped plan.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShippedPlan {
    /// The question that it answers.
    pub question: String,
    /// How to read the answer.
    pub explanation: String,
    /// The scenario.
    pub scenario: String,
    /// Its scale.
    pub scale: String,
    /// Changes to it.
    #[serde(default)]
    pub set: Vec<String>,
    /// Run only these steps.
    #[serde(default)]
    pub steps: Vec<String>,
    /// The settings that are varied.
    pub vary: Vec<String>,
    /// The figure to show.
    pub show: String,
    /// The goal.
    pub goal: String,
}

/// The ids of the shipped plans, in order.
pub fn shipped_ids() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(id, _)| *id)
}

/// The shipped plan of this id.
///
/// # Errors
/// There is none.
pub fn shipped(id: &str) -> Result<ShippedPlan, Error> {
    let (_, text) = SHIPPED.iter().find(|(known, _)| *known == id).ok_or_else(|| {
        Error::input(
            format!("no plan or scenario `{id}`{}", suggest::hint(id, shipped_ids())),
            "`pagetide plan --list` shows the plans; `pagetide lab list` the scenarios",
        )
    })?;
    toml::from_str(text).map_err(|error| Error::input(format!("plans/{id}.toml: {}", error.message()), ""))
}

impl ShippedPlan {
    /// Its request, with five seeds from `seed` on.
    ///
    /// # Errors
    /// It cannot be parsed.
    pub fn request(&self, seed: u64) -> Result<PlanRequest, Error> {
        Ok(PlanRequest {
            scenario: self.scenario.clone(),
            text: None,
            scale: self.scale.parse::<Scale>().map_err(|what| Error::input(what, ""))?,
            sets: self.set.clone(),
            steps: self.steps.clone(),
            varied: self.vary.iter().map(|text| parse_varied(text)).collect::<Result<_, _>>()?,
            show: Some(self.show.clone()),
            goal: Some(self.goal.clone()),
            seeds: 5,
            seed,
            model: ModelOptions::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_plan_can_be_run() {
        for id in shipped_ids() {
            shipped(id).unwrap().request(1).unwrap().check().unwrap();
        }
        assert!(shipped("dirty-limit").unwrap_err().what.contains("dirty-limits"));
    }
}
