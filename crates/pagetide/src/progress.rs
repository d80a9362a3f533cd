//! How a run goes, on stderr: a bar per step on a terminal, a line per step elsewhere.

use crate::interrupt::Interrupt;
use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pagetide_core::{Nanos, Progress};
use std::io::IsTerminal;
use std::time::Instant;

/// Shows a run's progress.
pub(crate) struct Shown {
    interrupt: Interrupt,
    bar: ProgressBar,
    terminal: bool,
    title: String,
    began: Instant,
}

/// The bar counts in thousandths of a step.
const WHOLE: u64 = 1000;

impl Shown {
    /// Shows progress on stderr; `quiet` shows nothing.
    pub(crate) fn new(interrupt: Interrupt, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if terminal && !quiet {
            ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr())
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:24} {percent:>3} % {msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { interrupt, bar, terminal: terminal || quiet, title: String::new(), began: Instant::now() }
    }
}

/// Where the bar stands at a fraction from 0 to 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to WHOLE")]
fn position(fraction: f64) -> u64 {
    (fraction.clamp(0.0, 1.0) * WHOLE as f64) as u64
}

impl Progress for Shown {
    fn step(&mut self, number: usize, of: usize, id: &str, title: &str) {
        self.title = format!("[{number}/{of}] {id}: {title}");
        self.began = Instant::now();
        self.bar.reset();
        self.bar.set_prefix(self.title.clone());
        self.bar.set_message("");
    }

    fn update(&mut self, fraction: Option<f64>, left: Option<Nanos>, note: &str) {
        if let Some(fraction) = fraction {
            self.bar.set_position(position(fraction));
        } else {
            self.bar.tick();
        }
        let left = left.map_or_else(String::new, |left| format!(", {:.0} s left", left.as_secs_f64()));
        self.bar.set_message(format!("{note}{left}"));
    }

    fn step_done(&mut self, note: &str) {
        let line = format!("{} ({:.1} s) {note}", self.title, self.began.elapsed().as_secs_f64());
        if self.terminal {
            self.bar.suspend(|| output::say(&line));
        } else {
            output::say(&line);
        }
        self.bar.set_position(0);
    }

    fn say(&mut self, line: &str) {
        self.bar.suspend(|| output::say(line));
    }

    fn interrupted(&self) -> bool {
        self.interrupt.came()
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
