//! What a part of the incident does.

use super::draft::Draft;
use super::toml::{blocks, per_second, seconds, size};
use crate::guess::Knob;
use crate::load::{CommandLoad, Kind};
use crate::recorded::whole;
use std::fmt::Write;

/// Of its time a closed loop waits this share at most, before the incident.
const MAX_WAITS: f64 = 0.95;

/// What a part does, and the bytes of its file.
pub(super) fn of(draft: &Draft<'_>, (at, nth): (usize, usize), load: &CommandLoad, time: f64) -> (String, f64) {
    const MIB: f64 = 1048576.0;
    /// Bytes of a request at most (`BLK_DEF_MAX_SECTORS_CAP`).
    const LARGEST_REQUEST: f64 = 1280.0 * 1024.0;
    /// What goes as fast as it can may be so many times as fast on the model: a limit that was not measured is up to four times as high, and advice
    /// has faster disks.
    const MOST_TIMES_FASTER: f64 = 16.0;
    /// Of processes that do the same on a disk, one does so many times as much as the others on average at most.
    const MOST_TIMES_MORE: f64 = 2.0;
    /// Bytes per second that nearly any disk does.
    const MIN_ABLE: f64 = 64e6;
    // Processes share a working set, and each writes a file of its own.
    let place = draft.place(at);
    let own = if nth == 0 { place.clone() } else { place.replacen('@', &format!("-{nth}@"), 1) };
    let memory = draft.facts.trouble.recording.manifest.memory_total.as_f64();
    // As fast as the disk can, as far as that is known.
    let able = draft
        .facts
        .disks
        .iter()
        .find(|disk| disk.name == draft.disk_of(load))
        .and_then(|disk| disk.bandwidth.or_else(|| disk.iops.map(|iops| iops * LARGEST_REQUEST)));
    let parts = draft.facts.loads[at].at_once() as f64;
    let most = |did: f64| {
        let by_did = (did / parts * MOST_TIMES_FASTER).max(MIN_ABLE);
        able.map_or(by_did, |able| able.min(able / parts * MOST_TIMES_MORE))
    };
    let trouble = &load.command.trouble;
    let faster = if load.is_loop() { 1.0 / draft.factors.of(Knob::ThinkTime) } else { draft.factors.of(Knob::NewLoad) };
    let cache = |direct: bool| if direct { ", cache = \"direct\"" } else { "" };
    let until = seconds(time);
    match load.kind {
        Kind::Stream { rate, block, direct, pass, stride } => {
            let apart = stride.map_or(1.0, |stride| stride / block);
            let all = (rate.map_or_else(|| most(trouble.read), |rate| rate * faster) * time * 1.2 * apart).min(1e12);
            let bytes = pass.map_or(all, |pass| pass.min(all));
            let text = blocks(bytes, MIB);
            let repeat = if pass.is_some() { ", repeat = true" } else { "" };
            let stride = stride.map_or_else(String::new, |stride| {
                format!(", stride = {{ read = {}, skip = {} }}", size(block), size(stride - block))
            });
            let fields =
                format!("bs = {}{stride}{}{}{repeat}", size(block), pace(draft, load, rate, block), cache(direct));
            (format!("stream = {{ from = \"{own}\", size = {text}, {fields}, time = {until} }}"), bytes)
        }
        Kind::Cold { rate, block, direct } => {
            let bytes = 4.0 * memory;
            let text = blocks(bytes, block);
            let fields =
                format!("bs = {}, random = true{}{}", size(block), pace(draft, load, rate, block), cache(direct));
            (format!("stream = {{ from = \"{place}\", size = {text}, {fields}, time = {until} }}"), bytes)
        }
        Kind::WorkingSet { rate, block, size: set, warm } => {
            let skew =
                draft.factors.skew().filter(|_| warm).map_or_else(String::new, |skew| format!(", skew = {skew:.3}"));
            let fields = format!("bs = {}, random = true{skew}{}", size(block), pace(draft, load, Some(rate), block));
            let set = draft.set(set);
            let text = blocks(set, MIB);
            (format!("stream = {{ from = \"{place}\", size = {text}, {fields}, time = {until} }}"), set)
        }
        Kind::Touch { code, data, fill, rate, .. } => {
            let rate = whole((rate * faster).max(1.0));
            let touches = format!("iterations = 1000000, rate = {rate}, time = {until}");
            if data > 0.0 {
                let fill = fill.map(|rate| format!(", fill_rate = {}", per_second(rate * faster)));
                let touches = format!("{touches}{}{}", fill.unwrap_or_default(), compute(load));
                // Zeros take no swap (`mm/page_io.c: swap_zeromap_folio_set`, 6.12).
                return (format!("map_and_walk = {{ data = {}, fill = \"random\", {touches} }}", size(data)), 0.0);
            }
            let code = draft.set(code);
            let text = blocks(code, MIB);
            (format!("map_and_walk = {{ file = \"{place}\", code = {text}, {touches} }}"), code)
        }
        Kind::Write { rate, block, direct, sync_every, random } => {
            let all = (rate.map_or_else(|| most(trouble.written), |rate| rate * faster) * time * 1.2).min(1e12);
            let bytes = random.unwrap_or(all);
            let text = blocks(bytes, MIB);
            let order = if random.is_some() { ", random = true" } else { "" };
            let sync = sync_every.map_or_else(String::new, |bytes| {
                format!(", sync_every = {}", size(bytes * draft.factors.of(Knob::Syncs)))
            });
            let pace = pace(draft, load, rate, block);
            let fields = format!(", bs = {}{order}{pace}{}{sync}", size(block), cache(direct));
            (format!("dd = {{ from = \"zero\", to = \"{own}\", size = {text}{fields}, time = {until} }}"), bytes)
        }
        Kind::Grow { to, rate } => {
            let rate = rate * draft.factors.of(Knob::NewLoad);
            let hold = (time - to / rate.max(1.0)).max(0.0);
            let fields = format!("size = {}, rate = {}, fill = \"random\"", size(to), per_second(rate));
            (format!("grow = {{ {fields}, hold_for = {} }}", seconds(hold)), 0.0)
        }
        Kind::Lookups { rate } => {
            let count = whole((rate * time).max(1.0));
            (
                format!(
                    "stat_missing = {{ folder_of = \"{place}\", count = {count}, rate = {} }}",
                    whole(rate.max(1.0))
                ),
                0.0,
            )
        }
        Kind::Spin { cpus } => {
            let share = if cpus < 0.99 { format!("share = {:.3}, ", cpus.max(0.001)) } else { String::new() };
            (format!("spin = {{ {share}time = {until} }}"), 0.0)
        }
    }
}

/// How fast a load goes on. Who ran before is a closed loop: it sends a request, works on what it got, and sends the next one.
fn pace(draft: &Draft<'_>, load: &CommandLoad, rate: Option<f64>, block: f64) -> String {
    let mut fields = compute(load);
    let Some(rate) = rate else { return fields };
    if !load.is_loop() {
        let _ = write!(fields, ", rate = {}", per_second(rate * draft.factors.of(Knob::NewLoad)));
        return fields;
    }
    let did = if load.ran_before { &load.command.calm } else { &load.command.trouble };
    let at_work = (did.at_work() / load.at_once() as f64).clamp(0.0, MAX_WAITS);
    let think = block / rate.max(1.0) * (1.0 - at_work) * draft.factors.of(Knob::ThinkTime);
    let _ = write!(fields, ", think = \"{}ns\"", whole((think * 1e9).clamp(1.0, 1e12)));
    fields
}

/// The CPU time after each request of a load, where it is more than that of the system call itself.
fn compute(load: &CommandLoad) -> String {
    const MIN_COMPUTE: f64 = 1e3;
    if load.compute >= MIN_COMPUTE { format!(", compute = \"{}ns\"", whole(load.compute)) } else { String::new() }
}
