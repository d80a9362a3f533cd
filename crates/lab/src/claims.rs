//! Claims: expressions over the figures of a run, with units.
//!
//! The language is Rhai's expressions, with every number a quantity: `1.5`, `5%`, `20ms`, `512MiB`, `125MB/s`. A step's figures are
//! read as `A1.iops`. To add or compare quantities of different dimensions is an error, and so is a figure that was not measured:
//! such a claim is reported as not computable, never as true. A plain number that is written beside a rate of requests means as many
//! per second: `A1.iops >= 20000`, or `20000/s`. `within(a, b, tolerance)` is true when `a` differs from `b` by at
//! most `tolerance` times `b`; there are `min`, `max` and `abs` too.

use crate::executor::reading::is_counted_at_disks;
use pagetide_core::{
    Action, Claim, ClaimStatus, Dimension, Error, Figure, Outcome, Quantity, Scenario, Step, StepResult, Unit, Verdict,
    suggest,
};
use rhai::{Engine, EvalAltResult, Map, Position, Scope};
use std::collections::BTreeSet;

/// A number in base units (seconds, bytes, pages, counts) with its dimension.
#[derive(Debug, Clone, Copy)]
struct Measure {
    value: f64,
    dimension: Dimension,
    /// Whether it was written down, and not measured.
    is_written: bool,
}

/// What a rate of requests has.
const PER_SECOND: Dimension = Dimension { seconds: -1, bytes: 0, pages: 0 };

/// What is said of two dimensions that differ.
const UNLIKE: &str = "cannot be compared or added";

type Answer<T> = Result<T, Box<EvalAltResult>>;

fn fail<T>(why: impl Into<String>) -> Answer<T> {
    Err(EvalAltResult::ErrorRuntime(why.into().into(), Position::NONE).into())
}

impl Measure {
    fn of(quantity: Quantity) -> Self {
        let (dimension, factor) = quantity.unit.base();
        Self { value: quantity.value * factor, dimension, is_written: false }
    }

    fn written(quantity: Quantity) -> Self {
        Self { is_written: true, ..Self::of(quantity) }
    }

    /// Whether it is a plain number that was written beside a rate, and so means as many per second: `A1.iops >= 20000`.
    fn is_rate_beside(self, other: Self) -> bool {
        self.is_written && self.dimension == Dimension::default() && other.dimension == PER_SECOND
    }

    /// The numbers of two measures that may be compared.
    fn pair(self, other: Self) -> Answer<(f64, f64)> {
        if self.dimension == other.dimension || self.is_rate_beside(other) || other.is_rate_beside(self) {
            Ok((self.value, other.value))
        } else {
            fail(format!("{} and {} {UNLIKE}", unit(self.dimension), unit(other.dimension)))
        }
    }

