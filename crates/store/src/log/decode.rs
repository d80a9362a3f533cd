//! Records back into samples and marks.

use super::frame::{self, HEADER};
use super::{Additions, Start, TABLES_BEFORE_3, kind};
use crate::budget::{self, Budget, Exceeded, Held, KEPT_JSON_BYTES, at_most, bytes_of};
use crate::{FORMAT_VERSION, RATE_FACTOR_BEFORE_3, varint};
use pagetide_core::{EntityId, Kind, Mark, Sample, Schema, Stamp, Table};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::io::{self, Read};

/// No recording has more samples. Larger numbers are damage, and adding to numbers below it cannot overflow.
const MOST_SAMPLES: u64 = 1 << 62;

/// Why a file cannot be read as a log at all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LogError {
    /// The read failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It does not start with the header of a log. A crash leaves an empty or very short file.
    #[error("not a log of pagetide, or a damaged one")]
    NotALog,
    /// Its first record is whole, and what it says is not what this version reads.
    #[error("its manifest cannot be read: {0}")]
    Manifest(String),
    /// A newer version.
    #[error("format version {0}")]
    Newer(u32),
}

impl From<Exceeded> for LogError {
    fn from(exceeded: Exceeded) -> Self {
        Self::Io(exceeded.into())
    }
}

/// What a log holds, in order.
#[derive(Debug, PartialEq)]
pub(crate) enum Event {
    /// A sample: see [`LogReader::sample`].
    Sample,
    /// A mark.
    Mark(Mark),
}

/// Reads a log up to its end or to the first record that is not whole and valid.
#[derive(Debug)]
pub(crate) struct LogReader<R> {
    source: R,
    position: Position,
    content: Vec<u8>,
    sample: Sample,
    /// Whether a record had a valid checksum but invalid content: later records may refer to it.
    broken: bool,
    budget: Budget,
    /// The memory of the first record.
    _start: Option<Held>,
    /// Bytes of the values of the largest sample so far, whose memory is used again for the next.
    sample_bytes: u64,
    largest_sample: u64,
    exceeded: Option<Exceeded>,
}

/// How far a log has been read, and everything that the next record refers to. Reading can continue from here.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    start: Start,
    offset: u64,
    /// Offset of the last record that was read.
    last: u64,
    /// Whether the length of each table's rows is stored before them.
    sections: bool,
    /// The tables by their numbers; absent are those that this version does not know.
    tables: Vec<Option<Table>>,
    schema: Schema,
    rows: BTreeMap<Table, Vec<Vec<Option<i64>>>>,
    stamp: Stamp,
    pace: i64,
}

impl Position {
    /// How many bytes from the start were read.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Where the last record that was read begins.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }
}

impl<R: Read> LogReader<R> {
    /// Reads the header and the first record. What the log stands for is charged to `budget`.
    pub(crate) fn open(mut source: R, budget: &Budget) -> Result<Self, LogError> {
        let mut head = Vec::with_capacity(HEADER);
        source.by_ref().take(HEADER as u64).read_to_end(&mut head)?;
        let head = <[u8; HEADER]>::try_from(head.as_slice()).map_err(|_| LogError::NotALog)?;
        let version = frame::version(&head).ok_or(LogError::NotALog)?;
        if version > FORMAT_VERSION {
            return Err(LogError::Newer(version));
        }
        let sections = version >= 3;
        let mut content = Vec::new();
        let offset = HEADER as u64;
        if frame::read(&mut source, offset, &mut content)? != Some(kind::START) {
            return Err(LogError::NotALog);
        }
        // It may take as much as a manifest in a file of its own: reading it raises no limit.
        let (start, held) = budget::json::<Start>(&content, budget)?;
        let start = start.map_err(|error| LogError::Manifest(error.to_string()))?;
        if start.first_sample > MOST_SAMPLES {
            return Err(LogError::NotALog);
        }
        let position = Position {
            start,
            offset: offset + frame::size(content.len()),
            last: offset,
            sections,
            tables: if sections { Vec::new() } else { TABLES_BEFORE_3.map(Some).to_vec() },
            schema: Schema::default(),
            rows: BTreeMap::new(),
            stamp: Stamp::default(),
            pace: 0,
        };
        budget.grant(position.offset);
        Ok(Self { content, _start: Some(held), ..Self::resume(source, position, budget) })
    }

