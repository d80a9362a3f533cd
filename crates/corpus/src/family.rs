//! Families of incidents, and the case of each seed.

use crate::draw;
use crate::truth::Half;
use pagetide_core::{Error, Scale, Scenario};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// The `[family]` table, beside the scenario.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    /// What it is, in one line.
    title: String,
    /// Why this is the cause, and not what it resembles.
    about: String,
    /// The cause. Where more than one name is right, the best one is first.
    cause: Vec<String>,
    /// The origin, with the scenario's names of disks and control groups.
    #[serde(default)]
    origin: Vec<String>,
    /// The step, or `STEP_PART`, whose start is the onset.
    onset: Option<String>,
    /// Whether it is a control.
    #[serde(default)]
    control: bool,
    /// The first step that is recorded. Steps before it prepare the machine.
    #[serde(default = "first_recorded")]
    recorded_from: String,
    /// The seeds that the corpus has.
    #[serde(rename = "seeds")]
    _seeds: Vec<u64>,
}

fn first_recorded() -> String {
    "run".to_owned()
}

/// One incident or control with all of its parameters.
#[derive(Debug, Clone)]
pub struct Incident {
    /// `FAMILY-SEED`.
    pub name: String,
    /// Its family.
    pub family: String,
    /// Its seed.
    pub seed: u64,
    /// Its half.
    pub half: Half,
    /// Whether it is a control.
    pub control: bool,
    /// The true cause, any of these rules' ids.
    pub cause: Vec<String>,
    /// The origin, with the scenario's names.
    pub origin: Vec<String>,
    /// The result whose start is the onset.
    pub onset: Option<String>,
    /// The first step that is recorded.
    pub recorded_from: String,
    /// The values that the seed selected.
    pub chosen: Vec<String>,
    /// The scenario as TOML, not scaled.
    pub text: String,
    /// The scale of the run.
    pub scale: Scale,
    /// The scenario, scaled.
    pub scenario: Scenario,
}

/// The background loads that families select from.
const NOISE: &str = "noise.toml";

/// All cases of the families in a folder, in order of their names.
///
/// # Errors
/// A file cannot be read or is not a family.
pub fn all(folder: &Path) -> Result<Vec<Incident>, Error> {
    let noise: Table = parse(&folder.join(NOISE))?;
    let entries = fs::read_dir(folder)
        .map_err(|error| Error::input(format!("{}: {error}", folder.display()), "run it where the project is"))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "toml") && !file.ends_with(NOISE));
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let family = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let wrong = |why: String| Error::input(format!("{}: {why}", file.display()), "");
        let mut table = parse(&file)?;
        let head = table.remove("family").ok_or_else(|| wrong("no [family]".into()))?;
        let seeds = head.get("seeds").cloned().ok_or_else(|| wrong("no seeds".into()))?;
        let seeds: Vec<u64> = seeds.try_into().map_err(|error: toml::de::Error| wrong(error.message().to_owned()))?;
        let vary = table.remove("vary").map_or_else(|| Ok(BTreeMap::new()), Value::try_into);
        let vary: BTreeMap<String, Vec<Value>> = vary.map_err(|error| wrong(error.message().to_owned()))?;
        for seed in seeds {
            cases.push(case(&family, head.clone(), &vary, table.clone(), &noise, seed).map_err(wrong)?);
        }
    }
    Ok(cases)
}

fn parse(file: &Path) -> Result<Table, Error> {
    let wrong = |why: String| Error::input(format!("{}: {why}", file.display()), "");
    let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    text.parse().map_err(|error: toml::de::Error| wrong(error.message().to_owned()))
}

