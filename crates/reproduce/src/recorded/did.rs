//! What processes did in a stretch.

use super::family::COUNTED_OF_CHILDREN;
use super::stretch::{PAGE, Stretch, TICKS};
use pagetide_core::{Recording, Table};

/// What the processes of a command in a control group did in a stretch, per second.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Did {
    /// Bytes that system calls asked for, and the calls. They count pipes and sockets too.
    pub(crate) read_calls: f64,
    pub(crate) asked: f64,
    pub(crate) write_calls: f64,
    pub(crate) given: f64,
    /// Bytes read from devices, and dirtied for them.
    pub(crate) read: f64,
    pub(crate) written: f64,
    pub(crate) major_faults: f64,
    /// CPU time, waits for IO and waits for a CPU, as a share of the time, all processes together.
    pub(crate) cpu: f64,
    pub(crate) waits: f64,
    pub(crate) cpu_waits: f64,
    /// CPU time and waits for a CPU of each process, as a share of the time.
    pub(crate) cpu_of_each: Vec<(f64, f64)>,
    /// The share of the CPU time that direct reclaim took: the model takes that by itself.
    pub(crate) reclaim: f64,
    /// Anonymous memory at the begin and at the end, bytes; and of it in swap at the end.
    pub(crate) anon: (f64, f64),
    pub(crate) swapped: f64,
    /// Pages of files that it had mapped at the end, bytes: of the process that had most, as those of one program map the same.
    pub(crate) mapped: f64,
    /// Processes that read or wrote.
    pub(crate) active: usize,
}

/// Whether a process has more than its first thread.
pub(crate) fn has_threads(stretch: &Stretch<'_>, process: &str) -> bool {
    stretch.most(Table::Process, process, "num_threads").is_some_and(|threads| threads > 1.0)
}

impl Did {
    /// Says that the process that used most CPU time waited for a CPU for that share of the time, at least.
    pub(crate) fn waited_for_cpu(&mut self, share: f64) {
        let Some((_, waits)) = self.cpu_of_each.iter_mut().max_by(|one, other| one.0.total_cmp(&other.0)) else {
            return;
        };
        let more = (share - *waits).max(0.0);
        *waits += more;
        self.cpu_waits += more;
    }

    /// Says what it did per second of this share of the stretch, in which it did all of it.
    pub(super) fn spread_over(&mut self, share: f64) {
        for rate in [
            &mut self.read_calls,
            &mut self.asked,
            &mut self.write_calls,
            &mut self.given,
            &mut self.read,
            &mut self.written,
            &mut self.major_faults,
            &mut self.cpu,
            &mut self.waits,
            &mut self.cpu_waits,
            &mut self.reclaim,
        ] {
            *rate /= share;
        }
        for (cpu, waits) in &mut self.cpu_of_each {
            *cpu /= share;
            *waits /= share;
        }
    }

    /// The share of the time in which it worked, or waited for what it needs for that.
    pub(crate) fn at_work(&self) -> f64 {
        self.cpu + self.cpu_waits + self.waits
    }

    /// Whether what it reads comes from swap: it has much there, and no system calls for what it reads.
    pub(crate) fn is_swapped_in(&self) -> bool {
        const MIN_SHARE_IN_SWAP: f64 = 0.1;
        const MIN_SHARE_ASKED: f64 = 0.5;
        self.swapped > MIN_SHARE_IN_SWAP * (self.anon.1 + self.swapped) && self.asked < MIN_SHARE_ASKED * self.read
    }

    /// CPU time that it would use if it never waited for a CPU, as a share of the time. What a process does in between, such as waiting for an answer,
    /// takes as long then: it is a closed loop. One that does nothing in between uses as many CPUs as it can get.
    pub(crate) fn cpu_wanted(&self) -> f64 {
        let of_one = |(cpu, waits): &(f64, f64)| if cpu + waits < 1.0 { cpu / (1.0 - waits) } else { cpu + waits };
        if self.cpu_of_each.is_empty() {
            return of_one(&(self.cpu, self.cpu_waits));
        }
        self.cpu_of_each.iter().map(of_one).sum()
    }

