//! `--keep`: how much of a recording is kept.

use pagetide_core::{Bytes, Error, Nanos};
use pagetide_store::Keep;
use std::str::FromStr;

/// One `--keep`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Age(Nanos),
    Size(Bytes),
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // `2m` could mean two MiB or two minutes, and 7 could mean days or GiB.
        let trimmed = text.trim();
        if trimmed.ends_with('m') || trimmed.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!(
                "`{text}` could be an age or a size: write {0}min, {0}d, {0}MiB or {0}GiB",
                trimmed.trim_end_matches('m')
            ));
        }
        let size = Bytes::typed(text).ok();
        let age = || Nanos::typed(text).ok();
        let limit = size.map(Self::Size).or_else(|| age().map(Self::Age));
        let limit = limit.ok_or_else(|| format!("`{text}` is neither an age such as 7d nor a size such as 2GiB"))?;
        let nothing = matches!(limit, Self::Age(Nanos::ZERO)) || limit == Self::Size(Bytes::ZERO);
        if nothing {
            return Err("it would keep nothing of the recording".to_owned());
        }
        let low = match limit {
            Self::Age(age) => Keep::LOWEST.age.filter(|lowest| age < *lowest).map(|lowest| lowest.to_string()),
            Self::Size(size) => Keep::LOWEST.size.filter(|lowest| size < *lowest).map(|lowest| lowest.to_string()),
        };
        low.map_or(Ok(limit), |low| Err(format!("`{text}` is less than {low}: segments are removed whole")))
    }
}

/// What all `--keep` say together.
pub(super) fn both(limits: &[Limit]) -> Result<Keep, Error> {
    let mut keep = Keep::default();
    for limit in limits {
        let before = match limit {
            Limit::Age(age) => keep.age.replace(*age).is_some(),
            Limit::Size(size) => keep.size.replace(*size).is_some(),
        };
        if before {
            return Err(Error::input(
                "--keep sets the same limit twice",
                "give one age, one size, or one of each: --keep 7d --keep 2GiB",
            ));
        }
    }
    Ok(keep)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_and_a_size_differ_by_their_units() {
        let day = Nanos::new(86_400_000_000_000);
        assert_eq!("1d".parse(), Ok(Limit::Age(day)));
        assert_eq!("2GiB".parse(), Ok(Limit::Size(Bytes::new(2 << 30))));
        assert_eq!("2GB".parse(), Ok(Limit::Size(Bytes::new(2_000_000_000))));
        assert_eq!("2G".parse(), Ok(Limit::Size(Bytes::new(2 << 30))));
        for wrong in ["7", "2m", "x", "", "0d", "0GiB", "-1d"] {
            assert!(wrong.parse::<Limit>().is_err(), "{wrong}");
        }
        for low in ["60KiB", "7MiB", "2s", "7min"] {
            assert!(low.parse::<Limit>().unwrap_err().contains("segments are removed whole"), "{low}");
        }
        assert!("8MiB".parse::<Limit>().is_ok() && "8min".parse::<Limit>().is_ok());
        let size = Limit::Size(Bytes::new(5));
        assert_eq!(both(&[Limit::Age(day), size]).unwrap(), Keep { age: Some(day), size: Some(Bytes::new(5)) });
        assert_eq!(both(&[]).unwrap(), Keep::default());
        assert!(both(&[size, size]).is_err());
    }
}
