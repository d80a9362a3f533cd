//! The machine of the scenario.

use super::draft::Draft;
use super::memory::Held;
use super::toml::{per_second, size};
use crate::guess::Knob;
use crate::recorded::whole;
use pagetide_core::{Lru, plain_name};
use pagetide_lab::plan::model_settings;
use std::fmt::Write;

/// The machine, on whose disks files of so many bytes are read and written.
pub(super) fn machine(draft: &Draft<'_>, held: &Held, files: f64) -> String {
    let mut text = String::new();
    let manifest = &draft.facts.trouble.recording.manifest;
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "\n[machine]\ncpus = {}\nmemory = {}\nsystem = {}",
        manifest.cpus,
        size(manifest.memory_total.as_f64()),
        size(held.system)
    );
    let _ = writeln!(text, "swap = {}", swap(draft));
    if let Some(lru) = manifest.lru {
        let _ = writeln!(text, "lru = \"{}\"", if lru == Lru::Mglru { "mglru" } else { "classic" });
    }
    if let Some(times) = draft.facts.reclaim_slowdown {
        let _ = writeln!(text, "reclaim_slowdown = {times}");
    }
    let settings: Vec<String> =
        model_settings(manifest).iter().map(|(name, value)| format!("\"{name}\" = {value}")).collect();
    let _ = writeln!(text, "sysctl = {{ {} }}", settings.join(", "));
    let used = files + draft.facts.cache + draft.swap_bytes();
    for disk in &draft.facts.disks {
        let _ = writeln!(
            text,
            "\n[[machine.disk]]\nname = \"{}\"\nsize = {}",
            plain_name(&disk.name),
            size(used * 1.3 + 1e9)
        );
        let us = |time: f64| whole((time / 1e3 * draft.factors.of(Knob::Latency)).max(1.0));
        let _ = writeln!(text, "latency = \"{}us\"", us(disk.latency));
        if let Some(write) = disk.write_latency {
            let _ = writeln!(text, "write_latency = \"{}us\"", us(write));
        }
        if let Some(flush) = disk.flush {
            let _ = writeln!(text, "flush = \"{}us\"", whole(flush / 1e3 * draft.factors.of(Knob::Latency)));
        }
        if let Some(iops) = disk.iops {
            let _ = writeln!(text, "iops = {}", whole((iops * disk.factor_of_limits(&draft.factors)).max(1.0)));
        }
        if let Some(bandwidth) = disk.bandwidth {
            let _ = writeln!(text, "bandwidth = {}", per_second(bandwidth * disk.factor_of_limits(&draft.factors)));
        }
        if let Some(ahead) = disk.read_ahead {
            let _ = writeln!(text, "read_ahead = {}", size(ahead));
        }
        if let Some(burst) = disk.burst {
            let _ = writeln!(text, "burst = \"{}us\"", whole(burst / 1e3));
        }
        if disk.reads_apart {
            text += "reads_apart = true\n";
        }
    }
    text
}

fn swap(draft: &Draft<'_>) -> String {
    let total = draft.swap_bytes();
    if total < 1e6 {
        return "\"none\"".to_owned();
    }
    let area = draft.facts.trouble.recording.manifest.swaps.first().map(|swap| swap.path.clone()).unwrap_or_default();
    if area.contains("zram") {
        return format!("{{ zram = {} }}", size(total));
    }
    let device = area.rsplit('/').next().unwrap_or_default();
    let on = draft.facts.disks.iter().find(|disk| !device.is_empty() && device.starts_with(disk.name.as_str()));
    let disk = on.or(draft.facts.disks.first()).map(|disk| disk.name.clone()).unwrap_or_default();
    format!("{{ size = {}, disk = \"{}\" }}", size(total), plain_name(&disk))
}
