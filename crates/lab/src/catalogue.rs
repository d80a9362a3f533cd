//! The scenarios that come with pagetide, and those that a user keeps in a file.

use pagetide_core::{Action, Error, Scenario, suggest};
use std::path::Path;
use toml::{Table, Value};

/// The shipped scenarios: file name and text.
const SHIPPED: &[(&str, &str)] = &[
    ("buffered-read", include_str!("../scenarios/buffered-read.toml")),
    ("buffered-write", include_str!("../scenarios/buffered-write.toml")),
    ("second-read", include_str!("../scenarios/second-read.toml")),
    ("ssd-stream-starves-raid", include_str!("../scenarios/ssd-stream-starves-raid.toml")),
    ("buffers-and-cached", include_str!("../scenarios/buffers-and-cached.toml")),
    ("copy-clean-vs-polluted", include_str!("../scenarios/copy-clean-vs-polluted.toml")),
    ("swap-off", include_str!("../scenarios/swap-off.toml")),
    ("who-evicts-whom", include_str!("../scenarios/who-evicts-whom.toml")),
    ("memory-advice", include_str!("../scenarios/memory-advice.toml")),
    ("backup-evicts-neighbour", include_str!("../scenarios/backup-evicts-neighbour.toml")),
];

/// The ids of the shipped scenarios, in order.
pub fn ids() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(id, _)| *id)
}

/// A scenario and the TOML text that it was read from.
#[derive(Debug, Clone)]
pub struct Found {
    /// The text, with the user's changes in it.
    pub text: String,
    /// The scenario, not scaled.
    pub scenario: Scenario,
}

/// The scenario called `name`: a shipped id, or the path of a TOML file. `sets` are changes such as `memory=2GiB`,
/// `vm.swappiness=1` or `A4.randrepeat=false`. Its claims are checked to be computable.
pub fn find(name: &str, sets: &[String]) -> Result<Found, Error> {
    let (text, place) = if let Some((id, text)) = SHIPPED.iter().find(|(id, _)| *id == name) {
        ((*text).to_owned(), format!("scenarios/{id}.toml"))
    } else if name.contains('/') || Path::new(name).extension().is_some_and(|extension| extension == "toml") {
        let read = pagetide_dir::read_file(Path::new(name), Scenario::LARGEST_FILE)
            .and_then(|text| String::from_utf8(text).map_err(std::io::Error::other));
        let text =
            read.map_err(|error| Error::input(format!("{name}: {error}"), "give the path of a scenario's TOML file"))?;
        (text, name.to_owned())
    } else {
        return Err(Error::input(
            format!("no scenario `{name}`{}", suggest::hint(name, ids())),
            "`pagetide lab list` shows them; a path to a TOML file works too",
        ));
    };
    read(text, &place, sets)
}

/// The scenario of a TOML text with changes. `place` names the text in errors.
///
/// # Errors
/// It is not a scenario, or a change is wrong.
pub fn read(text: String, place: &str, sets: &[String]) -> Result<Found, Error> {
    let text = if sets.is_empty() { text } else { change(&text, place, sets)? };
    let scenario = Scenario::parse(&text, place)?;
    let wrong = |(step, of): (&str, _)| crate::claims::never_measured(&scenario, step, of);
    if let Some((why, hint)) = scenario.headline.figures().find_map(wrong) {
        return Err(Error::input(format!("{place}: headline: {why}"), hint));
    }
    crate::claims::validate(&scenario, |nth| match line_of_claim(&text, nth) {
        Some(line) => format!("{place}:{line}"),
        None => place.to_owned(),
    })?;
    Ok(Found { text, scenario })
}

/// The line of the claim `nth` of a scenario's text, where each claim has a table of its own.
fn line_of_claim(text: &str, nth: usize) -> Option<usize> {
    let mut lines = text.lines().zip(1..).filter(|(line, _)| line.trim_start().starts_with("[[claim]]"));
    lines.nth(nth).map(|(_, line)| line)
}

/// The scenario with these steps only, and those before them that set the machine: settings, swap, disks, held memory. Claims
/// about other steps are left out.
///
/// # Errors
/// It has no such step.
pub fn only(scenario: &Scenario, steps: &[String]) -> Result<Scenario, Error> {
    let ids = || scenario.steps.iter().map(|step| step.id.as_str());
    if let Some(unknown) = steps.iter().find(|wanted| !ids().any(|id| id == *wanted)) {
        return Err(Error::input(
            format!("{} has no step `{unknown}`{}", scenario.id, suggest::hint(unknown, ids())),
            format!("its steps: {}", ids().collect::<Vec<_>>().join(", ")),
        ));
    }
    let last = ids().rposition(|id| steps.iter().any(|wanted| wanted == id)).unwrap_or(0);
    let sets_the_machine = |action: &Action| {
        matches!(
            action,
            Action::Sysctl(_)
                | Action::Swap(_)
                | Action::Device(_)
                | Action::Hold(_)
                | Action::Release(_)
                | Action::DropCaches(_)
        )
    };
    let mut scenario = scenario.clone();
    let mut at = 0..;
    scenario.steps.retain(|step| {
        let before = at.next().is_some_and(|at: usize| at < last);
        steps.contains(&step.id) || before && sets_the_machine(&step.action)
    });
    let ids: Vec<String> = scenario.result_ids().collect();
    scenario.claims.retain(|claim| crate::claims::steps_of(claim).all(|step| ids.iter().any(|id| id == step)));
    Ok(scenario)
}

