//! Describes the shrunk host and how it differs from the scenario's machine.

use super::check::Found;
use super::options::HostOptions;
use super::shrunk::ShrunkHost;
use crate::shrink;
use pagetide_core::{Action, Figure, FioEngine, Manifest, Quantity, Scenario, StepResult, SwapSpec};
use pagetide_kernel::{Root, damon};

/// The differences that are known before the run.
pub(super) fn before(scenario: &Scenario, options: &HostOptions, host: &ShrunkHost<'_>, found: &Found) -> Vec<String> {
    let machine = &scenario.machine;
    let mut lines = Vec::new();
    match host {
        ShrunkHost::Group(shrunk) => {
            lines.push(format!(
                "The work runs in the memory control group {} with a limit of {}: the machine's {} less the {} of its system.",
                shrunk.group().path().display(),
                shrunk.limit(),
                machine.memory,
                machine.system,
            ));
            lines.extend(shrunk.dirty_in_words());
            lines.push(
                "Watermarks and kswapd are the host's: at its limit, the group reclaims directly in the task that allocates."
                    .to_owned(),
            );
        }
        ShrunkHost::Held { hold, .. } => lines.push(format!(
            "A process holds {} of this host's memory, locked, which leaves {} available, at least 1 GiB.",
            hold.touched(),
            shrink::limit(machine),
        )),
        ShrunkHost::Unchanged(_) => {
            lines.push(format!("The host keeps its own memory, not the scenario's {}.", machine.memory));
        }
    }
    if damon::evicts(&damon::actions(&Root::host())) {
        lines.push(
            "A DAMON scheme (action pageout) on this host evicts pages that are not accessed: a file that fits in memory can lose \
             pages during a long step."
                .into(),
        );
    }
    lines.push(format!("All disks of the scenario are this host's disk ({}).", found.disks.join(", ")));
    if options.limit_device {
        lines
            .push("The disk has the scenario's limits; with control groups of v1 they apply to the whole host.".into());
    }
    match &machine.swap {
        SwapSpec::None if matches!(host, ShrunkHost::Group(_)) => {}
        SwapSpec::None => lines.push("Swap is this host's own.".into()),
        SwapSpec::Disk { size, .. } | SwapSpec::Zram { size, .. } => {
            lines.push(format!("Swap is this host's own, not the scenario's {size}."));
        }
    }
    lines
}

/// The latency of the disk: the time of a read that was not cached and waited for no other request.
pub(super) fn after(scenario: &Scenario, steps: &[StepResult]) -> Option<String> {
    let cold = scenario.steps.iter().find_map(|step| match &step.action {
        Action::Fio(job)
            if step.drop_caches && job.rw == "randread" && !job.direct && job.ioengine == FioEngine::Sync =>
        {
            let result = steps.iter().find(|result| result.id == step.id)?;
            Some((job, result.quantity(Figure::ClatMean)?))
        }
        _ => None,
    });
    let (job, latency) = cold?;
    let disk = scenario.machine.disks.first()?;
    let mut words = Vec::new();
    words.extend(disk.latency.map(|latency| format!("{}", Quantity::nanos(latency))));
    words.extend(disk.iops.map(|iops| format!("{iops} IOPS")));
    words.extend(disk.bandwidth.map(|bandwidth| format!("{bandwidth}")));
    Some(format!(
        "A cold random read of {} took {latency} on this host; the scenario's disk: {}.",
        job.bs,
        if words.is_empty() { "not described".to_owned() } else { words.join(", ") },
    ))
}

/// The machine, a line for each part of it.
pub(super) fn machine(manifest: &Manifest, found: &Found) -> Vec<String> {
    let mut lines = vec![
        format!("{}, Linux {}", manifest.host, manifest.kernel),
        format!("{} CPUs, {} of memory", manifest.cpus, manifest.memory_total),
    ];
    for disk in manifest.disks.iter().filter(|disk| found.disks.contains(&disk.name)) {
        let ahead = disk.read_ahead.map_or_else(String::new, |size| format!(", readahead {size}"));
        lines.push(format!("disk {}, {}{ahead}", disk.name, disk.size));
    }
    lines.push(found.fio.clone());
    lines
}
