//! Times for people. What a page shows is the local time of the recorded host: ns since 1970-01-01 by its own clock, and its zone.

use pagetide_core::{LocalClock, Nanos, Recording};

/// The clock of a recording's host; UTC when its zone is not known.
pub(crate) fn of(recording: &Recording) -> LocalClock {
    LocalClock::of(&recording.manifest).unwrap_or_else(LocalClock::utc)
}

/// `2026-11-21 10:42:07` of local ns.
fn date_time(local_ns: i64) -> String {
    LocalClock::utc().date_time(local_ns).chars().take(19).collect()
}

/// Whether a date is known: logs without one are imported as days from 1970-01-01 on, and no recording is that old.
pub(crate) fn dated(wall_ns: i64) -> bool {
    !(0..366 * 86_400_000_000_000).contains(&wall_ns)
}

/// `2026-11-21 10:42`, or `10:42, day unknown`.
pub(crate) fn short(local_ns: i64) -> String {
    if dated(local_ns) {
        date_time(local_ns).chars().take(16).collect()
    } else {
        format!("{}, day unknown", time_of_day(seconds_of_day(local_ns), false))
    }
}

/// `2026-11-21 10:42:07`, or `10:42:07, day unknown`.
pub(crate) fn long(local_ns: i64) -> String {
    if dated(local_ns) {
        date_time(local_ns)
    } else {
        format!("{}, day unknown", time_of_day(seconds_of_day(local_ns), true))
    }
}

/// `2026-11-21 10:42:07 to 10:50:00 CET`, with a second date when it is another one.
pub(crate) fn range(from: i64, to: i64, zone: &str) -> String {
    let (begun, ended) = (date_time(from), date_time(to));
    let time = |text: &str| text.chars().skip(11).collect::<String>();
    match begun.chars().take(10).eq(ended.chars().take(10)) {
        true if dated(from) => format!("{begun} to {} {zone}", time(&ended)),
        true => format!("{} to {} {zone} of an unknown day", time(&begun), time(&ended)),
        false => format!("{begun} to {ended} {zone}"),
    }
}

/// Seconds since midnight.
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
    use super::{length, range, short};
    use pagetide_core::Nanos;

    #[test]
    fn lengths_read_as_people_write_them() {
        let text = |seconds: u64| length(Nanos::new(seconds * 1_000_000_000));
        assert_eq!([text(0), text(59), text(725), text(3_780)], ["0 s", "59 s", "12 min 5 s", "1 h 3 min"]);
    }

    #[test]
    fn a_date_is_there_where_it_is_known() {
        let at = 1_795_257_187_123_456_789;
        assert_eq!(short(at), "2026-11-21 10:33");
        assert_eq!(short(37_987_000_000_000), "10:33, day unknown");
        assert_eq!(range(at, at + 60_000_000_000, "CET"), "2026-11-21 10:33:07 to 10:34:07 CET");
    }
}
