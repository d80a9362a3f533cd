//! The time of day at a place, for people; files and JSON keep nanoseconds of UTC.

use crate::{Error, Manifest, Nanos};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};

/// Turns moments into the local time of a zone, and back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalClock {
    zone: TimeZone,
    name: String,
}

impl LocalClock {
    /// UTC.
    pub fn utc() -> Self {
        Self { zone: TimeZone::UTC, name: "UTC".to_owned() }
    }

    /// The clock of a zone that the caller looked up. A zone without a name is called by its offset.
    pub fn new(zone: TimeZone) -> Self {
        let name = match zone.iana_name() {
            Some(name) => name.to_owned(),
            None => zone.to_offset(Timestamp::UNIX_EPOCH).to_string(),
        };
        Self { zone, name }
    }

    /// The clock of a zone in the IANA database, which is part of the program.
    pub fn named(name: &str) -> Option<Self> {
        TimeZoneDatabase::bundled().get(name).ok().map(Self::new)
    }

    /// The clock of the recorded host; absent for recordings before format version 3, whose manifest has no zone.
    pub fn of(manifest: &Manifest) -> Option<Self> {
        let zone = manifest.time_zone.as_ref()?;
        let fixed = || Offset::from_seconds(zone.utc_offset_s).ok().map(|offset| Self::new(offset.to_time_zone()));
        zone.name.as_deref().and_then(Self::named).or_else(fixed)
    }

    /// The name of the zone: `Europe/Berlin`, `UTC`, or an offset such as `+02`.
    pub fn zone(&self) -> &str {
        &self.name
    }

    /// Date and time of day at a moment, in ns since 1970-01-01 UTC.
    pub fn civil(&self, wall_ns: i64) -> DateTime {
        self.zone.to_datetime(timestamp(wall_ns))
    }

    /// The zone's short name at a moment: `CET`, `CEST`, `UTC`, `+03`.
    pub fn abbreviation(&self, wall_ns: i64) -> String {
        self.zone.to_offset_info(timestamp(wall_ns)).abbreviation().to_owned()
    }

    /// What this clock shows at a moment, in ns since its own 1970-01-01.
    pub fn local_ns(&self, wall_ns: i64) -> i64 {
        let offset = self.zone.to_offset(timestamp(wall_ns)).seconds();
        wall_ns.saturating_add(i64::from(offset) * 1_000_000_000)
    }

    /// `2026-11-21 12:20:30 CET`.
    pub fn date_time(&self, wall_ns: i64) -> String {
        format!("{} {}", self.civil(wall_ns).strftime("%F %T"), self.abbreviation(wall_ns))
    }

    /// `12:20:30`.
    pub fn time(&self, wall_ns: i64) -> String {
        self.civil(wall_ns).strftime("%T").to_string()
    }

    /// `12:20:30.2`.
    pub fn time_with_tenths(&self, wall_ns: i64) -> String {
        let at = self.civil(wall_ns);
        format!("{:02}:{:02}:{:02}.{}", at.hour(), at.minute(), at.second(), at.subsec_nanosecond() / 100_000_000)
    }

    /// ISO 8601 with milliseconds and the offset: `2026-11-21T12:20:30.250+01:00`, in UTC `…Z`.
    pub fn iso(&self, wall_ns: i64) -> String {
        let zoned = timestamp(wall_ns).to_zoned(self.zone.clone());
        let form = if self.zone == TimeZone::UTC { "%FT%T%.3fZ" } else { "%FT%T%.3f%:z" };
        zoned.strftime(form).to_string()
    }

    /// The moment, in ns since 1970-01-01 UTC, at which this clock shows a date and time. If an hour comes twice, the first is
    /// meant; a time that the clock skips is moved forward.
    pub fn moment(&self, civil: DateTime) -> Option<i64> {
        i64::try_from(self.zone.to_timestamp(civil).ok()?.as_nanosecond()).ok()
    }