    /// What `of` makes of two measures that may be added; it has their dimension.
    fn joined(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Answer<Self> {
        let (a, b) = if self.is_rate_beside(other) {
            (Self { dimension: other.dimension, ..self }, other)
        } else {
            (self, other)
        };
        let (x, y) = a.pair(b)?;
        Ok(Self { value: of(x, y), is_written: a.is_written && b.is_written, ..a })
    }

    fn with(self, value: f64) -> Self {
        Self { value, ..self }
    }

    /// The product with `other` to the power of `sign`, which is 1 or -1.
    fn times(self, other: Self, sign: i8) -> Self {
        let (a, b) = (self.dimension, other.dimension);
        Self {
            is_written: self.is_written && other.is_written,
            value: if sign > 0 { self.value * other.value } else { self.value / other.value },
            dimension: Dimension {
                seconds: a.seconds + sign * b.seconds,
                bytes: a.bytes + sign * b.bytes,
                pages: a.pages + sign * b.pages,
            },
        }
    }
}

/// A dimension in words.
fn unit(dimension: Dimension) -> String {
    let parts: Vec<String> = [("s", dimension.seconds), ("byte", dimension.bytes), ("page", dimension.pages)]
        .into_iter()
        .filter(|(_, exponent)| *exponent != 0)
        .map(|(name, exponent)| if exponent == 1 { name.to_owned() } else { format!("{name}^{exponent}") })
        .collect();
    if parts.is_empty() { "a plain number".to_owned() } else { format!("a number of {}", parts.join(" ")) }
}

fn engine() -> Engine {
    let mut engine = Engine::new_raw();
    engine.set_max_expr_depths(64);
    engine.set_max_operations(10_000);
    engine.set_fail_on_invalid_map_property(true);
    engine.register_type_with_name::<Measure>("quantity");
    engine.register_fn("quantity", |text: &str| -> Answer<Measure> {
        Quantity::parse(text).map(Measure::written).or_else(|error| fail(error.to_string()))
    });
    engine.register_fn("+", |a: Measure, b: Measure| a.joined(b, |x, y| x + y));
    engine.register_fn("-", |a: Measure, b: Measure| a.joined(b, |x, y| x - y));
    engine.register_fn("-", |a: Measure| a.with(-a.value));
    engine.register_fn("*", |a: Measure, b: Measure| a.times(b, 1));
    engine.register_fn(
        "/",
        |a: Measure, b: Measure| {
            if b.value == 0.0 { fail("division by zero") } else { Ok(a.times(b, -1)) }
        },
    );
    engine.register_fn("<", |a: Measure, b: Measure| a.pair(b).map(|(x, y)| x < y));
    engine.register_fn("<=", |a: Measure, b: Measure| a.pair(b).map(|(x, y)| x <= y));
    engine.register_fn(">", |a: Measure, b: Measure| a.pair(b).map(|(x, y)| x > y));
    engine.register_fn(">=", |a: Measure, b: Measure| a.pair(b).map(|(x, y)| x >= y));
    engine.register_fn("==", |a: Measure, b: Measure| a.pair(b).map(|(x, y)| x == y));
    engine.register_fn("!=", |a: Measure, b: Measure| a.pair(b).map(|(x, y)| x != y));
    engine.register_fn("!", |truth: bool| !truth);
    engine.register_fn("min", |a: Measure, b: Measure| a.joined(b, f64::min));
    engine.register_fn("max", |a: Measure, b: Measure| a.joined(b, f64::max));
    engine.register_fn("abs", |a: Measure| a.with(a.value.abs()));
    engine.register_fn("within", |a: Measure, b: Measure, tolerance: Measure| -> Answer<bool> {
        let (x, y) = a.pair(b)?;
        if tolerance.dimension != Dimension::default() {
            return fail("the tolerance of within() is a plain number or a percentage");
        }
        Ok((x - y).abs() <= tolerance.value * y.abs())
    });
    engine
}

/// Rewrites every number with its unit as a call of `quantity("…")`, since the language has no such literals.
fn with_quantities(check: &str) -> String {
    let mut out = String::with_capacity(check.len() * 2);
    let mut rest = check;
    let mut after_word = false;
    while let Some(c) = rest.chars().next() {
        if !c.is_ascii_digit() || after_word {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            after_word = c.is_ascii_alphanumeric() || c == '_';
            continue;
        }
        let number = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(rest.len());
        let after = &rest[number..];
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let per_second = after[letters..].strip_prefix("/s");
        let suffix = if after.starts_with('%') {
            1
        } else if per_second
            .is_some_and(|then| !then.starts_with(|c: char| c.is_ascii_alphanumeric() || "_.".contains(c)))
        {
            letters + 2
        } else {
            letters
        };
        let (literal, tail) = rest.split_at(number + suffix);
        out.push_str("quantity(\"");
        out.push_str(literal);
        out.push_str("\")");
        rest = tail;
        after_word = false;
    }
    out
}

/// The figures that an expression names, such as `A1.iops`: step and figure, each once.
fn named_figures(check: &str) -> BTreeSet<(&str, &str)> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    check
        .split(|c: char| !(word(c) || c == '.'))
        .filter_map(|token| token.split_once('.'))
        .filter(|(step, figure)| step.starts_with(|c: char| c.is_ascii_alphabetic()) && figure.chars().all(word))
        .collect()
}

