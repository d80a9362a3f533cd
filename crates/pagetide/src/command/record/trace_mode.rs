//! How `record --trace` is given.

use pagetide_core::{PageSample, Ratio};
use std::str::FromStr;

/// A share of a CPU: more than none, one CPU at most.
pub(super) fn cpu_share(text: &str) -> Result<Ratio, String> {
    let share: Ratio = text.parse().map_err(|error| format!("{error}"))?;
    if share.get() > 0.0 && share.get() <= 1.0 {
        Ok(share)
    } else {
        Err("write a share of one CPU, such as 5%".to_owned())
    }
}

/// How `--trace` is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TraceMode {
    /// Which share of the pages.
    pub(super) sample: PageSample,
    /// Only while refaults or pressure are above their baselines.
    pub(super) auto: bool,
}

impl FromStr for TraceMode {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("auto") {
            Some("") => Ok(Self { sample: PageSample::default(), auto: true }),
            Some(rest) => Ok(Self { sample: rest.strip_prefix(':').unwrap_or(rest).parse()?, auto: true }),
            None => Ok(Self { sample: text.parse().map_err(|error| format!("{error}, or auto"))?, auto: false }),
        }
    }
}
