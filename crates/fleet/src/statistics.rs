//! The statistics of factors and changes. Distributions are those of statrs; the tests compare with published values.

use statrs::distribution::{ContinuousCDF, Discrete, Hypergeometric, StudentsT};

/// The confidence of intervals.
pub(crate) const CONFIDENCE: f64 = 0.95;
/// The quantile of the normal distribution for it.
const Z: f64 = 1.959_963_984_540_054;

/// A table of hosts: of those with a value and of those without, how many there are and how many are affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) with: u64,
    pub(crate) with_affected: u64,
    pub(crate) without: u64,
    pub(crate) without_affected: u64,
}

impl Table {
    const fn affected(self) -> u64 {
        self.with_affected + self.without_affected
    }

    const fn hosts(self) -> u64 {
        self.with + self.without
    }

    /// The probabilities of the possible numbers of affected hosts among those with the value, from the least one on, if the value had
    /// nothing to do with it (both margins fixed).
    fn null(self) -> (u64, Vec<f64>) {
        let least = self.affected().saturating_sub(self.without);
        let most = self.affected().min(self.with);
        let distribution = Hypergeometric::new(self.hosts(), self.affected(), self.with);
        let probability = |count| distribution.as_ref().map_or(0.0, |null| null.ln_pmf(count).exp());
        (least, (least..=most).map(probability).collect())
    }

    /// Fisher's exact test, one-sided: how likely so many or more affected hosts with the value are if it had nothing to do with it.
    pub(crate) fn fisher(self) -> f64 {
        stratified(&[self])
    }

    /// How many times as often hosts with the value are affected as those without, with its interval (Katz et al. 1978). Where no host
    /// without it is affected, or none with it, half a host is added to each count.
    pub(crate) fn risk_ratio(self) -> (f64, f64, f64) {
        let add = if self.with_affected == 0 || self.without_affected == 0 { 0.5 } else { 0.0 };
        let [a, n, b, m] =
            [self.with_affected, self.with, self.without_affected, self.without].map(|count| count as f64);
        let (a, b, n, m) = (a + add, b + add, n + 2.0 * add, m + 2.0 * add);
        let ratio = (a / n) / (b / m);
        let error = (1.0 / a - 1.0 / n + 1.0 / b - 1.0 / m).max(0.0).sqrt();
        (ratio, ratio * (-Z * error).exp(), ratio * (Z * error).exp())
    }
}

/// The exact test of several tables at once, one-sided: whether the value adds to what the strata already explain. The sum of the affected
/// hosts with the value is compared with its distribution with the margins of every stratum fixed (Mehta, Patel, Gray 1985).
pub(crate) fn stratified(strata: &[Table]) -> f64 {
    let (mut least, mut null) = (0, vec![1.0]);
    for table in strata {
        let (own_least, own) = table.null();
        least += own_least;
        let mut sum = vec![0.0; null.len() + own.len() - 1];
        for (at, one) in null.iter().enumerate() {
            own.iter().enumerate().for_each(|(further, other)| sum[at + further] += one * other);
        }
        null = sum;
    }
    let observed: u64 = strata.iter().map(|table| table.with_affected).sum();
    let skip = usize::try_from(observed.saturating_sub(least)).unwrap_or(usize::MAX);
    // From the small ones on, so that nothing is lost.
    null.iter().skip(skip).rev().sum::<f64>().min(1.0)
}

/// The p-values corrected for their number (Holm 1979): the probability that the least of those without an effect is taken for one stays
/// below the level.
pub(crate) fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|one, other| p[*one].total_cmp(&p[*other]));
    let (mut corrected, mut largest) = (vec![1.0; p.len()], 0.0_f64);
    for (rank, at) in order.into_iter().enumerate() {
        largest = largest.max(p[at] * (p.len() - rank) as f64).min(1.0);
        corrected[at] = largest;
    }
    corrected
}

/// A difference of means with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Difference {
    pub(crate) mean: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The mean and the variance of values.
fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, squares / (values.len() as f64 - 1.0))
}

fn interval(mean: f64, error: f64, freedom: f64) -> Option<Difference> {
    let t = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(f64::midpoint(1.0, CONFIDENCE));
    Some(Difference { mean, low: mean - t * error, high: mean + t * error })
}

/// The mean of differences, each of one host with itself (Student). Absent of fewer than two.
pub(crate) fn paired(differences: &[f64]) -> Option<Difference> {
    if differences.len() < 2 {
        return None;
    }
    let (mean, variance) = moments(differences);
    let count = differences.len() as f64;
    interval(mean, (variance / count).sqrt(), count - 1.0)
}

