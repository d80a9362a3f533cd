//! Which of two steps has more: the order of two settings, on the kernel and on the model.

use super::{Conformance, JudgedFigure, Verdict};
use pagetide_core::Figure;

/// By how much two steps must differ on the kernel, as a share of the smaller value, for their order to count.
const APART: f64 = 0.10;

/// Free memory and cache at one instant rise and fall while kswapd works: their order is chance.
const INSTANTS: [Figure; 2] = [Figure::FreeBefore, Figure::FreeAfter];

/// Two steps of a scenario: the kernel has more of a figure in the first, in each of its runs and beyond their noise.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The step with more.
    pub more: String,
    /// The step with less.
    pub less: String,
    /// The figure.
    pub figure: Figure,
    /// Whether the model's medians have the same order.
    pub kept: bool,
    /// The step whose figure is beyond its band, if one is: the order follows from it.
    pub beyond: Option<String>,
}

/// All pairs of judged figures that have an order on the kernel and are not small beside their step's traffic.
pub fn orders(one: &Conformance) -> Vec<Order> {
    let judged: Vec<&JudgedFigure> = one
        .figures
        .iter()
        .filter(|judged| judged.verdict != Verdict::Small && !INSTANTS.contains(&judged.figure))
        .collect();
    let mut orders = Vec::new();
    for more in &judged {
        for less in judged.iter().filter(|less| less.figure == more.figure && less.kind == more.kind) {
            let Some((modelled, modelled_less)) = more.modelled().zip(less.modelled()) else { continue };
            let beyond = [more, less].into_iter().find(|figure| figure.verdict == Verdict::Beyond);
            let apart = more.repeats.iter().all(|more| less.repeats.iter().all(|less| *more > less * (1.0 + APART)))
                && more.truth() - less.truth() > more.band.amount.max(less.band.amount);
            if apart {
                orders.push(Order {
                    more: more.step.clone(),
                    less: less.step.clone(),
                    figure: more.figure,
                    kept: modelled > modelled_less,
                    beyond: beyond.map(|figure| figure.step.clone()),
                });
            }
        }
    }
    orders
}
