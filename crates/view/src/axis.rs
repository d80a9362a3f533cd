//! Axes: where their ticks stand, and how these are written.

use crate::clock;
use crate::measure::{Measure, decimals};
use crate::timeline::Stretch;

/// An axis from `low` to `high` with ticks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
    log: bool,
    /// Value and text of each tick, from the low end.
    pub(crate) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis from zero to at least `high`, with about `count` ticks. With `tight` it ends at `high` itself.
    pub(crate) fn linear(measure: Measure, high: f64, count: u32, tight: bool) -> Self {
        let high = match measure {
            _ if !(high > 0.0 && high.is_finite()) => 1.0,
            // The ends of a sample are read one after the other, so that a whole comes out as a little more.
            Measure::Share if (1.0..1.1).contains(&high) => 1.0,
            _ => high,
        };
        let step = match measure {
            Measure::Bytes | Measure::BytesPerSecond => (high / f64::from(count)).log2().ceil().exp2(),
            _ => nice_step(high, count),
        };
        let top = if tight { high } else { (high / step - 1e-9).ceil() * step };
        let ticks = steps(step, top).map(|value| (value, measure.tick(value))).collect();
        Self { low: 0.0, high: top, log: false, ticks }
    }

    /// A logarithmic axis over whole decades around `low` to `high`, both above zero.
    pub(crate) fn log(measure: Measure, low: f64, high: f64) -> Self {
        let (from, to) = (low.log10().floor(), (high.log10() - 1e-9).ceil());
        let every = if to - from > 5.0 { 2.0 } else { 1.0 };
        let ticks = steps(every, to - from)
            .map(|exponent| 10f64.powf(from + exponent))
            .map(|value| (value, measure.tick(value)))
            .collect();
        Self { low: 10f64.powf(from), high: 10f64.powf(to), log: true, ticks }
    }

    /// The time axis: seconds since the start, or from an hour on the time of day, in ns from the start.
    pub(crate) fn time(span_ns: i64, start_local_ns: i64) -> Self {
        let seconds = span_ns as f64 / 1e9;
        if seconds < 3600.0 {
            let step = if seconds <= 90.0 { nice_step(seconds, 8) } else { clock_step(seconds) };
            let ticks = steps(step, seconds).map(|at| (at * 1e9, offset(at, step))).collect();
            return Self { low: 0.0, high: span_ns as f64, log: false, ticks };
        }
        Self::time_of_day(span_ns, start_local_ns)
    }

    /// The time of day, as those who know the host by its logs read it.
    pub(crate) fn time_of_day(span_ns: i64, start_local_ns: i64) -> Self {
        let seconds = span_ns as f64 / 1e9;
        let step = if seconds <= 90.0 { nice_step(seconds, 8).max(1.0) } else { clock_step(seconds) };
        let start = clock::seconds_of_day(start_local_ns) as f64;
        let first = (start / step).ceil() * step - start;
        let ticks = steps(step, seconds - first)
            .map(|at| first + at)
            .map(|at| (at * 1e9, clock::time_of_day(whole(start + at), step < 60.0)))
            .collect();
        Self { low: 0.0, high: span_ns as f64, log: false, ticks }
    }

    /// The time of day in each of several stretches, in ns from the start of the axis, with its date at its start where the
    /// one before leaves room.
    pub(crate) fn stretches(stretches: &[Stretch], span_ns: i64) -> Self {
        let room = span_ns as f64 / 6.0;
        let step = clock_step(span_ns as f64 / 1e9);
        let mut ticks: Vec<(f64, String)> = Vec::new();
        // Stretches of the same minute are told apart by their seconds.
        let of_a_minute =
            |pair: &[Stretch]| clock::short(pair[0].start_local_ns) == clock::short(pair[1].start_local_ns);
        let start_of = if stretches.windows(2).any(of_a_minute) { clock::long } else { clock::short };
        for stretch in stretches {
            let free = |ticks: &[(f64, String)], at: f64| ticks.last().is_none_or(|(last, _)| at - last >= room);
            if free(&ticks, stretch.from as f64) {
                ticks.push((stretch.from as f64, start_of(stretch.start_local_ns)));
            }
            let start = clock::seconds_of_day(stretch.start_local_ns) as f64;
            let first = (start / step).ceil() * step - start;
            for after in steps(step, (stretch.to - stretch.from) as f64 / 1e9 - first) {
                let at = stretch.from as f64 + (first + after) * 1e9;
                if free(&ticks, at) {
                    ticks.push((at, clock::time_of_day(whole(start + first + after), false)));
                }
            }
        }
        Self { low: 0.0, high: span_ns as f64, log: false, ticks }
    }

    /// Where a value stands, from 0 at the low end to 1 at the high end. What lies beyond an end is drawn at it.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let part = if self.log {
            if value <= self.low {
                return 0.0;
            }
            (value / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Multiples of `step` from zero up to `top`, at most 200.
fn steps(step: f64, top: f64) -> impl Iterator<Item = f64> {
    (0..200u32).map(move |index| f64::from(index) * step).take_while(move |value| *value <= top * (1.0 + 1e-9))
}

/// 1, 2 or 5 times a power of ten, so that about `count` of it fill `span`.
fn nice_step(span: f64, count: u32) -> f64 {
    let rough = span / f64::from(count);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    step * power
}

/// A step that clocks have, in seconds, so that at most 8 of it fill `span`.
fn clock_step(span: f64) -> f64 {
    const STEPS: [f64; 17] = [
        15.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 10800.0, 14400.0, 21600.0, 43200.0,
        86400.0, 604_800.0,
    ];
    STEPS.into_iter().find(|step| span / step <= 8.5).unwrap_or(2_419_200.0)
}

/// An offset from the start, written as the step between ticks asks for.
fn offset(seconds: f64, step: f64) -> String {
    if step >= 15.0 && seconds >= 60.0 {
        let (minutes, rest) = (whole(seconds) / 60, whole(seconds) % 60);
        return if rest == 0 { format!("{minutes} min") } else { format!("{minutes}:{rest:02} min") };
    }
    if step < 1e-3 {
        format!("{} us", decimals(seconds * 1e6))
    } else if step < 1.0 && seconds < 1.0 && seconds > 0.0 {
        format!("{:.0} ms", seconds * 1e3)
    } else {
        let text = format!("{seconds:.3}");
        format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "seconds of a recording; far below 2^53")]
fn whole(seconds: f64) -> i64 {
    seconds.round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_in_their_unit() {
        assert_eq!(
            texts(&Axis::linear(Measure::Bytes, 458.0 * 1048576.0, 4, true)),
            ["0 B", "128 MiB", "256 MiB", "384 MiB"]
        );
        assert_eq!(texts(&Axis::linear(Measure::PerSecond, 2700.0, 4, false)), ["0", "1 k", "2 k", "3 k"]);
        assert_eq!(texts(&Axis::linear(Measure::Share, 0.043, 4, false)), ["0 %", "2 %", "4 %", "6 %"]);
        assert_eq!(texts(&Axis::linear(Measure::Share, 1.004, 3, false)), ["0 %", "50 %", "100 %"]);
        assert_eq!(texts(&Axis::linear(Measure::PerSecond, 0.0, 4, false)).first(), Some(&"0"));
        assert_eq!(texts(&Axis::log(Measure::PerSecond, 2609.0, 585e3)), ["1 k", "10 k", "100 k", "1 M"]);
    }

    #[test]
    fn time_is_an_offset_first_and_a_time_of_day_later() {
        assert_eq!(texts(&Axis::time(450_000_000, 0))[..3], ["0 s", "100 ms", "200 ms"]);
        assert_eq!(texts(&Axis::time(75_000_000_000, 0))[..3], ["0 s", "10 s", "20 s"]);
        assert_eq!(texts(&Axis::time(200_000_000_000, 0))[..4], ["0 s", "30 s", "1 min", "1:30 min"]);
        let morning = 8 * 3_600_000_000_000 + 600_000_000_000;
        assert_eq!(texts(&Axis::time(86_400_000_000_000, morning))[..3], ["09:00", "12:00", "15:00"]);
        assert_eq!(texts(&Axis::time_of_day(67_000_000_000, morning))[..2], ["08:10:00", "08:10:10"]);
    }

    #[test]
    fn a_value_has_its_place_whatever_it_is() {
        let axis = Axis::log(Measure::PerSecond, 1.0, 1000.0);
        assert!((axis.place(10.0) - 1.0 / 3.0).abs() < 1e-9);
        for (value, place) in [(0.0, 0.0), (-5.0, 0.0), (f64::NAN, 0.0), (1e9, 1.0)] {
            assert_eq!(axis.place(value), place);
        }
    }
}
