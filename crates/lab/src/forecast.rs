//! How long a scenario takes on the machine that it describes: the weights of the time left.
//!
//! This is arithmetic over device limits, published times and time limits, not a measurement; who shows the time left corrects
//! it by the pace of the run.

use crate::executor;
use pagetide_core::{DiskSpec, Effort, Figure, Nanos, Scale, Scenario, Step, StepKind};

/// Seconds around the steps: boot, settings, report.
const BOOT_AND_REPORT: f64 = 8.0;
/// Bytes per second at which files are written before the first step.
const LAYING_OUT: f64 = 150e6;
/// Seconds of a step that moves nothing.
const IDLE_STEP: f64 = 0.2;
/// Seconds of a request that no device serves.
const FROM_MEMORY: f64 = 4e-6;
/// How many times as fast as the machine that it describes the model computes: 20 to 60 times on two busy cores, by the scenarios that are shipped.
const MODEL_SPEED: f64 = 40.0;

/// The same on the model, which computes a scenario faster than its machine runs it and neither boots nor writes files.
pub(crate) fn of_model(scenario: &Scenario, scale: Scale) -> Vec<Nanos> {
    let real = forecast(scenario, scale).into_iter().skip(1).map(Nanos::as_secs_f64);
    let times = real.map(|seconds| Nanos::from_secs_f64(seconds / MODEL_SPEED).unwrap_or_default());
    std::iter::once(Nanos::ZERO).chain(times).collect()
}

/// The time before the first step and that of each step, in order. `scenario` is already scaled by `scale`.
pub(crate) fn forecast(scenario: &Scenario, scale: Scale) -> Vec<Nanos> {
    let before = BOOT_AND_REPORT + executor::room(scenario).as_f64() / LAYING_OUT;
    let steps = scenario.steps.iter().map(|step| step_time(scenario, step, scale));
    std::iter::once(before).chain(steps).map(|seconds| Nanos::from_secs_f64(seconds).unwrap_or_default()).collect()
}

fn step_time(scenario: &Scenario, step: &Step, scale: Scale) -> f64 {
    // Parts in the background end with the others.
    let parts = step.parts().iter().filter(|part| !part.background).map(|part| part.load.spec());
    let efforts = std::iter::once(step.action.spec()).chain(parts).map(|spec: &dyn StepKind| {
        let mut effort = spec.effort();
        effort.uncached |= step.drop_caches;
        (effort, scenario.machine.disks.iter().find(|disk| spec.disk().is_none_or(|name| disk.name == name)))
    });
    let efforts: Vec<(Effort, Option<&DiskSpec>)> = efforts.collect();
    // A time limit does not scale: a step that lasts until it takes all of it.
    let limited = efforts.iter().any(|(effort, _)| effort.lasts && effort.limit.is_some());
    match step.published.get(Figure::Elapsed).filter(|_| !limited) {
        Some(published) => published / 1e9 * scale.ratio(),
        None => efforts.into_iter().map(|(effort, disk)| seconds(effort, disk)).fold(IDLE_STEP, f64::max),
    }
}

fn seconds(effort: Effort, disk: Option<&DiskSpec>) -> f64 {
    let device = device_time(effort, disk) * if effort.uncached { 1.0 } else { 0.5 };
    let work = device.max(effort.paced.as_secs_f64());
    let work = match effort.limit.map(Nanos::as_secs_f64) {
        Some(limit) if effort.lasts => limit,
        Some(limit) => work.min(limit),
        None => work,
    };
    work + effort.after.as_secs_f64()
}

/// Seconds of the requests at the disk.
fn device_time(effort: Effort, disk: Option<&DiskSpec>) -> f64 {
    let requests = effort.bytes.as_f64() / effort.block.as_f64().max(1.0);
    let Some(disk) = disk else { return requests * FROM_MEMORY };
    let limits = [
        disk.latency.map(|latency| requests * latency.as_secs_f64() / f64::from(effort.depth.max(1))),
        disk.iops.map(|iops| requests / (iops as f64).max(1.0)),
        disk.bandwidth.map(|bandwidth| effort.bytes.as_f64() / bandwidth.as_f64().max(1.0)),
    ];
    limits.into_iter().flatten().fold(requests * FROM_MEMORY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    fn seconds(id: &str, scale: Scale) -> Vec<f64> {
        let scenario = catalogue::find(id, &[]).unwrap().scenario.scaled(scale);
        let times = forecast(&scenario, scale);
        assert_eq!(times.len(), scenario.steps.len() + 1);
        times.into_iter().map(Nanos::as_secs_f64).collect()
    }

    #[test]
    fn published_times_scale_and_limits_hold() {
        let eighth = Scale::new(1, 8).unwrap();
        let read = seconds("buffered-read", eighth);
        assert!((read[2] - 100.465 / 8.0).abs() < 1e-6, "A1 was published: {read:?}");
        // A device that is asked 32 at once is limited by its IOPS or by the 4 s that the step may take.
        assert!(read[1] <= 4.0 && read[1] > 0.5, "{read:?}");
    }

    #[test]
    fn the_model_does_not_take_the_time_of_the_machine() {
        let sixteenth = Scale::new(1, 16).unwrap();
        let all = |forecast: fn(&Scenario, Scale) -> Vec<Nanos>| -> f64 {
            let scenarios = catalogue::ids().map(|id| catalogue::find(id, &[]).unwrap().scenario.scaled(sixteenth));
            scenarios.flat_map(|scenario| forecast(&scenario, sixteenth)).map(Nanos::as_secs_f64).sum()
        };
        // All of them took 28 s and 40 s on two busy cores.
        let model = all(of_model);
        assert!(model > 14.0 && model < 80.0, "{model} of {}", all(forecast));
    }

    #[test]
    fn every_shipped_scenario_has_a_forecast_that_shrinks_with_it() {
        for id in catalogue::ids() {
            let (whole, part) = (seconds(id, Scale::FULL), seconds(id, Scale::new(1, 16).unwrap()));
            assert!(whole.iter().chain(&part).all(|time| time.is_finite() && *time > 0.0), "{id}: {whole:?}");
            assert!(part.iter().sum::<f64>() < whole.iter().sum::<f64>(), "{id}");
        }
    }
}
