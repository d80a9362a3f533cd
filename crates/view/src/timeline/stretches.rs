//! The time axis without the long stretches in which nothing was recorded.

use super::drawing::{Band, Stretch};
use pagetide_core::Recording;

/// A gap is cut out when it is longer than this many usual intervals,
const INTERVALS: i64 = 20;
/// and longer than this part of the time in which something was recorded.
const PART: i64 = 3;
/// What a cut takes of the axis: this part of the time recorded.
const CUT: i64 = 25;

/// Where moments of the recording stand on an axis from which long gaps are cut out.
#[derive(Debug)]
pub(super) struct Stretches {
    /// From and to on the recording's axis, and where that stands, in order.
    stretches: Vec<(i64, i64, i64)>,
}

impl Stretches {
    /// `moments` are all at which something is known, in order; what a step covers is never cut.
    pub(super) fn new(moments: &[i64], bands: &[Band], recording: &Recording) -> Self {
        let Some((first, last)) = moments.first().zip(moments.last()) else { return Self { stretches: Vec::new() } };
        let length = |pair: &[i64]| pair[1].saturating_sub(pair[0]);
        let mut lengths: Vec<i64> = moments.windows(2).map(length).collect();
        lengths.sort_unstable();
        let asked = i64::try_from(recording.manifest.longest_interval().get()).unwrap_or(i64::MAX);
        let usual = lengths.get(lengths.len() / 2).map_or(asked, |median| asked.max(*median));
        let most = usual.saturating_mul(INTERVALS);
        let recorded =
            lengths.iter().filter(|length| **length <= most).fold(0, |sum: i64, length| sum.saturating_add(*length));
        let covered = |pair: &[i64]| bands.iter().any(|band| band.from < pair[1] && band.to > pair[0]);
        let cuts = moments
            .windows(2)
            .filter(|pair| usual > 0 && length(pair) > most && length(pair) > recorded / PART && !covered(pair));
        let width = (recorded / CUT).max(1_000_000);
        let (mut stretches, mut from, mut at) = (Vec::new(), *first, 0_i64);
        for cut in cuts {
            stretches.push((from, cut[0], at));
            at = at.saturating_add(cut[0].saturating_sub(from)).saturating_add(width);
            from = cut[1];
        }
        stretches.push((from, *last, at));
        Self { stretches }
    }

    /// Where a moment stands, ns from the start of the axis.
    pub(super) fn place(&self, moment: i64) -> i64 {
        let index = self.stretches.partition_point(|(from, ..)| *from <= moment).saturating_sub(1);
        self.stretches.get(index).map_or(0, |(from, to, at)| at.saturating_add(moment.min(*to).saturating_sub(*from)))
    }

    /// Whether a moment from `from` to `to` was cut out.
    pub(super) fn cut(&self, from: i64, to: i64) -> bool {
        self.stretches.windows(2).any(|pair| from < pair[1].0 && to > pair[0].1)
    }

    /// The stretches as they stand on the axis, with the wall clock at their start.
    pub(super) fn on_axis(&self, local: impl Fn(i64) -> Option<i64>) -> Vec<Stretch> {
        let stretch = |(from, to, at): &(i64, i64, i64)| Stretch {
            from: *at,
            to: at.saturating_add(to.saturating_sub(*from)),
            start_local_ns: local(*from).unwrap_or(0),
            start_ns: *from,
        };
        self.stretches.iter().map(stretch).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(moments: &[i64], bands: &[Band]) -> Vec<(i64, i64, i64)> {
        Stretches::new(moments, bands, &Recording::default()).stretches
    }

    #[test]
    fn a_gap_is_cut_when_it_is_long_in_itself_and_beside_the_rest() {
        let second = 1_000_000_000;
        let seconds = |from: i64, to: i64| (from..=to).map(move |at| at * second);
        let years: Vec<i64> = seconds(0, 50).chain(seconds(90_000, 90_050)).collect();
        let at = 54 * second;
        assert_eq!(cut(&years, &[]), [(0, 50 * second, 0), (90_000 * second, 90_050 * second, at)]);
        let all = Stretches::new(&years, &[], &Recording::default());
        assert_eq!(all.place(90_001 * second), at + second);
        assert_eq!(all.place(70_000 * second), 50 * second, "what lies in a cut stands where it begins");
        assert!(all.cut(50 * second, 90_000 * second) && !all.cut(0, 50 * second));
        let short: Vec<i64> = seconds(0, 50).chain(seconds(70, 120)).collect();
        assert_eq!(cut(&short, &[]).len(), 1, "20 intervals are a gap that can be drawn");
        let long: Vec<i64> = seconds(0, 500).chain(seconds(530, 1000)).collect();
        assert_eq!(cut(&long, &[]).len(), 1, "and so is what is short beside the rest");
        let step = Band { id: String::new(), title: String::new(), from: 40 * second, to: 90_010 * second };
        assert_eq!(cut(&years, &[step]).len(), 1, "something happened all the while");
        assert_eq!(cut(&[7], &[]), [(7, 7, 0)]);
    }
}