    /// Continues reading at a position: `source` gives the bytes from its offset on.
    pub(crate) fn resume(source: R, position: Position, budget: &Budget) -> Self {
        Self {
            source,
            position,
            content: Vec::new(),
            sample: Sample::default(),
            broken: false,
            budget: budget.clone(),
            _start: None,
            sample_bytes: 0,
            largest_sample: 0,
            exceeded: None,
        }
    }

    /// How far the log has been read; absent where reading cannot be continued.
    pub(crate) fn position(&self) -> Option<&Position> {
        (!self.broken).then_some(&self.position)
    }

    /// The first record.
    pub(crate) fn start(&self) -> &Start {
        &self.position.start
    }

    /// What the numbers of the last sample mean.
    pub(crate) fn schema(&self) -> &Schema {
        &self.position.schema
    }

    /// The sample that was read last.
    pub(crate) fn sample(&self) -> &Sample {
        &self.sample
    }

    /// How many bytes from the start are whole and valid.
    pub(crate) fn valid(&self) -> u64 {
        self.position.offset
    }

    /// The next sample or mark; `None` at the end of the valid records.
    pub(crate) fn next(&mut self) -> io::Result<Option<Event>> {
        loop {
            let mut content = std::mem::take(&mut self.content);
            let kind = frame::read(&mut self.source, self.position.offset, &mut content)?;
            let size = frame::size(content.len());
            self.budget.grant(size);
            let event = kind.and_then(|kind| self.record(kind, &content));
            if let Some(exceeded) = self.exceeded.take() {
                self.broken = true;
                return Err(exceeded.into());
            }
            self.content = content;
            match event {
                None => {
                    self.broken = kind.is_some();
                    return Ok(None);
                }
                Some(event) => {
                    self.position.last = self.position.offset;
                    self.position.offset += size;
                    if event.is_some() {
                        return Ok(event);
                    }
                }
            }
        }
    }

    /// Notes the limit that a record exceeds, and returns `None` then.
    fn within(&mut self, counted: Result<(), Exceeded>) -> Option<()> {
        counted.map_err(|exceeded| self.exceeded = Some(exceeded)).ok()
    }

    /// Applies a record. `None` when its content does not fit its kind, which only a bug of a writer can cause, or exceeds the budget.
    fn record(&mut self, kind: u8, content: &[u8]) -> Option<Option<Event>> {
        match kind {
            kind::SCHEMA => {
                let mut additions: Additions = self.json(content)?.ok()?;
                self.position.tables.extend(additions.tables.iter().map(|name| Table::by_name(name)));
                additions.growth.apply_known(&mut self.position.schema, |name| Table::by_name(name));
                Some(None)
            }
            kind::SAMPLE | kind::WHOLE_SAMPLE => {
                self.take_sample(kind == kind::WHOLE_SAMPLE, content)?;
                Some(Some(Event::Sample))
            }
            kind::MARK => Some(mark(self.json(content)?)?.map(Event::Mark)),
            // A later version may add kinds that a reader can skip.
            _ => self.position.sections.then_some(None),
        }
    }

    /// Parses JSON whose strings and numbers are kept. `None` when it exceeds the budget.
    fn json<T: DeserializeOwned>(&mut self, content: &[u8]) -> Option<serde_json::Result<T>> {
        self.within(self.budget.charge(bytes_of(content.len(), KEPT_JSON_BYTES)))?;
        budget::json(content, &self.budget)
            .map_err(|exceeded| self.exceeded = Some(exceeded))
            .ok()
            .map(|(read, _)| read)
    }

    fn take_sample(&mut self, whole: bool, mut input: &[u8]) -> Option<()> {
        if whole {
            (self.position.stamp, self.position.pace) = (Stamp::default(), 0);
            self.position.rows.values_mut().flatten().for_each(Vec::clear);
        }
        self.sample.clear();
        self.sample_bytes = 0;
        self.take_stamp(whole, &mut input)?;
        while !input.is_empty() {
            let number = varint::take_len(&mut input)?;
            let table = self.position.tables.get(number).copied()?;
            if !self.position.sections {
                self.take_rows(table?, &mut input)?;
                continue;
            }
            let length = varint::take_len(&mut input)?;
            let (mut section, rest) = input.split_at_checked(length)?;
            if let Some(table) = table {
                self.take_rows(table, &mut section)?;
            }
            input = rest;
        }
        Some(())
    }

