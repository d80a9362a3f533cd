//! One curve in words.

use crate::live_trace::Traced;
use pagetide_core::{Bytes, printable};
use pagetide_trace::{Point, SAMPLED_MISSES_MIN};

/// Savings are printed as an amount of memory when it saves this share of what the curve can save.
const SHARE_OF_SAVING: f64 = 0.9;
/// A curve has a knee if it saves that much more than in proportion to memory.
const KNEE: f64 = 0.25;

/// One curve, or why there is none.
pub(super) struct Curve {
    pub(super) limit: Option<String>,
    pub(super) readers: Option<String>,
    pub(super) sampled: u64,
    pub(super) points: Option<Vec<Point>>,
}

impl Curve {
    /// Where the memory is limited and who reads.
    pub(super) fn place(&self) -> String {
        let limit = match self.limit.as_deref() {
            None => "host".to_owned(),
            Some("/") => "root group".to_owned(),
            Some(group) => format!("group {}", printable(group)),
        };
        self.readers
            .as_ref()
            .map_or_else(|| limit.clone(), |readers| format!("{limit}, reads of {}", printable(readers)))
    }

    /// The smallest amount that saves most of what the curve can save.
    pub(super) fn most(&self) -> Option<&Point> {
        let points = self.points.as_ref()?;
        let can_save = 1.0 - points.last()?.remaining;
        points.iter().find(|point| 1.0 - point.remaining >= SHARE_OF_SAVING * can_save)
    }

    /// The amount to take: that at the knee, where the curve lies farthest below the line between its ends, else the one that saves most.
    pub(super) fn advice(&self) -> Option<&Point> {
        let (points, most) = (self.points.as_ref()?, self.most()?);
        let last = points.last()?;
        let gain = |point: &Point| {
            (1.0 - point.remaining) / (1.0 - last.remaining) - point.more_pages as f64 / last.more_pages as f64
        };
        let knee = points.iter().max_by(|a, b| gain(a).total_cmp(&gain(b)))?;
        Some(if gain(knee) >= KNEE && knee.more_pages < most.more_pages { knee } else { most })
    }
}

pub(super) fn refusal(curve: &Curve) -> String {
    format!("{} sampled misses, {SAMPLED_MISSES_MIN} are needed", curve.sampled)
}

/// The first sentence about a curve that is published.
pub(super) fn sentence(traced: &Traced, curve: &Curve) -> Option<String> {
    let text = answer(traced, curve, curve.points.as_ref()?, &curve.place());
    text.lines().next().map(str::to_owned)
}

/// The first line of a curve.
pub(super) fn answer(traced: &Traced, curve: &Curve, points: &[Point], place: &str) -> String {
    let last = points.last().map_or(Bytes::ZERO, |point| traced.bytes(point.more_pages as f64));
    let beyond = if curve.most() == points.last() {
        "The misses still fall at that point: trace longer to see further.".to_owned()
    } else {
        format!("Up to {last} more saves little beyond that.")
    };
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    match curve.advice() {
        Some(point) if 1.0 - point.high > 0.02 => {
            let more = traced.bytes(point.more_pages as f64);
            let further = curve.most().filter(|most| *most != point).map_or_else(String::new, |most| {
                format!(", {} {}", traced.bytes(most.more_pages as f64), percent(1.0 - most.remaining))
            });
            format!(
                "{place}: {more} more memory would save {} of the misses ({} to {}){further}. {beyond}\n{}",
                percent(1.0 - point.remaining),
                percent(1.0 - point.high),
                percent(1.0 - point.low),
                raise(curve, more),
            )
        }
        _ if last == Bytes::ZERO => {
            format!(
                "{place}: too few evicted pages were read again to say what more memory would save. Trace longer.\n"
            )
        }
        _ => format!("{place}: up to {last} more memory would save no misses.\n"),
    }
}

/// What to do about a group at its limit.
fn raise(curve: &Curve, more: Bytes) -> String {
    match &curve.limit {
        Some(group) if curve.readers.is_none() => format!(
            "  to do: raise memory.max of {group} by {more} (v1: memory.limit_in_bytes). That leaves the rest of the host {more} less.\n"
        ),
        _ => String::new(),
    }
}
