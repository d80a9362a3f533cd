//! Misses of steps that began with more or less memory than the machine had before its first step, from which the model's is made: programs
//! of the guest start, end and are swapped out between the two. These steps are repeated on the model with the memory of the step.

use super::judge::{JudgedFigure, Verdict};
use crate::sim::MeasuredMemory;
use pagetide_core::{Bytes, Error, Figure, Quantity};
use std::collections::BTreeSet;

/// By how much the available memory must differ to be tried, as a share of all memory.
const OTHER_MEMORY: f64 = 0.003;

/// Says of each figure beyond its band whether it is within it on a machine with the memory that its step began with. `before` is that
/// of the machine before its first step; `with_memory` runs the model of another machine and judges it.
pub(super) fn explain(
    figures: &mut [JudgedFigure],
    before: MeasuredMemory,
    with_memory: impl Fn(Option<MeasuredMemory>) -> Result<Vec<JudgedFigure>, Error>,
) -> Result<(), Error> {
    let beyond = |figure: &&JudgedFigure| figure.verdict == Verdict::Beyond;
    let steps: BTreeSet<String> = figures.iter().filter(beyond).map(|miss| miss.step.clone()).collect();
    for step in steps {
        let more = figures.iter().find(|figure| figure.step == step && figure.figure == Figure::AvailableBefore);
        let Some((kernel, model)) = more.and_then(|figure| Some((figure.truth(), figure.modelled()?))) else {
            continue;
        };
        let more = kernel - model;
        if more.abs() < OTHER_MEMORY * before.total.as_f64() {
            continue;
        }
        let again = with_memory(Some(changed(before, more)))?;
        let word = if more > 0.0 { "more" } else { "less" };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes")]
        let amount = Bytes::new(more.abs() as u64);
        // What is available and free when the step begins is so by construction then.
        for miss in figures
            .iter_mut()
            .filter(|figure| figure.step == step && figure.verdict == Verdict::Beyond)
            .filter(|figure| !matches!(figure.figure, Figure::AvailableBefore | Figure::FreeBefore))
        {
            let within = |other: &&JudgedFigure| {
                other.step == miss.step && other.figure == miss.figure && other.verdict != Verdict::Beyond
            };
            if let Some(value) = again.iter().find(within).and_then(JudgedFigure::modelled) {
                miss.shown = Some(format!(
                    "the guest had {amount} {word} memory available when the step began than the model's machine, which is made from the memory \
                     before the first step; with as much the model has {}, which is within the band",
                    Quantity::new(value, miss.figure.unit())
                ));
            }
        }
    }
    Ok(())
}

/// A machine with this many bytes more available (fewer, if below 0).
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes")]
fn changed(memory: MeasuredMemory, more: f64) -> MeasuredMemory {
    let plus = |size: Bytes| Bytes::new((size.as_f64() + more).max(0.0) as u64);
    MeasuredMemory { available: plus(memory.available), free: plus(memory.free), ..memory }
}
