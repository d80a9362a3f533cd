//! What all kinds of steps have in common, and the table that lists them: `kinds!` makes of each row a variant, its key in
//! scenarios and results, and the way to its behaviour.

use super::{Place, Scale};
use crate::error::Error;
use crate::figure::Figure;
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// What distinguishes one kind of step from another. What a kind leaves out does not apply to it.
pub trait StepKind {
    /// A few words for a step without a title.
    fn describe(&self) -> String;

    /// Checks its values; references to disks and other steps are checked elsewhere.
    ///
    /// # Errors
    /// A value makes no sense.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Scales its sizes. Blocks, rates and times stay.
    fn scale(&mut self, scale: Scale) {
        let _ = scale;
    }

    /// The place it reads from, and the size that must be there.
    fn reads(&self) -> Option<(&Place, Bytes)> {
        None
    }

    /// The place it writes to, and the size it writes.
    fn writes(&self) -> Option<(&Place, Bytes)> {
        None
    }

    /// A file whose folder it uses, without reading the file.
    fn folder_of(&self) -> Option<&Place> {
        None
    }

    /// The disk that it works on; none where it is the machine's first.
    fn disk(&self) -> Option<&str> {
        let places = [self.reads().map(|(place, _)| place), self.writes().map(|(place, _)| place), self.folder_of()];
        places.into_iter().flatten().find_map(Place::disk)
    }

    /// What it does about the page cache.
    fn caching(&self) -> Caching {
        Caching::Keep
    }

    /// What it does when nothing ends it early.
    fn goal(&self) -> Goal {
        Goal::Open
    }

    /// Whether it does work of its own. Other kinds only set or look at the machine.
    fn works(&self) -> bool {
        true
    }

    /// What its duration is forecast from.
    fn effort(&self) -> Effort {
        Effort::default()
    }

    /// The figures of the line that ends the step, each with a word after it.
    fn headline(&self) -> &'static [(Figure, &'static str)] {
        &[(Figure::Resident, "resident"), (Figure::AvailableAfter, "available")]
    }
}

/// What a load does about the page cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caching {
    /// Nothing, like most programs.
    #[default]
    Keep,
    /// Bypasses it (`O_DIRECT`).
    Direct,
    /// Drops what it has read or written (`POSIX_FADV_DONTNEED`); what it wrote is synced before that.
    DontNeed,
}

/// When a load is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// After so many bytes were read, written or touched.
    Bytes(Bytes),
    /// After so many iterations.
    Iterations(u64),
    /// When its time is over or it is told to stop.
    Open,
}

/// What a step moves and waits for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Effort {
    /// Bytes that it moves through its disk.
    pub bytes: Bytes,
    /// Bytes of one request at the disk; readahead and writeback make large ones of small ones.
    pub block: Bytes,
    /// Requests in flight; 0 is 1.
    pub depth: u32,
    /// Whether all bytes come from the disk; else half of them is assumed to be cached.
    pub uncached: bool,
    /// Time that it needs because of its rate.
    pub paced: Nanos,
    /// Time that it waits after its work.
    pub after: Nanos,
    /// Time after which it ends in any case.
    pub limit: Option<Nanos>,
    /// Whether it lasts until that limit.
    pub lasts: bool,
}

impl Effort {
    /// Bytes from end to end of a file or disk, in large requests.
    pub(super) fn sequential(bytes: Bytes) -> Self {
        Self { bytes, block: Bytes::new(128 << 10), uncached: true, ..Self::default() }
    }

    /// The time that `amount` takes at `rate` per second; none without a rate.
    pub(super) fn paced(amount: f64, rate: Option<f64>) -> Nanos {
        rate.and_then(|rate| Nanos::from_secs_f64(amount / rate.max(1.0))).unwrap_or_default()
    }
}

/// A limit of 0 would never end.
pub(super) fn no_zero_rate(rate: Option<u64>) -> Result<(), Error> {
    if rate == Some(0) { Err(Error::input("rate is 0", "leave rate out for no limit")) } else { Ok(()) }
}

/// Makes an enum of step kinds: `"key" Variant(Spec) "what it does";`. With `or Other(Enum)` the kinds of another table are kinds
/// of this one too.
macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($key:literal $variant:ident($spec:ty) $about:literal;)* $(or $other:ident($table:ty))? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum $name {
            $(#[doc = $about] #[serde(rename = $key)] $variant($spec),)*
            $(#[doc = "One of the kinds of the other table."] #[serde(untagged)] $other($table),)?
        }

        impl $name {
            /// The key of each kind in scenarios and results, and what it does.
            pub const KINDS: &'static [(&'static str, &'static str)] = &[$(($key, $about),)*];

            /// The key of its kind.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $key,)*
                    $(Self::$other(other) => other.kind(),)?
                }
            }

            /// What distinguishes its kind.
            pub fn spec(&self) -> &dyn StepKind {
                match self {
                    $(Self::$variant(spec) => spec,)*
                    $(Self::$other(other) => other.spec(),)?
                }
            }

            pub(in crate::scenario) fn spec_mut(&mut self) -> &mut dyn StepKind {
                match self {
                    $(Self::$variant(spec) => spec,)*
                    $(Self::$other(other) => other.spec_mut(),)?
                }
            }

            /// Reads the value of a key, when the key is that of a kind.
            pub(in crate::scenario) fn read<'de, A: serde::de::MapAccess<'de>>(
                key: &str,
                map: &mut A,
            ) -> Result<Option<Self>, A::Error> {
                Ok(match key {
                    $($key => Some(Self::$variant(map.next_value()?)),)*
                    _ => None$(.or(<$table>::read(key, map)?.map(Self::$other)))?,
                })
            }
        }
    };
}

pub(super) use kinds;
