//! From ghost ranks to a curve: which share of the misses remains with so much more memory.
//!
//! A miss of a page that was evicted while the trace ran has a rank. A miss of any other page is only known to lie beyond all ghosts
//! there were: it is censored at their number. The estimator for such data is the product limit (E. L. Kaplan, P. Meier, 1958), so a
//! short trace says less, and nothing wrong. Its band comes from eight sub-samples of the pages (jackknife), because the misses of
//! one page belong together.

/// Sub-samples.
pub(crate) const PARTS: usize = 8;
/// 95 % quantile of Student's t with `PARTS - 1` degrees of freedom.
const QUANTILE: f64 = 2.365;
/// With fewer sampled misses there is no result.
pub const SAMPLED_MISSES_MIN: u64 = 200;
/// The curve ends where fewer sampled misses than this could still have shown a longer rank.
const AT_RISK_MIN: u64 = 50;
/// Largest number of points of a curve.
const POINTS_MAX: u64 = 4096;
/// Buckets for each doubling of the rank.
const STEPS: u32 = 16;

/// The misses of one group of readers in one reclaim domain, by ghost rank.
#[derive(Debug, Clone, Default)]
pub struct Misses {
    parts: [Part; PARTS],
}

/// One sub-sample: by bucket, misses with this rank and misses censored there.
#[derive(Debug, Clone, Default)]
struct Part {
    ranked: Vec<u32>,
    censored: Vec<u32>,
}

/// One point of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// So many pages more.
    pub more_pages: u64,
    /// Share of the present misses that remain.
    pub remaining: f64,
    /// The 95 % band of that share.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The bucket of a rank: exact below [`STEPS`], then as many buckets for each doubling.
fn bucket(rank: u32) -> usize {
    if rank < STEPS {
        return rank as usize;
    }
    let octave = rank.ilog2() - STEPS.ilog2();
    ((octave + 1) * STEPS + (rank >> octave) - STEPS) as usize
}

/// The smallest rank of a bucket.
fn lowest(bucket: usize) -> u64 {
    let steps = STEPS as usize;
    if bucket < steps {
        return bucket as u64;
    }
    let octave = bucket / steps - 1;
    ((bucket % steps + steps) as u64) << octave
}

fn count(counts: &mut Vec<u32>, rank: u32, misses: u32) {
    if misses == 0 {
        return;
    }
    let bucket = bucket(rank);
    if counts.len() <= bucket {
        counts.resize(bucket + 1, 0);
    }
    counts[bucket] = counts[bucket].saturating_add(misses);
}

impl Misses {
    /// A sampled miss of a page with this rank; `part` says which sub-sample the page belongs to.
    pub(crate) fn ranked(&mut self, part: u64, rank: u32) {
        count(&mut self.parts[part_of(part)].ranked, rank, 1);
    }

    /// A sampled miss of a page that is beyond all `ghosts` of now.
    pub(crate) fn beyond(&mut self, part: u64, ghosts: u32) {
        count(&mut self.parts[part_of(part)].censored, ghosts, 1);
    }