    /// Processes that use a CPU now and then, or wait for one.
    pub(crate) fn computing(&self) -> usize {
        const MIN_SHARE: f64 = 0.01;
        self.cpu_of_each.iter().filter(|(cpu, waits)| cpu + waits >= MIN_SHARE).count()
    }

    /// All bytes that it asked for, gave, read and wrote.
    pub(crate) fn sum(&self) -> f64 {
        self.asked + self.given + self.read + self.written
    }

    /// Adds what a process did, less what these children did that ended and left it their IO. Delays are not always counted.
    pub(super) fn add(&mut self, stretch: &Stretch<'_>, process: &str, children: &[String], counts_delays: bool) {
        let recording = stretch.recording;
        let rate = |metric| {
            let own = stretch.rate(Table::Process, process, metric).unwrap_or(0.0);
            let of_children = children.iter().map(|child| last(recording, child, metric)).sum::<f64>();
            (own - if COUNTED_OF_CHILDREN.contains(&metric) { of_children / stretch.seconds() } else { 0.0 }).max(0.0)
        };
        self.read_calls += rate("syscr");
        self.asked += rate("rchar");
        self.write_calls += rate("syscw");
        self.given += rate("wchar");
        self.read += rate("read_bytes");
        self.written += (rate("write_bytes") - rate("cancelled_write_bytes")).max(0.0);
        if rate("rchar") + rate("wchar") + rate("read_bytes") + rate("write_bytes") > 1024.0 {
            self.active += 1;
        }
        self.major_faults += rate("majflt");
        let cpu = (rate("utime") + rate("stime")) / TICKS;
        let cpu_waits = if counts_delays {
            self.waits += rate("blkio_delay_total") / 1e9;
            rate("cpu_delay_total") / 1e9
        } else {
            // Of those that were not counted its samples say how often it was seen waiting.
            let seen = |state: u8| {
                let series = stretch.recording.series(Table::Process, process, "state");
                let states = || series.iter().flat_map(|series| series.within(stretch.from, stretch.to));
                let own = states().filter(|(_, is)| *is == i64::from(state)).count();
                own as f64 / states().count().max(1) as f64
            };
            self.waits += seen(b'D');
            // The wait of the first thread for a CPU is recorded without delays.
            let delay = stretch.rate(Table::Process, process, "run_delay").filter(|_| !has_threads(stretch, process));
            delay.map_or_else(|| (seen(b'R') - cpu).max(0.0), |ns| ns / 1e9)
        };
        self.cpu += cpu;
        self.cpu_waits += cpu_waits;
        self.cpu_of_each.push((cpu, cpu_waits));
        let ends = |metric| stretch.ends(Table::Process, process, metric);
        let anon = ends("RssAnon").or_else(|| ends("rss").map(|(from, to)| (from * PAGE, to * PAGE)));
        if let Some((from, to)) = anon {
            // A process that comes had nothing before.
            let came = stretch
                .recording
                .series(Table::Process, process, "utime")
                .is_some_and(|series| series.points().next().is_some_and(|(at, _)| at > stretch.from));
            self.anon.0 += if came { 0.0 } else { from };
            self.anon.1 += to;
        }
        self.mapped = ends("RssFile").map_or(0.0, |(_, to)| to).max(self.mapped);
        self.swapped += ends("VmSwap").map_or(0.0, |(_, to)| to);
    }
}

/// The last value of a counter of a process.
fn last(recording: &Recording, process: &str, metric: &str) -> f64 {
    let series = recording.series(Table::Process, process, metric);
    series.and_then(|series| series.points().next_back()).map_or(0.0, |(_, value)| value as f64)
}
