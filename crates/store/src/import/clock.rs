//! Dates and times of day as tools print them.

use jiff::{ToSpan, civil};
use std::fmt;
use std::str::FromStr;

/// Nanoseconds of a second.
pub(super) const SECOND: i64 = 1_000_000_000;

/// Nanoseconds of a day.
pub(super) const DAY: i64 = 86_400 * SECOND;

/// A calendar day from 1970 to 2200. Times in nanoseconds end in 2262.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date(civil::Date);

impl Date {
    /// 1970-01-01.
    pub const EPOCH: Self = Self(civil::date(1970, 1, 1));

    /// The day with these numbers; `None` if there is none.
    pub fn new(year: i16, month: i8, day: i8) -> Option<Self> {
        civil::Date::new(year, month, day).ok().filter(|date| (1970..=2200).contains(&date.year())).map(Self)
    }

    /// Midnight, in nanoseconds since 1970-01-01.
    pub fn nanos(self) -> i64 {
        Self::EPOCH.0.duration_until(self.0).as_secs().saturating_mul(SECOND)
    }

    /// The day `days` later.
    pub(super) fn plus(self, days: i32) -> Self {
        Self(self.0.saturating_add(days.days()))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Date {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        iso_date(text.trim()).ok_or_else(|| format!("`{text}` is not a day such as 2016-09-10"))
    }
}

/// `2016-09-10`.
fn iso_date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    Date::new(whole(year)?, whole(month)?, whole(day)?)
}

/// A short run of digits.
fn whole<T: FromStr>(digits: &str) -> Option<T> {
    (!digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}

/// Which number of a date such as `09/10/2016` comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// The day: 9 October.
    DayFirst,
    /// The month: September 10.
    MonthFirst,
}

/// A date from a header, and whether day and month could be swapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PrintedDate {
    pub(super) date: Date,
    pub(super) ambiguous: bool,
}

/// Reads a date as a locale prints it: `2026-11-21`, `11/21/26`, `11/21/2026`, `21.11.2026`, `2026年11月21日`. Where only
/// the locale knows which number is the month, it is first when the clock has 12 hours (English, US) or the year two
/// digits (the C locale), else second, unless `order` says or only one of the two is possible.
pub(super) fn printed_date(text: &str, twelve_hours: bool, order: Option<DateOrder>) -> Option<PrintedDate> {
    let text = text.trim();
    // In Hong Kong's locale the weekday follows.
    let text = text.find('日').map_or(text, |day| &text[..day + '日'.len_utf8()]);
    if let Some(date) = iso_date(text) {
        return Some(PrintedDate { date, ambiguous: false });
    }
    if text.starts_with(['-', '+']) {
        return None;
    }
    let parts: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    let [first, second, third] = parts[..] else { return None };
    if text.chars().any(|c| c.is_alphabetic() && !"年月日년월일".contains(c)) {
        return None;
    }
    if first.len() == 4 {
        return Some(PrintedDate { date: Date::new(whole(first)?, whole(second)?, whole(third)?)?, ambiguous: false });
    }
    let year: i16 = whole(third)?;
    let year = match third.len() {
        2 if year >= 70 => 1900 + year,
        2 => 2000 + year,
        4 => year,
        _ => return None,
    };
    let (first, second) = (whole(first)?, whole(second)?);
    let (month_first, day_first) = (Date::new(year, first, second), Date::new(year, second, first));
    let guess = if twelve_hours || third.len() == 2 { DateOrder::MonthFirst } else { DateOrder::DayFirst };
    let dotted = text.contains('.');
    let date = match (month_first, day_first) {
        (Some(_), Some(date)) if dotted && order.is_none() => date,
        (Some(month_first), Some(day_first)) => match order.unwrap_or(guess) {
            DateOrder::MonthFirst => month_first,
            DateOrder::DayFirst => day_first,
        },
        (month_first, day_first) => month_first.or(day_first)?,
    };
    let both = month_first.is_some() && day_first.is_some() && month_first != day_first;
    Some(PrintedDate { date, ambiguous: both && !dotted && order.is_none() })
}

