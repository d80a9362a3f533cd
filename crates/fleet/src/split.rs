//! Before and after: whether a change made it worse, with the size of the effect and its interval.
//!
//! A host counts once, however many hours it has, because its hours are alike. Where hosts were recorded on both sides of the change,
//! each is compared with itself; else the two groups of hosts are compared.

use crate::host::{Facts, Host, Hour};
use crate::row::Text;
use crate::statistics::{self, Difference};
use serde::Serialize;
use std::collections::BTreeMap;

/// With at least this many hosts on both sides, only these are compared, each with itself.
const PAIRED_HOSTS: usize = 5;
/// Values of an attribute that are compared, the most common ones.
const MAX_VALUES: usize = 12;

/// What divides the hours of a fleet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Split {
    /// An attribute: every value is compared with the most common one.
    Attribute(Text),
    /// A moment, ns since 1970-01-01 UTC: the hours from it on are compared with those before.
    Time(i64),
}

/// One side of a split.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// The attribute's value, or `before` and `after`.
    pub name: Text,
    /// Hosts with hours on this side.
    pub hosts: u64,
    /// Their hours.
    pub hours: u64,
    /// The share of these hours that have an incident.
    pub incident_share: f64,
    /// Time that tasks lost in incidents, per hour: the mean over hosts.
    pub harm_ns_per_hour: f64,
    /// How much more that is than on the first side; absent on the first side itself and of too few hosts.
    pub effect: Option<Effect>,
}

/// A difference between two sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// Time lost per hour beyond that of the first side; below 0 when it is less.
    pub harm_ns_per_hour: f64,
    /// The ends of its 95 % interval.
    pub low: f64,
    /// See `low`.
    pub high: f64,
    /// Hosts that were compared with themselves; 0 when groups were compared.
    pub paired_hosts: u64,
}

/// A fleet divided in two or more.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SplitAnswer {
    /// The attribute, or the moment.
    pub by: Text,
    /// The sides; the first is what the others are compared with.
    pub sides: Vec<Side>,
    /// Values that are too rare to be shown.
    pub left_out: u64,
}

/// One side: each host with its hours.
type Hours<'a> = BTreeMap<usize, Vec<&'a Hour>>;

/// Divides the hours of a fleet.
pub(crate) fn split(hosts: &[Host], facts: &Facts, by: &Split) -> SplitAnswer {
    let mut sides: BTreeMap<Text, Hours<'_>> = BTreeMap::new();
    for (number, host) in hosts.iter().enumerate() {
        for hour in &host.hours {
            let name: Text = match by {
                Split::Time(at) => if hour.begin < *at { "before" } else { "after" }.into(),
                Split::Attribute(name) => {
                    facts.get(hour.facts).get(name).cloned().unwrap_or_else(|| "not known".into())
                }
            };
            sides.entry(name).or_default().entry(number).or_default().push(hour);
        }
    }
    let mut sides: Vec<(Text, Hours<'_>)> = sides.into_iter().collect();
    match by {
        Split::Time(_) => sides.sort_by_key(|(name, _)| name.as_ref() != "before"),
        Split::Attribute(_) => sides.sort_by_key(|(_, hours)| std::cmp::Reverse(hours.len())),
    }
    let left_out = sides.len().saturating_sub(MAX_VALUES) as u64;
    sides.truncate(MAX_VALUES);
    let base = sides.first().map(|(_, hours)| hours.clone()).unwrap_or_default();
    let name = match by {
        Split::Attribute(name) => name.clone(),
        Split::Time(at) => {
            jiff::Timestamp::from_nanosecond((*at).into()).map_or_else(|_| at.to_string(), |at| at.to_string()).into()
        }
    };
    let sides = sides.iter().enumerate().map(|(at, (name, hours))| side(name, hours, (at > 0).then_some(&base)));
    SplitAnswer { by: name, sides: sides.collect(), left_out }
}

/// The time lost per hour of a host.
fn harm(hours: &[&Hour]) -> f64 {
    hours.iter().map(|hour| hour.harm_ns as f64).sum::<f64>() / hours.len() as f64
}

fn side(name: &Text, hours: &Hours<'_>, base: Option<&Hours<'_>>) -> Side {
    let all = || hours.values().flatten();
    let count = all().count();
    let means: Vec<f64> = hours.values().map(|hours| harm(hours)).collect();
    Side {
        name: name.clone(),
        hosts: hours.len() as u64,
        hours: count as u64,
        incident_share: all().filter(|hour| hour.incident).count() as f64 / count.max(1) as f64,
        harm_ns_per_hour: means.iter().sum::<f64>() / means.len().max(1) as f64,
        effect: base.and_then(|base| effect(base, hours, &means)),
    }
}

fn effect(base: &Hours<'_>, hours: &Hours<'_>, means: &[f64]) -> Option<Effect> {
    let own = |(number, hours): (&usize, &Vec<&Hour>)| Some(harm(hours) - harm(base.get(number)?));
    let differences: Vec<f64> = hours.iter().filter_map(own).collect();
    let paired = differences.len() >= PAIRED_HOSTS;
    let first = || base.values().map(|hours| harm(hours)).collect::<Vec<f64>>();
    let difference = if paired { statistics::paired(&differences) } else { statistics::unpaired(&first(), means) };
    let Difference { mean, low, high } = difference?;
    let paired_hosts = if paired { differences.len() as u64 } else { 0 };
    Some(Effect { harm_ns_per_hour: mean, low, high, paired_hosts })
}