/// The steps that a claim is about, some of them more than once.
pub(crate) fn steps_of(claim: &Claim) -> impl Iterator<Item = &str> {
    named_figures(&claim.check).into_iter().map(|(step, _)| step)
}

/// A value for every figure of every step, under the steps' names.
fn scope<'a>(steps: impl Iterator<Item = (&'a str, Vec<(Figure, Quantity)>)>) -> Scope<'static> {
    let mut scope = Scope::new();
    for (id, figures) in steps {
        let map: Map = figures
            .into_iter()
            .map(|(figure, quantity)| (figure.name().into(), rhai::Dynamic::from(Measure::of(quantity))))
            .collect();
        scope.push_constant(id.to_owned(), map);
    }
    scope
}

fn evaluate(check: &str, scope: &mut Scope<'static>) -> Result<bool, String> {
    engine().eval_expression_with_scope::<bool>(scope, &with_quantities(check)).map_err(|error| match *error {
        EvalAltResult::ErrorRuntime(why, _) => why.to_string(),
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) => match *inner {
            EvalAltResult::ErrorRuntime(why, _) => why.to_string(),
            other => other.to_string(),
        },
        EvalAltResult::ErrorPropertyNotFound(name, _) => format!("`{name}` was not measured"),
        EvalAltResult::ErrorVariableNotFound(name, _) => format!("step `{name}` did not run"),
        other => other.to_string(),
    })
}

/// Checks that every claim of a scenario can be computed: its steps and figures exist and its units fit.
/// `place` says where the claim of a number is, for the message.
///
/// # Errors
/// One cannot.
pub fn validate(scenario: &Scenario, place: impl Fn(usize) -> String) -> Result<(), Error> {
    let ids: Vec<String> = scenario.result_ids().collect();
    let steps: Vec<&str> = ids.iter().map(String::as_str).collect();
    for (nth, claim) in scenario.claims.iter().enumerate() {
        let wrong =
            |why: String, hint: &str| Err(Error::input(format!("{}: claim `{}`: {why}", place(nth), claim.id), hint));
        for (step, figure) in named_figures(&claim.check) {
            if !steps.contains(&step) {
                return wrong(format!("no step `{step}`{}", suggest::hint(step, steps.iter().copied())), "");
            }
            let Some(of) = Figure::by_name(figure) else {
                let known = Figure::ALL.iter().map(|figure| figure.name());
                return wrong(format!("`{figure}` is not a figure{}", suggest::hint(figure, known)), "");
            };
            if let Some((why, hint)) = never_measured(scenario, step, of) {
                return wrong(why, hint);
            }
        }
        // Odd values, so that no difference of two of them is zero by chance.
        let ones = Figure::ALL
            .iter()
            .zip(1_u8..)
            .map(|(figure, at)| (*figure, Quantity::new(f64::from(at).sqrt(), figure.unit())));
        let ones: Vec<_> = ones.collect();
        if let Err(why) = evaluate(&claim.check, &mut scope(steps.iter().map(|id| (*id, ones.clone())))) {
            let hint = if why.contains(UNLIKE) {
                "both sides need the same unit: iops * clat_mean is a plain number"
            } else {
                "a claim compares figures, as in `A.elapsed < 1s`, with + - * / ( ) && || ! and < <= == != >= >; it has min(a, b), max(a, b), \
                 abs(a) and within(a, b, 5%)"
            };
            return wrong(format!("`{}`: {why}", claim.check), hint);
        }
    }
    Ok(())
}

