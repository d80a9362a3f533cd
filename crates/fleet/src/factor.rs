//! Common factors: attribute values that are over-represented among the hosts that a cause affects.
//!
//! For each cause, each value and each pair of values is tested with Fisher's exact test, one-sided. The p-values are corrected by Holm's
//! method over all causes together, single values at level 0.04 and pairs at 0.01, so that in a fleet without any factor one is named
//! with a probability of 0.05 at most. A pair must be better than both of its values. What remains significant must add to what was
//! chosen before it (exact test, stratified by that), else it follows from it: a site in which the bad disk is common is no factor.

use crate::host::{Attributes, Facts, Host, Hour};
use crate::row::Text;
use crate::statistics::{self, Table};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// The level of single values.
const SINGLES: f64 = 0.04;
/// The level of pairs of values.
const PAIRS: f64 = 0.01;
/// The level at which a factor must add to another one.
const ADDS: f64 = 0.05;
/// Hosts that a value, and a cause, must have at least, and leave out at least: fewer show nothing.
const MIN_HOSTS: u64 = 3;
/// How many of the most common values are paired, so that a label with a different value on every host does not take hours.
const PAIRED: usize = 200;
/// Factors that are reported of one cause.
const MAX_FACTORS: usize = 3;

/// One value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Condition {
    /// The attribute.
    pub attribute: Text,
    /// Its value.
    pub value: Text,
}

/// Values that are over-represented among the affected hosts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Factor {
    /// The value, or the pair of values.
    pub conditions: Vec<Condition>,
    /// Other values of exactly the same hosts: the fleet cannot tell them apart.
    pub same_hosts: Vec<Vec<Condition>>,
    /// Hosts with it.
    pub hosts: u64,
    /// Affected hosts with it.
    pub affected: u64,
    /// Hosts without it.
    pub other_hosts: u64,
    /// Affected hosts without it.
    pub other_affected: u64,
    /// The share of affected hosts among those with it, over the share among all.
    pub lift: f64,
    /// The share of affected hosts among those with it, over the share among those without it.
    pub risk_ratio: f64,
    /// The ends of its 95 % interval.
    pub risk_ratio_low: f64,
    /// See `risk_ratio_low`.
    pub risk_ratio_high: f64,
    /// Fisher's exact test, one-sided.
    pub p: f64,
    /// The same, corrected for the number of tests (Holm).
    pub p_corrected: f64,
    /// Values that are over-represented too and add nothing to it.
    pub follows: Vec<Condition>,
}

/// The common factors of one cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CauseFactors {
    /// The cause, a rule's id; absent for incidents of any cause.
    pub cause: Option<Text>,
    /// Hosts with an incident of it.
    pub affected: u64,
    /// Hosts.
    pub hosts: u64,
    /// The factors, the strongest first; none when no attribute explains it.
    pub factors: Vec<Factor>,
}

/// A set of hosts.
type Set = Vec<u64>;

fn count(set: &[u64]) -> u64 {
    set.iter().map(|word| u64::from(word.count_ones())).sum()
}

fn both(one: &[u64], other: &[u64]) -> Set {
    one.iter().zip(other).map(|(one, other)| one & other).collect()
}

fn without(one: &[u64], other: &[u64]) -> Set {
    one.iter().zip(other).map(|(one, other)| one & !other).collect()
}

/// The table of a set of hosts within another.
fn table(set: &[u64], affected: &[u64], within: &[u64]) -> Table {
    let (with, without) = (both(set, within), without(within, set));
    Table {
        with: count(&with),
        with_affected: count(&both(&with, affected)),
        without: count(&without),
        without_affected: count(&both(&without, affected)),
    }
}

/// Values, or pairs of them, that the same hosts have.
struct Candidate {
    /// Each a value or a pair.
    names: Vec<Vec<Condition>>,
    set: Set,
    p: f64,
    p_corrected: f64,
}

/// A cause with the hosts that it affects.
struct Outcome {
    cause: Option<Text>,
    affected: Set,
    all: Set,
    singles: Vec<Candidate>,
    pairs: Vec<Candidate>,
}

