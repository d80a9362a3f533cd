//! Small curves in one line of text.

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One series as bars of eight heights, from zero to its largest value, in at most `width` characters. What is absent is
/// a blank, and so is zero; of values that share a character the largest is drawn, so that spikes survive.
///
/// ```
/// use pagetide_view::text::sparkline;
///
/// assert_eq!(sparkline(&[Some(1.0), Some(4.0), None, Some(8.0)], 10), "▁▄ █");
/// assert_eq!(sparkline(&[Some(0.0), Some(1.0), Some(9.0), Some(0.0)], 2), "▁█");
/// ```
pub fn sparkline(values: &[Option<f64>], width: usize) -> String {
    let columns = width.min(values.len());
    let span = i64::try_from(values.len()).unwrap_or(i64::MAX);
    let spans = (0i64..).zip(values).filter_map(|(at, value)| Some((at, at + 1, (*value)?)));
    let filled = fill(spans, span, columns);
    let top = filled.iter().flatten().copied().fold(0.0, f64::max);
    bars(&scaled(filled, top, false))
}

/// The column of a moment.
pub(super) fn column(at: i64, span: i64, columns: usize) -> usize {
    let place = at.max(0) as f64 / span.max(1) as f64 * columns as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative; more than fits saturates"
    )]
    let column = place as usize;
    column.min(columns.saturating_sub(1))
}

/// The largest value in each column.
pub(super) fn fill(spans: impl Iterator<Item = (i64, i64, f64)>, span: i64, columns: usize) -> Vec<Option<f64>> {
    let mut filled: Vec<Option<f64>> = vec![None; columns];
    for (from, to, value) in spans {
        let (first, last) = (column(from, span, columns), column((to - 1).max(from), span, columns));
        for cell in filled.iter_mut().take(last + 1).skip(first) {
            *cell = Some(cell.map_or(value, |other| other.max(value)));
        }
    }
    filled
}

/// Values as parts of `top`; on a logarithmic scale over its five decades.
pub(super) fn scaled(values: Vec<Option<f64>>, top: f64, log: bool) -> Vec<Option<f64>> {
    let part = |value: f64| {
        if top <= 0.0 || value <= 0.0 {
            0.0
        } else if log {
            (1.0 + (value / top).log10() / 5.0).max(0.01)
        } else {
            value / top
        }
    };
    values.into_iter().map(|value| value.map(part)).collect()
}

/// Parts of one as bars.
pub(super) fn bars(parts: &[Option<f64>]) -> String {
    let bar = |part: &Option<f64>| match part {
        Some(part) if *part > 0.0 => BARS[column_of_bar(*part)],
        _ => ' ',
    };
    parts.iter().map(bar).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 8")]
fn column_of_bar(part: f64) -> usize {
    ((part.clamp(0.0, 1.0) * 8.0).ceil() as usize).saturating_sub(1).min(7)
}