    /// Adds the misses of others.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.parts.iter_mut().zip(&other.parts) {
            for (mine, theirs) in [(&mut mine.ranked, &theirs.ranked), (&mut mine.censored, &theirs.censored)] {
                mine.resize(mine.len().max(theirs.len()), 0);
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = mine.saturating_add(*theirs));
            }
        }
    }

    /// Sampled misses.
    pub fn sampled(&self) -> u64 {
        self.ranked_count()
            + self.parts.iter().flat_map(|part| &part.censored).map(|count| u64::from(*count)).sum::<u64>()
    }

    /// Sampled misses of pages that were evicted while the trace ran.
    pub fn ranked_count(&self) -> u64 {
        self.parts.iter().flat_map(|part| &part.ranked).map(|count| u64::from(*count)).sum()
    }

    /// The curve at `0, step, 2 step, …` more pages, as far as the misses reach; `None` if they are too few.
    pub fn curve(&self, scale: u64, step_pages: u64) -> Option<Vec<Point>> {
        if step_pages == 0 {
            return None;
        }
        let estimator = Estimator::of(self)?;
        let points = (0..POINTS_MAX)
            .map(|number| number.saturating_mul(step_pages))
            .map_while(|more_pages| estimator.at(scale, more_pages));
        Some(points.collect())
    }

    /// The curve at one amount; `None` if the misses are too few or do not reach that far.
    pub fn at(&self, scale: u64, more_pages: u64) -> Option<Point> {
        Estimator::of(self)?.at(scale, more_pages)
    }

    /// The least additional memory, in pages, with which at most this share of the misses remains; `None` if the misses are too few,
    /// or no amount that they reach is enough.
    pub fn more_pages_for(&self, scale: u64, remaining: f64) -> Option<u64> {
        if self.sampled() < SAMPLED_MISSES_MIN {
            return None;
        }
        let steps = Survival::of(self.parts.iter()).steps;
        let mut known = steps.iter().take_while(|(_, _, at_risk)| *at_risk >= AT_RISK_MIN);
        let bucket = known.position(|(estimate, hazard, _)| estimate * (1.0 - hazard) <= remaining)?;
        Some(lowest(bucket + 1).saturating_mul(scale))
    }

    /// The misses that came after `earlier`, which are the first of these.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut later = self.clone();
        for (mine, before) in later.parts.iter_mut().zip(&earlier.parts) {
            for (mine, before) in [(&mut mine.ranked, &before.ranked), (&mut mine.censored, &before.censored)] {
                mine.iter_mut().zip(before).for_each(|(mine, before)| *mine = mine.saturating_sub(*before));
            }
        }
        later
    }

    /// The largest amount of memory that the curve reaches, in pages.
    pub fn reach_pages(&self, scale: u64) -> u64 {
        Survival::of(self.parts.iter()).reach().saturating_mul(scale)
    }

    /// The misses by bucket and sub-sample: the lowest rank, misses of the bucket's ranks, misses beyond it; for recordings.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (u64, [u32; PARTS], [u32; PARTS])> {
        let length = self.parts.iter().map(|part| part.ranked.len().max(part.censored.len())).max().unwrap_or(0);
        let all = |counts: fn(&Part) -> &Vec<u32>, bucket: usize| {
            std::array::from_fn(|part| counts(&self.parts[part]).get(bucket).copied().unwrap_or(0))
        };
        (0..length)
            .map(move |bucket| (lowest(bucket), all(|part| &part.ranked, bucket), all(|part| &part.censored, bucket)))
    }

    /// Adds what [`Self::cells`] gave for a bucket.
    pub(crate) fn add_cells(&mut self, lowest: u32, ranked: [u32; PARTS], beyond: [u32; PARTS]) {
        for ((part, ranked), beyond) in self.parts.iter_mut().zip(ranked).zip(beyond) {
            count(&mut part.ranked, lowest, ranked);
            count(&mut part.censored, lowest, beyond);
        }
    }

    /// The misses by bucket: the lowest rank, misses of the bucket's ranks, misses beyond it.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let sum = |counts: [u32; PARTS]| counts.into_iter().map(u64::from).sum();
        self.cells().map(move |(lowest, ranked, beyond)| (lowest, sum(ranked), sum(beyond)))
    }
}

/// The estimates of all misses, and of those without each sub-sample.
struct Estimator {
    whole: Survival,
    others: Vec<Survival>,
}

impl Estimator {
    /// `None` when the misses are too few.
    fn of(misses: &Misses) -> Option<Self> {
        if misses.sampled() < SAMPLED_MISSES_MIN {
            return None;
        }
        let parts = || misses.parts.iter().enumerate();
        let without = |left_out| Survival::of(parts().filter(move |(part, _)| *part != left_out).map(|(_, part)| part));
        Some(Self { whole: Survival::of(misses.parts.iter()), others: (0..PARTS).map(without).collect() })
    }