    fn take_stamp(&mut self, whole: bool, input: &mut &[u8]) -> Option<()> {
        let mut difference = || varint::take(input).map(varint::unzigzag);
        let boot = difference()?.wrapping_add(self.position.pace);
        let (mono, wall) = (difference()?.wrapping_add(boot), difference()?.wrapping_add(boot));
        self.position.stamp = Stamp {
            wall_ns: self.position.stamp.wall_ns.wrapping_add(wall),
            mono_ns: self.position.stamp.mono_ns.wrapping_add(mono),
            boot_ns: self.position.stamp.boot_ns.wrapping_add(boot),
        };
        self.position.pace = if whole { 0 } else { boot };
        self.sample.stamp = self.position.stamp;
        Some(())
    }

    /// Charges and reserves the memory for rows of a table in the sample.
    fn make_room(&mut self, table: Table, rows: usize, columns: usize) -> Option<()> {
        self.sample_bytes = self.sample_bytes.saturating_add(bytes_of(rows, columns * size_of::<Option<i64>>()));
        if let Some(more) = self.sample_bytes.checked_sub(self.largest_sample).filter(|more| *more > 0) {
            self.within(self.budget.charge(more))?;
            self.largest_sample = self.sample_bytes;
        }
        let room = self.sample.try_reserve(table, rows, columns);
        self.within(room.map_err(Exceeded::from))
    }

    fn take_rows(&mut self, table: Table, input: &mut &[u8]) -> Option<()> {
        let (columns, entities) =
            (self.position.schema.columns(table).len(), self.position.schema.entities(table).len());
        let rows = varint::take_len(input)?;
        // Each entity has a row, of 2 bytes at least.
        if rows > input.len() / 2 {
            return None;
        }
        self.within(at_most("rows of a table in one sample", rows as u64, entities as u64))?;
        self.make_room(table, rows, columns)?;
        let known = self.position.rows.entry(table).or_default();
        let new = entities.saturating_sub(known.len());
        let room = self.budget.charge(bytes_of(new, size_of::<Vec<Option<i64>>>()));
        let room = room.and_then(|()| Ok(known.try_reserve(new)?));
        room.map_err(|exceeded| self.exceeded = Some(exceeded)).ok()?;
        known.resize_with(entities.max(known.len()), Vec::new);
        let mut expected = 0i64;
        for _ in 0..rows {
            let signed = expected.checked_add(varint::unzigzag(varint::take(input)?))?;
            expected = signed.checked_add(1)?;
            let number = u32::try_from(signed).ok()?;
            let row = known.get_mut(number as usize)?;
            if row.capacity() < columns {
                let room = self.budget.charge(bytes_of(columns - row.capacity(), size_of::<Option<i64>>()));
                let room = room.and_then(|()| Ok(row.try_reserve_exact(columns - row.len())?));
                room.map_err(|exceeded| self.exceeded = Some(exceeded)).ok()?;
            }
            row.resize(columns, None);
            take_row(row, input)?;
            let values = self.sample.row(table, EntityId(number), columns);
            values.copy_from_slice(row);
            if !self.position.sections {
                let rates = values.iter_mut().zip(self.position.schema.columns(table));
                for (value, _) in rates.filter(|(_, column)| column.kind == Kind::Rate) {
                    *value = value.map(|value| value.saturating_mul(RATE_FACTOR_BEFORE_3));
                }
            }
        }
        Some(())
    }
}

/// The mark that was parsed: `None` if it is not valid JSON, `Some(None)` for a kind that a later version added.
pub(crate) fn mark<T>(read: serde_json::Result<T>) -> Option<Option<T>> {
    match read {
        Ok(mark) => Some(Some(mark)),
        Err(error) => error.is_data().then_some(None),
    }
}

/// Updates `row` with the cells that differ.
fn take_row(row: &mut [Option<i64>], input: &mut &[u8]) -> Option<()> {
    let mut at = 0usize;
    for _ in 0..varint::take_len(input)? {
        at = at.checked_add(varint::take_len(input)?)?;
        let code = varint::take(input)?;
        let cell = row.get_mut(at)?;
        *cell = match *cell {
            Some(_) if code == 0 => None,
            Some(old) => Some(old.wrapping_add(varint::unzigzag(code))),
            None => Some(varint::unzigzag(code)),
        };
        at += 1;
    }
    Some(())
}
