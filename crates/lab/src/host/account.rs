//! Says in sentences what the host was made into, and how it differs from the machine that the scenario describes.

use super::check::Found;
use super::options::HostOptions;
use super::shrunk::ShrunkHost;
use crate::shrink;
use pagetide_core::{Action, Figure, Manifest, Quantity, Scenario, StepResult, SwapSpec};
use pagetide_kernel::{Root, damon};

/// What was done to the host and what stays different, known before the run.
pub(super) fn before(scenario: &Scenario, options: &HostOptions, host: &ShrunkHost<'_>, found: &Found) -> Vec<String> {
    let machine = &scenario.machine;
    let mut lines = Vec::new();
    match host {
        ShrunkHost::Group(shrunk) => {
            lines.push(format!(
                "The work runs in the memory control group {}, limited to {}: the machine's {} less the {} its own system would hold.",
                shrunk.group().path().display(),
                shrunk.limit(),
                machine.memory,
                machine.system,
            ));
            lines.extend(shrunk.dirty_in_words());
            lines.push(
                "Watermarks and kswapd are the host's: the group reclaims directly, when it is at its limit, from whoever \
                 allocates."
                    .to_owned(),
            );
        }
        ShrunkHost::Held { hold, .. } => lines.push(format!(
            "A process holds {} of this host's memory, locked, so that {} or 1 GiB stay available; all else is the host's own.",
            hold.touched(),
            shrink::limit(machine),
        )),
        ShrunkHost::Unchanged(_) => {
            lines.push(format!("The host was not made smaller: its memory is its own, not the scenario's {}.", machine.memory));
        }
    }
    if damon::actions(&Root::host()).iter().any(|action| action == "pageout") {
        lines.push(
            "The kernel of this host takes memory that is not accessed out of the cache by itself (a DAMON scheme with the action \
             pageout is on): a file that fits may lose some pages while memory is free, and more of them in a longer step."
                .into(),
        );
    }
    lines.push(format!("The disk is this host's ({}), whatever the scenario calls its disks.", found.disks.join(", ")));
    if options.limit_device {
        lines.push(
            "The disk was given the scenario's limits, for everybody on this host where control groups are of v1."
                .into(),
        );
    }
    match &machine.swap {
        SwapSpec::None if matches!(host, ShrunkHost::Group(_)) => {}
        SwapSpec::None => lines.push("Swap is as this host has it.".into()),
        SwapSpec::Disk { size, .. } | SwapSpec::Zram { size, .. } => {
            lines.push(format!("The scenario's swap of {size} was not made: swap is as this host has it."));
        }
    }
    lines
}

/// What the run has shown of the disk: what one read took that was not cached and waited for no other.
pub(super) fn after(scenario: &Scenario, steps: &[StepResult]) -> Option<String> {
    let cold = scenario.steps.iter().find_map(|step| match &step.action {
        Action::Fio(job) if step.drop_caches && job.rw == "randread" && !job.direct && job.ioengine == "sync" => {
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
