//! The progress of a run, on stderr: a bar per step on a terminal, a line per step elsewhere.

use crate::interrupt::Interrupt;
use crate::output;
use crate::remaining::RemainingTime;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pagetide_core::{Nanos, Progress, printable};
use pagetide_view::length;
use std::io::IsTerminal;
use std::time::Instant;

/// Shows a run's progress.
pub(crate) struct ProgressDisplay {
    interrupt: Interrupt,
    bar: ProgressBar,
    terminal: bool,
    title: String,
    began: Instant,
    /// The other runs, when this is one of several.
    remaining: Option<RemainingTime>,
    /// The prefix of every step's title.
    label: String,
}

/// Characters of a step's title beside its bar.
const TITLE: usize = 44;

/// The bar counts in thousandths of a step.
const WHOLE: u64 = 1000;

impl ProgressDisplay {
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
        Self {
            interrupt,
            bar,
            terminal: terminal || quiet,
            title: String::new(),
            began: Instant::now(),
            remaining: None,
            label: String::new(),
        }
    }

    /// Shows the progress of several runs, with the time that is left for all.
    pub(crate) fn of_several(interrupt: Interrupt, remaining: RemainingTime) -> Self {
        let mut shown = Self::new(interrupt, false);
        shown.remaining = Some(remaining);
        shown
    }

    /// One of several runs begins.
    pub(crate) fn run(&mut self, index: usize, what: &str) {
        let Some(remaining) = &mut self.remaining else { return };
        remaining.run(index);
        what.clone_into(&mut self.label);
        let line =
            format!("({} of {}) {what}, about {} left in total", index + 1, remaining.runs(), length(remaining.left()));
        self.bar.suspend(|| output::say(&line));
    }

    /// The run is over.
    pub(crate) fn run_done(&mut self, complete: bool) {
        if let Some(remaining) = &mut self.remaining {
            remaining.run_done(complete);
        }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Where the bar stands at a fraction from 0 to 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to WHOLE")]
fn position(fraction: f64) -> u64 {
    (fraction.clamp(0.0, 1.0) * WHOLE as f64) as u64
}

impl Progress for ProgressDisplay {
    fn step(&mut self, number: usize, of: usize, id: &str, title: &str) {
        let label = if self.label.is_empty() { String::new() } else { format!("{} ", self.label) };
        self.title = printable(&format!("{label}[{number}/{of}] {id}: {title}")).into_owned();
        self.began = Instant::now();
        if let Some(remaining) = &mut self.remaining {
            remaining.step(number);
        }
        self.bar.reset();
        // The line that ends the step has the whole title; here the rest of the line is worth more.
        self.bar.set_prefix(self.title.chars().take(TITLE).collect::<String>());
        self.bar.set_message("");
    }

    fn update(&mut self, fraction: Option<f64>, left: Option<Nanos>, note: &str) {
        if let Some(fraction) = fraction {
            self.bar.set_position(position(fraction));
        } else {
            self.bar.tick();
        }
        let mut words: Vec<String> = Some(note.to_owned()).filter(|note| !note.is_empty()).into_iter().collect();
        words.extend(left.map(|left| format!("{:.0} s left", left.as_secs_f64())));
        if let Some(remaining) = &mut self.remaining {
            if let Some(fraction) = fraction {
                remaining.fraction(fraction);
            }
            words.push(format!("{} left in total", length(remaining.left())));
        }
        self.bar.set_message(printable(&words.join(", ")).into_owned());
    }

    fn step_done(&mut self, note: &str) {
        let mut line = format!("{} ({:.1} s) {note}", self.title, self.began.elapsed().as_secs_f64());
        if let Some(remaining) = &mut self.remaining {
            remaining.fraction(1.0);
            line += &format!("; about {} left in total", length(remaining.left()));
        }
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
