//! The scenarios that come with pagetide, and those that a user keeps in a file.

use pagetide_core::{Refusal, Scenario, suggest};
use std::path::Path;

/// The shipped scenarios: file name and text.
const SHIPPED: &[(&str, &str)] = &[
    ("buffered-read", include_str!("../../../scenarios/buffered-read.toml")),
    ("buffered-write", include_str!("../../../scenarios/buffered-write.toml")),
];

/// The ids of the shipped scenarios, in order.
pub fn ids() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(id, _)| *id)
}

/// The TOML text and the scenario called `name`: a shipped id, or a path to a TOML file. Its claims are checked to be computable.
pub fn find(name: &str) -> Result<(String, Scenario), Refusal> {
    let (text, place) = if let Some((id, text)) = SHIPPED.iter().find(|(id, _)| *id == name) {
        ((*text).to_owned(), format!("scenarios/{id}.toml"))
    } else if name.contains('/') || Path::new(name).extension().is_some_and(|extension| extension == "toml") {
        let text = std::fs::read_to_string(name)
            .map_err(|error| Refusal::input(format!("{name}: {error}"), "give the path of a scenario's TOML file"))?;
        (text, name.to_owned())
    } else {
        return Err(Refusal::input(
            format!("no scenario `{name}`{}", suggest::hint(name, ids())),
            "`pagetide lab list` shows them; a path to a TOML file works too",
        ));
    };
    let scenario = Scenario::parse(&text, &place)?;
    crate::claims::validate(&scenario, &place)?;
    Ok((text, scenario))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_scenario_is_sound_and_is_called_as_its_file() {
        for id in ids() {
            let (_, scenario) = find(id).unwrap();
            assert_eq!(scenario.id, id);
            assert!(!scenario.claims.is_empty() && !scenario.about.is_empty(), "{id}");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        assert!(find("bufered-read").unwrap_err().to_string().contains("`buffered-read`?"));
        assert!(find("/nowhere/x.toml").unwrap_err().to_string().contains("/nowhere/x.toml"));
    }
}
