//! When `--trace=auto` is on: while refaults or pressure are well above this host's baseline.
//!
//! The baseline is the median of the last minutes. A level that lasts becomes the baseline, and the trace ends: what it can say of it is
//! recorded by then.

use pagetide_core::{Bytes, Column, ColumnId, Nanos, Sample, Schema, Table, Unit};
use std::collections::VecDeque;

/// Readings whose median is the baseline. Before the first, all were quiet.
const USUAL: usize = 300;
/// Readings whose mean is the level of now.
const NOW: usize = 3;
/// A level of this many times the baseline is a rise.
const RISE: f64 = 4.0;
/// The trace stays on for so long after the last rise.
const AFTER_NS: u64 = 30_000_000_000;

/// One reading of the counters, all of which only grow; absent where this kernel has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// Bytes of files that were read again after an eviction.
    refaulted: Option<u64>,
    /// Time in which tasks waited for memory, in nanoseconds.
    memory_stall: Option<u64>,
    /// Time in which tasks waited for IO.
    io_stall: Option<u64>,
}

/// Where the counters are in a sample of the host.
#[derive(Debug, Default)]
pub(super) struct Counters {
    refaulted: Option<ColumnId>,
    memory_stall: Option<ColumnId>,
    io_stall: Option<ColumnId>,
    /// Columns of the host that were looked through.
    seen: usize,
}

impl Counters {
    /// Reads them from the host's row of a sample: nothing else is asked of the kernel.
    pub(super) fn read(&mut self, schema: &Schema, sample: &Sample) -> Reading {
        let columns = schema.columns(Table::Host);
        if self.seen != columns.len() {
            let find = |name: &str| schema.find_column(Table::Host, name);
            // One counter before Linux 5.9, of files and anonymous memory.
            let refaulted = find("workingset_refault_file").or_else(|| find("workingset_refault"));
            let (memory_stall, io_stall) = (find("psi_memory_some"), find("psi_io_some"));
            *self = Self { refaulted, memory_stall, io_stall, seen: columns.len() };
        }
        let row = sample.table(Table::Host).and_then(|table| Some(table.rows().next()?.1)).unwrap_or_default();
        let value = |column: Option<ColumnId>| {
            let (at, value) = column.and_then(|column| Some((column.0 as usize, (*row.get(column.0 as usize)?)?)))?;
            Some((columns.get(at)?, u64::try_from(value).ok()?))
        };
        let base = |(column, value): (&Column, u64)| value.saturating_mul(in_base_units(column));
        Reading {
            refaulted: value(self.refaulted).map(base),
            memory_stall: value(self.memory_stall).map(base),
            io_stall: value(self.io_stall).map(base),
        }
    }
}

/// What one of a column's values is in bytes or nanoseconds.
fn in_base_units(column: &Column) -> u64 {
    match column.unit {
        Unit::Pages => rustix::param::page_size() as u64,
        Unit::Micros => 1000,
        _ => 1,
    }
}

/// Watches the counters, from reading to reading.
#[derive(Debug)]
pub(super) struct Trigger {
    refaults: Signal,
    memory: Signal,
    io: Signal,
    rise_ns: Option<u64>,
}

impl Default for Trigger {
    fn default() -> Self {
        let (mib, share) = ((1 << 20) as f64, 1e9);
        Self {
            refaults: Signal::new("file refaults", mib, |rate| format!("{}/s", Bytes::new(rate))),
            memory: Signal::new("memory pressure", 0.02 * share, stall),
            io: Signal::new("IO pressure", 0.1 * share, stall),
            rise_ns: None,
        }
    }
}

fn stall(rate: u64) -> String {
    format!("{} of each second", Nanos::new(rate))
}

impl Trigger {
    /// Takes the next reading. Gives why the trace should be on, while it should.
    pub(super) fn observe(&mut self, now_ns: u64, reading: Reading) -> Option<String> {
        let signals = [
            (&mut self.refaults, reading.refaulted),
            (&mut self.memory, reading.memory_stall),
            (&mut self.io, reading.io_stall),
        ];
        let rises: Vec<String> =
            signals.into_iter().filter_map(|(signal, counter)| signal.rise(now_ns, counter?)).collect();
        if !rises.is_empty() {
            self.rise_ns = Some(now_ns);
            return Some(rises.join(", "));
        }
        let lasting = self.rise_ns.is_some_and(|rise| now_ns.saturating_sub(rise) < AFTER_NS);
        lasting.then(|| "after a rise".to_owned())
    }
}

/// One counter.
#[derive(Debug)]
struct Signal {
    name: &'static str,
    /// A lower rate is never a rise, however low the baseline.
    floor: f64,
    text: fn(u64) -> String,
    last: Option<(u64, u64)>,
    /// Growth per second, the latest last.
    rates: VecDeque<f64>,
    /// The same, the smallest first.
    sorted: Vec<f64>,
}

