//! The progress of many runs of the model, on a terminal: a line that is overwritten.

use crate::interrupt::Interrupt;
use crate::output;
use pagetide_lab::plan::RunsProgress;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Shows how many runs are done.
pub(crate) struct RunsDisplay {
    interrupt: Interrupt,
    /// What the runs are for; empty where that is clear.
    what: &'static str,
    percent: AtomicUsize,
}

impl RunsDisplay {
    pub(crate) const fn new(interrupt: Interrupt, what: &'static str) -> Self {
        Self { interrupt, what, percent: AtomicUsize::new(usize::MAX) }
    }
}

impl Drop for RunsDisplay {
    /// Takes the line away, also before an error is told.
    fn drop(&mut self) {
        if std::io::stderr().is_terminal() {
            output::say_over("");
        }
    }
}

impl RunsProgress for RunsDisplay {
    fn done(&self, runs: usize, of: usize) {
        let percent = runs * 100 / of.max(1);
        if std::io::stderr().is_terminal() && self.percent.swap(percent, Ordering::Relaxed) != percent {
            let what = if self.what.is_empty() { String::new() } else { format!("{}: ", self.what) };
            output::say_over(&format!("{what}{runs} of {of} runs, {percent} %"));
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupt.came()
    }
}
