//! Published figures and several runs of one scenario side by side.

use crate::error::Error;
use crate::figure::Figure;
use crate::report::{ClaimStatus, RunResult};
use crate::scenario::{Scale, Scenario};
use crate::step::{Outcome, StepResult};
use serde::Serialize;

/// A run that is to be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its name in the comparison.
    pub name: String,
    /// Its result.
    pub result: RunResult,
    /// Its scenario, not scaled; absent when its folder lacks it.
    pub scenario: Option<Scenario>,
}

/// One figure of the publication and of each run, with its ratios.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedNumbers {
    /// The published value, at the scale of the first run.
    pub published: Option<f64>,
    /// The measured value of each run, at the scale of the first run.
    pub measured: Vec<Option<f64>>,
    /// Each run divided by the published value.
    pub to_published: Vec<Option<f64>>,
    /// Each run divided by the first run.
    pub to_first: Vec<Option<f64>>,
}

impl ComparedNumbers {
    fn new(published: Option<f64>, measured: Vec<Option<f64>>) -> Self {
        let over = |base: Option<f64>| measured.iter().map(|value| ratio(*value, base)).collect();
        let to_first = over(measured.first().copied().flatten());
        Self { to_published: over(published), to_first, published, measured }
    }
}

/// A number divided by another. 0 over 0 is 1; any other number over 0 has no ratio.
fn ratio(value: Option<f64>, base: Option<f64>) -> Option<f64> {
    match (value?, base?) {
        (value, base) if base > 0.0 => Some(value / base),
        (0.0, 0.0) => Some(1.0),
        _ => None,
    }
}

/// A figure of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedFigure {
    /// The figure.
    #[serde(rename = "key", serialize_with = "as_key")]
    pub figure: Figure,
    /// Whether its numbers compare across machines, by [`Figure::comparability`].
    pub comparable: bool,
    /// The numbers, in the figure's own unit.
    #[serde(flatten)]
    pub numbers: ComparedNumbers,
    /// For a figure that compares only within a run: its ratio to an earlier step of the same run.
    pub within: Option<StepRatio>,
}

/// The ratio of a figure to that of an earlier step of the same run. It compares across machines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepRatio {
    /// The other step.
    pub step: String,
    /// The ratios.
    #[serde(flatten)]
    pub numbers: ComparedNumbers,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedStep {
    /// Its id.
    pub id: String,
    /// What it is.
    pub title: String,
    /// Its outcome in each run; absent where it was not run.
    pub outcomes: Vec<Option<Outcome>>,
    /// Whether all runs did the same amount of work in it. Where not, counts compare per request or iteration.
    pub same_work: bool,
    /// Every figure that was published or measured.
    pub figures: Vec<ComparedFigure>,
}

/// A claim in each run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedClaim {
    /// Its id.
    pub id: String,
    /// The claim in words.
    pub text: String,
    /// The expression.
    pub check: String,
    /// Whether it holds in each run; absent where it was not checked.
    pub holds: Vec<Option<ClaimStatus>>,
    /// The numbers of each run.
    pub evidence: Vec<Option<String>>,
}

/// A run that was compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRun {
    /// Its name here.
    pub name: String,
    /// `host`, `vm` or `sim`.
    pub backend: String,
    /// Its own scale.
    pub scale: Scale,
    /// The release of its kernel.
    pub kernel: String,
    /// The machine, one line each.
    pub machine: Vec<String>,
    /// How it differs from the scenario's machine, one sentence each.
    pub differences: Vec<String>,
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The scenario's id.
    pub scenario: String,
    /// The scenario in one line.
    pub title: String,
    /// The scale of all numbers: that of the first run.
    pub scale: Scale,
    /// Differences between the runs that matter for all numbers, one sentence each.
    pub notes: Vec<String>,
    /// The runs.
    pub runs: Vec<ComparedRun>,
    /// The steps, in the order of the scenario.
    pub steps: Vec<ComparedStep>,
    /// The claims.
    pub claims: Vec<ComparedClaim>,
}

fn as_key<S: serde::Serializer>(figure: &Figure, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(figure.key())
}

/// Runs do the same amount of work when their requests differ by at most this fraction.
const SAME: f64 = 0.05;

