//! What a plan found: a scenario run on the model at many settings, and what follows from it.

use crate::figure::Figure;
use crate::quantity::Quantity;
use crate::scenario::Scale;
use crate::units::{Bytes, BytesPerSecond, Nanos};
use serde::{Deserialize, Serialize};

/// A setting that is varied: its key, as `--set` takes it, and its values in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariedSetting {
    /// The key: `memory`, `vm.swappiness`, `A4.size`.
    pub key: String,
    /// Its values.
    pub values: Vec<String>,
}

impl VariedSetting {
    /// The number of a value, in base units: bytes, bytes per second, seconds, plain numbers. None for words.
    pub fn number(value: &str) -> Option<f64> {
        let plain = || value.parse::<f64>().ok();
        let bytes = || value.parse::<Bytes>().ok().map(Bytes::as_f64);
        let rate = || value.parse::<BytesPerSecond>().ok().map(BytesPerSecond::as_f64);
        let time = || value.parse::<Nanos>().ok().map(Nanos::as_secs_f64);
        plain().or_else(bytes).or_else(rate).or_else(time)
    }

    /// Whether its values are amounts of something that costs money, so that less of it is cheaper.
    fn costs(&self) -> bool {
        let option = self.key.rsplit('.').next().unwrap_or(&self.key);
        matches!(option, "memory" | "cpus" | "iops" | "bandwidth")
    }

    /// How expensive its value at a place is: the amount where it costs money, else the place, so that what is named first is
    /// tried first.
    fn cost(&self, at: usize) -> f64 {
        let amount = self.values.get(at).filter(|_| self.costs()).and_then(|value| Self::number(value));
        amount.unwrap_or(at as f64)
    }
}

/// The model at one combination of settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanPoint {
    /// For each varied setting the place of its value.
    pub at: Vec<usize>,
    /// The figure of each seed, in its own unit, smallest first; none where the scenario was refused or somebody was killed.
    pub values: Vec<f64>,
    /// Whether the goal is met with every seed; absent without a goal, or where it cannot be computed of all. Where the OOM killer ended
    /// somebody it is not met.
    pub meets_goal: Option<bool>,
    /// Why it has no figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl PlanPoint {
    /// The median of its seeds.
    pub fn median(&self) -> Option<f64> {
        self.values.get(self.values.len() / 2).copied()
    }
}

/// A run or a recording, as a rule of a real kernel, beside the model's runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredPoint {
    /// What ran it: `host`, `vm`; or `recording`.
    pub backend: String,
    /// The number of the first varied setting.
    pub x: f64,
    /// The figure.
    pub y: f64,
}

/// What a plan found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The question, where a shipped plan has one.
    pub question: String,
    /// What its answer means, where a shipped plan says it.
    pub explanation: String,
    /// What was guessed of a machine or of work that was observed, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guesses: Vec<String>,
    /// The scenario.
    pub scenario: String,
    /// By how much it is scaled.
    pub scale: Scale,
    /// The step of the figure.
    pub step: String,
    /// The figure, by its name in claims.
    pub figure: String,
    /// What is varied.
    pub varied: Vec<VariedSetting>,
    /// The goal.
    pub goal: Option<String>,
    /// Seeds of each point.
    pub seeds: u64,
    /// The points that were computed, in order.
    pub points: Vec<PlanPoint>,
    /// Points that were planned.
    pub planned: usize,
    /// Runs and recordings beside the model.
    pub measured: Vec<MeasuredPoint>,
}

/// A curve: the points along the first varied setting at one combination of the others.
#[derive(Debug, Clone)]
pub struct PlanCurve<'a> {
    /// The others' values: `vm.swappiness=1`; empty where there are none.
    pub name: String,
    /// The points that have a figure, with the number of their first setting.
    pub points: Vec<(f64, &'a PlanPoint)>,
    /// Whether little of the figure is better; absent where neither is.
    pub is_better_small: Option<bool>,
}

/// Figures that differ by less than this share are the same: the seeds differ by more.
const SAME: f64 = 0.01;

/// How far a curve must lie from the line between its ends to have a knee, as a share of both axes.
const KNEE: f64 = 0.2;

/// How far a curve must go back to have turned, as a share of its largest figure.
const MIN_REVERSAL: f64 = 0.05;

impl Plan {
    /// The figure.
    pub fn figure(&self) -> Option<Figure> {
        Figure::by_name(&self.figure)
    }

    /// A number of the figure with its unit.
    pub fn quantity(&self, value: f64) -> String {
        self.figure().map_or_else(|| value.to_string(), |figure| Quantity::new(value, figure.unit()).to_string())
    }