/// Why a figure of a step says nothing of that step, and what does.
pub(crate) fn never_measured(scenario: &Scenario, id: &str, of: Figure) -> Option<(String, &'static str)> {
    let figure = of.name();
    if is_counted_at_disks(of) && scenario.shares_a_disk(id) {
        let why = format!("{figure} of {id} would be those of all parts that work on its disk at the same time");
        return Some((why, "name the figure of the whole step, or give the part a disk of its own"));
    }
    let step = scenario.steps.iter().find(|step| step.id == id);
    if of == Figure::CacheHitRatio && !step.is_some_and(|step| matches!(step.action, Action::Fio(_))) {
        let why = format!("{figure} of {id} is not measured: {id} is no fio step");
        return Some((
            why,
            "compare cached_after with file_size, or disk_read_bytes of the step with its processed bytes",
        ));
    }
    None
}

/// The verdict on every claim of a scenario.
pub fn check(scenario: &Scenario, steps: &[StepResult]) -> Vec<Verdict> {
    let verdict = |claim| match refused(scenario, claim, steps) {
        Some(why) => unknown(claim, &why, &numbers(claim, steps)),
        None => verdict(claim, steps),
    };
    scenario.claims.iter().map(verdict).collect()
}

/// Why a step that a claim is about is not what the scenario says: it, a part of it or a change beside it was refused.
fn refused(scenario: &Scenario, claim: &Claim, steps: &[StepResult]) -> Option<String> {
    let named: BTreeSet<&str> = steps_of(claim).collect();
    let results = |step: &Step| -> Vec<String> {
        std::iter::once(step.id.clone()).chain(step.parts().iter().map(|part| step.part_id(part))).collect()
    };
    let about = scenario.steps.iter().map(results).filter(|ids| ids.iter().any(|id| named.contains(id.as_str())));
    let mut about = about.flatten();
    let of = |id: &str| steps.iter().find(|result| result.id == id && result.outcome == Outcome::Refused);
    about.find_map(|id| {
        let result = of(&id)?;
        let why = result.notes.first().map(|note| format!(": {note}")).unwrap_or_default();
        Some(format!("step {id} was refused{why}"))
    })
}

fn unknown(claim: &Claim, why: &str, numbers: &str) -> Verdict {
    let evidence = if numbers.is_empty() { why.to_owned() } else { format!("{why}: {numbers}") };
    given(claim, ClaimStatus::Unknown, evidence)
}

fn given(claim: &Claim, holds: ClaimStatus, evidence: String) -> Verdict {
    Verdict { id: claim.id.clone(), text: claim.text.clone(), check: claim.check.clone(), holds, evidence }
}

fn verdict(claim: &Claim, steps: &[StepResult]) -> Verdict {
    let mut scope = scope(steps.iter().map(|step| (step.id.as_str(), step.figures.iter().collect())));
    let numbers = numbers(claim, steps);
    let (holds, evidence) = match evaluate(&claim.check, &mut scope) {
        Ok(true) => (ClaimStatus::Holds, numbers),
        Ok(false) => match disturbance(claim, steps) {
            Some(what) => (ClaimStatus::Disturbed, format!("{what}: {numbers}")),
            None => (ClaimStatus::Fails, numbers),
        },
        Err(why) => return unknown(claim, &why, &numbers),
    };
    given(claim, holds, evidence)
}

/// The figures that a claim names.
fn numbers(claim: &Claim, steps: &[StepResult]) -> String {
    let numbers: Vec<String> = named_figures(&claim.check)
        .into_iter()
        .map(|(step, name)| {
            let measured = Figure::by_name(name).and_then(|figure| {
                steps.iter().find(|result| result.id == step).and_then(|result| result.quantity(figure))
            });
            measured.map_or_else(|| format!("{step}.{name} not measured"), |value| format!("{step}.{name} = {value}"))
        })
        .collect();
    numbers.join(", ")
}