    /// Reads what a person wrote for a moment of a recording with samples at `walls` (ns since 1970-01-01 UTC, in order): `12:20`,
    /// `12:20:30`, `2026-11-21T12:20:30`, the same with `Z` or an offset, `2026-11-21`, `@` and the time since 1970-01-01 UTC (seconds, or
    /// nanoseconds as in JSON), or `-10min` for that long before the end.
    ///
    /// # Errors
    ///
    /// When it is none of these, or a time of day of which the recording has several.
    pub fn parse(&self, text: &str, walls: &[i64]) -> Result<i64, Error> {
        let wrong = || {
            Error::input(
                format!("`{text}` is not a time"),
                format!(
                    "write 12:20, 3pm, 2026-11-21T12:20:30 ({}), @1795255230, yesterday 15:00 (the day before the last sample), or -10min (before the end)",
                    self.name
                ),
            )
        };
        if let Some(before) = text.strip_prefix('-') {
            // Bare numbers are not seconds here: -10 could be minutes, or a day of the month.
            let before = Nanos::typed(before).ok().filter(|_| before.ends_with(|c: char| c.is_ascii_alphabetic()));
            let before = before.and_then(|before| i64::try_from(before.get()).ok());
            let last = walls.last().copied();
            return before.zip(last).map(|(before, last)| last.saturating_sub(before)).ok_or_else(wrong);
        }
        if let Some(epoch) = text.strip_prefix('@') {
            return since_epoch(epoch).ok_or_else(wrong);
        }
        let text = self.plain(text, walls);
        let text = text.as_str();
        if let Ok(moment) = text.parse::<Timestamp>() {
            return i64::try_from(moment.as_nanosecond()).map_err(|_| wrong());
        }
        let (text, clock) = text.strip_suffix('Z').map_or((text, self.clone()), |text| (text, Self::utc()));
        if let Ok(civil) = text.parse::<DateTime>() {
            return clock.moment(civil).ok_or_else(wrong);
        }
        let time = text.parse::<Time>().ok().filter(|_| text.contains(':')).ok_or_else(wrong)?;
        clock.on_a_day(time, walls).ok_or_else(wrong)?
    }

    /// A text with the words of people in numbers: `3pm` is `15:00`, `yesterday 15:00` the day before that of the last sample at that time.
    fn plain(&self, text: &str, walls: &[i64]) -> String {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        let days = [("today", 0), ("yesterday", 1)];
        if let Some((word, before)) = days.iter().find(|(word, _)| lower.starts_with(word))
            && let Some(last) = walls.last()
        {
            let day = self.civil(*last).date().saturating_sub(jiff::Span::new().days(*before));
            let rest = text[word.len()..].trim_start_matches(['T', 't', ',']).trim();
            let rest = rest.strip_prefix("at ").unwrap_or(rest);
            return if rest.is_empty() { format!("{day}") } else { format!("{day} {}", of_twelve_hours(rest)) };
        }
        match text.split_once([' ', 'T']) {
            Some((day, time)) if day.parse::<Date>().is_ok() => format!("{day}T{}", of_twelve_hours(time.trim())),
            _ => of_twelve_hours(text),
        }
    }

    /// A time of day on the day whose samples are around it; else on the day that has it within the recording, else on the first.
    fn on_a_day(&self, time: Time, walls: &[i64]) -> Option<Result<i64, Error>> {
        let (first, last) = (*walls.first()?, *walls.last()?);
        let at = |day: Date| self.moment(day.to_datetime(time));
        let days = walls.chunk_by(|a, b| self.civil(*a).date() == self.civil(*b).date());
        let days: Vec<(Date, i64, i64)> = days.map(|of| (self.civil(of[0]).date(), of[0], of[of.len() - 1])).collect();
        let within = |day: Date, begin: i64, end: i64| at(day).is_some_and(|at| (begin..=end).contains(&at));
        let sampled: Vec<Date> =
            days.iter().filter(|(day, begin, end)| within(*day, *begin, *end)).map(|day| day.0).collect();
        let recorded = || days.iter().map(|day| day.0).filter(|day| within(*day, first, last)).collect();
        let named = if sampled.is_empty() { recorded() } else { sampled };
        Some(match named.as_slice() {
            [] => Ok(at(days.first()?.0)?),
            [day] => Ok(at(*day)?),
            [day, ..] => Err(Error::input(
                format!(
                    "{time} occurs on several days: the recording spans {} to {}",
                    self.civil(first).date(),
                    self.civil(last).date()
                ),
                format!("write the day too: {}", day.to_datetime(time)),
            )),
        })
    }
}