fn case(
    family: &str,
    mut head: Value,
    vary: &BTreeMap<String, Vec<Value>>,
    mut table: Table,
    noise: &Table,
    seed: u64,
) -> Result<Incident, String> {
    let mut chosen = BTreeMap::new();
    for (key, values) in vary {
        let value = draw::one(values, family, key, seed).ok_or_else(|| format!("{key} has no values"))?;
        chosen.insert(key.as_str(), value);
    }
    fill(&mut head, &chosen)?;
    let head: Head = head.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let name = format!("{family}-{seed}");
    for (key, text) in [("id", &name), ("title", &head.title), ("source", &"made".to_owned()), ("about", &head.about)] {
        table.insert(key.to_owned(), Value::String(text.clone()));
    }
    if let Some(noise_chosen) = chosen.get("noise").and_then(|value| value.as_str()) {
        add_noise(&mut table, noise, noise_chosen, &head.recorded_from)?;
    }
    table.iter_mut().try_for_each(|(_, value)| fill(value, &chosen))?;
    let scale: Scale = chosen.get("scale").and_then(|value| value.as_str()).unwrap_or("1").parse()?;
    let text = toml::to_string(&table).map_err(|error| error.to_string())?;
    let parsed = Scenario::parse(&text, &name).map_err(|error| error.to_string())?;
    for named in head.onset.iter().chain([&head.recorded_from]) {
        if !parsed.result_ids().any(|id| id == *named) {
            return Err(format!("there is no step `{named}`"));
        }
    }
    Ok(Incident {
        family: family.to_owned(),
        seed,
        half: Half::of(seed, head.control),
        control: head.control,
        cause: head.cause,
        origin: head.origin,
        onset: head.onset,
        recorded_from: head.recorded_from,
        chosen: chosen.iter().map(|(key, value)| format!("{key} = {value}")).collect(),
        scenario: parsed.scaled(scale),
        scale,
        text,
        name,
    })
}

/// Adds the parts of a noise to every parallel step that is recorded.
fn add_noise(scenario: &mut Table, noise: &Table, name: &str, from: &str) -> Result<(), String> {
    let parts = noise.get(name).and_then(|noise| noise.get("parts")).and_then(Value::as_array);
    let parts = parts.ok_or_else(|| format!("there is no noise `{name}`"))?;
    let steps = scenario.get_mut("step").and_then(Value::as_array_mut).ok_or("it has no steps")?;
    let recorded = steps.iter_mut().skip_while(|step| step.get("id").and_then(Value::as_str) != Some(from));
    for step in recorded {
        if let Some(all) = step.get_mut("parallel").and_then(Value::as_array_mut) {
            all.extend(parts.iter().cloned());
        }
    }
    Ok(())
}

/// Puts what was chosen for `${KEY}`: a text that is nothing else becomes the value itself.
fn fill(value: &mut Value, chosen: &BTreeMap<&str, &Value>) -> Result<(), String> {
    match value {
        Value::Table(table) => table.iter_mut().try_for_each(|(_, value)| fill(value, chosen)),
        Value::Array(all) => all.iter_mut().try_for_each(|value| fill(value, chosen)),
        Value::String(text) => {
            let Some((before, rest)) = text.split_once("${") else { return Ok(()) };
            let (key, after) = rest.split_once('}').ok_or_else(|| format!("`{text}` has no end"))?;
            let found = *chosen.get(key).ok_or_else(|| format!("nothing is varied as `{key}`"))?;
            *value = match found.as_str() {
                _ if before.is_empty() && after.is_empty() => found.clone(),
                Some(found) => Value::String(format!("{before}{found}{after}")),
                None => Value::String(format!("{before}{found}{after}")),
            };
            fill(value, chosen)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_keeps_its_type_unless_it_is_part_of_a_text() {
        let table: Table = "swap = { zram = \"1GiB\" }\nrate = 300\nname = \"mysqld\"".parse().unwrap();
        let chosen = table.iter().map(|(key, value)| (key.as_str(), value)).collect();
        let filled = |text: &str| {
            let mut value = Value::String(text.to_owned());
            fill(&mut value, &chosen).map(|()| value)
        };
        assert_eq!(filled("${rate}"), Ok(Value::Integer(300)));
        assert_eq!(filled("${swap}"), Ok(table["swap"].clone()));
        assert_eq!(filled("run_${name}@${rate}"), Ok(Value::String("run_mysqld@300".to_owned())));
        assert_eq!(filled("plain"), Ok(Value::String("plain".to_owned())));
        assert!(filled("${nmae}").unwrap_err().contains("nmae"));
        assert!(filled("${name").unwrap_err().contains("no end"));
    }

    #[test]
    fn noise_joins_the_recorded_steps_only() {
        let noise: Table = "[daemon]\nparts = [{ name = \"d\" }]".parse().unwrap();
        let mut scenario: Table =
            "[[step]]\nid = \"warm\"\nparallel = []\n[[step]]\nid = \"run\"\nparallel = []".parse().unwrap();
        add_noise(&mut scenario, &noise, "daemon", "run").unwrap();
        let parts = |step: usize| scenario["step"][step]["parallel"].as_array().map(Vec::len);
        assert_eq!((parts(0), parts(1)), (Some(0), Some(1)));
        assert!(add_noise(&mut scenario, &noise, "demon", "run").is_err());
    }
}
