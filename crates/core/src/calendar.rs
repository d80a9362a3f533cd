//! The calendar: days since 1970-01-01 as dates, and back.
//!
//! Gregorian, proleptic, by whole eras of 400 years that begin on a first of March, so that the leap day is the last of its year
//! (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").

/// Year, month and day of a number of days since 1970-01-01.
pub fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Days since 1970-01-01 of a date: the reverse of [`date`]. Says nothing of whether there is such a date.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_days() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(-1), (1969, 12, 31));
        assert_eq!(date(19_782), (2024, 2, 29));
        assert_eq!(date(20_778), (2026, 11, 21));
    }

    proptest! {
        #[test]
        fn dates_and_days_are_each_others_reverse(day in -700_000i64..3_000_000) {
            let (year, month, of_month) = date(day);
            prop_assert!((1..=12).contains(&month) && (1..=31).contains(&of_month));
            prop_assert_eq!(days(year, month, of_month), day);
        }
    }
}
