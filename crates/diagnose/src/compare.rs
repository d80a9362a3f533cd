//! Two ranges of time compared: whether a change helped. Harm first, then the rates by which it happens.

mod bootstrap;
mod load;

use crate::ledger::waits;
use crate::measure::amount::{Amount, Count};
use crate::measure::signal::Signal;
use bootstrap::{FEWEST, Weighed, difference};
use pagetide_core::derived::{self, Derived};
use pagetide_core::{
    ChangeVerdict, ComparedLoad, ComparedRange, ComparedValue, Manifest, Quantity, RangeComparison, Recording,
    Resource, Table, Unit,
};

/// A derived metric that is compared.
struct Compared {
    table: Table,
    what: &'static str,
    derived: &'static Derived,
    /// Pages are shown as bytes.
    pages: bool,
    /// What a value is a mean of, when not of time: it weighs by so many a second.
    of: Option<&'static Derived>,
}

const fn host(what: &'static str, derived: &'static Derived) -> Compared {
    Compared { table: Table::Host, what, derived, pages: false, of: None }
}

const fn host_pages(what: &'static str, derived: &'static Derived) -> Compared {
    Compared { pages: true, ..host(what, derived) }
}

const fn disk(what: &'static str, derived: &'static Derived) -> Compared {
    Compared { table: Table::Disk, ..host(what, derived) }
}

const COMPARED: &[Compared] = &[
    host_pages("evicted file pages that refault", &derived::REFAULTS_FILE),
    host("major faults", &derived::MAJOR_FAULTS),
    host_pages("pages scanned by reclaim", &derived::SCANNED_FOR_HOST),
    host("direct reclaims", &derived::DIRECT_RECLAIMS),
    host_pages("swapped in", &derived::SWAP_IN),
    host_pages("swapped out", &derived::SWAP_OUT),
    host_pages("written back", &derived::WRITTEN_BACK),
    disk("requests completed", &derived::TPS),
    disk("read", &derived::READ_BANDWIDTH),
    disk("written", &derived::WRITE_BANDWIDTH),
    Compared { of: Some(&derived::TPS), ..disk("time per request, queue included", &derived::AWAIT) },
    disk("requests in flight", &derived::QUEUE_DEPTH),
    disk("share of time busy", &derived::BUSY),
];

/// A difference of a loss below which it decides nothing.
const LEAST_LOSS: f64 = 0.01;
/// The differences that do not matter: this part of the larger mean, …
const PART: f64 = 0.25;
/// … or of lost time this share of the time.
const SHARE: f64 = 0.05;

/// The part of memory by which two machines of one size differ, at most: what the kernel and its modules take.
const MEMORY: f64 = 0.02;

