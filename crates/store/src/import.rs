//! Reads the logs of other tools as a recording.
//!
//! [`import`] recognises each file by its content and returns a [`Recording`](pagetide_core::Recording), with an [`ImportReport`] of what
//! could not be read, what was left out, and what was assumed, by file and line. [`replay`] feeds a recording to a
//! [`Sink`](pagetide_core::Sink), such as the store's writer.
//!
//! ```
//! use pagetide_store::import::{Input, Options, import};
//! let log = "Linux 2.6.32 (db1)\t09/10/2016\t_x86_64_\t(24 CPU)\n\n\
//!            12:00:01 AM  pgpgin/s pgpgout/s\n\
//!            02:30:01 AM   3152.86   2060.66\n";
//! let import = import(&[Input::bytes("sar-B.txt", log)], &Options::default())?;
//! let rate = import.recording.host("pgpgin").expect("it is there");
//! assert_eq!(rate.points().next().map(|(_, value)| value), Some(3_152_860_000));
//! # Ok::<(), pagetide_core::Error>(())
//! ```
//!
//! Rates and averages are stored as [`Kind::Rate`](pagetide_core::Kind::Rate), never as counters; numbers of kernel files are stored
//! unchanged. Text is read line by line and JSON sample by sample, so memory depends on the values that are kept: 12 bytes each while
//! reading, plus the recording.

mod assemble;
mod banner;
mod clock;
mod columns;
mod day;
mod dump;
mod fio;
mod gather;
mod iostat;
mod json_repair;
mod line;
mod number;
mod options;
mod replay;
mod report;
mod reports;
mod sadf;
mod sadf_text;
mod sar;
mod sniff;
mod timeline;
mod vmstat;
mod whole;

pub use assemble::Import;
pub use clock::{Date, DateOrder, utc_offset};
pub(crate) use columns::is_column;
pub use day::Day;
pub use options::{FirstReport, Options};
pub use replay::replay;
pub use report::{FileKind, FileReport, ImportReport, LeftOut, Skipped};
pub use sniff::SADC_MAGIC;

use crate::budget::Budget;
use gather::Gather;
use line::{Lines, read_failed};
use pagetide_core::{Error, on_all_cores};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// A file to import.
#[derive(Debug, Clone)]
pub struct Input {
    name: String,
    content: Content,
    day: Option<Day>,
}

#[derive(Debug, Clone)]
enum Content {
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Input {
    /// A file on disk.
    pub fn file(path: &Path) -> Self {
        Self { name: path.display().to_string(), content: Content::File(path.to_owned()), day: None }
    }

    /// A text in memory, with a name for the report.
    pub fn bytes(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.to_owned(), content: Content::Bytes(bytes.into()), day: None }
    }

    /// Gives it another name in the report.
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// The day on which it begins, if it does not say so itself, and the start time if it has no times. It takes precedence over
    /// [`Options::day`].
    pub fn on(mut self, day: Day) -> Self {
        self.day = Some(day);
        self
    }

    fn open(&self) -> Result<Box<dyn Read + '_>, Error> {
        match &self.content {
            Content::Bytes(bytes) => Ok(Box::new(Cursor::new(bytes.as_slice()))),
            Content::File(path) => {
                let error =
                    |error| Error::input(format!("{}: {error}", self.name), "check the path and its permissions");
                let file = File::open(path).map_err(error)?;
                if file.metadata().map_err(error)?.is_dir() {
                    return Err(Error::input(format!("{}: it is a directory", self.name), "name the files in it"));
                }
                Ok(Box::new(file))
            }
        }
    }
}

/// Reads files of one host as a recording.
///
/// # Errors
/// A file that cannot be opened or read; files of different hosts; no file among them with a value in it.
pub fn import(files: &[Input], options: &Options) -> Result<Import, Error> {
    let budget = Budget::default();
    let mut gathers = Vec::with_capacity(files.len());
    let mut unreadable = None;
    for gathered in on_all_cores(files, |file| gather(file, options, &budget)) {
        let (gather, why) = gathered?;
        unreadable = unreadable.or(why);
        gathers.push(gather);
    }
    if gathers.iter().all(|gather| gather.report.values == 0) {
        let nothing = || {
            let reasons: Vec<String> = gathers.iter().map(|gather| gather.report.why_nothing()).collect();
            Error::input(format!("nothing to import in {}", reasons.join(", ")), sniff::READABLE)
        };
        return Err(unreadable.unwrap_or_else(nothing));
    }
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assemble::assemble(gathers, options, &budget, &names.join(", "))
}

/// The values of a file. If its kind is unknown there are none, and the error says why.
fn gather(file: &Input, options: &Options, budget: &Budget) -> Result<(Gather, Option<Error>), Error> {
    let mut gather = Gather::new(&file.name, budget);
    let mut input = BufReader::with_capacity(sniff::LOOKED_AT, Granting { input: file.open()?, budget });
    let start = beginning(&mut input).map_err(|error| read_failed(&file.name, &error))?;
    match sniff::kind(&start) {
        Ok(kind) => {
            gather.report.kind = Some(kind);
            let options = Options { day: file.day.or(options.day), ..*options };
            let input = Cursor::new(start).chain(input);
            read(kind, input, &mut gather, &options)?;
            reports::fill_idle(&mut gather);
            if let Some(exceeded) = &gather.exceeded {
                return Err(exceeded.at(Path::new(&file.name)));
            }
            Ok((gather, None))
        }
        Err(why) => {
            gather.report.skip(1, format!("{} ({})", why.what, why.hint));
            Ok((gather, Some(Error::input(format!("{}: {}", file.name, why.what), why.hint))))
        }
    }
}

/// A reader that raises the budget with each byte read.
struct Granting<'a, R> {
    input: R,
    budget: &'a Budget,
}

impl<R: Read> Read for Granting<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let read = self.input.read(bytes)?;
        self.budget.grant(read as u64);
        Ok(read)
    }
}

/// The beginning of a file, as much as recognising it takes.
fn beginning(input: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    input.take(sniff::LOOKED_AT as u64).read_to_end(&mut start)?;
    Ok(start)
}

fn read(kind: FileKind, input: impl BufRead, gather: &mut Gather, options: &Options) -> Result<(), Error> {
    match kind {
        FileKind::Sar => sar::read(&mut Lines::new(input), gather, options),
        FileKind::Sadf => sadf::read(input, gather, options),
        FileKind::SadfText => sadf_text::read(&mut Lines::new(input), gather, options),
        FileKind::KernelFiles => dump::read(&mut Lines::new(input), gather, options),
        FileKind::Vmstat => vmstat::read(&mut Lines::new(input), gather, options),
        FileKind::Iostat => iostat::read(&mut Lines::new(input), gather, options),
        FileKind::Fio => fio::read(input, gather, options),
    }
}