    /// The settings of a point: `memory=2GiB vm.swappiness=1`.
    pub fn settings(&self, point: &PlanPoint) -> String {
        self.named(point, 0)
    }

    fn named(&self, point: &PlanPoint, from: usize) -> String {
        let all = self.varied.iter().zip(&point.at).skip(from);
        all.map(|(setting, at)| format!("{}={}", setting.key, setting.values[*at])).collect::<Vec<_>>().join(" ")
    }

    /// The number of a point's first setting: its place where the values are words.
    pub fn x(&self, point: &PlanPoint) -> f64 {
        let Some((setting, at)) = self.varied.first().zip(point.at.first()) else { return 0.0 };
        VariedSetting::number(&setting.values[*at]).unwrap_or(*at as f64)
    }

    /// A curve for each combination of the settings after the first.
    pub fn curves(&self) -> Vec<PlanCurve<'_>> {
        let mut curves: Vec<(&[usize], PlanCurve<'_>)> = Vec::new();
        for point in self.points.iter().filter(|point| !point.values.is_empty()) {
            let others = point.at.get(1..).unwrap_or_default();
            let at = curves.iter().position(|(known, _)| *known == others).unwrap_or_else(|| {
                let is_better_small = self.figure().and_then(Figure::is_better_small);
                curves.push((others, PlanCurve { name: self.named(point, 1), points: Vec::new(), is_better_small }));
                curves.len() - 1
            });
            curves[at].1.points.push((self.x(point), point));
        }
        curves.into_iter().map(|(_, curve)| curve).collect()
    }

    /// The cheapest point that meets the goal.
    pub fn cheapest(&self) -> Option<&PlanPoint> {
        self.cheapest_of(self.points.iter().filter(|point| point.meets_goal == Some(true)))
    }

    /// The cheapest of the points with the best figure: the smallest where little of it is better, else the largest.
    pub fn best(&self) -> Option<&PlanPoint> {
        let is_better_small = self.is_better_small();
        let medians = self.points.iter().filter_map(PlanPoint::median);
        let best = medians.reduce(if is_better_small { f64::min } else { f64::max })?;
        let is_best =
            |point: &&PlanPoint| point.median().is_some_and(|median| (median - best).abs() <= SAME * best.abs());
        self.cheapest_of(self.points.iter().filter(is_best))
    }

    /// Whether the best point is the one with the smallest figure.
    pub fn is_better_small(&self) -> bool {
        self.figure().and_then(Figure::is_better_small).unwrap_or(false)
    }

    /// Whether the figure is the same at all of several points.
    pub fn is_flat(&self) -> bool {
        let medians = || self.points.iter().filter_map(PlanPoint::median);
        let (low, high) = (medians().reduce(f64::min), medians().reduce(f64::max));
        low.zip(high).is_some_and(|(low, high)| high - low <= SAME * high.abs()) && medians().count() > 1
    }

    /// The cheapest of some points: least of what costs money, then what was named first.
    fn cheapest_of<'a>(&self, points: impl Iterator<Item = &'a PlanPoint>) -> Option<&'a PlanPoint> {
        let cost = |point: &PlanPoint| -> Vec<f64> {
            let mut settings: Vec<(bool, f64)> =
                self.varied.iter().zip(&point.at).map(|(setting, at)| (!setting.costs(), setting.cost(*at))).collect();
            // What costs money decides first.
            settings.sort_by_key(|(free, _)| *free);
            settings.into_iter().map(|(_, cost)| cost).collect()
        };
        let order = |a: &Vec<f64>, b: &Vec<f64>| {
            let pairs = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
            pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        };
        points.min_by(|a, b| order(&cost(a), &cost(b)))
    }

    /// How much of the figure each varied setting decides: the range of its values' means, as a share of the largest mean. The
    /// one that decides most comes first.
    pub fn effects(&self) -> Vec<(&str, f64)> {
        let mut effects: Vec<(&str, f64)> = Vec::new();
        for (place, setting) in self.varied.iter().enumerate() {
            let mean = |value: usize| {
                let medians: Vec<f64> = self
                    .points
                    .iter()
                    .filter(|point| point.at.get(place) == Some(&value))
                    .filter_map(PlanPoint::median)
                    .collect();
                (!medians.is_empty()).then(|| medians.iter().sum::<f64>() / medians.len() as f64)
            };
            let means: Vec<f64> = (0..setting.values.len()).filter_map(mean).collect();
            let (low, high) =
                means.iter().fold((f64::MAX, f64::MIN), |(low, high), mean| (low.min(*mean), high.max(*mean)));
            let share = if means.len() > 1 && high > 0.0 { (high - low) / high } else { 0.0 };
            effects.push((&setting.key, share));
        }
        effects.sort_by(|a, b| b.1.total_cmp(&a.1));
        effects
    }
}

