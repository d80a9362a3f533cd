//! Reading one Parquet file back.

use super::error::SealedError;
use super::pages::{self, Pages};
use super::{DESCRIPTION, Description};
use crate::FORMAT_VERSION;
use crate::budget::{self, Budget, Exceeded, Held, at_most, bytes_of};
use crate::layout::{Folder, SealedPath};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::statistics::Statistics;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use zstd::bulk::Decompressor;

/// Rows of a row group, at most. A writer ends a row group with the sample that reaches 2^20 numbers, and a sample has at most one row for
/// each of 2^22 processes. The size of a file bounds nothing: rows that repeat take hardly any bytes.
const MOST_ROWS: u64 = 1 << 23;

/// Bytes of a column of a row group that a file may state: 16 for each row.
const MOST_COLUMN_BYTES: u64 = MOST_ROWS * 16;

/// Bytes of memory for each byte of the footer, in which a column chunk takes some 30 bytes.
const FOOTER_BYTES: u64 = 64;

/// A sealed file, open for reading.
pub(crate) struct SealedFile {
    parquet: SerializedFileReader<File>,
    description: Description,
    file: File,
    length: u64,
    /// Decompresses its pages. Creating it takes longer than decompressing a page of a calm hour, so it is kept.
    zstd: RefCell<Decompressor<'static>>,
    budget: Budget,
    held: Held,
}

impl SealedFile {
    /// Opens a file, whose rows are charged to `budget` until it is closed. It first compares the bytes with the checksum in the name, so that
    /// no damaged byte is read as a number.
    pub(crate) fn open(folder: &Folder, path: &SealedPath, budget: &Budget) -> Result<Self, SealedError> {
        let mut file = folder.open_sealed(path)?;
        if let Some(checksum) = path.checksum {
            if sum(&mut file)? != checksum {
                return Err(SealedError::Damaged("its checksum differs from the one in its name".into()));
            }
            file.seek(SeekFrom::Start(0))?;
        }
        Self::from_file(file, budget)
    }

    /// The same for a file whose checksum was compared or is unknown.
    fn from_file(file: File, budget: &Budget) -> Result<Self, SealedError> {
        let length = file.metadata()?.len();
        budget.grant(length);
        let held = budget.hold();
        held.charge(pages::footer_length(&file)?.saturating_mul(FOOTER_BYTES))?;
        let parquet = SerializedFileReader::new(file.try_clone()?)?;
        check_sizes(&parquet)?;
        let metadata = parquet.metadata().file_metadata().key_value_metadata();
        let description = metadata.into_iter().flatten().find(|entry| entry.key == DESCRIPTION);
        let text = description.and_then(|entry| entry.value.as_deref()).unwrap_or_default();
        let damaged = |error: serde_json::Error| SealedError::Damaged(error.to_string());
        let version = serde_json::from_str::<Version>(text).map_err(damaged)?;
        if version.version > FORMAT_VERSION {
            return Err(SealedError::Newer(version.version));
        }
        let (description, _) = budget::json(text.as_bytes(), budget)?;
        let zstd = RefCell::new(Decompressor::new()?);
        let description = description.map_err(damaged)?;
        Ok(Self { parquet, description, file, length, zstd, budget: budget.clone(), held })
    }

    /// Reads JSON of one of its rows.
    pub(crate) fn json<T: DeserializeOwned>(&self, text: &[u8]) -> Result<serde_json::Result<T>, SealedError> {
        Ok(budget::json(text, &self.budget)?.0)
    }

    /// Charges memory for values made from its rows.
    pub(crate) fn charge(&self, bytes: u64) -> Result<(), SealedError> {
        Ok(self.held.charge(bytes)?)
    }

    /// Closes the file and returns the charge for its rows.
    pub(crate) fn into_held(self) -> Held {
        self.held
    }

    /// What it says about itself.
    pub(crate) fn description(&self) -> &Description {
        &self.description
    }

    /// How many row groups it has.
    pub(crate) fn row_groups(&self) -> usize {
        self.parquet.num_row_groups()
    }

    /// How many rows it has.
    pub(crate) fn rows(&self) -> i64 {
        self.parquet.metadata().file_metadata().num_rows()
    }

    /// How many columns it has.
    pub(crate) fn columns(&self) -> usize {
        self.parquet.metadata().file_metadata().schema_descr().num_columns()
    }