/// The text with `sets` applied.
fn change(text: &str, place: &str, sets: &[String]) -> Result<String, Error> {
    Scenario::parse(text, place)?;
    let broken = |error: String| Error::input(format!("{place}: {error}"), "");
    let mut document: Table = text.parse().map_err(|error: toml::de::Error| broken(error.message().to_owned()))?;
    for set in sets {
        let wrong = |why: String| {
            Error::input(
                format!("--set {set}: {why}"),
                "write memory=2GiB (or cpus, system, swap), vm.NAME=NUMBER, or STEP.OPTION=VALUE such as A4.randrepeat=false",
            )
        };
        let (key, value) = set.split_once('=').ok_or_else(|| wrong("no `=`".to_owned()))?;
        // A value that TOML would not take bare, such as 2GiB, is text.
        let value = format!("v = {value}")
            .parse::<Table>()
            .ok()
            .and_then(|mut table| table.remove("v"))
            .unwrap_or_else(|| Value::String(value.to_owned()));
        let (table, key) = if key.starts_with("vm.") || key.starts_with("kernel.") {
            let machine = table_in(&mut document, "machine").ok_or_else(|| wrong("no machine".to_owned()))?;
            let sysctl = machine.entry("sysctl").or_insert_with(|| Value::Table(Table::new()));
            (sysctl.as_table_mut().ok_or_else(|| wrong("sysctl is not a table".to_owned()))?, key)
        } else if let Some((step, option)) = key.split_once('.') {
            (action_of(&mut document, step).ok_or_else(|| wrong(format!("no step `{step}` with options")))?, option)
        } else {
            (table_in(&mut document, "machine").ok_or_else(|| wrong("no machine".to_owned()))?, key)
        };
        table.insert(key.to_owned(), value);
    }
    let changed = toml::to_string(&document).map_err(|error| broken(error.to_string()))?;
    // The error comes from the changes; line numbers of the rewritten text would mean nothing to the user.
    Scenario::parse(&changed, "").map_err(|error| {
        let what = error.what.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit()).trim_start();
        Error::input(format!("--set {}: {what}", sets.join(" --set ")), error.hint)
    })?;
    Ok(changed)
}

fn table_in<'a>(document: &'a mut Table, key: &str) -> Option<&'a mut Table> {
    document.get_mut(key)?.as_table_mut()
}