    /// A point of the curve with its band.
    fn at(&self, scale: u64, more_pages: u64) -> Option<Point> {
        let rank = more_pages as f64 / scale as f64;
        let remaining = self.whole.at(rank)?;
        let estimates: Vec<f64> = self.others.iter().filter_map(|other| other.at_any(rank)).collect();
        let mean = estimates.iter().sum::<f64>() / estimates.len().max(1) as f64;
        let spread: f64 = estimates.iter().map(|estimate| (estimate - mean).powi(2)).sum();
        let error = (spread * (PARTS - 1) as f64 / PARTS as f64).sqrt() * QUANTILE;
        Some(Point { more_pages, remaining, low: (remaining - error).max(0.0), high: (remaining + error).min(1.0) })
    }
}

fn part_of(part: u64) -> usize {
    usize::try_from(part % PARTS as u64).unwrap_or(0)
}

/// The product-limit estimate of `P(rank >= r)`.
struct Survival {
    /// By bucket: the estimate at its lowest rank, the share of those at risk that have a rank in it, and how many are at risk.
    steps: Vec<(f64, f64, u64)>,
}

impl Survival {
    fn of<'a>(parts: impl Iterator<Item = &'a Part> + Clone) -> Self {
        let sum = |counts: fn(&Part) -> &Vec<u32>, bucket: usize| {
            parts.clone().map(|part| u64::from(counts(part).get(bucket).copied().unwrap_or(0))).sum::<u64>()
        };
        let length = parts.clone().map(|part| part.ranked.len().max(part.censored.len())).max().unwrap_or(0);
        let buckets: Vec<(u64, u64)> =
            (0..length).map(|bucket| (sum(|part| &part.ranked, bucket), sum(|part| &part.censored, bucket))).collect();
        let mut at_risk: u64 = buckets.iter().map(|(ranked, censored)| ranked + censored).sum();
        let mut estimate = 1.0;
        let mut steps = Vec::with_capacity(length);
        for (ranked, censored) in buckets {
            // Censored in this bucket: at risk for half of it.
            let exposed = at_risk as f64 - censored as f64 / 2.0;
            let hazard = if exposed > 0.0 { (ranked as f64 / exposed).min(1.0) } else { 0.0 };
            steps.push((estimate, hazard, at_risk));
            estimate *= 1.0 - hazard;
            at_risk -= ranked + censored;
        }
        Self { steps }
    }

    /// The estimate at a rank, when enough misses could have shown it.
    fn at(&self, rank: f64) -> Option<f64> {
        let (_, (_, _, at_risk)) = self.bucket(rank)?;
        if at_risk < AT_RISK_MIN { None } else { self.at_any(rank) }
    }

    /// The estimate at a rank, from however few.
    fn at_any(&self, rank: f64) -> Option<f64> {
        let (bucket, (estimate, hazard, _)) = self.bucket(rank)?;
        let (from, to) = (lowest(bucket) as f64, lowest(bucket + 1) as f64);
        Some(estimate * (1.0 - hazard * (rank - from) / (to - from)))
    }

    fn bucket(&self, rank: f64) -> Option<(usize, (f64, f64, u64))> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let bucket = bucket(rank as u32);
        self.steps.get(bucket).map(|step| (bucket, *step))
    }

    /// The largest rank that [`Self::at`] answers.
    fn reach(&self) -> u64 {
        let last = self.steps.iter().rposition(|(_, _, at_risk)| *at_risk >= AT_RISK_MIN);
        last.map_or(0, |bucket| lowest(bucket + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_follow_each_other() {
        for number in 0..400 {
            let low = lowest(number);
            assert!(low < lowest(number + 1));
            if let Ok(rank) = u32::try_from(low) {
                assert_eq!(bucket(rank), number);
                assert_eq!(bucket(u32::try_from(lowest(number + 1) - 1).unwrap()), number);
            }
        }
    }

    /// A small generator of even numbers.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        })
    }

    #[test]
    fn too_few_misses_give_no_curve() {
        let mut misses = Misses::default();
        (0..SAMPLED_MISSES_MIN - 1).for_each(|page| misses.ranked(page, 5));
        assert_eq!(misses.curve(64, 64), None);
        misses.ranked(0, 5);
        assert!(misses.curve(64, 64).is_some());
    }

    #[test]
    fn the_memory_that_serves_most_misses_is_the_end_of_their_ranks() {
        let mut misses = Misses::default();
        (0..1000).for_each(|page| misses.ranked(page, 100));
        let pages = misses.more_pages_for(64, 0.1).unwrap();
        assert!((64 * 100..=64 * 108).contains(&pages), "{pages}: within the bucket of 100");
        (0..500).for_each(|page| misses.beyond(page, 100));
        assert_eq!(misses.more_pages_for(64, 0.1), None, "a third of the misses lies beyond all ghosts");
        assert_eq!(misses.since(&misses).sampled(), 0);
    }

    #[test]
    fn without_censoring_the_curve_is_the_share_of_longer_ranks() {
        let mut misses = Misses::default();
        let ranks: Vec<u32> = numbers(3).take(4000).map(|number| u32::try_from(number % 1000).unwrap()).collect();
        ranks.iter().enumerate().for_each(|(page, rank)| misses.ranked(page as u64, *rank));
        for point in misses.curve(64, 64 * 100).unwrap() {
            let rank = u32::try_from(point.more_pages / 64).unwrap();
            let truth = ranks.iter().filter(|other| **other >= rank).count() as f64 / 4000.0;
            assert!((point.remaining - truth).abs() < 0.005, "{point:?}: {truth}");
            assert!(point.low <= point.remaining && point.remaining <= point.high);
        }
    }

    #[test]
    fn censored_misses_do_not_bend_the_curve() {
        // Ranks are even up to 1000; the trace was long enough for a rank only with growing probability.
        let mut misses = Misses::default();
        let mut random = numbers(11);
        for page in 0..20_000 {
            let (rank, ghosts) = (random.next().unwrap() % 1000, random.next().unwrap() % 1200);
            if rank < ghosts {
                misses.ranked(page, u32::try_from(rank).unwrap());
            } else {
                misses.beyond(page, u32::try_from(ghosts).unwrap());
            }
        }
        for point in misses.curve(64, 64 * 100).unwrap() {
            let truth = 1.0 - point.more_pages as f64 / 64_000.0;
            assert!((point.remaining - truth).abs() < 0.03, "{point:?}: {truth}");
            assert!(point.low - 0.01 <= truth && truth <= point.high + 0.01, "{point:?}: {truth}");
        }
    }

    proptest! {
        #[test]
        fn more_memory_never_costs(ranked in proptest::collection::vec((0u64..64, 0u32..5000), 0..600), beyond in proptest::collection::vec((0u64..64, 0u32..5000), 0..600)) {
            let mut misses = Misses::default();
            ranked.iter().for_each(|(part, rank)| misses.ranked(*part, *rank));
            beyond.iter().for_each(|(part, ghosts)| misses.beyond(*part, *ghosts));
            if let Some(curve) = misses.curve(64, 64 * 37) {
                prop_assert!((curve[0].remaining - 1.0).abs() < 1e-12);
                for pair in curve.windows(2) {
                    prop_assert!(pair[1].remaining <= pair[0].remaining + 1e-12);
                    prop_assert!(pair[1].low <= pair[1].remaining && pair[1].remaining <= pair[1].high);
                }
                prop_assert!(curve.last().unwrap().more_pages <= misses.reach_pages(64));
            } else {
                prop_assert!(misses.sampled() < SAMPLED_MISSES_MIN);
            }
        }
    }
}
