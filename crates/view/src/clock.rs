//! Times for people: an offset from the start, and a date and time of day in UTC.

use pagetide_core::{LocalClock, Nanos};

/// `2026-11-21 10:42:07 UTC` of nanoseconds since 1970.
pub(crate) fn utc(wall_ns: i64) -> String {
    LocalClock::utc().date_time(wall_ns)
}

/// Whether a date is known: logs without one are imported as days from 1970-01-01 on, which no recording is of.
pub(crate) fn dated(wall_ns: i64) -> bool {
    !(0..366 * 86_400_000_000_000).contains(&wall_ns)
}

/// `2026-11-21 10:42`, or `10:42, day unknown`.
pub(crate) fn short(wall_ns: i64) -> String {
    if dated(wall_ns) {
        utc(wall_ns).chars().take(16).collect()
    } else {
        format!("{}, day unknown", time_of_day(seconds_of_day(wall_ns), false))
    }
}

/// `2026-11-21 10:42:07 to 10:50:00 UTC`, with a second date when it is another one.
pub(crate) fn range(from: i64, to: i64) -> String {
    let (begun, ended) = (utc(from), utc(to));
    let time = |text: &str| text.chars().skip(11).collect::<String>();
    let begin: String = begun.chars().take(19).collect();
    match begun.chars().take(10).eq(ended.chars().take(10)) {
        true if dated(from) => format!("{begin} to {}", time(&ended)),
        true => format!("{} to {} of an unknown day", &time(&begin), time(&ended)),
        false => format!("{begin} to {ended}"),
    }
}

/// Seconds since midnight UTC.
pub(crate) fn seconds_of_day(wall_ns: i64) -> i64 {
    wall_ns.rem_euclid(86_400_000_000_000) / 1_000_000_000
}

/// `10:42:07`, or `10:42` when seconds are not wanted.
pub(crate) fn time_of_day(seconds: i64, with_seconds: bool) -> String {
    let (hours, minutes, rest) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    if with_seconds { format!("{hours:02}:{minutes:02}:{rest:02}") } else { format!("{hours:02}:{minutes:02}") }
}

/// A length of time as people say it: `45 s`, `12 min 5 s`, `1 h 3 min`.
pub fn length(time: Nanos) -> String {
    let seconds = time.get().saturating_add(500_000_000) / 1_000_000_000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min {seconds} s"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::{length, utc};
    use pagetide_core::Nanos;

    #[test]
    fn lengths_are_said_as_people_do() {
        let said = |seconds: u64| length(Nanos::new(seconds * 1_000_000_000));
        assert_eq!([said(0), said(59), said(725), said(3_780)], ["0 s", "59 s", "12 min 5 s", "1 h 3 min"]);
    }

    #[test]
    fn dates_are_right_around_leap_days_and_before_1970() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(1_709_164_800_000_000_000), "2024-02-29 00:00:00 UTC");
        assert_eq!(utc(1_795_257_187_123_456_789), "2026-11-21 10:33:07 UTC");
        assert_eq!(utc(-1), "1969-12-31 23:59:59 UTC");
    }
}