/// `3pm`, `3:20 PM` on a clock of 24 hours; anything else as it is.
fn of_twelve_hours(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let half =
        [("am", 0), ("pm", 12)].into_iter().find_map(|(word, add)| Some((lower.strip_suffix(word)?.trim_end(), add)));
    let Some((time, add)) = half else { return of_two_digits(text) };
    let (hour, rest) = time.split_once(':').unwrap_or((time, "00"));
    match hour.parse::<u8>() {
        Ok(hour @ 1..=12) => format!("{:02}:{rest}", hour % 12 + add),
        _ => text.to_owned(),
    }
}

/// A time of day with a two-digit hour: `6:05` is `06:05`.
fn of_two_digits(text: &str) -> String {
    let has_one = text.find(':') == Some(1) && text.starts_with(|c: char| c.is_ascii_digit());
    if has_one { format!("0{text}") } else { text.to_owned() }
}

/// Nanoseconds since 1970-01-01 UTC, of seconds as `date +%s` prints them, or of nanoseconds as JSON has them.
fn since_epoch(text: &str) -> Option<i64> {
    /// Digits of a number of nanoseconds since 2001; a number of seconds gets as many in 30 billion years.
    const DIGITS_OF_NANOS: usize = 18;
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if seconds.is_empty() || fraction.len() > 9 || !is_number(seconds) || !is_number(fraction) {
        return None;
    }
    if seconds.len() >= DIGITS_OF_NANOS && fraction.is_empty() {
        return seconds.parse().ok();
    }
    let nanos: i64 = format!("{fraction:0<9}").parse().ok()?;
    seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nanos)
}