/// Compares runs of one scenario with each other and with the published figures.
///
/// # Errors
/// There is no run, or they are of different scenarios.
pub fn compare(candidates: &[Candidate]) -> Result<Comparison, Error> {
    let first = candidates.first().ok_or_else(|| Error::input("no run to compare", "name two runs"))?;
    if let Some(other) = candidates.iter().find(|other| other.result.scenario != first.result.scenario) {
        return Err(Error::input(
            format!(
                "{} is a run of {}, but {} is a run of {}",
                first.name, first.result.scenario, other.name, other.result.scenario
            ),
            "compare runs of one scenario",
        ));
    }
    let scenario = candidates.iter().find_map(|run| run.scenario.as_ref());
    let steps = steps(candidates, scenario);
    let claims = claims(candidates);
    Ok(Comparison {
        scenario: first.result.scenario.clone(),
        title: scenario.map_or_else(|| first.result.scenario.clone(), |scenario| scenario.title.clone()),
        scale: first.result.scale,
        notes: notes(candidates, &steps),
        runs: candidates.iter().map(described).collect(),
        steps,
        claims,
    })
}

fn described(run: &Candidate) -> ComparedRun {
    let result = &run.result;
    ComparedRun {
        name: run.name.clone(),
        backend: result.backend.clone(),
        scale: result.scale,
        kernel: result.kernel.clone(),
        machine: result.machine.clone(),
        differences: result.differences.clone(),
    }
}

fn notes(candidates: &[Candidate], steps: &[ComparedStep]) -> Vec<String> {
    let mut notes = Vec::new();
    let Some(first) = candidates.first() else { return notes };
    let scale = first.result.scale;
    if candidates.iter().any(|run| run.result.scale != scale) {
        let scales: Vec<String> =
            candidates.iter().map(|run| format!("{} at {}", run.name, run.result.scale)).collect();
        notes.push(format!(
            "The runs have different scales ({}): counts and sizes are converted to {scale}. Time limits, latencies and the kernel's own memory \
             do not scale, so they weigh more in the smaller run.",
            scales.join(", ")
        ));
    }
    for other in &candidates[1..] {
        let (Some(one), Some(two)) = (&first.scenario, &other.scenario) else { continue };
        let mut parts = Vec::new();
        if one.machine != two.machine {
            parts.push("the machine".to_owned());
        }
        let changed = two.steps.iter().filter(|step| !one.steps.contains(step));
        parts.extend(changed.map(|step| format!("step {}", step.id)));
        if !parts.is_empty() {
            let parts = parts.join(", ");
            notes.push(format!("The scenario of {} differs from that of {}: {parts}.", other.name, first.name));
        }
    }
    let unequal: Vec<&str> = steps.iter().filter(|step| !step.same_work).map(|step| step.id.as_str()).collect();
    if !unequal.is_empty() {
        notes.push(format!(
            "The runs did different amounts of work in {}: compare counts of that step per request or iteration.",
            unequal.join(", ")
        ));
    }
    notes
}

/// A value of one scale at another scale.
fn at_scale(figure: Figure, value: f64, from: Scale, to: Scale) -> f64 {
    if figure.scales() { value * to.ratio() / from.ratio() } else { value }
}

fn steps(candidates: &[Candidate], scenario: Option<&Scenario>) -> Vec<ComparedStep> {
    let mut ids: Vec<String> = Vec::new();
    // Parts of a step have results of their own, which every run that has them lists in its order.
    for result in candidates.iter().flat_map(|run| &run.result.steps) {
        if !ids.contains(&result.id) {
            ids.push(result.id.clone());
        }
    }
    let order: Vec<String> = scenario.map(|scenario| scenario.result_ids().collect()).unwrap_or_default();
    ids.sort_by_key(|id| order.iter().position(|known| known == id).unwrap_or(usize::MAX));
    let table = NumberTable { candidates, scenario };
    let mut steps: Vec<ComparedStep> = Vec::new();
    for id in ids {
        let results: Vec<Option<&StepResult>> = candidates.iter().map(|run| table.result(run, &id)).collect();
        let figures = Figure::ALL.iter().filter_map(|figure| {
            let numbers = table.numbers(&id, *figure);
            let there = numbers.published.is_some() || numbers.measured.iter().any(Option::is_some);
            let comparable = figure.comparability().across_machines();
            let within = if comparable { None } else { table.within(&id, *figure, &numbers, &steps) };
            there.then_some(ComparedFigure { figure: *figure, comparable, numbers, within })
        });
        let figures: Vec<ComparedFigure> = figures.collect();
        steps.push(ComparedStep {
            title: results.iter().flatten().next().map(|result| result.title.clone()).unwrap_or_default(),
            outcomes: results.iter().map(|result| result.map(|result| result.outcome)).collect(),
            same_work: same_work(&figures),
            id,
            figures,
        });
    }
    steps
}

