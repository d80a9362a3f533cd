//! Where a series changes most, at once and for good.

/// Values on each side, …
const SIDE: usize = 10;
/// … and those next to the change that are like their side.
const NEAR: usize = 3;

/// A change between two values of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    /// The index of the first value after it.
    pub(crate) at: usize,
    /// The mean of the values before it.
    pub(crate) before: f64,
    /// The mean of those from it on.
    pub(crate) after: f64,
}

/// Where a series falls: see [`rise`].
pub(crate) fn fall(values: &[f64]) -> Option<Step> {
    of(values, |before, after| before - after)
}

/// Where a series rises: the change that leaves the largest variance between its two sides (N. Otsu, 1979). Absent where the values next to it, or
/// those at the ends, are not like their sides.
pub(crate) fn rise(values: &[f64]) -> Option<Step> {
    of(values, |before, after| after - before)
}

fn of(values: &[f64], by: impl Fn(f64, f64) -> f64) -> Option<Step> {
    let sums: Vec<f64> = std::iter::once(0.0)
        .chain(values.iter().scan(0.0, |sum, value| {
            *sum += value;
            Some(*sum)
        }))
        .collect();
    let mean = |from: usize, to: usize| (sums[to] - sums[from]) / (to - from) as f64;
    let count = values.len();
    let apart = |at: usize| by(mean(0, at), mean(at, count)).max(0.0).powi(2) * at as f64 * (count - at) as f64;
    let at = (SIDE..count.checked_sub(SIDE)? + 1).max_by(|a, b| apart(*a).total_cmp(&apart(*b)))?;
    let (before, after) = (mean(0, at), mean(at, count));
    let half = before.max(after) / 2.0;
    let like = |near: f64, side: f64| if side > half { near >= half } else { near <= half };
    // The interval in which it changed has a part of both: the middle of three does not show it.
    let middle = |from: usize| {
        let mut near = values[from..from + NEAR].to_vec();
        near.sort_by(f64::total_cmp);
        near[NEAR / 2]
    };
    let at_once = like(middle(at - NEAR), before) && like(middle(at), after);
    let stays = like(mean(0, SIDE), before) && like(mean(count - SIDE, count), after);
    (at_once && stays && by(before, after) > 0.0).then_some(Step { at, before, after })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn then(before: f64, after: f64) -> Vec<f64> {
        (0..60).map(|at| if at < 25 { before } else { after }).collect()
    }

    #[test]
    fn a_step_is_found_in_its_direction() {
        assert_eq!(rise(&then(0.0, 2.0)), Some(Step { at: 25, before: 0.0, after: 2.0 }));
        assert_eq!(fall(&then(8.0, 2.0)), Some(Step { at: 25, before: 8.0, after: 2.0 }));
        assert_eq!((rise(&then(8.0, 2.0)), fall(&then(0.0, 2.0))), (None, None));
        assert_eq!(fall(&then(8.0, 2.0)[..15]), None, "too short");
    }

    #[test]
    fn the_interval_of_the_change_has_a_part_of_both() {
        let mut values = then(33.0, 14.0);
        values[25] = 23.0;
        assert_eq!(fall(&values).map(|step| step.at), Some(25));
    }

    #[test]
    fn what_changes_little_by_little_is_no_step() {
        let ramp: Vec<f64> = (0..60).map(f64::from).collect();
        assert_eq!(rise(&ramp), None);
        let burst: Vec<f64> = (0..60).map(|at| if (15..45).contains(&at) { 9.0 } else { 1.0 }).collect();
        assert_eq!((rise(&burst), fall(&burst)), (None, None), "what ends is as before");
    }
}
