//! Programs in uninterruptible sleep that wait for no device: for a lock, another host (NFS), or a program that answers for the kernel (FUSE,
//! fanotify). They count for the load average, and for no pressure.

use crate::actors::process::{self, ProcessShare};
use crate::actors::wait_channel;
use crate::measure::amount::{Amount, Count, Limit};
use crate::measure::step;
use crate::measure::window::Window;
use pagetide_core::{Moment, Ratio, Span, Table, derived};

/// How long.
pub(crate) const SHARE: Limit<Ratio> = Limit::new(
    "share of time that a program sleeps uninterruptibly while nobody waits for a device or for memory, at least, and three times as much as before",
    0.5,
    "A program that sleeps so for half of the time does half as much.",
    "judgement",
);
const MORE: f64 = 3.0;

/// A program that sleeps so from a moment on, and the shares of its samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Blocked<'a> {
    at: Moment,
    process: ProcessShare<'a, Ratio>,
    before: Amount<Ratio>,
}

impl Blocked<'_> {
    /// It as a sentence.
    pub(crate) fn words(self, window: &Window<'_>) -> String {
        let process = self.process.name;
        let (within, look) = match wait_channel::most(window, process) {
            Some(function) => (format!(", mostly in {function} of the kernel"), String::new()),
            None => (String::new(), format!(" /proc/{}/wchan says where.", process::pid(process))),
        };
        format!(
            "From {} into the recording on, {} slept uninterruptibly (state D) {} of the time ({} before){within}, while nobody waited for a device or \
             for memory: it waited for a lock in the kernel, another host (NFS), or a program that answers for the kernel (FUSE, fanotify).{look}",
            self.at.since(window.span.from),
            self.process.words(),
            self.process.amount,
            self.before,
        )
    }
}

/// What this module reads.
pub(crate) const METRICS: &[&str] = &["scan_tasks_blocked", "procs_blocked", "state"];
/// The code of uninterruptible sleep in `state`.
const D: f64 = b'D' as f64;

/// The program that sleeps so from some moment on, and did not before. Threads of the kernel sleep so between two pieces of work.
pub(crate) fn of<'a>(window: &Window<'a>) -> Option<Blocked<'a>> {
    let all = window.series(Table::Host, "", METRICS[0])?;
    let for_devices = window.series(Table::Host, "", METRICS[1])?;
    let waiting = |at: Moment| for_devices.last_within(at.ns(), at.ns()).unwrap_or(0) as f64;
    let points = window.points::<Count>(&all);
    let (times, values): (Vec<Moment>, Vec<f64>) = points.map(|(at, tasks)| (at, tasks.get() - waiting(at))).unzip();
    let at = times[step::rise(&values).filter(|step| step.after >= SHARE.get())?.at];
    let [earlier, later] =
        [(window.span.from, at), (at, window.span.to)].map(|(from, to)| window.over(Span { from, to }));
    // A sample sees few tasks; pressure counts all the time that one waits for a device or for memory. Without it nobody knows.
    let pressure = |share| later.share(share).map(Amount::<Ratio>::get);
    let counted = pressure(&derived::PSI_IO_SOME)? + pressure(&derived::PSI_MEMORY_SOME)?;
    let of = |(name, comm): (&'a str, &'a str)| {
        let (before, after) = (share(&earlier, name)?, share(&later, name)? - counted);
        let longer = after >= SHARE.get() && after >= before * MORE && !process::is_kernel_thread(window, name);
        let process = ProcessShare { name, comm, amount: Amount::new(after), processes: 1 };
        longer.then_some(Blocked { at, process, before: Amount::new(before) })
    };
    process::present(window).filter_map(of).max_by(|a, b| a.process.amount.total_cmp(&b.process.amount))
}

/// Samples of a process that tell what it usually does: one that has just started usually does nothing yet.
const SAMPLES: f64 = 10.0;

/// The share of its samples in which a process slept uninterruptibly; absent with few of them.
fn share(window: &Window<'_>, process: &str) -> Option<f64> {
    let series = window.series(Table::Process, process, METRICS[2])?;
    let (mut slept, mut all) = (0.0, 0.0);
    for (_, state) in window.points::<Count>(&series) {
        all += 1.0;
        slept += f64::from(state.get() == D);
    }
    (all >= SAMPLES).then(|| slept / all)
}