/// A time of day at the start of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeOfDay<'a> {
    /// Nanoseconds since midnight.
    pub(super) nanos: i64,
    /// Whether it came with AM or PM.
    pub(super) twelve_hours: bool,
    /// What follows it.
    pub(super) rest: &'a str,
}

/// Words for AM and PM, and whether they mean PM.
const HALVES: &[(&str, bool)] = &[
    ("AM", false),
    ("PM", true),
    ("am", false),
    ("pm", true),
    ("a.m.", false),
    ("p.m.", true),
    ("A.M.", false),
    ("P.M.", true),
    ("午前", false),
    ("午後", true),
    ("上午", false),
    ("下午", true),
    ("오전", false),
    ("오후", true),
    ("ص", false),
    ("م", true),
    ("πμ", false),
    ("μμ", true),
    ("π.μ.", false),
    ("μ.μ.", true),
];

/// When the clocks of places that share a name of standard time are set forward. sadf prints that name in summer as well: sysstat copies
/// `tzname[0]` (sadf.c: `main`; of a file's own zone sadc.c: `setup_file_hdr`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Summer {
    /// In no place that uses the name.
    Never,
    /// The name itself is that of summer time.
    Named,
    /// In some, within these days: month and day of the first and of the last one in any year.
    Within((i8, i8), (i8, i8)),
}

const EUROPE: Summer = Summer::Within((3, 25), (10, 31));
const AMERICA: Summer = Summer::Within((3, 8), (11, 7));
const AUSTRALIA: Summer = Summer::Within((10, 1), (4, 7));
const NEW_ZEALAND: Summer = Summer::Within((9, 24), (4, 7));

/// Zone names that mean one offset wherever they are used, in minutes east of UTC, outside summer time. `CST`, `IST` and others mean
/// several.
const ZONES: &[(&str, i64, Summer)] = &[
    ("UTC", 0, Summer::Never),
    ("GMT", 0, EUROPE),
    ("WET", 0, EUROPE),
    ("WEST", 60, Summer::Named),
    ("CET", 60, EUROPE),
    ("CEST", 120, Summer::Named),
    ("EET", 120, EUROPE),
    ("EEST", 180, Summer::Named),
    ("MSK", 180, Summer::Never),
    ("JST", 540, Summer::Never),
    ("KST", 540, Summer::Never),
    ("HKT", 480, Summer::Never),
    ("NZST", 720, NEW_ZEALAND),
    ("NZDT", 780, Summer::Named),
    ("AEST", 600, AUSTRALIA),
    ("AEDT", 660, Summer::Named),
    ("EDT", -240, Summer::Named),
    ("CDT", -300, Summer::Named),
    ("MDT", -360, Summer::Named),
    ("PDT", -420, Summer::Named),
    ("PST", -480, AMERICA),
    ("AKDT", -480, Summer::Named),
    ("HST", -600, AMERICA),
];

/// The offset from UTC, in nanoseconds, of a zone that sadf prints after a day: `CET`, `+03`, `+0530`. `None` for names with several
/// offsets on that day.
pub(super) fn zone_offset(name: &str, day: Option<Date>) -> Option<i64> {
    if let Some((_, minutes, summer)) = ZONES.iter().find(|(known, ..)| *known == name) {
        let sure = match summer {
            Summer::Never | Summer::Named => true,
            Summer::Within(first, last) => day.is_some_and(|Date(day)| {
                let day = (day.month(), day.day());
                let within =
                    if first <= last { (*first..=*last).contains(&day) } else { day >= *first || day <= *last };
                !within
            }),
        };
        return sure.then_some(minutes * 60 * SECOND);
    }
    let whole = if name.len() == 3 { format!("{name}00") } else { name.to_owned() };
    offset(&whole).filter(|(_, rest)| rest.is_empty()).map(|(nanos, _)| nanos)
}

