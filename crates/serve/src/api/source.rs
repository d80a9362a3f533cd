//! What a request reads: a recording in the folders, or what this server samples itself.

use crate::reply::Failure;
use crate::shared::Shared;
use pagetide_core::{Error, Manifest, Nanos, Recording, Selection, Source};
use pagetide_store::Reader;
use std::sync::Arc;

/// The id of what is sampled or followed now.
pub(crate) const LIVE: &str = "live";

/// An open recording.
pub(crate) struct Opened {
    pub(crate) id: String,
    /// Where it is; `this host` for what is sampled.
    pub(crate) name: String,
    pub(crate) source: Box<dyn Source + Send + Sync>,
    /// Of a recording on disk.
    reader: Option<Arc<Reader>>,
    pub(crate) manifest: Manifest,
    /// The wall clock of its first and its last sample.
    pub(crate) span: Option<(i64, i64)>,
    /// Whether samples are added to it.
    pub(crate) growing: bool,
}

/// A recording whose last sample is younger than this grows.
const YOUNG_NS: i64 = 30_000_000_000;
/// Stretches without samples that are shorter are not listed: half a day.
const SHORTEST_GAP: Nanos = Nanos::new(12 * 3_600_000_000_000);

/// Opens what an id names.
pub(crate) fn open(shared: &Shared, id: &str) -> Result<Opened, Failure> {
    if id == LIVE {
        let (source, manifest) = shared
            .live
            .source()
            .ok_or_else(|| Failure::not_found("nothing is being sampled: open a live page first"))?;
        let times = source.times(&Selection::default())?;
        let walls = || times.stamps().iter().map(|stamp| stamp.wall_ns);
        let span = walls().min().zip(walls().max());
        return Ok(Opened {
            id: id.to_owned(),
            name: "this host".into(),
            source,
            reader: None,
            manifest,
            span,
            growing: true,
        });
    }
    let place = shared.library.recording(id).ok_or_else(|| Failure::not_found("no recording has this id"))?;
    let reader = place.open()?;
    let span = reader.span()?;
    let growing = is_growing(&reader, span);
    let (name, manifest) = (place.folder().display().to_string(), reader.manifest().clone());
    let reader = Arc::new(reader);
    let source = Box::new(Shelved(Arc::clone(&reader)));
    Ok(Opened { id: id.to_owned(), name, source, reader: Some(reader), manifest, span, growing })
}

/// Whether samples are added to a recording.
pub(crate) fn is_growing(reader: &Reader, span: Option<(i64, i64)>) -> bool {
    let now = pagetide_recorder::now().wall_ns;
    let interval = i64::try_from(reader.manifest().interval.get()).unwrap_or(i64::MAX);
    let young = interval.saturating_mul(3).max(YOUNG_NS);
    reader.is_open() && span.is_some_and(|(_, last)| now.saturating_sub(last) < young)
}

/// A recording on disk that others hold as well.
struct Shelved(Arc<Reader>);

impl Source for Shelved {
    fn load(&self, selection: &Selection) -> Result<Recording, Error> {
        self.0.load(selection)
    }

    fn times(&self, selection: &Selection) -> Result<Recording, Error> {
        self.0.times(selection)
    }
}

impl Opened {
    /// The recording on disk; absent of what is sampled.
    pub(crate) fn reader(&self) -> Option<&Arc<Reader>> {
        self.reader.as_ref()
    }

    /// The stretches of half a day or more without samples, on the wall clock: between recordings of several occasions.
    pub(crate) fn gaps(&self) -> Result<Vec<(i64, i64)>, Error> {
        self.reader.as_ref().map_or_else(|| Ok(Vec::new()), |reader| reader.gaps(SHORTEST_GAP))
    }

    /// The time in a range without those stretches, ns.
    pub(crate) fn sampled(&self, (from, to): (i64, i64)) -> Result<i64, Error> {
        let within = |(begin, end): (i64, i64)| end.min(to).saturating_sub(begin.max(from)).max(0);
        let without = self.gaps()?.into_iter().map(within).fold(0, i64::saturating_add);
        Ok(to.saturating_sub(from).saturating_sub(without))
    }

    /// What was found to be damaged in what was read of it, a sentence each.
    pub(crate) fn damaged(&self) -> Vec<String> {
        self.reader.as_ref().map_or_else(Vec::new, |reader| reader.damage().lines())
    }

    /// Time between samples, ns.
    pub(crate) fn interval(&self) -> i64 {
        i64::try_from(self.manifest.interval.get()).unwrap_or(i64::MAX).max(1)
    }

    /// The range of a query: what it leaves open is the recording's end.
    pub(crate) fn range(&self, (from, to): (Option<i64>, Option<i64>)) -> Result<(i64, i64), Failure> {
        let span = self.span.ok_or_else(|| Failure::not_found("the recording has no sample"))?;
        Ok((from.unwrap_or(span.0.saturating_sub(self.interval())), to.unwrap_or(span.1)))
    }

    /// A selection of a range with the samples before it that its first values need.
    pub(crate) fn selection(&self, (from, to): (i64, i64)) -> Selection {
        let before = self.interval().saturating_mul(3).saturating_add(1_000_000_000);
        Selection { from_wall_ns: Some(from.saturating_sub(before)), to_wall_ns: Some(to), ..Selection::default() }
    }
}
