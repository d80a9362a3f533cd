//! The time that a service lost, stacked by account: the first plot.

use super::drawing::{Layer, Plot, Points, Shape};
use super::stretches::Stretches;
use crate::measure::Measure;
use pagetide_core::{Account, Gap, Ledger};

/// The colour of an account: what is lost to memory as memory, to devices as devices.
const fn hue(account: Account) -> &'static str {
    match account {
        Account::ReadAgain => "anon",
        Account::Load => "dirty",
        Account::Device => "clean",
        Account::Cpu => "psicpu",
        Account::OwnWork => "other",
        Account::Unexplained => "level",
    }
}

/// Below this share of the time nothing is seen.
const VISIBLE_SHARE: f64 = 0.01;

/// The shares of each moment of [`Ledger::over_time`] that are booked to an account, in the order in which accounts are stacked; absent where
/// most of the time before the moment is a gap. What is not seen in a plot is left out.
pub fn lost_time(ledger: &Ledger, gaps: &[Gap]) -> Vec<(Account, Layer)> {
    let at = |index: usize| ledger.over_time.get(index).map(|point| point.at_ns);
    let known = |index: usize| {
        let Some((from, to)) = index.checked_sub(1).and_then(at).zip(at(index)) else { return true };
        let within = |gap: &Gap| gap.to_ns.min(to).saturating_sub(gap.from_ns.max(from)).max(0);
        gaps.iter().map(within).sum::<i64>() <= to.saturating_sub(from) / 2
    };
    let known: Vec<bool> = (0..ledger.over_time.len()).map(known).collect();
    let mut layers: Vec<(Account, Layer)> = ledger
        .bookings
        .iter()
        .enumerate()
        .map(|(index, booking)| {
            let points = ledger.over_time.iter().zip(&known);
            let values = points.map(|(point, known)| point.shares.get(index).copied().filter(|_| *known)).collect();
            (booking.account, Layer { name: booking.name().to_owned(), hue: hue(booking.account), values })
        })
        .filter(|(_, layer)| layer.peak().is_some_and(|peak| peak >= VISIBLE_SHARE))
        .collect();
    layers.sort_by_key(|(account, _)| *account);
    layers
}

/// What the plot is called.
pub fn lost_time_title(ledger: &Ledger) -> String {
    format!("Time lost by {}, by what it waited for", ledger.who())
}

/// What the group that lost most lost over the recording; absent where it lost next to nothing.
pub(super) fn plot(ledger: &Ledger, gaps: &[Gap], axis: &Stretches) -> Option<Plot> {
    let at: Vec<i64> = ledger.over_time.iter().map(|point| axis.place(point.at_ns)).collect();
    let layers: Vec<Layer> = lost_time(ledger, gaps).into_iter().map(|(_, layer)| layer).collect();
    if layers.is_empty() {
        return None;
    }
    let title = lost_time_title(ledger);
    let source = "group pressure above its baseline, booked to accounts".to_owned();
    Some(Plot { id: "lost", title, source, measure: Measure::Share, shape: Shape::Stacked(Points { at, layers }) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Booking, LostAt, Recording, Span};

    fn booking(account: Account, lost_ns: u64) -> Booking {
        Booking { account, lost_ns, on: None, by_cause: false, words: String::new() }
    }

    #[test]
    fn accounts_are_stacked_in_their_order_and_what_is_not_seen_is_left_out() {
        let shares = |at_ns: i64, shares: [f64; 3]| LostAt { at_ns, shares: shares.to_vec() };
        let ledger = Ledger {
            range: Span::new(1, 3),
            by: "cgroup:/db".to_owned(),
            lost_ns: 3,
            share: 0.9,
            bookings: vec![booking(Account::Load, 2), booking(Account::ReadAgain, 1), booking(Account::Unexplained, 0)],
            groups: Vec::new(),
            over_time: vec![shares(1, [0.5, 0.2, 0.0]), shares(2, [0.6, 0.3, 0.001])],
        };
        let axis = Stretches::new(&[0, 1, 2, 3], &[], &Recording::default());
        let plot = plot(&ledger, &[], &axis).unwrap();
        assert_eq!(plot.title, "Time lost by db, by what it waited for");
        let Shape::Stacked(points) = &plot.shape else { panic!("a stack") };
        let layers: Vec<(&str, &[Option<f64>])> =
            points.layers.iter().map(|layer| (layer.hue, &layer.values[..])).collect();
        assert_eq!(layers, [("anon", &[Some(0.2), Some(0.3)][..]), ("dirty", &[Some(0.5), Some(0.6)][..])]);
        assert_eq!(points.at, [1, 2]);
        let ledger = Ledger { over_time: [1, 11, 31, 41].map(|at| shares(at, [0.5, 0.2, 0.0])).into(), ..ledger };
        let gap = |from_ns, to_ns| Gap { from_ns, to_ns };
        let drawn = lost_time(&ledger, &[gap(2, 6), gap(11, 31)]);
        assert_eq!(drawn[0].1.values, [Some(0.2), Some(0.2), None, Some(0.2)], "a gap is not drawn over");
    }
}
