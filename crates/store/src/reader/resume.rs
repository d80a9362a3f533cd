//! Positions from which an open log can be read on, so that its end is read without its beginning. A reader that follows a recording reads
//! its last samples again and again.

use crate::budget::Budget;
use crate::layout::SegmentName;
use crate::log::{LogReader, Position};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes from a position to the end of the log, as a multiple of those from the position two later, at least. So few positions are kept,
/// and reading from the end needs at most this multiple of the bytes that are wanted.
const SPACING: u64 = 4;
/// What precedes the content of a record, with its checksum.
const PREFIX: usize = 9;

/// The positions of all open logs, by the numbers of their segments.
#[derive(Debug, Default)]
pub(super) struct Positions(Mutex<BTreeMap<u64, Vec<Arc<Resumable>>>>);

/// A position, and what identifies the log that was read.
#[derive(Debug)]
struct Resumable {
    /// Device and inode.
    file: (u64, u64),
    /// The bytes before the content of the last record.
    prefix: [u8; PREFIX],
    /// The latest moment of all that comes before.
    latest_wall_ns: i64,
    position: Position,
}

/// Keeps positions while a log is read.
#[derive(Debug)]
pub(super) struct Keeper {
    file: File,
    identity: (u64, u64),
    /// Bytes from the last position to the end of the file.
    rest: u64,
    length: u64,
    latest_wall_ns: i64,
    kept: Vec<Arc<Resumable>>,
}

impl Positions {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Vec<Arc<Resumable>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reader of a log that continues at the last known position before `from_wall_ns`; absent when none is known.
    pub(super) fn resume(
        &self,
        name: &SegmentName,
        file: &File,
        from_wall_ns: i64,
        budget: &Budget,
    ) -> io::Result<Option<(LogReader<BufReader<File>>, Keeper)>> {
        let known = self.lock().get(&name.number).cloned().unwrap_or_default();
        let Some(place) = known.iter().rposition(|known| known.latest_wall_ns < from_wall_ns) else { return Ok(None) };
        let mut keeper = Keeper::new(file)?;
        let newest = known.last().map_or(0, |known| known.position.offset());
        if !known.iter().all(|known| known.file == keeper.identity) || newest > keeper.length {
            return Ok(None);
        }
        let found = &known[place];
        if prefix(file, &found.position)? != found.prefix {
            return Ok(None);
        }
        let mut source = file.try_clone()?;
        source.seek(SeekFrom::Start(found.position.offset()))?;
        keeper.latest_wall_ns = found.latest_wall_ns;
        keeper.rest = keeper.length.saturating_sub(found.position.offset());
        // Later positions are found again when they are needed.
        keeper.kept = known[..=place].to_vec();
        Ok(Some((LogReader::resume(BufReader::new(source), found.position.clone(), budget), keeper)))
    }

    /// Stores the positions that were kept while a log was read.
    pub(super) fn take(&self, name: &SegmentName, keeper: Keeper) {
        let mut kept = keeper.kept;
        let mut all = self.lock();
        let behind = kept.last().map_or(0, |last| last.position.offset());
        let before = all.remove(&name.number).unwrap_or_default();
        // Another load may have read further in the meantime.
        kept.extend(
            before.into_iter().filter(|known| known.file == keeper.identity && known.position.offset() > behind),
        );
        let end = kept.last().map_or(0, |last| last.position.offset());
        let mut at = 1;
        while at + 1 < kept.len() {
            let rest = |at: usize| end.saturating_sub(kept[at].position.offset());
            if rest(at - 1) <= rest(at + 1).saturating_mul(SPACING) {
                kept.remove(at);
            } else {
                at += 1;
            }
        }
        all.insert(name.number, kept);
    }

    /// Forgets the logs that are gone.
    pub(super) fn retain(&self, logs: &BTreeMap<u64, SegmentName>) {
        self.lock().retain(|number, _| logs.contains_key(number));
    }
}

impl Keeper {
    /// For a log that is read from its beginning.
    pub(super) fn new(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            file: file.try_clone()?,
            identity: (metadata.dev(), metadata.ino()),
            rest: metadata.len(),
            length: metadata.len(),
            latest_wall_ns: i64::MIN,
            kept: Vec::new(),
        })
    }

    /// The reader has come to a sample or mark of this moment.
    pub(super) fn passed(&mut self, position: &Position, wall_ns: i64) -> io::Result<()> {
        self.latest_wall_ns = self.latest_wall_ns.max(wall_ns);
        let rest = self.length.saturating_sub(position.offset());
        if rest > 0 && rest <= self.rest / SPACING {
            self.rest = rest;
            self.keep(position)?;
        }
        Ok(())
    }

    /// The reader has come to the end.
    pub(super) fn ended(&mut self, position: &Position) -> io::Result<()> {
        let known = self.kept.last().is_some_and(|last| last.position.offset() == position.offset());
        if known { Ok(()) } else { self.keep(position) }
    }

    fn keep(&mut self, position: &Position) -> io::Result<()> {
        let prefix = prefix(&self.file, position)?;
        let latest_wall_ns = self.latest_wall_ns;
        self.kept.push(Arc::new(Resumable { file: self.identity, prefix, latest_wall_ns, position: position.clone() }));
        Ok(())
    }
}