/// The common factors of every cause that affects some hosts and not all, the most common cause first.
pub(crate) fn factors(hosts: &[Host], facts: &Facts) -> Vec<CauseFactors> {
    let mut outcomes = outcomes(hosts, facts);
    for (level, pick) in [(SINGLES, false), (PAIRS, true)] {
        let candidates = || outcomes.iter().flat_map(|outcome| if pick { &outcome.pairs } else { &outcome.singles });
        let corrected = statistics::holm(&candidates().map(|candidate| candidate.p).collect::<Vec<_>>());
        let candidates =
            outcomes.iter_mut().flat_map(|outcome| if pick { &mut outcome.pairs } else { &mut outcome.singles });
        for (candidate, corrected) in candidates.zip(corrected) {
            // On one scale, on which 0.05 is the level of both.
            candidate.p_corrected = (corrected * (SINGLES + PAIRS) / level).min(1.0);
        }
    }
    outcomes.iter().map(selected).collect()
}

fn outcomes(hosts: &[Host], facts: &Facts) -> Vec<Outcome> {
    let mut by_cause: BTreeMap<Option<&Text>, Set> = BTreeMap::new();
    let empty = || vec![0_u64; hosts.len().div_ceil(64)];
    let put = |set: &mut Set, at: usize| set[at / 64] |= 1 << (at % 64);
    let mut all = empty();
    for (at, host) in hosts.iter().enumerate() {
        put(&mut all, at);
        for cause in host.causes() {
            put(by_cause.entry(Some(cause)).or_insert_with(empty), at);
        }
        if host.incident_hours() > 0 {
            put(by_cause.entry(None).or_insert_with(empty), at);
        }
    }
    if by_cause.len() <= 2 {
        // Incidents of any cause are those of the only one.
        by_cause.remove(&None);
    }
    let enough = |set: &Set| (MIN_HOSTS..=(hosts.len() as u64).saturating_sub(MIN_HOSTS)).contains(&count(set));
    let mut outcomes: Vec<Outcome> = by_cause
        .into_iter()
        .filter(|(_, affected)| enough(affected))
        .map(|(cause, affected)| {
            let counts = |hour: &Hour| hour.incident && (cause.is_none() || hour.cause.as_ref() == cause);
            let is_asked = |attribute: &str| !cause.is_some_and(|cause| is_implied(cause, attribute));
            let (singles, pairs) = candidates(hosts, facts, counts, is_asked, (&affected, &all));
            Outcome { cause: cause.cloned(), affected, all: all.clone(), singles, pairs }
        })
        .collect();
    outcomes.sort_by_key(|outcome| std::cmp::Reverse((outcome.cause.is_some(), count(&outcome.affected))));
    outcomes
}

/// Whether a cause cannot occur without an attribute, so that this explains nothing: a host without swap does not thrash it.
fn is_implied(cause: &str, attribute: &str) -> bool {
    cause.starts_with("swap-") && attribute == "swap"
}

/// The candidates of an outcome: single values and pairs, those of the same hosts together.
fn candidates(
    hosts: &[Host],
    facts: &Facts,
    counts: impl Fn(&Hour) -> bool,
    is_asked: impl Fn(&str) -> bool,
    (affected, all): (&[u64], &[u64]),
) -> (Vec<Candidate>, Vec<Candidate>) {
    let mut values: BTreeMap<Condition, Set> = BTreeMap::new();
    for (at, host) in hosts.iter().enumerate() {
        let attributes: Option<&Attributes> = host.attributes(facts, &counts);
        for (attribute, value) in attributes.into_iter().flatten().filter(|(attribute, _)| is_asked(attribute)) {
            let condition = Condition { attribute: attribute.clone(), value: value.clone() };
            let set = values.entry(condition).or_insert_with(|| vec![0; all.len()]);
            set[at / 64] |= 1 << (at % 64);
        }
    }
    let most = (hosts.len() as u64).saturating_sub(MIN_HOSTS);
    let usable = |set: &Set| (MIN_HOSTS..=most).contains(&count(set));
    let mut singles = Candidates::default();
    for (condition, set) in values.into_iter().filter(|(_, set)| usable(set)) {
        singles.add(vec![condition], set, (affected, all));
    }
    let mut common: Vec<&Candidate> = singles.list.iter().collect();
    common.sort_by_key(|candidate| std::cmp::Reverse(count(&candidate.set)));
    common.truncate(PAIRED);
    let mut pairs = Candidates::default();
    for (at, one) in common.iter().enumerate() {
        for other in &common[at + 1..] {
            let set = both(&one.set, &other.set);
            // What the same hosts have as a single value is that value.
            if usable(&set) && !singles.numbers.contains_key(&set) {
                let mut pair = vec![one.names[0][0].clone(), other.names[0][0].clone()];
                pair.sort();
                pairs.add(pair, set, (affected, all));
            }
        }
    }
    (singles.list, pairs.list)
}