impl PlanCurve<'_> {
    /// The knee: of the points on the good side of the line between the ends the farthest from it (Satopaa et al., "Finding a Kneedle in a
    /// Haystack", ICDCS workshops 2011). None where the curve is near to straight, or rises and falls.
    pub fn knee(&self) -> Option<&PlanPoint> {
        let points: Vec<(f64, f64, &PlanPoint)> =
            self.points.iter().filter_map(|(x, point)| Some((*x, point.median()?, *point))).collect();
        let (first, last) = (points.first()?, points.last()?);
        let (width, height) = (last.0 - first.0, last.1 - first.1);
        // Noise has no knee.
        if points.len() < 3 || width == 0.0 || height.abs() < KNEE * self.largest() || self.reversals() > 0 {
            return None;
        }
        let distance = |point: &(f64, f64, &PlanPoint)| {
            let above = (point.1 - first.1) / height - (point.0 - first.0) / width;
            match self.is_better_small {
                None => above.abs(),
                Some(is_better_small) if is_better_small == (height < 0.0) => above,
                Some(_) => -above,
            }
        };
        let knee = points.iter().max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        (distance(knee) >= KNEE).then_some(knee.2)
    }

    /// Whether the figure goes up and down so often that it has no best range of the setting.
    pub fn is_without_order(&self) -> bool {
        self.reversals() > 1
    }

    fn largest(&self) -> f64 {
        self.points.iter().filter_map(|(_, point)| point.median()).map(f64::abs).fold(0.0, f64::max)
    }

    /// How often the curve turns from up to down or back, by more than its seeds differ.
    fn reversals(&self) -> usize {
        use std::cmp::Ordering;
        let least = MIN_REVERSAL * self.largest();
        let ranges = self.points.iter().filter_map(|(_, point)| {
            let (low, high) = point.values.first().zip(point.values.last())?;
            Some((point.median()?, *low, *high))
        });
        let mut reversals = 0;
        // Where it goes, and the point at which it was farthest.
        let mut way = Ordering::Equal;
        let mut farthest: Option<(f64, f64, f64)> = None;
        for point in ranges {
            let Some(last) = farthest else {
                farthest = Some(point);
                continue;
            };
            let goes = match point.0 - last.0 {
                rise if rise > least && point.1 > last.2 => Ordering::Greater,
                rise if rise < -least && point.2 < last.1 => Ordering::Less,
                _ => Ordering::Equal,
            };
            reversals += usize::from(goes != Ordering::Equal && goes == way.reverse());
            way = if goes == Ordering::Equal { way } else { goes };
            if goes != Ordering::Equal || way != Ordering::Equal && point.0.total_cmp(&last.0) == way {
                farthest = Some(point);
            }
        }
        reversals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(memory: &[&str], swappiness: &[&str], value: impl Fn(usize, usize) -> f64) -> Plan {
        let setting = |key: &str, values: &[&str]| VariedSetting {
            key: key.into(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let mut points = Vec::new();
        for m in 0..memory.len() {
            for s in 0..swappiness.len() {
                let value = value(m, s);
                points.push(PlanPoint {
                    at: vec![m, s],
                    values: vec![value],
                    meets_goal: Some(value > 50.0),
                    refused: None,
                });
            }
        }
        Plan {
            question: String::new(),
            explanation: String::new(),
            guesses: Vec::new(),
            scenario: "s".into(),
            scale: Scale::FULL,
            step: "A2".into(),
            figure: "iops".into(),
            varied: vec![setting("memory", memory), setting("vm.swappiness", swappiness)],
            goal: Some("A2.iops > 50".into()),
            seeds: 1,
            planned: points.len(),
            points,
            measured: Vec::new(),
        }
    }

    #[test]
    fn the_knee_is_where_the_curve_bends_and_a_line_has_none() {
        let memory = ["1GiB", "2GiB", "3GiB", "4GiB"];
        let cliff = plan(&memory, &["60"], |m, _| [5.0, 6.0, 100.0, 100.0][m]);
        let curves = cliff.curves();
        assert_eq!(cliff.settings(curves[0].knee().unwrap()), "memory=3GiB vm.swappiness=60");
        assert!(plan(&memory, &["60"], |m, _| 10.0 * m as f64).curves()[0].knee().is_none());
        assert!(plan(&memory, &["60"], |m, _| [100.0, 101.0, 100.5, 100.2][m]).curves()[0].knee().is_none());
    }

    #[test]
    fn the_knee_is_on_the_good_side_of_a_cliff_whatever_the_range() {
        let all = ["1GiB", "2GiB", "3GiB", "4GiB", "5GiB", "6GiB", "7GiB", "8GiB"];
        let knee = |figure: &str, values: &[f64]| {
            let mut plan = plan(&all[..values.len()], &["60"], |m, _| values[m]);
            plan.figure = figure.to_owned();
            plan.curves()[0].knee().map(|point| point.at[0])
        };
        // The last point before the cliff is farther from the line than the first behind it.
        assert_eq!(knee("iops", &[3.0, 3.0, 4.0, 5.0, 900.0, 900.0, 900.0]), Some(4));
        assert_eq!(knee("iops", &[3.0, 3.0, 4.0, 5.0, 900.0, 900.0, 900.0, 900.0]), Some(4));
        assert_eq!(knee("iops", &[900.0, 900.0, 900.0, 5.0, 4.0, 3.0]), Some(2));
        assert_eq!(knee("disk_reads", &[900.0, 880.0, 850.0, 5.0, 4.0, 3.0]), Some(3));
        assert_eq!(knee("disk_reads", &[3.0, 4.0, 5.0, 850.0, 880.0, 900.0]), Some(2));
        // All that is far from the line is worse than it.
        assert_eq!(knee("iops", &[3.0, 3.0, 3.0, 4.0, 5.0, 900.0]), None);
    }

    #[test]
    fn what_goes_up_and_down_by_more_than_its_seeds_differ_has_no_knee() {
        let all = ["1GiB", "2GiB", "3GiB", "4GiB", "5GiB", "6GiB"];
        let of = |values: [f64; 6], spread: f64| {
            let mut plan = plan(&all, &["60"], |m, _| values[m]);
            for point in &mut plan.points {
                point.values = [-spread, 0.0, spread].map(|by| point.values[0] + by).to_vec();
            }
            let curves = plan.curves();
            (curves[0].knee().is_some(), curves[0].is_without_order())
        };
        assert_eq!(of([5.3, 3.1, 4.7, 3.1, 5.1, 4.0], 0.02), (false, true));
        assert_eq!(of([3.0, 5.0, 9.0, 9.1, 5.0, 4.0], 0.02), (false, false), "an optimum");
        assert_eq!(of([3.0, 3.1, 9.0, 8.9, 9.1, 9.0], 0.02), (true, false), "a cliff");
        assert_eq!(of([3.0, 3.1, 9.0, 8.4, 9.1, 8.5], 0.5), (true, false), "seeds differ as much");
    }

    #[test]
    fn less_memory_is_cheaper_and_the_setting_that_decides_comes_first() {
        let plan = plan(&["4GiB", "2GiB", "1GiB"], &["0", "60"], |m, s| [100.0, 60.0, 10.0][m] + s as f64);
        assert_eq!(plan.settings(plan.cheapest().unwrap()), "memory=2GiB vm.swappiness=0");
        let effects = plan.effects();
        assert_eq!(effects[0].0, "memory");
        assert!(effects[0].1 > 0.8 && effects[1].1 < 0.05, "{effects:?}");
    }

    #[test]
    fn the_best_is_the_cheapest_of_equal_points_and_the_smallest_of_what_is_better_small() {
        let memory = ["1GiB", "2GiB", "3GiB"];
        let best = |figure: &str, values: [f64; 3]| {
            let plan = Plan { figure: figure.to_owned(), ..plan(&memory, &["60"], |m, _| values[m]) };
            (plan.settings(plan.best().unwrap()), plan.is_flat())
        };
        let with = |memory: &str, flat| (format!("memory={memory} vm.swappiness=60"), flat);
        assert_eq!(best("iops", [100.0, 740.0, 741.0]), with("2GiB", false));
        assert_eq!(best("disk_read_bytes", [900.0, 100.0, 100.0]), with("2GiB", false));
        assert_eq!(best("clat_p99", [377.0, 377.0, 377.0]), with("1GiB", true));
        assert_eq!(best("refaults", [0.0, 0.0, 0.0]), with("1GiB", true));
    }

    #[test]
    fn values_are_numbers_in_base_units() {
        assert_eq!(VariedSetting::number("2GiB"), Some(2_147_483_648.0));
        assert_eq!(VariedSetting::number("60"), Some(60.0));
        assert_eq!(VariedSetting::number("370us"), Some(0.00037));
        assert_eq!(VariedSetting::number("classic"), None);
    }
}