/// The difference of the means of two groups of hosts, second less first, whose variances may differ (Welch). Absent when a group has
/// fewer than two, or no host differs from another.
pub(crate) fn unpaired(first: &[f64], second: &[f64]) -> Option<Difference> {
    if first.len() < 2 || second.len() < 2 {
        return None;
    }
    let ((m1, v1), (m2, v2)) = (moments(first), moments(second));
    let (n1, n2) = (first.len() as f64, second.len() as f64);
    let (e1, e2) = (v1 / n1, v2 / n2);
    if e1 + e2 <= 0.0 {
        return Some(Difference { mean: m2 - m1, low: m2 - m1, high: m2 - m1 });
    }
    let freedom = (e1 + e2).powi(2) / (e1.powi(2) / (n1 - 1.0) + e2.powi(2) / (n2 - 1.0));
    interval(m2 - m1, (e1 + e2).sqrt(), freedom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance * expected.abs().max(1e-300), "{value} is not near {expected}");
    }

    /// Fisher's lady tasting tea (The Design of Experiments, 1935): 3 of 4 cups right has 17/70, 4 of 4 has 1/70.
    #[test]
    fn the_lady_tasting_tea() {
        let cups = |right| Table { with: 4, with_affected: right, without: 4, without_affected: 4 - right };
        near(cups(3).fisher(), 17.0 / 70.0, 1e-12);
        near(cups(4).fisher(), 1.0 / 70.0, 1e-12);
        near(cups(0).fisher(), 1.0, 1e-12);
    }

    /// Criminal twins (Fisher, Statistical Methods for Research Workers, 1925; R's `fisher.test(Convictions, alternative = "less")`
    /// gives 0.0004652): of 13 monozygotic twins 10 were convicted, of 17 dizygotic ones 2.
    #[test]
    fn criminal_twins() {
        let twins = Table { with: 13, with_affected: 10, without: 17, without_affected: 2 };
        near(twins.fisher(), 0.000_465_2, 1e-3);
    }

    #[test]
    fn tails_far_out_do_not_vanish() {
        let table = Table { with: 50, with_affected: 50, without: 950, without_affected: 0 };
        // One table out of the binomial coefficient of 1000 over 50.
        let ln: f64 = (0..50).map(|at| (f64::from(1000 - at) / f64::from(50 - at)).ln()).sum();
        near(table.fisher().ln(), -ln, 1e-9);
    }

    /// R: `mantelhaen.test(UCBAdmissions, exact = TRUE, alternative = …)` works on tables of this shape; two strata by hand here:
    /// each has 4 hosts, 2 with the value, 2 affected, both with it: (1/6) * (1/6).
    #[test]
    fn strata_are_taken_together() {
        let one = Table { with: 2, with_affected: 2, without: 2, without_affected: 0 };
        near(stratified(&[one, one]), 1.0 / 36.0, 1e-12);
        let none = Table { with: 2, with_affected: 0, without: 2, without_affected: 0 };
        near(stratified(&[one, none]), 1.0 / 6.0, 1e-12);
    }

    /// R: `p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm")` gives 0.04 0.06 0.06 0.06.
    #[test]
    fn holm_as_r_has_it() {
        let corrected = holm(&[0.01, 0.02, 0.03, 0.04]);
        corrected.iter().zip([0.04, 0.06, 0.06, 0.06]).for_each(|(one, other)| near(*one, other, 1e-12));
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    /// The aspirin trial (Steering Committee of the Physicians' Health Study, NEJM 1989; Agresti, Categorical Data Analysis, 2.2.3):
    /// 189 of 11 034 on placebo and 104 of 11 037 on aspirin had a heart attack: 1.82 (1.43 to 2.31).
    #[test]
    fn the_physicians_health_study() {
        let table = Table { with: 11_034, with_affected: 189, without: 11_037, without_affected: 104 };
        let (ratio, low, high) = table.risk_ratio();
        near(ratio, 1.82, 0.005);
        near(low, 1.43, 0.005);
        near(high, 2.31, 0.005);
    }

    /// Student's own example (Biometrika 1908, Cushny and Peebles): additional hours of sleep; the mean of differences is 1.58, and R's
    /// `t.test(extra ~ group, data = sleep, paired = TRUE)` gives -2.4598858 to -0.7001142; Welch's gives -3.3654832 to 0.2054832.
    #[test]
    fn students_sleep() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let differences: Vec<f64> = first.iter().zip(second).map(|(one, other)| other - one).collect();
        let Difference { mean, low, high } = paired(&differences).unwrap();
        near(mean, 1.58, 1e-9);
        near(low, 0.700_114_2, 1e-6);
        near(high, 2.459_885_8, 1e-6);
        let Difference { low, high, .. } = unpaired(&first, &second).unwrap();
        near(low, -0.205_483_2, 1e-6);
        near(high, 3.365_483_2, 1e-6);
    }

    #[test]
    fn too_few_hosts_give_no_interval() {
        assert_eq!(paired(&[1.0]), None);
        assert_eq!(unpaired(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(unpaired(&[1.0, 1.0], &[1.0, 1.0]).map(|difference| difference.mean), Some(0.0));
    }
}
