//! Programs that do not run although nobody keeps them from a device, memory or a CPU. In uninterruptible sleep (D) they wait for a lock, another
//! host (NFS), or a program that answers for the kernel (FUSE, fanotify), and count for the load average; stopped (T, t) they wait for a signal or
//! for who traces them. Neither counts for any pressure.

use crate::actors::group;
use crate::actors::process::{self, ProcessShare};
use crate::actors::wait_channel;
use crate::ledger::suspended;
use crate::measure::amount::{Amount, Count, Limit, Rate};
use crate::measure::step;
use crate::measure::window::Window;
use pagetide_core::{Moment, Ratio, Span, Table, derived};

/// How long.
pub(crate) const SHARE: Limit<Ratio> = Limit::new(
    "share of time that a program is stopped, or sleeps uninterruptibly while nobody waits for a device or for memory, at least, and three times as much \
     as before",
    0.5,
    "A program that does so for half of the time does half as much.",
    "judgement",
);
const MORE: f64 = 3.0;

/// In which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Sleeps,
    Stopped,
}

/// A program that does so from a moment on, and the shares of its samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Blocked<'a> {
    state: State,
    pub(crate) at: Moment,
    process: ProcessShare<'a, Ratio>,
    before: Amount<Ratio>,
}

impl<'a> Blocked<'a> {
    /// The group that it is in, as far as was recorded.
    pub(crate) fn group(&self, window: &Window<'a>) -> Option<&'a str> {
        group::leaves(window.recording).into_iter().find(|group| group::contains(window, group, self.process.name))
    }

    /// It as a sentence.
    pub(crate) fn words(&self, window: &Window<'_>) -> String {
        let process = self.process.name;
        if self.state == State::Stopped {
            return format!(
                "From {} into the recording on, {} was stopped (state T) {} of the time ({} before): by a signal (SIGSTOP), a debugger or a \
                 profiler. TracerPid in /proc/{}/status says who traces it.",
                self.at.since(window.span.from),
                self.process.words(),
                self.process.amount,
                self.before,
                process::pid(process),
            );
        }
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
/// The codes in `state` of a task that is stopped, or traced (fs/proc/array.c: task_state_array of Linux 6.12).
const T: [f64; 2] = [b'T' as f64, b't' as f64];

/// The program that sleeps so, or is stopped, from some moment on, and did not before.
pub(crate) fn of<'a>(window: &Window<'a>) -> Option<Blocked<'a>> {
    sleeping(window).or_else(|| stopped(window))
}

/// A program that worked, and is stopped most of the time from some moment on, but for who was suspended.
fn stopped<'a>(window: &Window<'a>) -> Option<Blocked<'a>> {
    let of = |(name, comm): (&'a str, &'a str)| {
        let series = window.series(Table::Process, name, METRICS[2])?;
        let is_stopped = |state: Amount<Count>| T.contains(&state.get());
        if !window.points::<Count>(&series).any(|(_, state)| is_stopped(state)) {
            return None;
        }
        let suspended = suspended::spans(window, name);
        let stops = |(at, state): (Moment, Amount<Count>)| {
            let held_up = is_stopped(state) && !suspended.iter().any(|span| span.contains(at));
            (at, f64::from(held_up))
        };
        let points = window.points::<Count>(&series).map(stops);
        let (times, values): (Vec<Moment>, Vec<f64>) = points.unzip();
        if !values.contains(&1.0) {
            return None;
        }
        let step::Step { at, before, after } = step::rise(&values)?;
        let at = times[at];
        let earlier = window.over(Span { to: at, ..window.span });
        // Who was at rest may be stopped at a prompt of a shell.
        let worked: Rate<Count> = earlier.rates(Table::Process, name, &["utime", "stime"])?;
        let process = ProcessShare::of_one(name, comm, Amount::new(after));
        (after >= SHARE.get() && after >= before * MORE && worked.get() >= suspended::WORKED).then_some(Blocked {
            state: State::Stopped,
            at,
            process,
            before: Amount::new(before),
        })
    };
    process::present(window).filter_map(of).max_by(|a, b| a.process.amount.total_cmp(&b.process.amount))
}

/// The program that sleeps so from some moment on, and did not before. Threads of the kernel sleep so between two pieces of work.
fn sleeping<'a>(window: &Window<'a>) -> Option<Blocked<'a>> {
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
        let process = ProcessShare::of_one(name, comm, Amount::new(after));
        longer.then_some(Blocked { state: State::Sleeps, at, process, before: Amount::new(before) })
    };
    process::present(window).filter_map(of).max_by(|a, b| a.process.amount.total_cmp(&b.process.amount))
}

/// Samples of a process that tell what it usually does: one that has just started usually does nothing yet.
const SAMPLES: f64 = 10.0;

/// The share of its samples in which a process slept uninterruptibly; absent with few of them.
fn share(window: &Window<'_>, process: &str) -> Option<f64> {
    let (slept, all) = process::slept(window, process)?;
    (all >= SAMPLES).then(|| slept / all)
}
