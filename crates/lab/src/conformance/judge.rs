//! The verdict on each figure.

use super::Reference;
use pagetide_core::{Comparability, Figure, FioJob, Outcome, Scenario, Step, StepResult, Unit};

/// Largest error of a count, as a share, that is within its band.
const COUNT_BAND: f64 = 0.10;
/// The same of a time of a step that waits for its disk.
const TIME_BAND: f64 = 0.20;
/// Share of a step's page traffic below which a figure is small: there only the noise of the kernel's own runs judges.
const SMALL_SHARE: f64 = 0.01;
/// Standard deviations of the kernel's own runs that are noise.
const SIGMAS: f64 = 3.0;
/// Share of a step's time that its disk must be busy for its times to be compared.
const DISK_BOUND: f64 = 0.8;
/// A request may take so many times as long as on the model's disk; beyond that a busy host delays the disk of its VM, and times say
/// nothing of the kernel.
const DISK_SLOWED: f64 = 1.5;

/// What is said of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// The same number.
    Exact,
    /// Within its band.
    Within,
    /// Small beside the step's page traffic, and within the noise or 1 % of that traffic.
    Small,
    /// Beyond its band.
    Beyond,
    /// The model does not have it.
    NotModelled,
}

/// How far a figure may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// In the figure's own unit.
    pub amount: f64,
}

/// A figure on the kernel and on the model.
#[derive(Debug, Clone)]
pub struct JudgedFigure {
    /// The step.
    pub step: String,
    /// What kind of step it is: `fio`, `stream`.
    pub kind: String,
    /// The figure.
    pub figure: Figure,
    /// Its value in each run on the kernel.
    pub kernel: Vec<f64>,
    /// Its value in each run of the model.
    pub model: Vec<f64>,
    /// Its value in each known run of this machine: those on the kernel, and others that say how far such runs are apart.
    pub repeats: Vec<f64>,
    /// How far it may be.
    pub band: Band,
    /// Whether it counts for the scenario's median and worst error: an amount of 1 % of the step's page traffic or more.
    pub counts: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is beyond its band, where another run of the model has shown that.
    pub shown: Option<String>,
}

impl JudgedFigure {
    /// The median of the kernel's runs.
    pub fn truth(&self) -> f64 {
        median(&self.kernel)
    }

    /// The median of the model's runs; none where it does not have the figure.
    pub fn modelled(&self) -> Option<f64> {
        (!self.model.is_empty()).then(|| median(&self.model))
    }

    /// How far the model is from the kernel, as a share of the kernel's value.
    pub fn error(&self) -> Option<f64> {
        let (truth, model) = (self.truth(), self.modelled()?);
        if truth == model { Some(0.0) } else { (truth != 0.0).then(|| (model - truth).abs() / truth.abs()) }
    }

    /// How far the kernel's own runs are from each other, as a share of their median; none with one run.
    pub fn noise(&self) -> Option<f64> {
        let (low, high) = self.repeats.iter().fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
        (self.repeats.len() > 1 && self.truth() != 0.0).then(|| (high - low) / self.truth().abs())
    }

    /// How far it may be, as a share of the kernel's value.
    pub fn band_share(&self) -> Option<f64> {
        (self.truth() != 0.0).then(|| self.band.amount / self.truth().abs())
    }
}

/// The median; NaN of nothing.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.get(sorted.len() / 2), sorted.len() % 2) {
        (Some(upper), 0) => f64::midpoint(sorted[sorted.len() / 2 - 1], *upper),
        (Some(middle), _) => *middle,
        (None, _) => f64::NAN,
    }
}

/// The standard deviation of few runs; 0 of one.
fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}

/// Figures that say what was asked for, or what is the same on every machine by construction: no model could miss them.
const GIVEN: [Figure; 6] = [
    Figure::Issued,
    Figure::FileBytes,
    Figure::Processed,
    Figure::MemoryTotal,
    Figure::Iterations,
    Figure::PredictedHitRatio,
];
/// Figures that are not judged: fio's own counts, because the kernel's counters for the same are judged, and Cached, which in a VM
/// includes its initramfs.
const OTHERS: [Figure; 5] =
    [Figure::FioDiskReads, Figure::FioDiskWrites, Figure::DiskUtil, Figure::CacheBefore, Figure::CacheAfter];