/// The names of the metrics that a comparison reads.
pub fn metrics() -> Vec<&'static str> {
    let of_rows = COMPARED.iter().flat_map(|row| std::iter::once(row.derived).chain(row.of));
    let mut all: Vec<&str> =
        of_rows.chain(waits::derived()).flat_map(Derived::metrics).chain(load::metrics()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Compares what was before a change with what is after it. Each recording holds one range.
pub fn compare(before: &Recording, after: &Recording) -> RangeComparison {
    let machine = other_machine(&before.manifest, &after.manifest);
    let mut unknown: Vec<String> = machine.iter().cloned().collect();
    let mut values = losses(before, after, &mut unknown);
    let harmed = !values.is_empty();
    for row in COMPARED {
        for (entity, _) in after.entities(row.table).filter(|(name, _)| is_whole(after, row.table, name)) {
            let both = values_of(before, row, entity).zip(values_of(after, row, entity));
            let Some((one, other)) = both else { continue };
            values.extend(compared(row.what, (row.table, entity), row.derived, row.pages, (&one, &other)));
        }
    }
    for (recording, name) in [(before, "before"), (after, "after")] {
        let samples = recording.stamps().len();
        if samples <= FEWEST {
            unknown.push(format!(
                "The range {name} has {samples} samples; at least {} are needed to tell a change from noise.",
                FEWEST + 1
            ));
        }
    }
    let hidden = of_host(&values).filter(|value| !value.differs && !value.equal);
    let hidden: Vec<String> = hidden
        .map(|value| {
            let [low, high] = [value.low, value.high].map(ComparedValue::difference_words);
            format!("the {} by {low} to {high}", value.what)
        })
        .collect();
    if !hidden.is_empty() {
        unknown.push(format!(
            "These may differ: {}. The noise of so few samples, or of a range in which it changes, hides it. Compare longer ranges in which nothing \
             else changes.",
            hidden.join("; ")
        ));
    }
    let verdict = if harmed { verdict(&values) } else { ChangeVerdict::CannotTell };
    let load = load::load(before, after);
    RangeComparison {
        verdict,
        summary: summary(verdict, (&values, &load), &unknown, machine),
        before: range(before),
        after: range(after),
        method: format!(
            "Means over time, with the {:.0} % confidence interval of their difference (block bootstrap over the samples); with few samples an \
             interval that holds even where each sample resembles the one before.",
            100.0 - bootstrap::WRONG
        ),
        values,
        load,
        unknown,
    }
}

/// That the two ranges are of machines that differ, so that the change is not all that does. The size of memory that a kernel reports differs a little.
fn other_machine(before: &Manifest, after: &Manifest) -> Option<String> {
    let release = |manifest: &Manifest| format!("Linux {}", manifest.kernel);
    let memory = |manifest: &Manifest| Quantity::bytes(manifest.memory_total).to_string();
    let cpus = |manifest: &Manifest| format!("{} CPU{}", manifest.cpus, if manifest.cpus == 1 { "" } else { "s" });
    let [one, other] = [before, after].map(|manifest| manifest.memory_total.as_f64());
    let differing: Vec<String> = [
        (before.kernel != after.kernel).then(|| (release(before), release(after))),
        ((one - other).abs() > one.max(other) * MEMORY).then(|| (memory(before), memory(after))),
        (before.cpus != after.cpus).then(|| (cpus(before), cpus(after))),
    ]
    .into_iter()
    .flatten()
    .map(|(one, other)| format!("{other} ({one} before)"))
    .collect();
    (!differing.is_empty()).then(|| {
        format!("The machines differ: {}. No comparison tells that from another change.", differing.join(", "))
    })
}

fn range(recording: &Recording) -> ComparedRange {
    let stamps = recording.stamps();
    let wall = |stamp: Option<&pagetide_core::Stamp>| stamp.map_or(0, |stamp| stamp.wall_ns);
    ComparedRange {
        host: recording.manifest.host.clone(),
        from_wall_ns: wall(stamps.first()),
        to_wall_ns: wall(stamps.last()),
        samples: stamps.len(),
    }
}

/// Whether an entity does its work itself: not partitions, md or dm, which only pass it on.
fn is_whole(recording: &Recording, table: Table, name: &str) -> bool {
    table != Table::Disk || !recording.manifest.disks.iter().any(|disk| disk.name == name && !disk.below.is_empty())
}

/// The time that tasks lose, of the host and of each group that both ranges have.
fn losses(before: &Recording, after: &Recording, unknown: &mut Vec<String>) -> Vec<ComparedValue> {
    // The group above all others is the host.
    let above = |group: &str| after.entities(Table::Cgroup).all(|(other, _)| other.starts_with(group));
    let groups = after.entities(Table::Cgroup).map(|(group, _)| group).filter(|group| !above(group)).map(Some);
    let mut values = Vec::new();
    for group in std::iter::once(None).chain(groups) {
        for resource in [Resource::Io, Resource::Memory, Resource::Cpu] {
            let of = |recording| waits::waits(recording, group, resource);
            let (Some((source, one)), Some((other_source, other))) = (of(before), of(after)) else {
                if group.is_none() {
                    unknown.push(format!("At least one range has no record of waits for {}.", resource.words()));
                }
                continue;
            };
            if source.name != other_source.name {
                unknown.push(format!(
                    "Waits for {} were measured by {} before and by {} after.",
                    resource.words(),
                    source.name,
                    other_source.name
                ));
                continue;
            }
            let what = format!("share of time lost to waits for {}", resource.words());
            let entity = group.map_or((Table::Host, ""), |group| (Table::Cgroup, group));
            let value = compared(&what, entity, source, false, (&weighed(&one), &weighed(&other)));
            values.extend(value.map(|value| {
                let equal = value.equal || value.low.value.abs().max(value.high.value.abs()) <= SHARE;
                ComparedValue { harm: true, equal: equal && !value.differs, ..value }
            }));
        }
    }
    values
}

fn weighed(shares: &[(i64, f64)]) -> Vec<Weighed> {
    shares.iter().map(|(length, value)| Weighed { value: *value, weight: *length as f64 }).collect()
}

/// The values of an entity in each interval, with the weight that each has in the mean.
fn values_of(recording: &Recording, row: &Compared, entity: &str) -> Option<Vec<Weighed>> {
    let signal = |derived| Signal::derived(recording, row.table, entity, derived);
    let page = if row.pages { recording.manifest.page_size.as_f64().max(1.0) } else { 1.0 };
    let weights = row.of.map(&signal);
    let value = |(span, value): (pagetide_core::Span, f64)| {
        let length = span.length().as_f64();
        let rate = match &weights {
            None => 1.0,
            Some(weights) => weights.as_ref()?.mean::<Count>(span).map(Amount::get)?,
        };
        Some(Weighed { value: value * page, weight: length * rate })
    };
    Some(signal(row.derived)?.intervals().filter_map(value).collect())
}

/// One value in both ranges; absent when one has too few samples, or when both are 0.
fn compared(
    what: &str,
    (table, entity): (Table, &str),
    derived: &Derived,
    pages: bool,
    (before, after): (&[Weighed], &[Weighed]),
) -> Option<ComparedValue> {
    let found = difference(before, after).filter(|found| found.before != 0.0 || found.after != 0.0)?;
    let unit = if pages { Unit::BytesPerSecond } else { derived.unit };
    let differs = found.low > 0.0 || found.high < 0.0;
    let matters = found.before.abs().max(found.after.abs()) * PART;
    let quantity = |value| Quantity::new(value, unit);
    Some(ComparedValue {
        what: what.to_owned(),
        of: if entity.is_empty() { "host".to_owned() } else { format!("{}:{entity}", table.name()) },
        source: derived.name.to_owned(),
        before: quantity(found.before),
        after: quantity(found.after),
        difference: quantity(found.after - found.before),
        low: quantity(found.low),
        high: quantity(found.high),
        differs,
        equal: !differs && found.low.abs().max(found.high.abs()) <= matters,
        harm: false,
    })
}

/// The losses of the host.
fn of_host(values: &[ComparedValue]) -> impl Iterator<Item = &ComparedValue> {
    values.iter().filter(|value| value.harm && value.of == "host")
}

/// The losses of the host that differ.
fn differing(values: &[ComparedValue]) -> impl Iterator<Item = &ComparedValue> {
    of_host(values).filter(|value| value.differs && value.difference.value.abs() >= LEAST_LOSS)
}

fn verdict(values: &[ComparedValue]) -> ChangeVerdict {
    let less = differing(values).any(|value| value.difference.value < 0.0);
    let more = differing(values).any(|value| value.difference.value > 0.0);
    match (less, more) {
        (true, true) => ChangeVerdict::Mixed,
        (true, false) => ChangeVerdict::Better,
        (false, true) => ChangeVerdict::Worse,
        (false, false) if of_host(values).all(|value| value.differs || value.equal) => ChangeVerdict::NoDifference,
        (false, false) => ChangeVerdict::CannotTell,
    }
}

fn summary(
    verdict: ChangeVerdict,
    (values, programs): (&[ComparedValue], &[ComparedLoad]),
    unknown: &[String],
    machine: Option<String>,
) -> String {
    let first = match verdict {
        ChangeVerdict::Better => "Better after the change.",
        ChangeVerdict::Worse => "Worse after the change.",
        ChangeVerdict::Mixed => "Partly better, partly worse after the change.",
        ChangeVerdict::NoDifference => "No difference: lost time differs by less than what matters.",
        ChangeVerdict::CannotTell => "The ranges do not show whether the change helped.",
    };
    let mut sentences = vec![first.to_owned()];
    let millis = |quantity: Quantity| format!("{:.0} ms", quantity.value * 1e3);
    let changed = differing(values).map(|value| {
        format!(
            "Tasks lost {} of each second to {} ({} before; difference {} to {}).",
            millis(value.after),
            value.what.split_once(" to ").map_or("waits", |(_, waits)| waits),
            millis(value.before),
            millis(value.low),
            millis(value.high),
        )
    });
    sentences.extend(changed);
    // Less work loses less time: a reader must see whether the load was the same.
    let load = values.iter().filter(|value| value.source == derived::TPS.name && !value.equal);
    let load = load.filter(|value| value.difference.value.abs() >= 0.2 * value.before.value);
    sentences.extend(load.map(|value| {
        let disk = value.of.strip_prefix("disk:").unwrap_or(&value.of);
        let rate = |rate: Quantity| rate.to_string().replace("/s", " requests/s");
        let differs = if value.differs { "differs" } else { "may differ" };
        format!("The load of {disk} {differs}: {} ({} before).", rate(value.after), rate(value.before))
    }));
    sentences.extend(load::words(programs));
    if verdict == ChangeVerdict::CannotTell {
        sentences.extend(unknown.iter().cloned());
    } else {
        sentences.extend(machine);
    }
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Bytes;

    #[test]
    fn another_machine_is_told_and_a_few_pages_are_none() {
        let machine = |kernel: &str, mib: u64| Manifest {
            kernel: kernel.to_owned(),
            cpus: 2,
            memory_total: Bytes::new(mib << 20),
            ..Manifest::default()
        };
        let told = other_machine(&machine("5.10.0", 601), &machine("6.12.1", 715)).unwrap_or_default();
        assert!(told.contains("Linux 6.12.1 (Linux 5.10.0 before), 715 MiB (601 MiB before)"), "{told}");
        assert!(!told.contains("CPU"), "{told}");
        assert_eq!(other_machine(&machine("6.12.1", 715), &machine("6.12.1", 714)), None);
    }
}
