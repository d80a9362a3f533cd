//! Pressure stall information: `/proc/pressure/*` and `*.pressure` of control groups (`kernel/sched/psi.c:psi_show`).

use crate::error::{Error, Problem};
use crate::text::{fixed, lines, number};

const FILE: &str = "/proc/pressure";

/// One line of a pressure file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// Averages over 10, 60 and 300 s, in hundredths of a percent.
    pub average: [u64; 3],
    /// Time stalled since boot, in microseconds.
    pub total_us: u64,
}

/// One pressure file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pressure {
    /// At least one task waited.
    pub some: Option<Stall>,
    /// Every task that could run waited. For cpu since Linux 5.13 (e7fcd7622823, "psi: Add PSI_CPU_FULL state").
    pub full: Option<Stall>,
}

/// The three pressure files; absent without PSI (before Linux 4.20, without `CONFIG_PSI`, or switched off).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pressures {
    /// Waiting for a CPU.
    pub cpu: Option<Pressure>,
    /// Waiting for IO.
    pub io: Option<Pressure>,
    /// Waiting for memory.
    pub memory: Option<Pressure>,
}

fn parse_line(line: &str) -> Result<(&str, Stall), Problem> {
    let mut fields = line.split_ascii_whitespace();
    let name = fields.next().ok_or(Problem::Short)?;
    let mut next = |key: &str| {
        let field = fields.next().ok_or(Problem::Short)?;
        field.strip_prefix(key).and_then(|rest| rest.strip_prefix('=')).ok_or(Problem::Foreign)
    };
    let mut average = [0; 3];
    for (value, key) in average.iter_mut().zip(["avg10", "avg60", "avg300"]) {
        *value = fixed(next(key)?, 2).ok_or(Problem::NotANumber)?;
    }
    Ok((name, Stall { average, total_us: number(next("total")?).ok_or(Problem::NotANumber)? }))
}

/// Parses a pressure file.
pub fn parse_pressure(text: &str) -> Result<Pressure, Error> {
    let mut pressure = Pressure::default();
    for (at, line) in lines(FILE, text)? {
        let (name, stall) = parse_line(line).map_err(|problem| Error::line(FILE, at, problem))?;
        match name {
            "some" => pressure.some = Some(stall),
            "full" => pressure.full = Some(stall),
            _ => return Err(Error::line(FILE, at, Problem::Foreign)),
        }
    }
    Ok(pressure)
}

/// How many numbers [`values`] gives.
pub const FIELDS: usize = 8;

/// For `some`, then for `full`: the time stalled in microseconds, and the averages in hundredths of a percent.
pub fn values(text: &str) -> Result<[Option<u64>; FIELDS], Error> {
    let Pressure { some, full } = parse_pressure(text)?;
    let mut values = [None; FIELDS];
    for (stall, values) in [some, full].into_iter().zip(values.chunks_mut(FIELDS / 2)) {
        if let Some(Stall { average: [ten, sixty, most], total_us }) = stall {
            values.copy_from_slice(&[total_us, ten, sixty, most].map(Some));
        }
    }
    Ok(values)
}

/// The times stalled, some and full, in microseconds.
pub fn totals(text: &str) -> Result<[Option<u64>; 2], Error> {
    let Pressure { some, full } = parse_pressure(text)?;
    Ok([some, full].map(|stall| stall.map(|stall| stall.total_us)))
}
