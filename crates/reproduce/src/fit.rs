//! Trials on the model of the kernel, and the search for the one that shows what the recording shows.

mod likeness;
mod search;
mod trial;

pub(crate) use likeness::Amounts;
pub use likeness::Compared;
pub use search::{Reproduced, reproduce};
pub(crate) use trial::{Rates, Trial, run, run_on};