/// Judges the figures of all steps that ran on both.
pub(super) fn all(
    scenario: &Scenario,
    references: &[Reference],
    repeats: &[Reference],
    model: &[Vec<StepResult>],
) -> Vec<JudgedFigure> {
    let mut judged = Vec::new();
    for step in &scenario.steps {
        for id in std::iter::once(step.id.clone()).chain(step.parts().iter().map(|part| step.part_id(part))) {
            let find = |steps: &[StepResult]| steps.iter().find(|result| result.id == id).cloned();
            let of = |runs: &[Reference]| -> Vec<StepResult> {
                runs.iter().filter_map(|reference| find(&reference.result.steps)).collect()
            };
            let (kernel, others) = (of(references), of(repeats));
            let model: Vec<StepResult> = model.iter().filter_map(|steps| find(steps)).collect();
            // A run that something ended early, such as the OOM killer, compares nothing.
            // Nor does a step whose time was over before its first request.
            let none = |result: &StepResult| result.get(Figure::Issued).is_none_or(|issued| issued < 1.0);
            let same = |result: &StepResult| match result.outcome {
                Outcome::Done => true,
                Outcome::TimedOut => !none(result),
                _ => false,
            };
            if kernel.is_empty() || model.is_empty() || !step.action.spec().works() || !kernel.iter().all(same) {
                continue;
            }
            judged.extend(Figure::ALL.iter().filter_map(|figure| judge(step, *figure, &kernel, &others, &model)));
        }
    }
    judged
}

/// Pages that a step moves: those it asked for, or more where the disk moved more.
fn traffic(kernel: &[StepResult]) -> f64 {
    let pages = |step: &StepResult| {
        let bytes = |figure| step.get(figure).unwrap_or(0.0);
        let disk = bytes(Figure::DiskReadBytes) + bytes(Figure::DiskWrittenBytes);
        disk.max(bytes(Figure::Processed)) / 4096.0
    };
    median(&kernel.iter().map(pages).collect::<Vec<_>>())
}

/// The part of a figure's unit that is a page of traffic, for figures of amount.
fn page_of(figure: Figure) -> Option<f64> {
    match figure.unit() {
        Unit::Bytes => Some(4096.0),
        Unit::Pages | Unit::Count => Some(1.0),
        _ => None,
    }
}

fn judge(
    step: &Step,
    figure: Figure,
    kernel: &[StepResult],
    others: &[StepResult],
    model: &[StepResult],
) -> Option<JudgedFigure> {
    let values = |steps: &[StepResult]| steps.iter().filter_map(|step| step.get(figure)).collect::<Vec<f64>>();
    let (on_kernel, on_model) = (values(kernel), values(model));
    if on_kernel.is_empty() || GIVEN.contains(&figure) || OTHERS.contains(&figure) {
        return None;
    }
    let amount = figure.comparability() == Comparability::Count;
    if !amount && !compares_in_time(step, figure, kernel, model) {
        return None;
    }
    let truth = median(&on_kernel);
    let traffic = traffic(kernel);
    let small_amount = page_of(figure).map(|page| SMALL_SHARE * traffic * page);
    let largest = on_kernel.iter().chain(&on_model).copied().fold(0.0, f64::max);
    let small = amount && small_amount.is_some_and(|small| largest < small);
    let share = if amount { COUNT_BAND } else { TIME_BAND };
    let repeats = [on_kernel.clone(), values(others)].concat();
    let noise = SIGMAS * deviation(&repeats);
    let band = if small { noise.max(small_amount.unwrap_or(0.0)) } else { (share * truth.abs()).max(noise) };
    let mut judged = JudgedFigure {
        step: kernel.first()?.id.clone(),
        kind: kernel.first()?.kind.clone(),
        figure,
        kernel: on_kernel,
        model: on_model,
        repeats,
        band: Band { amount: band },
        counts: amount && !small,
        verdict: Verdict::NotModelled,
        shown: None,
    };
    if let Some(modelled) = judged.modelled() {
        judged.verdict = match (modelled - truth).abs() {
            0.0 => Verdict::Exact,
            apart if apart <= band && small => Verdict::Small,
            apart if apart <= band => Verdict::Within,
            _ => Verdict::Beyond,
        };
    }
    Some(judged)
}

/// Whether a time or rate compares: of a step that waits for its disk most of its time, with a disk as fast as it should be.
fn compares_in_time(step: &Step, figure: Figure, kernel: &[StepResult], model: &[StepResult]) -> bool {
    let times = [Figure::Elapsed, Figure::Iops, Figure::ClatMean];
    let direct = matches!(&step.action, pagetide_core::Action::Fio(FioJob { direct: true, .. }));
    let await_of = |result: &StepResult| result.get(Figure::DiskAwait);
    let should = median(&model.iter().filter_map(await_of).collect::<Vec<_>>());
    let bound = |result: &StepResult| {
        result.outcome == Outcome::Done
            && result.get(Figure::DiskUtil).is_some_and(|util| util >= DISK_BOUND)
            && await_of(result).is_some_and(|time| time <= DISK_SLOWED * should)
    };
    times.contains(&figure) && !direct && kernel.iter().all(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_and_the_deviation_of_few_runs() {
        assert!((median(&[3.0, 1.0]) - 2.0).abs() < 1e-9 && (median(&[5.0, 1.0, 3.0]) - 3.0).abs() < 1e-9);
        assert!((deviation(&[1.0, 3.0]) - 2f64.sqrt()).abs() < 1e-9 && deviation(&[1.0]).abs() < 1e-9);
    }
}