/// The moment as jiff's type; every number of nanoseconds in 64 bits is one.
fn timestamp(wall_ns: i64) -> Timestamp {
    Timestamp::from_nanosecond(wall_ns.into()).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HostTimeZone;

    const SECOND: i64 = 1_000_000_000;
    const AT: i64 = 1_795_255_230 * SECOND + 250_000_000;

    #[test]
    fn a_moment_is_shown_in_the_zone_of_the_recorded_host() {
        let zone = |name: Option<&str>, utc_offset_s| {
            let time_zone = Some(HostTimeZone { name: name.map(str::to_owned), utc_offset_s });
            LocalClock::of(&Manifest { time_zone, ..Manifest::default() }).unwrap()
        };
        let berlin = zone(Some("Europe/Berlin"), 3600);
        assert_eq!(berlin.date_time(AT), "2026-11-21 11:00:30 CET");
        assert_eq!(berlin.iso(AT), "2026-11-21T11:00:30.250+01:00");
        assert_eq!(berlin.date_time(AT - 120 * 86_400 * SECOND), "2026-07-24 12:00:30 CEST", "summer time");
        let fixed = zone(None, 19_800);
        assert_eq!((fixed.date_time(AT).as_str(), fixed.zone()), ("2026-11-21 15:30:30 +05:30", "+05:30"));
        assert_eq!(zone(Some("No/Where"), -3600).time(AT), "09:00:30");
        assert_eq!(berlin.time_with_tenths(AT + 50_000_000), "11:00:30.3");
        assert_eq!(LocalClock::utc().iso(AT), "2026-11-21T10:00:30.250Z");
        assert_eq!(LocalClock::of(&Manifest::default()), None);
        assert_eq!(
            [LocalClock::utc().iso(i64::MIN), LocalClock::utc().iso(-1)].map(|text| text[..4].to_owned()),
            ["1677", "1969"]
        );
    }

    #[test]
    fn what_a_person_writes_is_read() {
        let (first, last) = (AT, AT + 3600 * SECOND);
        let berlin = LocalClock::named("Europe/Berlin").unwrap();
        let utc_ns = |text| LocalClock::utc().parse(text, &[first, last]).ok();
        let utc = |text| utc_ns(text).map(|at| LocalClock::utc().iso(at));
        for text in ["2026-11-21T10:30:00", "2026-11-21 10:30", "10:30", "10:30Z", "2026-11-21T11:30+01:00"] {
            assert_eq!(utc(text).as_deref(), Some("2026-11-21T10:30:00.000Z"), "{text}");
        }
        assert_eq!(berlin.parse("11:30", &[first, last]).ok(), utc_ns("10:30"));
        assert_eq!(berlin.parse("10:30Z", &[first, last]).ok(), utc_ns("10:30"));
        assert_eq!(utc("-10min"), Some(LocalClock::utc().iso(last - 600 * SECOND)));
        assert_eq!(utc("09:00").as_deref(), Some("2026-11-21T09:00:00.000Z"), "before the recording");
        for (text, same) in [
            ("10am", "10:00"),
            ("10:30 AM", "10:30"),
            ("12:05 pm", "12:05"),
            ("12am", "00:00"),
            ("today 10:30", "10:30"),
            ("today at 10am", "10:00"),
            ("yesterday 3pm", "2026-11-20T15:00"),
            ("Yesterday", "2026-11-20"),
            ("2026-11-20 3pm", "2026-11-20T15:00"),
            ("-10m", "-10min"),
            ("-1h", "-60min"),
            ("-30sec", "-30s"),
            ("9:30", "09:30"),
            ("2026-11-21 9:30:05", "2026-11-21T09:30:05"),
            ("today 9:30", "09:30"),
            ("@1795255230", "2026-11-21T10:00:30"),
            ("@1795255230.25", "2026-11-21T10:00:30.250"),
            ("@1795255230250000000", "2026-11-21T10:00:30.250"),
        ] {
            assert_eq!(utc(text), utc(same), "{text}");
            assert!(utc(text).is_some(), "{text}");
        }
        for wrong in [
            "13pm",
            "yesterday x",
            "",
            "9",
            "25:00",
            "x:y",
            "2026-13-01T00:00",
            "-",
            "-5",
            "@",
            "@x",
            "@1.x",
            "@-1",
            "@99999999999999999999",
        ] {
            assert_eq!(utc(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_time_of_day_is_on_the_day_that_has_it() {
        let clock = LocalClock::utc();
        let first = clock.parse("2026-11-21T23:00", &[]).unwrap();
        let parse = |text, hours: i64| {
            clock.parse(text, &(0..=hours).map(|hour| first + hour * 3600 * SECOND).collect::<Vec<_>>())
        };
        assert_eq!(clock.iso(parse("01:00", 4).unwrap()), "2026-11-22T01:00:00.000Z");
        assert_eq!(clock.iso(parse("23:30", 4).unwrap()), "2026-11-21T23:30:00.000Z");
        let error = parse("01:00", 72).unwrap_err();
        assert!(error.to_string().contains("2026-11-21 to 2026-11-24"), "{error}");
        let years_later = clock.parse("2036-01-01T12:00", &[]).unwrap();
        let at = clock.parse("23:30", &[first, first + 3600 * SECOND - 1, years_later]).unwrap();
        assert_eq!(clock.iso(at), "2026-11-21T23:30:00.000Z", "the day without samples around that time is not meant");
    }
}
