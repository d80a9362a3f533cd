//! Places the files on one time axis without claiming more than they say.
//!
//! A file with known days is placed on them. A file with only times of day, or without times, gets a day of its own from 1970-01-01 on,
//! followed by an empty day, so that nothing in it seems to coincide with another file. There is one exception: sadc does not wake up
//! exactly on the second, so the times of a day form a pattern. Files with the same pattern wherever both have times are of the same day.

use super::clock::{DAY, Date};
use super::gather::Gather;
use std::collections::BTreeMap;

/// Times that two files must have in common before their pattern counts.
const COMMON: usize = 4;

/// How many of the intervals between these times must differ from the usual one: an even clock has no pattern.
const UNEVEN: usize = 3;

/// Files that share an axis of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// The files, by position.
    pub(super) files: Vec<usize>,
    /// The day used in place of an unknown one; `None` if it is known.
    pub(super) stand_in: Option<Date>,
    /// The fewest times that a file after the first has in common with an earlier one.
    pub(super) common: usize,
}

/// Which files share an axis, and where it begins. Known days come first, all on the one true axis.
pub(super) fn spans(files: &[Gather]) -> Vec<Span> {
    let known: Vec<usize> = (0..files.len()).filter(|at| files[*at].dated && !is_empty(&files[*at])).collect();
    let mut spans: Vec<Span> = Vec::new();
    for at in (0..files.len()).filter(|at| !files[*at].dated && !is_empty(&files[*at])) {
        let fits = spans.iter_mut().find_map(|span| {
            let common = span.files.iter().filter_map(|other| common_times(&files[*other], &files[at])).max()?;
            Some((span, common))
        });
        match fits {
            Some((span, common)) => {
                span.common = if span.files.len() == 1 { common } else { span.common.min(common) };
                span.files.push(at);
            }
            None => spans.push(Span { files: vec![at], stand_in: None, common: 0 }),
        }
    }
    let mut day = Date::EPOCH;
    for span in &mut spans {
        span.stand_in = Some(day);
        let last = span.files.iter().flat_map(|at| files[*at].moments.iter()).max().copied().unwrap_or(0);
        day = day.plus(i32::try_from(last / DAY).unwrap_or(i32::MAX).saturating_add(2));
    }
    if !known.is_empty() {
        spans.insert(0, Span { files: known, stand_in: None, common: 0 });
    }
    spans
}

/// Whether a file has nothing with a time.
fn is_empty(file: &Gather) -> bool {
    file.moments.is_empty() && file.events.is_empty()
}

/// How many times two files of unknown days have in common, when that shows that they are of the same day: in the
/// stretch that both cover they have the same times, and their pattern is uneven.
fn common_times(one: &Gather, other: &Gather) -> Option<usize> {
    if !one.timed || !other.timed {
        return None;
    }
    let (one, other) = (sorted(one), sorted(other));
    let from = *one.first()?.max(other.first()?);
    let to = *one.last()?.min(other.last()?);
    let within =
        |times: &[i64]| -> Vec<i64> { times.iter().copied().filter(|time| (from..=to).contains(time)).collect() };
    let common = within(&one);
    if common.len() < COMMON || common != within(&other) {
        return None;
    }
    let mut intervals: BTreeMap<i64, usize> = BTreeMap::new();
    for pair in common.windows(2) {
        *intervals.entry(pair[1].saturating_sub(pair[0])).or_default() += 1;
    }
    let usual = intervals.values().max().copied().unwrap_or(0);
    (common.len() - 1 - usual >= UNEVEN).then_some(common.len())
}

fn sorted(file: &Gather) -> Vec<i64> {
    let mut times = file.moments.clone();
    times.sort_unstable();
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::clock::SECOND;

    fn file(dated: bool, seconds: &[i64]) -> Gather {
        let mut gather = Gather::new("test", &crate::budget::Budget::default());
        gather.dated = dated;
        seconds.iter().for_each(|second| gather.at(second * SECOND));
        gather
    }

    #[test]
    fn files_with_the_same_uneven_times_are_of_one_day() {
        let night = [10_202, 10_807, 11_407, 12_006, 12_604, 13_202];
        let longer = [9_600, 10_202, 10_807, 11_407, 12_006, 12_604, 13_202];
        let files = [file(false, &longer), file(false, &night), file(false, &[10_202, 10_802, 11_402, 12_002])];
        let spans = spans(&files);
        assert_eq!(spans.iter().map(|span| span.files.clone()).collect::<Vec<_>>(), [vec![0, 1], vec![2]]);
        assert_eq!(spans[0].common, 6);
        assert_eq!(spans[1].stand_in.unwrap().to_string(), "1970-01-03");
    }

    #[test]
    fn even_times_and_differing_times_show_nothing() {
        let even = [601, 1201, 1801, 2401, 3001, 3601];
        assert_eq!(spans(&[file(false, &even), file(false, &even)]).len(), 2);
        let night = [10_202, 10_807, 11_407, 12_006, 12_604, 13_202];
        let other = [10_202, 10_807, 11_407, 12_006, 12_605, 13_202];
        assert_eq!(spans(&[file(false, &night), file(false, &other)]).len(), 2);
    }

    #[test]
    fn known_days_share_the_true_axis_and_days_after_midnight_keep_their_distance() {
        let files = [file(false, &[80_000, 90_000]), file(true, &[1 << 30]), file(false, &[5])];
        let spans = spans(&files);
        assert_eq!((spans[0].files.as_slice(), spans[0].stand_in), (&[1][..], None));
        assert_eq!(spans[2].stand_in.unwrap().to_string(), "1970-01-04");
    }
}