/// The bytes before the content of the last record before a position.
fn prefix(file: &File, position: &Position) -> io::Result<[u8; PREFIX]> {
    let mut prefix = [0; PREFIX];
    file.read_exact_at(&mut prefix, position.last())?;
    Ok(prefix)
}

#[cfg(test)]
mod tests {
    use crate::test_support::{Failing, give, manifest, recordings};
    use crate::{Reader, Writer};
    use pagetide_core::{Entity, Sample, Schema, Selection, Sink, Source, Stamp, Table};
    use proptest::prelude::*;
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    fn from(wall_ns: i64) -> Selection {
        Selection { from_wall_ns: Some(wall_ns), ..Selection::default() }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        /// A reader that stays open returns what a new one returns, whatever it read before: from any moment, while the log grows, when segments end,
        /// and when the clock was set back.
        #[test]
        fn a_reader_that_stays_open_reads_what_a_new_one_reads(
            given in recordings(60),
            backs in prop::collection::vec(0usize..12, 60),
            restart in 0usize..60,
        ) {
            let scratch = tempfile::tempdir().unwrap();
            let folder = scratch.path().join("r");
            let mut writer = Writer::create_on(&folder, Failing::never()).unwrap();
            writer.begin(&manifest()).unwrap();
            let reader = Reader::open(&folder).unwrap();
            let mut walls = Vec::new();
            for (at, (given, back)) in given.iter().zip(backs).enumerate() {
                give(&mut writer, given).unwrap();
                if at == restart {
                    writer.finish(&manifest()).unwrap();
                    drop(writer);
                    writer = Writer::open_or_continue_on(&folder, crate::Keep::default(), Failing::never()).unwrap();
                    writer.begin(&manifest()).unwrap();
                }
                if let crate::test_support::SinkCall::Sample(_, sample) = given {
                    walls.push(sample.stamp.wall_ns);
                }
                let Some(wall_ns) = walls.len().checked_sub(back).and_then(|at| walls.get(at)) else { continue };
                let new = Reader::open(&folder).unwrap();
                prop_assert_eq!(reader.load(&from(*wall_ns)).unwrap(), new.load(&from(*wall_ns)).unwrap());
                prop_assert_eq!(reader.times(&from(wall_ns + 1)).unwrap(), new.times(&from(wall_ns + 1)).unwrap());
            }
        }
    }

    /// Writes 200 samples one by one and gives what each looks like to a reader that follows.
    #[test]
    fn a_follower_reads_neither_the_log_from_its_beginning_nor_keeps_much() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("r");
        let mut writer = Writer::create(&folder).unwrap();
        writer.begin(&manifest()).unwrap();
        let mut schema = Schema::default();
        let host = schema.push_entity(Table::Host, Entity::new("", ""));
        schema.column(Table::Host, "pgmajfault");
        let put = |writer: &mut Writer, second: i64| {
            let ns = second * 1_000_000_000;
            let mut sample = Sample::default();
            sample.stamp = Stamp { wall_ns: ns, mono_ns: ns, boot_ns: ns };
            sample.row(Table::Host, host, 1)[0] = Some(second);
            writer.sample(&schema, &sample).unwrap();
        };
        let reader = Reader::open(&folder).unwrap();
        for second in 1..1000 {
            put(&mut writer, second);
            let new = reader.load(&from(second * 1_000_000_000)).unwrap();
            assert_eq!(new.host("pgmajfault").unwrap().points().map(|(_, value)| value).collect::<Vec<_>>(), [second]);
        }
        let kept = reader.positions.lock().values().map(Vec::len).sum::<usize>();
        assert!(kept < 20, "{kept} positions");
        // What a follower reads does not depend on what it has passed: bytes that it would not get past.
        let log = std::fs::read_dir(folder.join("open")).unwrap().next().unwrap().unwrap().path();
        File::options().write(true).open(log).unwrap().write_all_at(&[0xff; 4000], 600).unwrap();
        put(&mut writer, 1000);
        let seconds = |reader: &Reader, second: i64| {
            let read = reader.load(&from(second * 1_000_000_000)).unwrap();
            read.stamps().iter().map(|stamp| stamp.wall_ns / 1_000_000_000).collect::<Vec<_>>()
        };
        assert_eq!(seconds(&reader, 998), [998, 999, 1000]);
        assert_eq!(seconds(&Reader::open(&folder).unwrap(), 998), [] as [i64; 0]);
    }
}