impl Signal {
    fn new(name: &'static str, floor: f64, text: fn(u64) -> String) -> Self {
        Self { name, floor, text, last: None, rates: [0.0; USUAL].into(), sorted: vec![0.0; USUAL] }
    }

    /// In words, when the counter grows faster than its baseline.
    fn rise(&mut self, now_ns: u64, counter: u64) -> Option<String> {
        let (before_ns, before) = self.last.replace((now_ns, counter))?;
        let seconds = now_ns.checked_sub(before_ns).filter(|time| *time > 0)? as f64 / 1e9;
        let rate = counter.saturating_sub(before) as f64 / seconds;
        let oldest = self.rates.pop_front()?;
        self.sorted.remove(self.sorted.partition_point(|known| *known < oldest));
        self.sorted.insert(self.sorted.partition_point(|known| *known < rate), rate);
        self.rates.push_back(rate);
        let now = self.rates.iter().rev().take(NOW).sum::<f64>() / NOW as f64;
        let baseline = self.sorted[USUAL / 2];
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let text = |rate: f64| (self.text)(rate as u64);
        (now > self.floor && now > RISE * baseline)
            .then(|| format!("{} {} (baseline {})", self.name, text(now), text(baseline)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Entity;

    /// Whether it is on at each second, when files refault at this rate in MiB/s.
    fn run(trigger: &mut Trigger, counter: &mut u64, from: u64, rates: &[u64]) -> Vec<bool> {
        let seconds = (from..).zip(rates);
        seconds
            .map(|(second, rate)| {
                *counter += rate << 20;
                let reading = Reading { refaulted: Some(*counter), ..Reading::default() };
                trigger.observe(second * 1_000_000_000, reading).is_some()
            })
            .collect()
    }

    #[test]
    fn a_rise_turns_it_on_and_half_a_minute_of_quiet_off() {
        let (mut trigger, mut counter) = (Trigger::default(), 0);
        let on = run(&mut trigger, &mut counter, 0, &[vec![0; 10], vec![40; 5], vec![0; 60]].concat());
        assert!(!on[..10].contains(&true));
        assert!(on[10..44].iter().all(|on| *on), "{on:?}");
        assert!(!on[50..].contains(&true), "{on:?}");
    }

    #[test]
    fn a_host_that_always_refaults_gets_used_to_it() {
        let (mut trigger, mut counter) = (Trigger::default(), 0);
        let on = run(&mut trigger, &mut counter, 0, &[40; 400]);
        assert!(on[1..150].iter().all(|on| *on));
        assert!(!on[200..].contains(&true));
        let on = run(&mut trigger, &mut counter, 400, &[[50; 10], [500; 10]].concat());
        assert_eq!((on[9], on[12]), (false, true), "a quarter more is no rise, ten times as much is");
    }

    #[test]
    fn counters_are_those_of_the_sample_and_absent_where_the_kernel_has_none() {
        let (mut schema, mut counters) = (Schema::default(), Counters::default());
        let host = schema.push_entity(Table::Host, Entity::new("", ""));
        let mut read = |schema: &mut Schema, values: &[(&str, i64)]| {
            let mut sample = Sample::default();
            let places: Vec<usize> =
                values.iter().map(|(name, _)| schema.column(Table::Host, name).0 as usize).collect();
            let row = sample.row(Table::Host, host, schema.columns(Table::Host).len());
            for (place, (_, value)) in places.into_iter().zip(values) {
                row[place] = Some(*value);
            }
            counters.read(schema, &sample)
        };
        let page = rustix::param::page_size() as u64;
        assert_eq!(read(&mut schema, &[("MemFree", 3)]), Reading::default());
        let old = read(&mut schema, &[("workingset_refault", 8)]);
        assert_eq!(old, Reading { refaulted: Some(8 * page), ..Reading::default() });
        let new =
            read(&mut schema, &[("workingset_refault_anon", 5), ("workingset_refault_file", 7), ("psi_io_some", 9)]);
        assert_eq!(new, Reading { refaulted: Some(7 * page), memory_stall: None, io_stall: Some(9000) });
        assert_eq!(read(&mut schema, &[("MemFree", 3)]), Reading::default(), "a file that could not be read");
    }

    #[test]
    fn the_reason_has_the_amount_and_the_baseline() {
        let mut trigger = Trigger::default();
        let at = |second: u64, stall: u64| {
            (second * 1_000_000_000, Reading { memory_stall: Some(stall), ..Reading::default() })
        };
        let (now, reading) = at(1, 0);
        assert_eq!(trigger.observe(now, reading), None);
        let (now, reading) = at(2, 600_000_000);
        let reason = trigger.observe(now, reading);
        assert_eq!(reason.as_deref(), Some("memory pressure 200 ms of each second (baseline 0 ns of each second)"));
    }
}
