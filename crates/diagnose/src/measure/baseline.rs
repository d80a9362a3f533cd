//! What was before a stretch: the one place that answers "than before".

use crate::measure::amount::Amount;
use crate::measure::episodes::SignalSpec;
use crate::measure::window::Window;
use pagetide_core::{Moment, Span};

/// What was before a stretch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Baseline<'a> {
    /// The stretch.
    window: Window<'a>,
}

impl<'a> Window<'a> {
    /// What was before this stretch.
    pub(crate) const fn baseline(&self) -> Baseline<'a> {
        Baseline { window: *self }
    }
}

impl<'a> Baseline<'a> {
    fn of(self, span: Span) -> Window<'a> {
        Window { step: None, quiet: None, ..self.window.over(span) }
    }

    /// The quiet stretch right before; absent when the recording begins with the stretch.
    pub(crate) fn quiet(self) -> Option<Window<'a>> {
        self.window.quiet.map(|quiet| self.of(quiet))
    }

    /// All of the recording before; absent when it begins with the stretch.
    pub(crate) fn all(self) -> Option<Window<'a>> {
        let (from, _) = self.window.episodes.span(self.window.recording)?;
        let span = Span { from: Moment::new(from), to: self.window.span.from };
        (span.from < span.to).then(|| self.of(span))
    }

    /// The time before a moment of the stretch, with the quiet time before it; absent when nothing was.
    pub(crate) fn until(self, at: Moment) -> Option<Window<'a>> {
        let from = self.window.quiet.map_or(self.window.span.from, |quiet| quiet.from);
        (from < at).then(|| Window { quiet: None, ..self.window.over(Span { from, to: at }) })
    }

    /// The mean of a signal in the quiet stretch right before, or its lower quartile over the recording where that is less: the quiet stretch may
    /// hold an earlier part of what goes on. Absent when the recording begins with the stretch.
    pub(crate) fn mean<M>(self, signal: SignalSpec<'_>) -> Option<Amount<M>> {
        let quiet = self.window.quiet?;
        let signal = self.window.episodes.signal(self.window.recording, signal)?;
        let before: Amount<M> = signal.mean(quiet)?;
        Some(signal.baseline().map_or(before, |lower| before.min(lower)))
    }

    /// The median of a signal over all of the recording before, which a burst there does not shift; absent with fewer than ten intervals.
    pub(crate) fn median<M>(self, signal: SignalSpec<'_>) -> Option<Amount<M>> {
        let before = self.all()?.span;
        self.window.episodes.middle(self.window.recording, signal, before).map(|(median, _)| median)
    }
}
