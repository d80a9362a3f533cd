//! Reading one Parquet file back.

use super::{DESCRIPTION, Description};
use crate::FORMAT_VERSION;
use crate::layout::{Folder, SealedPath};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::statistics::Statistics;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Rows of a row group at most. A writer ends a row group at 2^20 numbers, after the sample that reaches them, and a sample has a row
/// for each process at most, of which there are 2^22. Rows that repeat take hardly any bytes, so that the size of a file bounds nothing.
const MOST_ROWS: i64 = 1 << 23;

/// Bytes of a column of a row group at most, as the file states them: 16 for each row.
const MOST_COLUMN_BYTES: i64 = MOST_ROWS * 16;

/// Why a sealed file cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SealedError {
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Its bytes are not those that were written.
    #[error("damaged: {0}")]
    Damaged(String),
    /// A newer version.
    #[error("format version {0}")]
    Newer(u32),
}

impl From<ParquetError> for SealedError {
    fn from(error: ParquetError) -> Self {
        Self::Damaged(error.to_string())
    }
}

/// A sealed file, open for reading.
pub(crate) struct SealedFile {
    parquet: SerializedFileReader<File>,
    description: Description,
}

impl SealedFile {
    /// Opens a file. Its bytes are compared with the checksum in its name first, so that no damaged byte is taken for a number.
    pub(crate) fn open(folder: &Folder, path: &SealedPath) -> Result<Self, SealedError> {
        let mut file = folder.open_sealed(path)?;
        if let Some(checksum) = path.checksum {
            if sum(&mut file)? != checksum {
                return Err(SealedError::Damaged("its checksum is not the one in its name".into()));
            }
            file.seek(SeekFrom::Start(0))?;
        }
        Self::from_file(file)
    }

    /// The same of a file whose bytes were compared, or cannot be.
    fn from_file(file: File) -> Result<Self, SealedError> {
        let parquet = SerializedFileReader::new(file)?;
        check_sizes(&parquet)?;
        let metadata = parquet.metadata().file_metadata().key_value_metadata();
        let description = metadata.into_iter().flatten().find(|entry| entry.key == DESCRIPTION);
        let text = description.and_then(|entry| entry.value.as_deref()).unwrap_or_default();
        let version = serde_json::from_str::<Version>(text).map_err(|error| SealedError::Damaged(error.to_string()))?;
        if version.version > FORMAT_VERSION {
            return Err(SealedError::Newer(version.version));
        }
        let description = serde_json::from_str(text).map_err(|error| SealedError::Damaged(error.to_string()))?;
        Ok(Self { parquet, description })
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

    /// The place of the column called `name`.
    pub(crate) fn column_named(&self, name: &str) -> Result<usize, SealedError> {
        let columns = self.parquet.metadata().file_metadata().schema_descr().columns().iter();
        let at = columns.enumerate().find_map(|(at, column)| (column.name() == name).then_some(at));
        at.ok_or_else(|| SealedError::Damaged(format!("it has no column {name}")))
    }

    /// The smallest and the largest value of a column of required integers; absent when the file does not say.
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
    pub(crate) fn numbers(&self, group: usize, column: usize) -> Result<Vec<Option<i64>>, SealedError> {
        match self.column(group, column)? {
            ColumnReader::Int64ColumnReader(reader) => self.values(group, reader),
            _ => Err(SealedError::Damaged("a column has another type than int64".into())),
        }
    }

    /// A column of integers that are always there, in a row group.
    pub(crate) fn required(&self, group: usize, column: usize) -> Result<Vec<i64>, SealedError> {
        let values: Option<Vec<i64>> = self.numbers(group, column)?.into_iter().collect();
        values.ok_or_else(|| SealedError::Damaged("a time is missing".into()))
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

    fn column(&self, group: usize, column: usize) -> Result<ColumnReader, SealedError> {
        if column >= self.columns() {
            return Err(SealedError::Damaged("a column is missing".into()));
        }
        Ok(self.parquet.get_row_group(group)?.get_column_reader(column)?)
    }

    fn values<T: DataType>(
        &self,
        group: usize,
        mut reader: ColumnReaderImpl<T>,
    ) -> Result<Vec<Option<T::T>>, SealedError> {
        let rows = usize::try_from(self.parquet.metadata().row_group(group).num_rows()).unwrap_or(0);
        let (mut values, mut present) = (Vec::new(), Vec::new());
        let (read, _, _) = reader.read_records(rows, Some(&mut present), None, &mut values)?;
        if read != rows {
            return Err(SealedError::Damaged(format!("{read} rows of {rows}")));
        }
        if present.is_empty() {
            return Ok(values.into_iter().map(Some).collect());
        }
        let mut values = values.into_iter();
        Ok(present.into_iter().map(|level| if level == 0 { None } else { values.next() }).collect())
    }
}

/// A file that was made to fill its reader's memory is refused before any of its columns is read.
fn check_sizes(parquet: &SerializedFileReader<File>) -> Result<(), SealedError> {
    for group in parquet.metadata().row_groups() {
        let largest = group.columns().iter().map(|column| column.uncompressed_size()).max().unwrap_or(0);
        if !(0..=MOST_ROWS).contains(&group.num_rows()) || !(0..=MOST_COLUMN_BYTES).contains(&largest) {
            return Err(SealedError::Damaged(format!(
                "it states {} rows and {largest} bytes of a column in one row group, at most {MOST_ROWS} and {MOST_COLUMN_BYTES} are read",
                group.num_rows()
            )));
        }
    }
    Ok(())
}

/// As much of the description as every version has.
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

    /// Rows that are all the same take hardly any bytes.
    #[test]
    fn a_small_file_that_states_more_rows_than_a_writer_makes_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let rows = usize::try_from(MOST_ROWS).unwrap();
        let read = |rows: usize| {
            let name = format!("{rows}.parquet");
            let dir = Dir::own(home.path(), None).unwrap();
            let output = System.create(&dir, name.as_ref()).unwrap();
            let description = Description { version: FORMAT_VERSION, ..Description::default() };
            let mut writer = FileWriter::new(output, &["wall_ns"], &[], &[], &description).unwrap();
            let mut group = writer.row_group().unwrap();
            group.numbers(&vec![7; rows]).unwrap();
            group.finish().unwrap();
            let size = writer.finish().unwrap().size;
            assert!(size < 1 << 20, "{size}");
            SealedFile::from_file(File::open(home.path().join(name)).unwrap()).map(|_| ())
        };
        assert!(read(rows).is_ok());
        let refused = read(rows + 1).unwrap_err();
        assert!(refused.to_string().contains("8388609 rows"), "{refused}");
    }
}