/// Whether the runs, and the publication where it has the figure, requested the same amount of work in a step.
fn same_work(figures: &[ComparedFigure]) -> bool {
    let asked = |figure| [Figure::Issued, Figure::Iterations, Figure::Processed].contains(&figure);
    figures.iter().filter(|compared| asked(compared.figure)).all(|compared| {
        let all = compared.numbers.measured.iter().chain(std::iter::once(&compared.numbers.published)).flatten();
        let (low, high) = all.fold((f64::MAX, 0.0_f64), |(low, high), value| (low.min(*value), high.max(*value)));
        low >= high * (1.0 - SAME)
    })
}

struct NumberTable<'a> {
    candidates: &'a [Candidate],
    scenario: Option<&'a Scenario>,
}

impl NumberTable<'_> {
    fn result<'r>(&self, run: &'r Candidate, id: &str) -> Option<&'r StepResult> {
        run.result.steps.iter().find(|result| result.id == id)
    }

    fn numbers(&self, id: &str, figure: Figure) -> ComparedNumbers {
        let scale = self.candidates.first().map_or(Scale::FULL, |run| run.result.scale);
        let published = self
            .scenario
            .and_then(|scenario| scenario.published(id))
            .and_then(|published| published.get(figure))
            .map(|value| at_scale(figure, value, Scale::FULL, scale));
        let measured = self.candidates.iter().map(|run| {
            let value = self.result(run, id)?.get(figure)?;
            Some(at_scale(figure, value, run.result.scale, scale))
        });
        ComparedNumbers::new(published, measured.collect())
    }

    /// The numbers over those of the first step before that has the figure in every run, and in the publication where this one
    /// was published.
    fn within(
        &self,
        id: &str,
        figure: Figure,
        numbers: &ComparedNumbers,
        before: &[ComparedStep],
    ) -> Option<StepRatio> {
        let serves = |base: &ComparedNumbers| {
            let there = |value: &Option<f64>| value.is_some_and(|value| value > 0.0);
            base.measured.iter().all(there) && (numbers.published.is_none() || there(&base.published))
        };
        let mut bases = before.iter().map(|step| (step.id.as_str(), self.numbers(&step.id, figure)));
        let (step, base) = bases.find(|(step, base)| *step != id && serves(base))?;
        let over = |value: Option<f64>, base: Option<f64>| value.zip(base).map(|(value, base)| value / base);
        let measured = numbers.measured.iter().zip(&base.measured).map(|(value, base)| over(*value, *base)).collect();
        Some(StepRatio {
            step: step.to_owned(),
            numbers: ComparedNumbers::new(over(numbers.published, base.published), measured),
        })
    }
}