/// A share of what a step used that, evicted or moved by others, may decide whether a claim holds.
const DISTURBS: f64 = 0.01;
/// A share of what a step's disks moved that, moved by others, may decide whether a claim holds.
const DISTURBS_DISK: f64 = 0.1;

/// What on the host may be why a claim does not hold.
fn disturbance(claim: &Claim, steps: &[StepResult]) -> Option<String> {
    let named: BTreeSet<&str> = steps_of(claim).collect();
    let is_named = |step: &StepResult| named.contains(step.id.as_str());
    let used = steps.iter().filter(|step| is_named(step)).filter_map(|step| {
        [Figure::FileBytes, Figure::Processed, Figure::Resident].iter().find_map(|figure| step.figures.get(*figure))
    });
    let used = used.fold(0.0, f64::max);
    let on_disks =
        named_figures(&claim.check).into_iter().filter_map(|(_, name)| Figure::by_name(name)).any(is_of_disks);
    let beside = on_disks.then(|| moved_by_others(steps, is_named, used)).flatten();
    let reasons: Vec<String> = evicted_by_damon(steps, is_named, used).into_iter().chain(beside).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Whether other IO on the same disks changes a figure: times, rates, and what is counted at a device.
fn is_of_disks(figure: Figure) -> bool {
    !figure.comparability().across_machines() || is_counted_at_disks(figure)
}

/// Eviction by DAMON, up to the last of a claim's steps, of a notable part of the bytes that its steps `used`. What is cached passes from one
/// step to the next, so earlier steps count.
fn evicted_by_damon(steps: &[StepResult], is_named: impl Fn(&StepResult) -> bool, used: f64) -> Option<String> {
    let last = steps.iter().rposition(is_named)?;
    let evicted: f64 = steps[..=last].iter().filter_map(|step| step.figures.get(Figure::DamonEvicted)).sum();
    (evicted > 0.0 && evicted >= DISTURBS * used).then(|| {
        let evicted = Quantity::new(evicted, Unit::Bytes);
        format!("DAMON evicted {evicted} on this host from the first step to {}", steps[last].id)
    })
}

/// Bytes that processes outside of the run moved during one of a claim's steps: a notable part of what its disks moved, and of what its steps
/// `used`.
fn moved_by_others(steps: &[StepResult], is_named: impl Fn(&StepResult) -> bool, used: f64) -> Option<String> {
    let disks = |step: &StepResult| {
        let moved =
            [Figure::DiskReadBytes, Figure::DiskWrittenBytes].iter().filter_map(|figure| step.figures.get(*figure));
        moved.sum::<f64>()
    };
    let beside = steps.iter().filter(|step| is_named(step)).filter_map(|step| {
        let moved = step.figures.get(Figure::OthersBytes)?;
        (moved >= DISTURBS_DISK * disks(step) && moved >= DISTURBS * used).then_some((step, moved))
    });
    let (step, moved) = beside.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let (moved, all) = (Quantity::new(moved, Unit::Bytes), Quantity::new(disks(step), Unit::Bytes));
    Some(format!("other processes read and wrote {moved} during {}, whose disks moved {all}", step.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Figures;
    use proptest::prelude::*;

    fn step(id: &str, figures: &[(Figure, f64)]) -> StepResult {
        let mut measured = Figures::default();
        for (figure, value) in figures {
            measured.set(*figure, *value);
        }
        StepResult {
            id: id.into(),
            kind: "fio".into(),
            title: String::new(),
            started_ns: 0,
            ended_ns: 0,
            outcome: Outcome::Done,
            notes: Vec::new(),
            figures: measured,
        }
    }

    #[test]
    fn a_claim_that_damon_may_have_broken_is_disturbed_and_says_by_how_much() {
        let claim = Claim { id: "warm".into(), text: "t".into(), check: "A2.disk_reads < 10".into() };
        let after = |evicted: Option<f64>, reads: f64| {
            let mut first = step("A1", &[]);
            first.figures.set_some(Figure::DamonEvicted, evicted);
            let second =
                step("A2", &[(Figure::DiskReads, reads), (Figure::FileBytes, 256e6), (Figure::DamonEvicted, 0.0)]);
            let last = step("A3", &[(Figure::DamonEvicted, 1e9)]);
            verdict(&claim, &[first, second, last])
        };
        let disturbed = after(Some(64e6), 999.0);
        assert_eq!(disturbed.holds, ClaimStatus::Disturbed);
        assert!(
            disturbed
                .evidence
                .starts_with("DAMON evicted 61.0 MiB on this host from the first step to A2: A2.disk_reads"),
            "{disturbed:?}"
        );
        // What holds is not excused, nor what fails without an eviction that could be why; later steps change nothing.
        assert_eq!(after(Some(64e6), 1.0).holds, ClaimStatus::Holds);
        for evicted in [None, Some(0.0), Some(1e6)] {
            assert_eq!(after(evicted, 999.0).holds, ClaimStatus::Fails, "{evicted:?}");
        }
    }

    #[test]
    fn a_claim_beside_a_busy_disk_of_others_is_disturbed_and_a_trickle_excuses_nothing() {
        let claim = Claim { id: "fast".into(), text: "t".into(), check: "A2.disk_reads < 10".into() };
        let beside_of = |claim: &Claim, others: Option<f64>| {
            let figures = [(Figure::DiskReads, 999.0), (Figure::FileBytes, 256e6), (Figure::DiskReadBytes, 200e6)];
            let mut second = step("A2", &figures);
            second.figures.set_some(Figure::OthersBytes, others);
            // What others do during a step that the claim does not name is none of its business.
            verdict(claim, &[step("A1", &[(Figure::OthersBytes, 9e9)]), second])
        };
        let beside = |others: Option<f64>| beside_of(&claim, others);
        let disturbed = beside(Some(60e6));
        assert_eq!(disturbed.holds, ClaimStatus::Disturbed);
        let says = "other processes read and wrote 57.2 MiB during A2, whose disks moved 191 MiB: A2.disk_reads = 999";
        assert!(disturbed.evidence.starts_with(says), "{disturbed:?}");
        for others in [None, Some(1e6), Some(19e6)] {
            assert_eq!(beside(others).holds, ClaimStatus::Fails, "{others:?}");
        }
        // No disk decides how large the file is.
        let sized = Claim { check: "A2.file_size < 1MiB".into(), ..claim.clone() };
        assert_eq!(beside_of(&sized, Some(60e6)).holds, ClaimStatus::Fails);
    }

    fn holds(check: &str) -> (ClaimStatus, String) {
        let steps = [step(
            "A1",
            &[
                (Figure::Iops, 2609.0),
                (Figure::ClatMean, 382_220.0),
                (Figure::Issued, 262_144.0),
                (Figure::DiskReads, 262_238.0),
                (Figure::FileBytes, 2_147_483_648.0),
                (Figure::Elapsed, 100.465e9),
            ],
        )];
        let claim = Claim { id: "c".into(), text: "t".into(), check: check.into() };
        let verdict = verdict(&claim, &steps);
        (verdict.holds, verdict.evidence)
    }

    #[test]
    fn a_claim_about_a_step_that_was_not_as_written_cannot_be_computed() {
        let text = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"64MiB\"\n[[machine.disk]]\nname = \"d\"\n\
                    size = \"1GiB\"\n[[step]]\nid = \"p\"\nparallel = [{ name = \"a\", spin = { time = \"1s\" } }]\n\
                    [[step]]\nid = \"q\"\nspin = { time = \"1s\" }\n[[claim]]\nid = \"c\"\ntext = \"t\"\ncheck = \"p_a.elapsed < 2s\"\n\
                    [[claim]]\nid = \"d\"\ntext = \"t\"\ncheck = \"q.elapsed < 2s\"\n";
        let scenario = Scenario::parse(text, "t.toml").unwrap();
        let mut steps = ["p", "p_a", "q"].map(|id| step(id, &[(Figure::Elapsed, 1e9)]));
        assert!(check(&scenario, &steps).iter().all(|verdict| verdict.holds == ClaimStatus::Holds));
        steps[0].outcome = Outcome::Refused;
        steps[0].notes.push("after 10 s: drop caches: did not happen".to_owned());
        let verdicts = check(&scenario, &steps);
        assert_eq!((verdicts[0].holds, verdicts[1].holds), (ClaimStatus::Unknown, ClaimStatus::Holds));
        let says = "step p was refused: after 10 s: drop caches: did not happen: p_a.elapsed = 1 s";
        assert_eq!(verdicts[0].evidence, says);
    }

    #[test]
    fn expressions_know_units() {
        for yes in [
            "within(A1.iops * A1.clat_mean, 1, 5%)",
            "A1.clat_mean < 1ms",
            "A1.elapsed > 1.5min",
            "A1.file_size == 2GiB",
            "A1.issued / A1.elapsed > 2600 / 1s",
            "A1.file_size / A1.elapsed < 125MB/s",
            "A1.iops>=2000",
            "2000 <= A1.iops && (A1.iops < 3000/s)",
            "within(A1.iops, 2600, 1%) && A1.iops > 2 * 1000 && 100 + A1.iops > 2700/s && A1.iops + 100 > 2700",
            "A1.issued / 2 / A1.elapsed > 1300",
            "1/8 == 0.125 && !(1 > 2)",
            "abs(1 - 3) == max(1, 2) && min(1, 2) == 1",
            "-A1.issued < 0",
        ] {
            assert_eq!(holds(yes).0, ClaimStatus::Holds, "{yes}: {}", holds(yes).1);
        }
        assert_eq!(holds("A1.disk_reads < 0.1% * A1.issued").0, ClaimStatus::Fails);
    }

    #[test]
    fn what_cannot_be_computed_is_never_true() {
        for (check, why) in [
            ("A1.iops > 1ms", "cannot be compared"),
            ("A1.iops > A1.issued", "cannot be compared"),
            ("A1.iops < 100 + A1.issued", "cannot be compared"),
            ("A1.clat_mean > 1", "cannot be compared"),
            ("A1.clat_mean + A1.issued > 1", "cannot be compared or added"),
            ("A1.clat_p99 < 1ms", "was not measured"),
            ("A2.iops < 1", "did not run"),
            ("A1.iops", ""),
            ("A1.iops <", ""),
            ("1 / 0 > 1", "division by zero"),
            ("within(A1.iops, A1.iops, 5ms)", "tolerance"),
            ("A1.clat_p99 < 1ms || 1 < 2", "was not measured"),
            ("5parsecs > 1", "parsecs"),
        ] {
            let (verdict, evidence) = holds(check);
            assert_eq!(verdict, ClaimStatus::Unknown, "{check}");
            assert!(evidence.contains(why), "{check}: {evidence}");
        }
    }

    #[test]
    fn the_evidence_names_the_numbers() {
        assert_eq!(holds("A1.disk_reads < 0.1% * A1.issued").1, "A1.disk_reads = 262 238, A1.issued = 262 144");
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_panic(check in ".{0,60}") {
            let _ = holds(&check);
        }

        #[test]
        fn a_claim_holds_exactly_when_the_numbers_say_so(a in 0.0..1e9f64, b in 0.0..1e9f64) {
            let steps = [step("X", &[(Figure::Issued, a), (Figure::DiskReads, b)])];
            let claim = Claim { id: "c".into(), text: "t".into(), check: "X.disk_reads < X.issued".into() };
            prop_assert_eq!(verdict(&claim, &steps).holds == ClaimStatus::Holds, b < a);
        }
    }
}
