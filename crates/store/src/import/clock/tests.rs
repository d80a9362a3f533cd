use super::*;
use proptest::prelude::*;

fn printed(text: &str, twelve_hours: bool) -> Option<(String, bool)> {
    printed_date(text, twelve_hours, None).map(|found| (found.date.to_string(), found.ambiguous))
}

#[test]
fn a_date_has_no_sign() {
    for text in ["-1/01/26", "+1/01/26", "-01/01/2026"] {
        assert!(printed_date(text, false, None).is_none(), "{text}");
    }
}

#[test]
fn dates_of_the_locales_are_read() {
    let check = |text, twelve, date: &str, ambiguous| {
        assert_eq!(printed(text, twelve), Some((date.to_owned(), ambiguous)), "{text}");
    };
    check("2026-11-21", false, "2026-11-21", false);
    check("11/21/26", false, "2026-11-21", false);
    check("21/11/2026", false, "2026-11-21", false);
    check("21.11.2026", false, "2026-11-21", false);
    check("2026年11月21日", false, "2026-11-21", false);
    check("09/10/2016", true, "2016-09-10", true);
    check("09/10/2016", false, "2016-10-09", true);
    check("09/10/16", false, "2016-09-10", true);
    check("09.10.2016", false, "2016-10-09", false);
    check("09/09/2016", false, "2016-09-09", false);
    for bad in ["", "31/31/2026", "1/2", "21 نوف, 2026", "02/30/2026", "2026-13-01"] {
        assert_eq!(printed(bad, false), None, "{bad}");
    }
    let ordered = printed_date("09/10/2016", false, Some(DateOrder::MonthFirst)).unwrap();
    assert_eq!((ordered.date.to_string().as_str(), ordered.ambiguous), ("2016-09-10", false));
}

#[test]
fn times_of_day_of_the_locales_are_read() {
    let at = |hour: i64, minute: i64, second: i64| (hour * 3600 + minute * 60 + second) * SECOND;
    let check = |line, nanos, rest| {
        assert_eq!(time_of_day(line).map(|time| (time.nanos, time.rest)), Some((nanos, rest)), "{line}");
    };
    check("10:48:15     tps", at(10, 48, 15), "     tps");
    check("12:00:01 AM  tps", at(0, 0, 1), "  tps");
    check("12:00:01 PM  tps", at(12, 0, 1), "  tps");
    check("10.48.15 0,5", at(10, 48, 15), " 0,5");
    check("10時48分15秒  tps", at(10, 48, 15), "  tps");
    check("23:59:60", at(23, 59, 60), "");
    check("1:02:03.5 x", at(1, 2, 3) + SECOND / 2, " x");
    check("10:48:15 ص  tps", at(10, 48, 15), "  tps");
    for bad in ["24:00:00", "10:60:00", "13:00:00 PM", "10:48", "10:48:150", "Average:", "10:48:15x"] {
        assert_eq!(time_of_day(bad), None, "{bad}");
    }
}

#[test]
fn stamps_of_logs_are_read() {
    let check = |line: &str, date: Option<&str>, nanos: i64, offset: Option<i64>, rest: &str| {
        let (moment, after) = stamp(line, None).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(moment.date.map(|date| date.to_string()).as_deref(), date, "{line}");
        assert_eq!((moment.nanos, moment.offset, after), (nanos, offset, rest), "{line}");
    };
    let morning = (10 * 3600 + 53 * 60 + 32) * SECOND;
    let day = Some("2016-09-10");
    check("2016-09-10 10:53:32.92709\tMemFree: 1 kB", day, morning + 927_090_000, None, "\tMemFree: 1 kB");
    check("2016-09-10T10:53:32Z x", day, morning, Some(0), " x");
    check("2016-09-10T10:53:32+0200", day, morning, Some(7200 * SECOND), "");
    check("2016-09-10 10:53:32 -03:30 x", day, morning, Some(-12_600 * SECOND), " x");
    check("1473504812.5 x", day, morning + SECOND / 2, Some(0), " x");
    check("[1473504812] x", day, morning, Some(0), " x");
    check("1473504812: x", day, morning, Some(0), " x");
    check("zzz ***Sat Sep 10 10:53:32 CEST 2016", day, morning, None, "");
    check("Sat Sep 10 10:53:32 UTC 2016", day, morning, Some(0), "");
    check("Sat 10 Sep 2016 10:53:32 AM UTC", day, morning, Some(0), "");
    check("10:53:32 x", None, morning, None, " x");
    check("09/10/2016 10:53:32 AM", day, morning, None, "");
    for bad in ["MemTotal: 5 kB", "nr_free_pages 1473504812", "14735048123 x", "", "Sat Foo 10 10:53:32 2016"] {
        assert_eq!(stamp(bad, None), None, "{bad}");
    }
}

#[test]
fn a_clock_of_the_day_passes_midnights_and_is_not_fooled_by_winter_time() {
    let mut clock = DayClock::default();
    assert_eq!(clock.advance(23 * 3600 * SECOND), Ok(23 * 3600 * SECOND));
    assert_eq!(clock.advance(600 * SECOND), Ok(DAY + 600 * SECOND));
    assert_eq!(clock.advance(10_800 * SECOND), Ok(DAY + 10_800 * SECOND));
    assert_eq!(clock.advance(7_800 * SECOND), Err(Backwards));
    assert_eq!(clock.advance(11_400 * SECOND), Ok(DAY + 11_400 * SECOND));
}

#[test]
fn a_year_that_no_stamp_can_hold_is_no_date() {
    assert_eq!(stamp("8000-01-01 00:00:00", None), None);
    assert!(stamp("7289654399 x", None).is_some(), "2200-12-31 23:59:59");
    assert_eq!(stamp("7289654400 x", None), None);
    assert_eq!(stamp("9999999999 x", None), None);
    assert!("2262-04-12".parse::<Date>().is_err());
    assert_eq!("2200-12-31".parse::<Date>().unwrap().to_string(), "2200-12-31");
    let mut clock = DayClock::default();
    let midnights = (0..10_000).filter(|_| clock.advance(DAY - 1).and_then(|_| clock.advance(0)).is_ok()).count();
    assert_eq!(midnights, 3650, "then it is no clock");
}

#[test]
fn offsets_are_read() {
    assert_eq!(utc_offset("+02:00"), Ok(7200 * SECOND));
    assert_eq!(utc_offset("-0930"), Ok(-34_200 * SECOND));
    assert!(utc_offset("2").is_err() && utc_offset("+25:00").is_err() && utc_offset("+02:00x").is_err());
}

proptest! {
    #[test]
    fn days_are_printed_as_they_are_read(days in 0i32..84_000) {
        let date = Date::EPOCH.plus(days);
        prop_assert_eq!(date.to_string().parse(), Ok(date));
    }

    #[test]
    fn any_text_is_a_stamp_or_not(text in "\\PC{0,40}", near in "[0-9:., /TZ+年月AMPSun-]{0,30}") {
        for text in [text, near] {
            let _ = stamp(&text, None);
            let _ = time_of_day(&text);
            let _ = printed_date(&text, false, None);
        }
    }
}