/// Why a time with this zone is not read.
pub(super) fn unknown_zone(name: &str) -> String {
    const HINT: &str = "give its offset (--utc-offset +02:00)";
    if name.is_empty() {
        format!("local time, but the file names no time zone: {HINT}")
    } else if ZONES.iter().any(|(known, ..)| *known == name) {
        format!("the zone `{name}` may have summer time on this day, which sadf prints under the same name: {HINT}")
    } else {
        format!("the zone `{name}` has no fixed offset: {HINT}")
    }
}

/// AM or PM at the start of a text, and what follows it.
fn half_of_day(text: &str) -> Option<(bool, &str)> {
    let whole = |after: &str| after.is_empty() || after.starts_with(char::is_whitespace);
    HALVES.iter().find_map(|(name, second)| Some((*second, text.strip_prefix(name).filter(|after| whole(after))?)))
}

/// Reads `10:48:15`, `10:48:15.25`, `12:00:01 AM`, `10.48.15`, `10時48分15秒` or `上午 10時48分15秒` at the start of a line. In Korean
/// blanks follow the hours and the minutes.
pub(super) fn time_of_day(line: &str) -> Option<TimeOfDay<'_>> {
    let before = half_of_day(line);
    let line = before.map_or(line, |(_, rest)| rest.trim_start());
    let (hour, rest) = digits(line, 2)?;
    let (minute, rest) = digits(separator(rest, ":.,時时시")?, 2)?;
    let (second, rest) = digits(separator(rest, ":.,分분")?, 2)?;
    let (fraction, rest) = fraction(rest);
    let rest = rest.strip_prefix(['秒', '초']).unwrap_or(rest);
    if rest.chars().next().is_some_and(|c| !c.is_whitespace() && c != 'Z' && c != '+' && c != '-') {
        return None;
    }
    let half = before.map(|(second, _)| (second, rest)).or_else(|| half_of_day(rest.trim_start()));
    let (hour, rest) = match half {
        Some((second, rest)) if (1..=12).contains(&hour) => (hour % 12 + if second { 12 } else { 0 }, rest),
        Some(_) => return None,
        None => (hour, rest),
    };
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let nanos = (hour * 3600 + minute * 60 + second) * SECOND + fraction;
    Some(TimeOfDay { nanos, twelve_hours: half.is_some(), rest })
}

/// One to `most` digits, and what follows.
fn digits(text: &str, most: usize) -> Option<(i64, &str)> {
    let end = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn separator<'a>(text: &'a str, of: &str) -> Option<&'a str> {
    let c = text.chars().next()?;
    let rest = of.contains(c).then(|| &text[c.len_utf8()..])?;
    Some(if c.is_alphabetic() { rest.trim_start() } else { rest })
}

/// A fraction of a second in nanoseconds, zero when there is none.
fn fraction(text: &str) -> (i64, &str) {
    let Some(rest) = text.strip_prefix(['.', ',']) else { return (0, text) };
    let end = rest.bytes().take_while(u8::is_ascii_digit).count();
    if end == 0 {
        return (0, text);
    }
    let nanos = rest.bytes().take(end.min(9)).fold(0i64, |nanos, byte| nanos * 10 + i64::from(byte - b'0'));
    let missing = u32::try_from(9 - end.min(9)).unwrap_or(0);
    (nanos * 10i64.pow(missing), &rest[end..])
}

/// A moment as a log stamps its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    /// The day, when the stamp has one.
    pub(super) date: Option<Date>,
    /// Nanoseconds since midnight.
    pub(super) nanos: i64,
    /// Offset from UTC in nanoseconds, when the stamp says.
    pub(super) offset: Option<i64>,
    /// Whether day and month could be the other way round.
    pub(super) ambiguous: bool,
}

impl Moment {
    /// A moment with an unambiguous date.
    fn sure(date: Date, nanos: i64, offset: Option<i64>) -> Self {
        Self { date: Some(date), nanos, offset, ambiguous: false }
    }
}

