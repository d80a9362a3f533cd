//! Finding and loading a recording that the user named, and reading times within it.

use pagetide_core::{Error, Nanos, Recording, RunResult, Selection, Source, Table, calendar};
use pagetide_dir::Dir;
use std::io;
use std::path::Path;

/// A file of a run's folder is no larger.
pub(crate) const LARGEST_FILE: u64 = 256 << 20;

/// The folder of a recording: the folder itself, or `recording/` within a run's folder.
fn folder(path: &Path) -> io::Result<Dir> {
    let dir = Dir::open(path)?;
    match dir.dir(Path::new("recording")) {
        Ok(inner) if inner.has(Path::new("manifest.json"))? => Ok(inner),
        _ => Ok(dir),
    }
}

/// Loads the selected part of the recording at `path`.
pub(crate) fn load(path: &Path, selection: &Selection) -> Result<Recording, Error> {
    if !path.exists() {
        return Err(Error::input(
            format!("{}: no such recording", path.display()),
            "`pagetide record -o DIR` or `pagetide lab run` makes one",
        ));
    }
    let folder = folder(path).map_err(|error| unreadable(path, &error))?;
    pagetide_store::Reader::open_in(folder)?.load(selection)
}

/// Loads of a recording its times and marks and one column of one row a sample, which is all that they need.
pub(crate) fn times(path: &Path) -> Result<Recording, Error> {
    let selection =
        Selection { tables: vec![Table::Host], metrics: vec!["MemTotal".to_owned()], ..Selection::default() };
    load(path, &selection)
}

/// Reads the `result.json` of a run's folder; absent when the folder is not a run's.
pub(crate) fn result(path: &Path) -> Result<Option<RunResult>, Error> {
    let file = path.join("result.json");
    let Some(text) = file_of(path, "result.json")? else { return Ok(None) };
    serde_json::from_slice(&text)
        .map(Some)
        .map_err(|error| Error::input(format!("{}: {error}", file.display()), "run the scenario again"))
}

/// The content of a file of a run's folder; absent when it is not there.
pub(crate) fn file_of(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, Error> {
    match Dir::open(folder).and_then(|dir| dir.read(Path::new(name), LARGEST_FILE)) {
        Ok(content) => Ok(Some(content)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(unreadable(&folder.join(name), &error)),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::input(format!("{}: {error}", path.display()), "name the folder of a recording or of a run that you may read")
}

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400;

/// Date and time in UTC as ISO 8601 with milliseconds.
pub(crate) fn timestamp(wall_ns: i64) -> String {
    let seconds = wall_ns.div_euclid(SECOND);
    let (year, month, day) = calendar::date(seconds.div_euclid(DAY));
    let second = seconds.rem_euclid(DAY);
    let ms = wall_ns.rem_euclid(SECOND) / 1_000_000;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{ms:03}Z", second / 3600, second / 60 % 60, second % 60)
}

/// The wall clock range that `--from` and `--to` name within a recording.
pub(crate) fn range(recording: &Recording, from: Option<&str>, to: Option<&str>) -> Result<(i64, i64), Error> {
    let stamps = recording.stamps();
    let (Some(first), Some(last)) = (stamps.first(), stamps.last()) else { return Ok((i64::MIN, i64::MAX)) };
    let moment = |text: Option<&str>, otherwise: i64| {
        text.map_or(Ok(otherwise), |text| {
            parse(text, first.wall_ns, last.wall_ns).ok_or_else(|| {
                Error::input(
                    format!("`{text}` is not a time"),
                    "write 12:20, 12:20:30, 2026-11-21T12:20:30 (UTC), or -10min for that long before the end",
                )
            })
        })
    };
    let (from, to) = (moment(from, i64::MIN)?, moment(to, i64::MAX)?);
    if from > to {
        return Err(Error::input("--from is later than --to", "swap them"));
    }
    Ok((from, to))
}

fn parse(text: &str, first: i64, last: i64) -> Option<i64> {
    if let Some(before) = text.strip_prefix('-') {
        return Some(last - i64::try_from(before.parse::<Nanos>().ok()?.get()).ok()?);
    }
    let (day, time) = match text.trim_end_matches('Z').split_once(['T', ' ']) {
        Some((date, time)) => {
            let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
            let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
            if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(1970..3000).contains(&year) {
                return None;
            }
            (Some(calendar::days(year, month, day)), time)
        }
        None => (None, text),
    };
    let mut parts = time.splitn(3, ':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    if !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0..60).contains(&second) {
        return None;
    }
    let of_day = hour * 3600 + minute * 60 + second;
    // A time without a day is on the recording's first day, or on the next when the recording began after it.
    let day = day.unwrap_or_else(|| {
        let first_day = first.div_euclid(SECOND * DAY);
        let crosses_midnight = last.div_euclid(SECOND * DAY) > first_day;
        first_day + i64::from(crosses_midnight && (first_day * DAY + of_day) * SECOND < first)
    });
    Some((day * DAY + of_day) * SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_and_parse() {
        let at = 1_795_255_230 * SECOND + 250_000_000;
        assert_eq!(timestamp(at), "2026-11-21T10:00:30.250Z");
        let (first, last) = (at, at + 3600 * SECOND);
        assert_eq!(parse("2026-11-21T10:00:30", first, last), Some(1_795_255_230 * SECOND));
        assert_eq!(parse("10:30", first, last).map(timestamp).as_deref(), Some("2026-11-21T10:30:00.000Z"));
        assert_eq!(parse("-10min", first, last), Some(last - 600 * SECOND));
        for wrong in ["", "9", "25:00", "x:y", "2026-13-01T00:00", "-", "-5"] {
            assert_eq!(parse(wrong, first, last), None, "{wrong}");
        }
    }

    #[test]
    fn a_time_after_midnight_is_on_the_next_day() {
        let first = calendar::days(2026, 11, 21) * DAY * SECOND + 23 * 3600 * SECOND;
        let last = first + 4 * 3600 * SECOND;
        assert_eq!(parse("01:00", first, last).map(timestamp).as_deref(), Some("2026-11-22T01:00:00.000Z"));
        assert_eq!(parse("23:30", first, last).map(timestamp).as_deref(), Some("2026-11-21T23:30:00.000Z"));
    }
}
