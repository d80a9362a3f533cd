//! `/proc/stat` (`fs/proc/stat.c:show_stat`).

use crate::error::{Error, Problem};
use crate::text::{lines, next_number, number};

const FILE: &str = "/proc/stat";

/// What [`values`] gives, by the names of the metric table: the ten times of the line `cpu`, then single lines.
pub const FIELDS: [&str; 15] = [
    "cpu_user",
    "cpu_nice",
    "cpu_system",
    "cpu_idle",
    "cpu_iowait",
    "cpu_irq",
    "cpu_softirq",
    "cpu_steal",
    "cpu_guest",
    "cpu_guest_nice",
    "ctxt",
    "intr",
    "processes",
    "procs_running",
    "procs_blocked",
];

/// How many of [`FIELDS`] are on the line `cpu`, and on those of single CPUs.
pub const CPU_FIELDS: usize = 10;

/// What `/proc/stat` says about the whole host. CPU times are in clock ticks of 1/100 s.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stat {
    values: [Option<u64>; FIELDS.len()],
    /// When the kernel booted, in seconds since 1970-01-01 UTC.
    pub boot_time_s: Option<u64>,
    /// The numbers of the CPUs that have a line: those online.
    pub cpus: Vec<u32>,
    /// The names of lines that are not read.
    pub unknown: Vec<String>,
}

impl Stat {
    /// A number by its name in the metric table, such as `cpu_iowait` or `ctxt`.
    pub fn get(&self, field: &str) -> Option<u64> {
        FIELDS.iter().position(|name| *name == field).and_then(|at| self.values[at])
    }

    /// Every number that this kernel gives, by its name in the metric table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        FIELDS.iter().zip(self.values).filter_map(|(name, value)| Some((*name, value?)))
    }
}

/// The times of a line: Linux 2.6.32 has nine of the ten, guest_nice came with 2.6.33.
fn times<'a>(fields: impl Iterator<Item = &'a str>) -> Result<[Option<u64>; CPU_FIELDS], Problem> {
    let mut times = [None; CPU_FIELDS];
    for (time, field) in times.iter_mut().zip(fields) {
        *time = Some(number(field).ok_or(Problem::NotANumber)?);
    }
    Ok(times)
}

/// Gives the times of each single CPU that has a line, those online, in the order of [`FIELDS`]: its place among them, its number, its
/// times. The kernel prints them in rising order (fs/proc/stat.c: show_stat, 6.12); a line that does not rise is damage, and left out.
pub fn each_cpu(text: &str, mut give: impl FnMut(usize, &str, [Option<u64>; CPU_FIELDS])) -> Result<(), Error> {
    let (mut place, mut last) = (0, None);
    for (at, line) in lines(FILE, text)? {
        let Some((number, rest)) = line.strip_prefix("cpu").and_then(|line| line.split_once(' ')) else { continue };
        let Ok(cpu) = number.parse::<u32>() else { continue };
        if last.is_some_and(|last| cpu <= last) {
            continue;
        }
        last = Some(cpu);
        let times = times(rest.split_ascii_whitespace()).map_err(|problem| Error::line(FILE, at, problem))?;
        give(place, number, times);
        place += 1;
    }
    Ok(())
}

/// Takes one line; whether it was one that [`FIELDS`] covers.
fn take(line: &str, values: &mut [Option<u64>; FIELDS.len()]) -> Result<bool, Problem> {
    let mut fields = line.split_ascii_whitespace();
    let name = fields.next().ok_or(Problem::Short)?;
    if name == "cpu" {
        values[..CPU_FIELDS].copy_from_slice(&times(fields)?);
        return Ok(true);
    }
    match FIELDS[CPU_FIELDS..].iter().position(|known| *known == name) {
        Some(at) => {
            values[CPU_FIELDS + at] = Some(next_number(&mut fields)?);
            Ok(true)
        }
        None => Ok(false),
    }
}

/// The numbers of [`FIELDS`].
pub fn values(text: &str) -> Result<[Option<u64>; FIELDS.len()], Error> {
    let mut values = [None; FIELDS.len()];
    for (at, line) in lines(FILE, text)? {
        take(line, &mut values).map_err(|problem| Error::line(FILE, at, problem))?;
    }
    if values[0].is_none() {
        return Err(Error::line(FILE, 1, Problem::Foreign));
    }
    Ok(values)
}

/// Parses `/proc/stat`.
pub fn parse_stat(text: &str) -> Result<Stat, Error> {
    let mut stat = Stat { values: values(text)?, ..Stat::default() };
    for (at, line) in lines(FILE, text)? {
        let mut fields = line.split_ascii_whitespace();
        let Some(name) = fields.next() else { continue };
        let cpu = name.strip_prefix("cpu").and_then(number).and_then(|cpu| u32::try_from(cpu).ok());
        if let Some(cpu) = cpu {
            stat.cpus.push(cpu);
        } else if name == "btime" {
            let time = next_number(&mut fields).map_err(|problem| Error::line(FILE, at, problem))?;
            stat.boot_time_s = Some(time);
        } else if name != "cpu" && !FIELDS.contains(&name) {
            stat.unknown.push(name.to_owned());
        }
    }
    Ok(stat)
}
