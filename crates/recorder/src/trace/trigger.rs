//! When `--trace=auto` is on: while refaults or pressure are well above this host's baseline.
//!
//! The baseline is the median of the last minutes. A level that lasts becomes the baseline, and the trace ends: what it can say of it is
//! recorded by then.

use pagetide_core::{Bytes, Nanos};
use pagetide_kernel::{Root, parse_pressure};
use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Seconds whose median is the baseline. Before the first, all were quiet.
const USUAL_S: usize = 300;
/// Seconds whose mean is the level of now.
const NOW_S: usize = 3;
/// So many times the baseline is a rise.
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

/// The files of this host that have the counters; they stay open.
#[derive(Debug)]
pub(super) struct Counters {
    vmstat: Option<File>,
    memory: Option<File>,
    io: Option<File>,
    buffer: Vec<u8>,
}

/// One counter before Linux 5.9, of files and anonymous memory.
const REFAULTS: [&str; 2] = ["workingset_refault_file ", "workingset_refault "];

impl Counters {
    /// A file that this kernel does not have is left out.
    pub(super) fn open(root: &Root) -> Self {
        let [vmstat, memory, io] =
            ["/proc/vmstat", "/proc/pressure/memory", "/proc/pressure/io"].map(|path| File::open(root.join(path)).ok());
        Self { vmstat, memory, io, buffer: vec![0; 16 << 10] }
    }

    /// Reads them.
    pub(super) fn read(&mut self) -> Reading {
        let Self { vmstat, memory, io, buffer } = self;
        let refaulted = text(vmstat.as_ref(), buffer).and_then(|text| {
            let value = |name| text.lines().find_map(|line| line.strip_prefix(name));
            REFAULTS.into_iter().find_map(value)?.parse::<u64>().ok()
        });
        let mut stalled = |file: &Option<File>| {
            let some = parse_pressure(text(file.as_ref(), buffer)?).ok()?.some?;
            Some(some.total_us.saturating_mul(1000))
        };
        Reading {
            refaulted: refaulted.map(|pages| pages.saturating_mul(rustix::param::page_size() as u64)),
            memory_stall: stalled(memory),
            io_stall: stalled(io),
        }
    }
}

/// A file from its beginning, up to the end of the buffer or the file.
fn text<'b>(file: Option<&File>, buffer: &'b mut Vec<u8>) -> Option<&'b str> {
    let file = file?;
    let mut length = 0;
    loop {
        if length == buffer.len() {
            buffer.resize(2 * length, 0);
        }
        match file.read_at(&mut buffer[length..], length as u64).ok()? {
            0 => return std::str::from_utf8(&buffer[..length]).ok(),
            read => length += read,
        }
    }
}

/// Watches the counters, once a second.
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
    /// A lower rate is no rise, however low the baseline is.
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
        Self { name, floor, text, last: None, rates: [0.0; USUAL_S].into(), sorted: vec![0.0; USUAL_S] }
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
        let now = self.rates.iter().rev().take(NOW_S).sum::<f64>() / NOW_S as f64;
        let baseline = self.sorted[USUAL_S / 2];
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let text = |rate: f64| (self.text)(rate as u64);
        (now > self.floor && now > RISE * baseline)
            .then(|| format!("{} {} (baseline {})", self.name, text(now), text(baseline)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn counters_are_read_below_a_root_and_absent_where_the_kernel_has_none() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("proc/pressure")).unwrap();
        let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
        let many = "nr_other 1\n".repeat(3000);
        write("proc/vmstat", &format!("{many}workingset_refault_anon 5\nworkingset_refault_file 7\n"));
        write("proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=9\n");
        let mut counters = Counters::open(&Root::new(folder.path()));
        let page = rustix::param::page_size() as u64;
        let expected = Reading { refaulted: Some(7 * page), memory_stall: None, io_stall: Some(9000) };
        assert_eq!(counters.read(), expected);
        write("proc/vmstat", "workingset_refault 8\n");
        assert_eq!(counters.read(), Reading { refaulted: Some(8 * page), ..expected });
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
