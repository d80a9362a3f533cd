//! CPU time per operation: how much slower a machine is than the one that the model's defaults were measured on.

use pagetide_core::{Figure, StepResult};
use pagetide_sim::Costs;

/// How much slower an emulated CPU is than the model's default: the median of the stored VM runs (`fixtures/conformance`).
pub const EMULATED: f64 = 80.0;

/// The costs of an emulated CPU.
pub(super) fn emulated() -> Costs {
    Costs::default().times(EMULATED)
}

/// Share of its requests that a step may send to the disk and still show the CPU alone.
const FROM_DISK: f64 = 0.01;

/// How many times slower the CPU of a run was than the model's: the median, over the steps whose requests needed no disk in both,
/// of the ratio of their mean latencies. None where no step shows it.
pub fn calibrate(run: &[StepResult], model: &[StepResult]) -> Option<f64> {
    let cpu_only = |step: &StepResult| {
        let (issued, latency) = (step.get(Figure::Issued)?, step.get(Figure::ClatMean)?);
        let disk = step.get(Figure::DiskReads)? + step.get(Figure::DiskWrites)?;
        (step.kind == "fio" && disk < FROM_DISK * issued && latency > 0.0).then_some(latency)
    };
    let mut ratios: Vec<f64> = run
        .iter()
        .filter_map(|step| {
            let own = model.iter().find(|own| own.id == step.id)?;
            Some(cpu_only(step)? / cpu_only(own)?)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Figures, Outcome};

    fn step(id: &str, latency: f64, disk: f64) -> StepResult {
        let mut figures = Figures::default();
        figures.set(Figure::Issued, 1000.0);
        figures.set(Figure::ClatMean, latency);
        figures.set(Figure::DiskReads, disk);
        figures.set(Figure::DiskWrites, 0.0);
        StepResult {
            id: id.into(),
            kind: "fio".into(),
            title: String::new(),
            started_ns: 0,
            ended_ns: 1,
            outcome: Outcome::Done,
            notes: Vec::new(),
            figures,
        }
    }

    #[test]
    fn steps_that_wait_for_the_disk_do_not_say_how_fast_a_cpu_is() {
        let vm = [step("cold", 9e5, 1000.0), step("warm", 1e5, 0.0), step("other", 1e5, 0.0)];
        let model = [step("cold", 4e5, 1000.0), step("warm", 1e3, 0.0), step("other", 1e3, 500.0)];
        assert_eq!(calibrate(&vm, &model), Some(100.0));
        assert_eq!(calibrate(&vm[..1], &model), None);
    }
}