/// Reads a stamp at the start of a line and gives what follows it: `2016-09-10 10:53:32.92709`, with `T`, with a zone, the
/// output of date(1), seconds since 1970 (`1473504812.93`), or a time of day.
pub(super) fn stamp(line: &str, order: Option<DateOrder>) -> Option<(Moment, &str)> {
    let line = line.trim_start();
    let line = line.strip_prefix("zzz").map_or(line, |rest| rest.trim_start_matches([' ', '*']));
    let (line, bracket) = line.strip_prefix('[').map_or((line, false), |rest| (rest, true));
    let (moment, rest) =
        epoch_seconds(line).or_else(|| dated(line, order)).or_else(|| printed_by_date(line)).or_else(|| {
            let time = time_of_day(line)?;
            Some((Moment { date: None, nanos: time.nanos, offset: None, ambiguous: false }, time.rest))
        })?;
    let rest = if bracket { rest.strip_prefix(']')? } else { rest };
    Some((moment, rest))
}

/// Seconds since 1970, ten digits, from 2001 to the last day that is a [`Date`].
pub(super) fn epoch_seconds(line: &str) -> Option<(Moment, &str)> {
    let end = line.bytes().take_while(u8::is_ascii_digit).count();
    if end != 10 {
        return None;
    }
    let seconds: i64 = line[..end].parse().ok()?;
    let (fraction, rest) = fraction(&line[end..]);
    if rest.chars().next().is_some_and(|c| !c.is_whitespace() && !":]".contains(c)) {
        return None;
    }
    let day = jiff::Timestamp::from_second(seconds).ok()?.to_zoned(jiff::tz::TimeZone::UTC).date();
    let date = Date::new(day.year(), day.month(), day.day())?;
    let nanos = seconds % 86_400 * SECOND + fraction;
    Some((Moment::sure(date, nanos, Some(0)), rest.strip_prefix(':').unwrap_or(rest)))
}

/// `2016-09-10 10:53:32.92709`, with `T` and with a zone; also a date as a locale prints it before the time (iostat -t).
fn dated(line: &str, order: Option<DateOrder>) -> Option<(Moment, &str)> {
    let end = line.find(|c: char| c.is_whitespace() || c == 'T')?;
    let time = time_of_day(line[end..].trim_start_matches(|c: char| c.is_whitespace() || c == 'T'))?;
    let PrintedDate { date, ambiguous } = printed_date(&line[..end], time.twelve_hours, order)?;
    let (offset, rest) = zone(time.rest);
    Some((Moment { ambiguous, ..Moment::sure(date, time.nanos, offset) }, rest))
}

/// `Sat Sep 10 10:53:32 UTC 2016`, and `Sat 10 Sep 2016 10:53:32 AM UTC`, as date(1) prints.
fn printed_by_date(line: &str) -> Option<(Moment, &str)> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (weekday, rest) = word(line)?;
    if weekday.len() != 3 || !weekday.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let (first, rest) = word(rest)?;
    let (second, rest) = word(rest)?;
    let month = |name: &str| MONTHS.iter().position(|month| *month == name).and_then(|at| i8::try_from(at + 1).ok());
    if let Some(month) = month(first) {
        let time = time_of_day(rest.trim_start())?;
        let (offset, rest) = zone(time.rest);
        let (year, rest) = word(rest).and_then(|(text, rest)| match whole(text) {
            Some(year) => Some((year, rest)),
            // A zone by a name that is not UTC, then the year.
            None => word(rest).and_then(|(text, rest)| Some((whole(text)?, rest))),
        })?;
        let date = Date::new(year, month, whole(second)?)?;
        return Some((Moment::sure(date, time.nanos, offset), rest));
    }
    let (year, rest) = word(rest)?;
    let time = time_of_day(rest.trim_start())?;
    let date = Date::new(whole(year)?, month(second)?, whole(first)?)?;
    let (offset, rest) = zone(time.rest);
    let rest = match word(rest) {
        Some((name, after)) if offset.is_none() && name.bytes().all(|byte| byte.is_ascii_uppercase()) => after,
        _ => rest,
    };
    Some((Moment::sure(date, time.nanos, offset), rest))
}

fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| (&text[..end], &text[end..]))
}