fn claims(candidates: &[Candidate]) -> Vec<ComparedClaim> {
    let mut claims: Vec<ComparedClaim> = Vec::new();
    for verdict in candidates.iter().flat_map(|run| &run.result.claims) {
        if claims.iter().any(|claim| claim.id == verdict.id) {
            continue;
        }
        let of = |run: &Candidate| run.result.claims.iter().find(|other| other.id == verdict.id).cloned();
        let verdicts: Vec<_> = candidates.iter().map(of).collect();
        claims.push(ComparedClaim {
            id: verdict.id.clone(),
            text: verdict.text.clone(),
            check: verdict.check.clone(),
            holds: verdicts.iter().map(|verdict| verdict.as_ref().map(|verdict| verdict.holds)).collect(),
            evidence: verdicts.into_iter().map(|verdict| verdict.map(|verdict| verdict.evidence)).collect(),
        });
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Figures;

    const SCENARIO: &str = r#"
id = "t"
title = "t"
source = "t"
[machine]
cpus = 1
memory = "1GiB"
[[machine.disk]]
name = "d"
size = "1GiB"
[[step]]
id = "A"
fio = { rw = "randread", bs = "8k", size = "64MiB" }
published = { issued = 8000, iops = 100, elapsed = "80s" }
[[step]]
id = "B"
fio = { same_as = "A" }
published = { issued = 8000, iops = 400, elapsed = "20s" }
"#;

    fn run(name: &str, scale: Scale, steps: &[(&str, f64, f64)]) -> Candidate {
        let steps = steps.iter().map(|(id, issued, iops)| {
            let mut figures = Figures::default();
            figures.set(Figure::Issued, *issued);
            figures.set(Figure::Iops, *iops);
            StepResult {
                id: (*id).into(),
                kind: "fio".into(),
                title: String::new(),
                started_ns: 0,
                ended_ns: 0,
                outcome: Outcome::Done,
                notes: Vec::new(),
                figures,
            }
        });
        let result = RunResult {
            scenario: "t".into(),
            backend: name.into(),
            scale,
            machine: Vec::new(),
            differences: Vec::new(),
            kernel: String::new(),
            tool_version: String::new(),
            seed: 0,
            started_wall_ns: 0,
            steps: steps.collect(),
            claims: Vec::new(),
            findings: Vec::new(),
        };
        Candidate { name: name.into(), result, scenario: Some(Scenario::parse(SCENARIO, "t.toml").unwrap()) }
    }

    fn figure(comparison: &Comparison, step: &str, figure: Figure) -> ComparedFigure {
        let step = comparison.steps.iter().find(|compared| compared.id == step).unwrap();
        step.figures.iter().find(|compared| compared.figure == figure).unwrap().clone()
    }

    #[test]
    fn counts_compare_as_they_are_and_rates_as_ratios_within_their_run() {
        let half = Scale::new(1, 2).unwrap();
        let runs = [
            run("host", half, &[("A", 4000.0, 1000.0), ("B", 4000.0, 9000.0)]),
            run("vm", half, &[("A", 4000.0, 50.0), ("B", 4000.0, 200.0)]),
        ];
        let comparison = compare(&runs).unwrap();
        let issued = figure(&comparison, "B", Figure::Issued);
        assert!(issued.comparable && issued.within.is_none());
        assert_eq!(issued.numbers.published, Some(4000.0), "published counts are scaled");
        assert_eq!(issued.numbers.to_published, [Some(1.0), Some(1.0)]);
        let iops = figure(&comparison, "B", Figure::Iops);
        assert!(!iops.comparable);
        assert_eq!(iops.numbers.published, Some(400.0), "a rate does not scale");
        let within = iops.within.unwrap();
        assert_eq!((within.step.as_str(), within.numbers.published), ("A", Some(4.0)));
        assert_eq!(within.numbers.measured, [Some(9.0), Some(4.0)]);
        assert_eq!(within.numbers.to_published, [Some(2.25), Some(1.0)]);
        assert!(figure(&comparison, "A", Figure::Iops).within.is_none(), "the first has nothing before it");
        assert!(comparison.notes.is_empty(), "{:?}", comparison.notes);
    }

    #[test]
    fn runs_of_different_scales_are_converted_to_the_first_with_a_note() {
        let runs = [
            run("a", Scale::new(1, 2).unwrap(), &[("A", 4000.0, 100.0)]),
            run("b", Scale::new(1, 8).unwrap(), &[("A", 1000.0, 100.0)]),
        ];
        let comparison = compare(&runs).unwrap();
        assert_eq!(figure(&comparison, "A", Figure::Issued).numbers.measured, [Some(4000.0), Some(4000.0)]);
        assert!(comparison.steps[0].same_work);
        assert!(comparison.notes[0].contains("a at 1/2, b at 1/8"), "{:?}", comparison.notes);
    }

    #[test]
    fn different_work_and_changed_scenarios_are_noted() {
        let mut other = run("b", Scale::FULL, &[("A", 300.0, 100.0)]);
        other.scenario.as_mut().unwrap().machine.memory = crate::Bytes::new(1 << 20);
        let comparison = compare(&[run("a", Scale::FULL, &[("A", 8000.0, 100.0)]), other]).unwrap();
        assert!(!comparison.steps[0].same_work);
        assert!(
            comparison.notes[0].contains("the machine") && comparison.notes[1].contains(" A:"),
            "{:?}",
            comparison.notes
        );
    }

    #[test]
    fn zero_over_zero_is_one_and_any_other_number_over_zero_has_no_ratio() {
        assert_eq!(ratio(Some(0.0), Some(0.0)), Some(1.0));
        assert_eq!(ratio(Some(3.0), Some(0.0)), None);
        assert_eq!(ratio(None, Some(1.0)), None);
    }

    #[test]
    fn other_scenarios_are_refused() {
        let mut other = run("b", Scale::FULL, &[]);
        other.result.scenario = "u".into();
        let error = compare(&[run("a", Scale::FULL, &[]), other]).unwrap_err();
        assert!(error.what.contains("a is a run of t, but b is a run of u"), "{error}");
        assert!(compare(&[]).is_err());
    }
}