    /// The index of the column called `name`.
    pub(crate) fn column_named(&self, name: &str) -> Result<usize, SealedError> {
        let columns = self.parquet.metadata().file_metadata().schema_descr().columns().iter();
        let at = columns.enumerate().find_map(|(at, column)| (column.name() == name).then_some(at));
        at.ok_or_else(|| SealedError::Damaged(format!("it has no column {name}")))
    }

    /// The smallest and the largest value of a column of required integers; `None` if the file has no statistics.
    pub(crate) fn range(&self, column: usize) -> Option<(i64, i64)> {
        let groups = self.parquet.metadata().row_groups().iter();
        let ranges: Option<Vec<(i64, i64)>> = groups
            .map(|group| match group.columns().get(column)?.statistics()? {
                Statistics::Int64(range) => Some((*range.min_opt()?, *range.max_opt()?)),
                _ => None,
            })
            .collect();
        let ranges = ranges?;
        Some((ranges.iter().map(|range| range.0).min()?, ranges.iter().map(|range| range.1).max()?))
    }

    /// A column of integers in a row group.
    pub(crate) fn numbers(&self, group: usize, column: usize) -> Result<Numbers, SealedError> {
        let ColumnReader::Int64ColumnReader(reader) = self.column(group, column)? else {
            return Err(SealedError::Damaged("a column has another type than int64".into()));
        };
        let (values, levels) = self.records(group, reader)?;
        if levels.iter().all(|level| *level != 0) {
            return Ok(Numbers { values, present: None });
        }
        self.charge(bytes_of(levels.len(), size_of::<i64>() + size_of::<bool>()))?;
        let present: Vec<bool> = levels.into_iter().map(|level| level != 0).collect();
        let mut there = values.into_iter();
        let spread = present.iter().map(|present| if *present { there.next().unwrap_or(0) } else { 0 }).collect();
        Ok(Numbers { values: spread, present: Some(present) })
    }

    /// A column of integers that are always there, in a row group.
    pub(crate) fn required(&self, group: usize, column: usize) -> Result<Vec<i64>, SealedError> {
        match self.numbers(group, column)? {
            Numbers { values, present: None } => Ok(values),
            Numbers { .. } => Err(SealedError::Damaged("a time is missing".into())),
        }
    }

    /// A column of numbers with a fraction in a row group.
    pub(crate) fn floats(&self, group: usize, column: usize) -> Result<Vec<Option<f32>>, SealedError> {
        match self.column(group, column)? {
            ColumnReader::FloatColumnReader(reader) => self.values(group, reader),
            _ => Err(SealedError::Damaged("a column has another type than float".into())),
        }
    }

    /// A column of strings in a row group.
    pub(crate) fn strings(&self, group: usize, column: usize) -> Result<Vec<ByteArray>, SealedError> {
        let values: Option<Vec<ByteArray>> = match self.column(group, column)? {
            ColumnReader::ByteArrayColumnReader(reader) => self.values(group, reader)?.into_iter().collect(),
            _ => return Err(SealedError::Damaged("a column has another type than string".into())),
        };
        values.ok_or_else(|| SealedError::Damaged("a name is missing".into()))
    }

    /// The strings of a column in some rows of a row group, in order.
    pub(crate) fn strings_at(
        &self,
        group: usize,
        column: usize,
        rows: &[usize],
    ) -> Result<Vec<ByteArray>, SealedError> {
        let ColumnReader::ByteArrayColumnReader(mut reader) = self.column(group, column)? else {
            return Err(SealedError::Damaged("a column has another type than string".into()));
        };
        self.charge(bytes_of(rows.len(), size_of::<ByteArray>()))?;
        let (mut strings, mut next) = (Vec::new(), 0);
        for row in rows {
            let skipped = reader.skip_records(row - next)?;
            let (read, _, _) = reader.read_records(1, Some(&mut Vec::new()), None, &mut strings)?;
            if (skipped, read) != (row - next, 1) {
                return Err(SealedError::Damaged("a name is missing".into()));
            }
            next = row + 1;
        }
        if strings.len() < rows.len() {
            return Err(SealedError::Damaged("a name is missing".into()));
        }
        Ok(strings)
    }