/// `Z`, ` UTC`, `+02:00`, ` +0200`: the offset from UTC in nanoseconds, and what follows.
fn zone(text: &str) -> (Option<i64>, &str) {
    let trimmed = text.trim_start();
    for name in ["Z", "UTC", "GMT"] {
        if let Some(rest) = trimmed.strip_prefix(name)
            && !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
        {
            return (Some(0), rest);
        }
    }
    match offset(trimmed) {
        Some((nanos, rest)) => (Some(nanos), rest),
        None => (None, text),
    }
}

/// `+02:00`, `-0330`: nanoseconds east of UTC, and what follows.
fn offset(text: &str) -> Option<(i64, &str)> {
    let (sign, rest) =
        text.strip_prefix('+').map(|rest| (1, rest)).or_else(|| text.strip_prefix('-').map(|rest| (-1, rest)))?;
    let (hours, rest) = digits(rest, 2)?;
    let (minutes, rest) = digits(rest.strip_prefix(':').unwrap_or(rest), 2)?;
    let whole = !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    (whole && hours <= 14 && minutes < 60).then_some((sign * (hours * 60 + minutes) * 60 * SECOND, rest))
}

/// Reads an offset from UTC such as `+02:00`, in nanoseconds.
pub fn utc_offset(text: &str) -> Result<i64, String> {
    match offset(text.trim()) {
        Some((nanos, "")) => Ok(nanos),
        _ => Err(format!("`{text}` is not an offset from UTC such as +02:00")),
    }
}

/// No log covers ten years: one that seems to was misread.
const MOST_DAYS: i64 = 3650;

/// Follows a clock that shows only the time of day through the days.
#[derive(Debug, Clone, Default)]
pub(super) struct DayClock {
    days: i64,
    last: Option<i64>,
}

/// A time of day earlier than the previous one, and not because midnight passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Backwards;

impl DayClock {
    /// Nanoseconds since the midnight at which the first day began. A clock that goes back by more than half a day has passed
    /// midnight; one that goes back by less was set back (by hand or for the winter), and nothing says when.
    pub(super) fn advance(&mut self, time_of_day: i64) -> Result<i64, Backwards> {
        let last = self.last.unwrap_or(time_of_day);
        if time_of_day < last {
            if last - time_of_day < DAY / 2 || self.days >= MOST_DAYS {
                return Err(Backwards);
            }
            self.days += 1;
        }
        self.last = Some(time_of_day);
        Ok(self.days * DAY + time_of_day)
    }
}

/// Follows a clock that shows the day as well. One that is set back (by hand, or for the winter where the stamps are local time) gives
/// the same times twice.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DatedClock {
    last: Option<i64>,
    /// The moment before the last.
    before: Option<i64>,
    /// Whether it was set back and has not reached the last moment again.
    set_back: bool,
}

impl DatedClock {
    /// Checks the next moment. A step back of more than half a day means that another file follows.
    pub(super) fn advance(&mut self, nanos: i64) -> Result<i64, Backwards> {
        if let Some(last) = self.last
            && nanos < last
            && last - nanos < DAY / 2
        {
            self.set_back = true;
            return Err(Backwards);
        }
        self.set_back = false;
        if self.last != Some(nanos) {
            self.before = self.last.replace(nanos);
        }
        Ok(nanos)
    }

    /// The same for concatenated copies. If a moment lies between the last two, and before the last by less than the smallest summer
    /// time step of any zone (30 minutes, Lord Howe), two copies are out of order.
    pub(super) fn advance_or_between(&mut self, nanos: i64) -> Result<i64, Backwards> {
        let of_order = |(before, last)| (before..last).contains(&nanos) && last - nanos < 30 * 60 * SECOND;
        let between = self.before.zip(self.last).is_some_and(of_order);
        if between && !self.set_back { Ok(nanos) } else { self.advance(nanos) }
    }
}

/// Why lines under a clock that was set back are left out.
pub(super) const SET_BACK: &str =
    "the clock was set back, which repeats times: rows are left out until it passes the latest time";

#[cfg(test)]
mod tests;
