//! How long a scenario would take on the machine that it describes: the weights by which time left is told.
//!
//! This is arithmetic over device limits, published times and time limits, not a measurement; whoever tells the time left
//! corrects it by the pace that was seen.

use crate::executor;
use pagetide_core::{Action, Bytes, DiskSpec, Figure, FioJob, Load, Nanos, Scale, Scenario, Step};

/// What is done around the steps: a boot, settings, the report.
const AROUND: f64 = 8.0;
/// At which pace files are laid out, bytes per second.
const LAYING_OUT: f64 = 150e6;
/// What a step takes that moves nothing.
const NOTHING: f64 = 0.2;
/// What one request takes that no device serves, in seconds.
const FROM_MEMORY: f64 = 4e-6;

/// The time before the first step and that of each step, in order. `scenario` is scaled already by `scale`.
pub fn forecast(scenario: &Scenario, scale: Scale) -> Vec<Nanos> {
    let before = AROUND + executor::room(scenario).as_f64() / LAYING_OUT;
    let steps = scenario.steps.iter().map(|step| step_time(scenario, step, scale));
    std::iter::once(before).chain(steps).map(|seconds| Nanos::from_secs_f64(seconds).unwrap_or_default()).collect()
}

fn step_time(scenario: &Scenario, step: &Step, scale: Scale) -> f64 {
    // A time limit does not scale: a step that has one may take all of it.
    let limited = matches!(&step.action, Action::Load(Load::MapAndWalk(walk)) if walk.time.is_some());
    if let Some(published) = step.published.get(Figure::Elapsed).filter(|_| !limited) {
        return published / 1e9 * scale.ratio();
    }
    let disk =
        |name: Option<&str>| scenario.machine.disks.iter().find(|disk| name.is_none_or(|name| disk.name == name));
    match &step.action {
        Action::Fio(job) => fio(job, step.drop_caches, disk(job.disk.as_deref())),
        Action::Load(one) => load(one, disk(place(one))),
        Action::Parallel(parts) => {
            // A part in the background ends with the others.
            let times =
                parts.iter().filter(|part| !part.background).map(|part| load(&part.load, disk(place(&part.load))));
            times.fold(NOTHING, f64::max)
        }
        Action::Sleep(time) => time.as_secs_f64(),
        Action::Hold(_)
        | Action::Release(_)
        | Action::DropCaches
        | Action::Sysctl(_)
        | Action::Snapshot
        | Action::Swap(_)
        | Action::Device(_) => NOTHING,
    }
}

fn place(load: &Load) -> Option<&str> {
    load.stored().find_map(|place| place.disk())
}

/// Seconds that a disk takes to move `size` in requests of `block`, `depth` at once.
fn device_time(disk: Option<&DiskSpec>, size: Bytes, block: Bytes, depth: u32) -> f64 {
    let requests = size.as_f64() / block.as_f64().max(1.0);
    let Some(disk) = disk else { return requests * FROM_MEMORY };
    let limits = [
        disk.latency.map(|latency| requests * latency.as_secs_f64() / f64::from(depth.max(1))),
        disk.iops.map(|iops| requests / (iops as f64).max(1.0)),
        disk.bandwidth.map(|bandwidth| size.as_f64() / bandwidth.as_f64().max(1.0)),
    ];
    limits.into_iter().flatten().fold(requests * FROM_MEMORY, f64::max)
}

fn fio(job: &FioJob, cold: bool, disk: Option<&DiskSpec>) -> f64 {
    let device = device_time(disk, job.size, job.bs, job.iodepth.unwrap_or(1));
    let whole = if cold || job.direct { device } else { device / 2.0 };
    job.runtime.map_or(whole, |limit| if job.time_based { limit.as_secs_f64() } else { whole.min(limit.as_secs_f64()) })
}

fn load(load: &Load, disk: Option<&DiskSpec>) -> f64 {
    // Reading ahead and writing back make large requests of whatever is asked for.
    let sequential = |size| device_time(disk, size, Bytes::new(128 << 10), 1);
    let limited = |time: f64, limit: Option<Nanos>| limit.map_or(time, |limit| time.min(limit.as_secs_f64()));
    match load {
        Load::Stream(stream) => {
            let pace = stream.rate.map_or(0.0, |rate| stream.size.as_f64() / rate.as_f64().max(1.0));
            limited(sequential(stream.size).max(pace), stream.time)
        }
        Load::Dd(dd) => {
            let pace = dd.rate.map_or(0.0, |rate| dd.size.as_f64() / rate.as_f64().max(1.0));
            limited(sequential(dd.size).max(pace), dd.time)
        }
        Load::Copy(copy) => sequential(copy.size),
        Load::MapAndWalk(walk) => {
            let touched = walk.code.as_f64() / 4096.0;
            let pace = walk.rate.map_or(0.0, |rate| touched / (rate as f64).max(1.0));
            walk.time.map_or_else(|| sequential(walk.code).max(pace), Nanos::as_secs_f64)
        }
        Load::Grow(grow) => {
            let pace = grow.rate.map_or(1e9, |rate| rate.as_f64().max(1.0));
            grow.size.as_f64() / pace + grow.linger.as_secs_f64()
        }
        Load::Spin(spin) => spin.time.map_or(NOTHING, Nanos::as_secs_f64),
        Load::Names(names) => {
            let pace = names.rate.map_or(FROM_MEMORY, |rate| 1.0 / (rate as f64).max(1.0));
            names.count as f64 * pace + names.linger.as_secs_f64()
        }
    }
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
    fn every_shipped_scenario_has_a_forecast_that_shrinks_with_it() {
        for id in catalogue::ids() {
            let (whole, part) = (seconds(id, Scale::FULL), seconds(id, Scale::new(1, 16).unwrap()));
            assert!(whole.iter().chain(&part).all(|time| time.is_finite() && *time > 0.0), "{id}: {whole:?}");
            assert!(part.iter().sum::<f64>() < whole.iter().sum::<f64>(), "{id}");
        }
    }
}
