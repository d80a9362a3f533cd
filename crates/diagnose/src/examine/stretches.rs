//! The stretches of a recording that the rules examine.

use crate::examine::cost::Losses;
use crate::ledger;
use crate::measure::episodes::Episodes;
use crate::measure::window::{Window, intervals};
use pagetide_core::{Finding, Ledger, Recording, Span};

/// The stretches that the rules examine.
#[derive(Debug)]
pub(crate) struct Stretches<'a> {
    pub(crate) whole: Option<Window<'a>>,
    /// The steps of a lab run, else the busy stretches.
    pub(crate) windows: Vec<Window<'a>>,
    /// The stretch in which a service lost most time to waits for IO and memory.
    pub(crate) worst: Option<Window<'a>>,
    /// The time lost in it, by account.
    pub(crate) ledger: Option<Ledger>,
    /// The time that tasks lose.
    pub(crate) losses: Losses,
    /// The stretch that is asked for: a step, whose recording has what was before it as well.
    pub(crate) asked: Span,
}

impl<'a> Stretches<'a> {
    pub(crate) fn of(recording: &'a Recording, episodes: &'a Episodes) -> Self {
        let whole = Window::whole(recording, episodes);
        // The steps of a lab run have known causes.
        let ledger = whole.as_ref().filter(|_| recording.steps().next().is_none()).and_then(ledger::of);
        let worst = whole.zip(ledger.as_ref().filter(|ledger| ledger::alarming(ledger)));
        let worst = worst.map(|(whole, ledger)| Window {
            quiet: (ledger.range.from > whole.span.from)
                .then_some(Span { from: whole.span.from, to: ledger.range.from }),
            ..whole.over(ledger.range)
        });
        Self {
            worst,
            ledger,
            whole,
            windows: Window::all(recording, episodes),
            losses: Losses::of(recording, episodes),
            asked: Span::ALL,
        }
    }

    /// Whether a finding is of the stretch that is asked for: it began in it, or lasts in it by more than the samples at its edge.
    pub(crate) fn holds(&self, recording: &Recording, finding: &Finding) -> bool {
        let edge = self.asked.from.later(intervals(recording, 2));
        finding.range.to > edge || finding.range.from >= self.asked.from
    }

    /// The part of the recording that is asked for: all of it, or a step.
    pub(crate) fn asked_of(&self, whole: &Window<'a>) -> Window<'a> {
        whole.over(Span { from: whole.span.from.max(self.asked.from), to: whole.span.to.min(self.asked.to) })
    }

    /// What was before the stretch that is asked for.
    pub(crate) fn before(&self) -> Span {
        Span { from: Span::ALL.from, to: self.asked.from }
    }
}