/// Candidates, those of the same hosts together.
#[derive(Default)]
struct Candidates {
    list: Vec<Candidate>,
    numbers: HashMap<Set, usize>,
}

impl Candidates {
    fn add(&mut self, name: Vec<Condition>, set: Set, (affected, all): (&[u64], &[u64])) {
        if let Some(number) = self.numbers.get(&set) {
            self.list[*number].names.push(name);
            return;
        }
        let p = table(&set, affected, all).fisher();
        self.numbers.insert(set.clone(), self.list.len());
        self.list.push(Candidate { names: vec![name], set, p, p_corrected: 1.0 });
    }
}

/// The factors of an outcome.
fn selected(outcome: &Outcome) -> CauseFactors {
    let Outcome { cause, affected, all, singles, pairs } = outcome;
    let significant = |candidate: &&Candidate| candidate.p_corrected <= SINGLES + PAIRS;
    let mut left: Vec<&Candidate> = singles.iter().chain(pairs).filter(significant).collect();
    left.sort_by(|one, other| one.p.total_cmp(&other.p).then_with(|| one.names.cmp(&other.names)));
    let better_than_its_values = |pair: &Candidate| {
        let single =
            |condition: &Condition| singles.iter().find(|single| single.names.iter().any(|name| name[0] == *condition));
        let [first, second] = pair.names[0].as_slice() else { return true };
        let (Some(first), Some(second)) = (single(first), single(second)) else { return false };
        let adds = |one: &Candidate, within: &Candidate| {
            table(&one.set, affected, &within.set).fisher() * singles.len() as f64
        };
        adds(first, second) <= ADDS && adds(second, first) <= ADDS
    };
    left.retain(|candidate| candidate.names[0].len() == 1 || better_than_its_values(candidate));
    let tests = left.len() as f64;
    let (mut chosen, mut factors): (Vec<&Candidate>, Vec<Factor>) = (Vec::new(), Vec::new());
    while let Some(next) = (chosen.len() < MAX_FACTORS).then(|| left.first().copied()).flatten() {
        chosen.push(next);
        let strata = strata(all, &chosen);
        let adds = |candidate: &&Candidate| {
            let tables: Vec<Table> = strata.iter().map(|stratum| table(&candidate.set, affected, stratum)).collect();
            statistics::stratified(&tables) * tests <= ADDS
        };
        let (rest, follows): (Vec<&Candidate>, Vec<&Candidate>) = left.into_iter().skip(1).partition(adds);
        left = rest;
        let follows = follows.into_iter().filter(|candidate| candidate.names[0].len() == 1);
        factors.push(factor(
            next,
            table(&next.set, affected, all),
            follows.map(|one| one.names[0][0].clone()).collect(),
        ));
    }
    CauseFactors { cause: cause.clone(), affected: count(affected), hosts: count(all), factors }
}

/// The hosts, divided by which of the chosen factors they have.
fn strata(all: &Set, chosen: &[&Candidate]) -> Vec<Set> {
    chosen.iter().fold(vec![all.clone()], |strata, candidate| {
        let halves = |stratum: Set| [both(&stratum, &candidate.set), without(&stratum, &candidate.set)];
        strata.into_iter().flat_map(halves).filter(|stratum| count(stratum) > 0).collect()
    })
}

fn factor(candidate: &Candidate, table: Table, follows: Vec<Condition>) -> Factor {
    let (risk_ratio, risk_ratio_low, risk_ratio_high) = table.risk_ratio();
    let share = |affected: u64, hosts: u64| affected as f64 / hosts as f64;
    let all = share(table.with_affected + table.without_affected, table.with + table.without);
    Factor {
        conditions: candidate.names[0].clone(),
        same_hosts: candidate.names[1..].to_vec(),
        hosts: table.with,
        affected: table.with_affected,
        other_hosts: table.without,
        other_affected: table.without_affected,
        lift: share(table.with_affected, table.with) / all,
        risk_ratio,
        risk_ratio_low,
        risk_ratio_high,
        p: candidate.p,
        p_corrected: candidate.p_corrected,
        follows,
    }
}
