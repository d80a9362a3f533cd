//! When a file begins, if it does not say so itself.

use super::clock::{Date, SECOND};
use std::fmt;
use std::str::FromStr;

/// The day on which a file begins, and for one without times the time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    pub(super) date: Date,
    /// Nanoseconds since midnight.
    pub(super) time: Option<i64>,
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.date.fmt(f)
    }
}

impl FromStr for Day {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (day, time) = match text.trim().split_once([' ', 'T']) {
            Some((day, time)) => (day, Some(time)),
            None => (text, None),
        };
        let time_of =
            |time: &str| time_of_day(time).ok_or_else(|| format!("`{time}` is not a time such as 15:20 or 15:20:30"));
        Ok(Self { date: day.parse()?, time: time.map(time_of).transpose()? })
    }
}

/// `15:20` or `15:20:30`.
fn time_of_day(text: &str) -> Option<i64> {
    let mut parts = text.trim().split(':');
    let mut part = |most: i64| {
        let digits =
            parts.next().filter(|digits| digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        digits.parse::<i64>().ok().filter(|number| *number < most)
    };
    let (hour, minute) = (part(24)?, part(60)?);
    let second = if text.trim().len() > 5 { part(60)? } else { 0 };
    parts.next().is_none().then_some((hour * 3600 + minute * 60 + second) * SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_a_time_or_none() {
        let of = |text: &str| text.parse::<Day>().map(|day| (day.to_string(), day.time.map(|time| time / SECOND)));
        let day = || "2016-09-10".to_owned();
        assert_eq!(of("2016-09-10"), Ok((day(), None)));
        assert_eq!(of("2016-09-10 15:20"), Ok((day(), Some(55_200))));
        assert_eq!(of(" 2016-09-10T00:00:59"), Ok((day(), Some(59))));
        for wrong in [
            "2016-09-10 25:00",
            "2016-09-10 15:60",
            "2016-09-10 3pm",
            "2016-09-10 15:20:30:1",
            "2016-09-10 15",
            "15:20",
            "2016-09-10 é5:20",
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