    fn column(&self, group: usize, column: usize) -> Result<ColumnReader, SealedError> {
        if column >= self.columns() {
            return Err(SealedError::Damaged("a column is missing".into()));
        }
        let chunk = self.parquet.metadata().row_group(group).column(column);
        let pages = Pages::read((&self.file, self.length), chunk, |bytes| self.charge(bytes))?;
        let pages = pages.decompressed(&mut self.zstd.borrow_mut())?;
        Ok(get_column_reader(chunk.column_descr_ptr(), Box::new(pages)))
    }

    /// The present values, and for an optional column the level of each row: 0 if its value is missing.
    fn records<T: DataType>(
        &self,
        group: usize,
        mut reader: ColumnReaderImpl<T>,
    ) -> Result<(Vec<T::T>, Vec<i16>), SealedError> {
        let rows = usize::try_from(self.parquet.metadata().row_group(group).num_rows()).unwrap_or(0);
        self.charge(bytes_of(rows, size_of::<T::T>() + size_of::<i16>()))?;
        let (mut values, mut present) = (Vec::new(), Vec::new());
        values.try_reserve_exact(rows).and_then(|()| present.try_reserve_exact(rows)).map_err(Exceeded::from)?;
        let (read, _, _) = reader.read_records(rows, Some(&mut present), None, &mut values)?;
        if read != rows {
            return Err(SealedError::Damaged(format!("{read} rows of {rows}")));
        }
        Ok((values, present))
    }

    fn values<T: DataType>(&self, group: usize, reader: ColumnReaderImpl<T>) -> Result<Vec<Option<T::T>>, SealedError> {
        let (values, present) = self.records(group, reader)?;
        self.charge(bytes_of(present.len().max(values.len()), size_of::<Option<T::T>>()))?;
        if present.is_empty() {
            return Ok(values.into_iter().map(Some).collect());
        }
        let mut values = values.into_iter();
        Ok(present.into_iter().map(|level| if level == 0 { None } else { values.next() }).collect())
    }
}

/// The integers of the rows of a row group.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// One per row; 0 where there is none.
    pub(crate) values: Vec<i64>,
    /// Whether each is there; absent where all are.
    pub(crate) present: Option<Vec<bool>>,
}

/// Refuses a file that was made to exhaust memory, before any of its columns is read.
fn check_sizes(parquet: &SerializedFileReader<File>) -> Result<(), SealedError> {
    for group in parquet.metadata().row_groups() {
        let largest = group.columns().iter().map(|column| column.uncompressed_size()).max().unwrap_or(0);
        let (Ok(rows), Ok(bytes)) = (u64::try_from(group.num_rows()), u64::try_from(largest)) else {
            return Err(SealedError::Damaged("the number of its rows is negative".into()));
        };
        at_most("rows of a row group", rows, MOST_ROWS)?;
        at_most("bytes of a column of a row group", bytes, MOST_COLUMN_BYTES)?;
    }
    Ok(())
}

/// The part of the description that every version has.
#[derive(serde::Deserialize)]
struct Version {
    version: u32,
}

/// The checksum of all bytes of a file.
fn sum(file: &mut File) -> io::Result<u32> {
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; 128 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finalize()),
            read => hasher.update(&buffer[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Files, System};
    use crate::sealed::FileWriter;
    use pagetide_dir::Dir;

    /// Rows that are all equal take hardly any bytes.
    #[test]
    fn a_small_file_that_states_more_rows_than_a_writer_makes_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let rows = usize::try_from(MOST_ROWS).unwrap();
        let read = |rows: usize| {
            let name = format!("{rows}.parquet");
            let dir = Dir::own(home.path(), None).unwrap();
            let output = System.create(&dir, name.as_ref()).unwrap();
            let description = Description { version: FORMAT_VERSION, ..Description::default() };
            let mut writer = FileWriter::new(output, &["wall_ns"], &[], (&[], &[]), &description).unwrap();
            let mut group = writer.row_group().unwrap();
            group.numbers(&vec![7; rows]).unwrap();
            group.finish().unwrap();
            let size = writer.finish().unwrap().size;
            assert!(size < 1 << 20, "{size}");
            SealedFile::from_file(File::open(home.path().join(name)).unwrap(), &Budget::default()).map(|_| ())
        };
        assert!(read(rows).is_ok());
        let refused = read(rows + 1).unwrap_err();
        assert!(refused.to_string().contains("8388609 rows of a row group exceeds 8388608"), "{refused}");
    }
}