/// The options of a step: the table of what it does.
fn action_of<'a>(document: &'a mut Table, id: &str) -> Option<&'a mut Table> {
    let steps = document.get_mut("step")?.as_array_mut()?;
    let step = steps.iter_mut().find(|step| step.get("id").and_then(Value::as_str) == Some(id))?.as_table_mut()?;
    let action = step.iter().find(|(key, value)| *key != "published" && value.is_table())?.0.clone();
    step.get_mut(&action)?.as_table_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_scenario_is_sound_and_is_called_as_its_file() {
        for id in ids() {
            let scenario = find(id, &[]).unwrap().scenario;
            assert_eq!(scenario.id, id);
            assert!(!scenario.claims.is_empty() && !scenario.notes.is_empty(), "{id}");
            let sentences: Vec<&str> = scenario.about.split_inclusive(". ").collect();
            assert!((1..=5).contains(&sentences.len()), "{id}: {sentences:?}");
            for sentence in sentences {
                assert!(sentence.split_ascii_whitespace().count() <= 25, "{id}: {sentence}");
            }
        }
    }

    /// A service beside a backup, on the same disk or not.
    fn beside(from: &str, rest: &str) -> Result<Found, Error> {
        let disk = |name: &str| format!("[[machine.disk]]\nname = \"{name}\"\nsize = \"1GiB\"\n");
        let text = format!(
            "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n{rest}[machine]\ncpus = 1\nmemory = \"64MiB\"\n{}{}\
             [[step]]\nid = \"p\"\nparallel = [{{ name = \"backup\", stream = {{ from = \"{from}\", size = \"8MiB\" }} }}, \
             {{ name = \"walk\", stream = {{ from = \"file:b\", size = \"8MiB\" }} }}]\n",
            disk("d"),
            disk("e")
        );
        read(text, "t.toml", &[])
    }

    #[test]
    fn what_a_disk_counts_of_all_parts_is_not_said_of_one() {
        let headline = "headline = \"{p_walk.disk_reads}\"\n";
        let error = beside("file:a", headline).unwrap_err();
        assert!(
            error.what.starts_with("t.toml: headline: disk_reads of p_walk would be those of all parts"),
            "{error}"
        );
        beside("file:a@e", headline).unwrap();
        beside("file:a", "headline = \"{p.disk_reads} {p_walk.elapsed} {p_walk.disk_util}\"\n").unwrap();
        assert!(
            beside("file:a", "headline = \"{p_walk.cache_hit_ratio}\"\n").unwrap_err().what.contains("no fio step")
        );
    }

    #[test]
    fn a_claim_that_is_wrong_has_its_line_and_the_hint_that_fits() {
        let wrong = |check: &str| {
            let text = format!(
                "{}\n[[claim]]\nid = \"c\"\ntext = \"t\"\ncheck = \"{check}\"\n",
                beside("file:a", "").unwrap().text
            );
            let line = text.lines().position(|line| line == "[[claim]]").unwrap() + 1;
            let error = read(text, "t.toml", &[]).unwrap_err();
            assert!(error.what.starts_with(&format!("t.toml:{line}: claim `c`: ")), "{error}");
            error.hint
        };
        assert!(wrong("p.elapsed > p.issued").starts_with("both sides need the same unit"));
        for check in ["p.elapsed = 1s", "p.elapsed >", "max(p.issued, 1, 3) > 0"] {
            assert!(wrong(check).starts_with("a claim compares figures"), "{check}");
        }
        assert!(wrong("p_walk.disk_reads == 0").starts_with("name the figure of the whole step"));
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        assert!(find("bufered-read", &[]).unwrap_err().to_string().contains("`buffered-read`?"));
        assert!(find("/nowhere/x.toml", &[]).unwrap_err().to_string().contains("/nowhere/x.toml"));
    }

    #[test]
    fn chosen_steps_keep_what_sets_the_machine_before_them_and_their_claims() {
        let text = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n\
                    [[machine.disk]]\nname = \"d\"\nsize = \"1GiB\"\n\
                    [[step]]\nid = \"set\"\nsysctl = { \"vm.swappiness\" = 60 }\n[[step]]\nid = \"D1\"\nsleep = \"1s\"\n\
                    [[step]]\nid = \"D2\"\nsleep = \"1s\"\n[[step]]\nid = \"off\"\nswap = \"none\"\n\
                    [[step]]\nid = \"D4\"\nsleep = \"1s\"\n[[step]]\nid = \"after\"\nsysctl = { \"vm.swappiness\" = 1 }\n\
                    [[claim]]\nid = \"a\"\ntext = \"a\"\ncheck = \"D2.elapsed > D4.elapsed\"\n\
                    [[claim]]\nid = \"b\"\ntext = \"b\"\ncheck = \"D2.elapsed > 1s\"\n\
                    [[claim]]\nid = \"c\"\ntext = \"c\"\ncheck = \"D1.elapsed > D2.elapsed\"\n";
        let scenario = Scenario::parse(text, "t.toml").unwrap();
        let ids = |steps: &[&str]| {
            let steps: Vec<String> = steps.iter().map(|step| (*step).to_owned()).collect();
            let scenario = only(&scenario, &steps).unwrap();
            let steps: Vec<_> = scenario.steps.iter().map(|step| step.id.as_str()).collect();
            let claims: Vec<_> = scenario.claims.iter().map(|claim| claim.id.as_str()).collect();
            format!("{}: {}", steps.join(" "), claims.join(" "))
        };
        assert_eq!(ids(&["D4", "D2"]), "set D2 off D4: a b");
        assert_eq!(ids(&["D2"]), "set D2: b");
        let error = only(&scenario, &["D44".to_owned()]).unwrap_err();
        assert!(error.what.contains("`D4`?"), "{error}");
    }

    #[test]
    fn settings_change_the_machine_and_the_steps() {
        let sets = ["memory=2GiB", "vm.swappiness=1", "A4.randrepeat=false", "A1.size=\"1GiB\""].map(str::to_owned);
        let scenario = find("buffered-read", &sets).unwrap().scenario;
        assert_eq!(scenario.machine.memory.to_string(), "2 GiB");
        assert_eq!(scenario.machine.sysctl["vm.swappiness"], 1);
        let job = |id: &str| match &scenario.steps.iter().find(|step| step.id == id).unwrap().action {
            Action::Fio(job) => job.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(job("A4").randrepeat, Some(false));
        assert_eq!(job("A2").size.to_string(), "1 GiB", "a step that inherits sees the change");
        for wrong in ["memory", "memory=2", "A9.size=1GiB", "A1.sise=1GiB", "memery=1GiB"] {
            let error = find("buffered-read", &[wrong.to_owned()]).unwrap_err();
            assert!(error.what.contains("--set"), "{wrong}: {error}");
        }
    }
}
