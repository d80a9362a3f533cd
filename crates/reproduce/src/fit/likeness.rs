//! Whether two recordings show the same incident.

use crate::recorded::disk::SECTOR;
use crate::recorded::{Stretch, group, rate_of_all};
use pagetide_core::{Actor, Diagnosis, Quantity, Table, Unit, part_name, printable};
use serde::Serialize;
use std::collections::BTreeMap;

/// Amounts are alike within this factor.
const FACTOR: f64 = 1.5;

/// One thing that was compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// What.
    pub what: String,
    /// In the recording.
    pub recorded: String,
    /// In its reproduction.
    pub again: String,
    /// Whether it is an amount, and not a word.
    pub is_amount: bool,
    /// Whether an incident is reproduced only if it is alike. What is not asked tells how far to trust advice.
    pub is_asked: bool,
    /// The logarithm of the ratio of two amounts.
    #[serde(skip)]
    pub(crate) apart: f64,
    /// Whether they are alike: words are the same, amounts within a factor of 1.5 or both too small to matter.
    pub alike: bool,
    /// Whether two amounts are alike only because both are too small to matter.
    pub too_small: bool,
}

impl Compared {
    /// Whether the incident is not reproduced because of it.
    pub const fn differs(&self) -> bool {
        self.is_asked && !self.alike
    }
}

/// What is compared of an incident.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Amounts {
    /// The share of time in which a task of the host waited for IO or memory, less that of before.
    pub(crate) waits: Option<f64>,
    /// Refaulted pages per second.
    refaults: Option<f64>,
    /// Pages that disks read and wrote per second.
    traffic: f64,
    /// The busiest disk, and the share of time in which it was busy.
    pub(crate) disk: Option<String>,
    busy: Option<f64>,
    /// Bytes per second that disk read and wrote.
    moved: Option<f64>,
    /// The time of a request on that disk, and how many times that of before it is.
    slower: Option<f64>,
    /// The share of time in which a task of a control group waited for IO or memory, less that of before, by the name that a scenario gives the group.
    groups: BTreeMap<String, f64>,
}

/// One of them.
struct Amount {
    what: String,
    unit: Unit,
    value: Option<f64>,
    /// Below this it does not matter.
    floor: f64,
    is_asked: bool,
}

/// Shares of time below which waits, and a busy disk, do not matter.
const MIN_WAITS: f64 = 0.02;
const MIN_BUSY: f64 = 0.05;
/// A disk that moves less than this many bytes per second does not.
const MIN_MOVED: f64 = 65536.0;
/// Refaults do not matter below this many per second, or this share of the pages that disks read and wrote.
const MIN_REFAULTS: f64 = 20.0;
const MIN_REFAULT_SHARE: f64 = 0.01;
/// A request that takes no longer than this many times what it took before is not slower.
const MIN_SLOWER: f64 = 1.0;

impl Amounts {
    pub(crate) fn of(calm: &Stretch<'_>, trouble: &Stretch<'_>) -> Self {
        Self::since(&[*calm], trouble, None)
    }

    /// The same beside what was usual in several stretches before, in order of time; of this disk where there is one, else of the busiest.
    pub(crate) fn since(usual: &[Stretch<'_>], trouble: &Stretch<'_>, disk: Option<&str>) -> Self {
        let waited = |parts: &[Stretch<'_>], table: Table, entity: &str| {
            let rates = ["psi_io_some", "psi_memory_some"].map(|metric| rate_of_all(parts, table, entity, metric));
            Some(rates.into_iter().flatten().reduce(f64::max)? / 1e6)
        };
        // What a group, or the host, waited beyond what was usual.
        let waits = |table: Table, entity: &str| {
            waited(&[*trouble], table, entity)
                .map(|share| (share - waited(usual, table, entity).unwrap_or(0.0)).max(0.0))
        };
        let mut groups: BTreeMap<String, f64> = BTreeMap::new();
        for path in group::below_root(trouble) {
            if let Some((name, waits)) = group::name(path).zip(waits(Table::Cgroup, path)) {
                // Groups of several pods may have one name.
                let most = groups.entry(name).or_default();
                *most = most.max(waits);
            }
        }
        let refaults = |metric: &str| trouble.host_rate(metric);
        let each =
            [refaults("workingset_refault_file"), refaults("workingset_refault_anon"), refaults("workingset_refault")];
        // `pgpgin` and `pgpgout` count KiB.
        let moved = ["pgpgin", "pgpgout"].map(|metric| trouble.host_rate(metric).unwrap_or(0.0));
        let busy = |disk| Some((trouble.rate(Table::Disk, disk, "io_ms")? / 1e3, disk));
        let busiest = disk.and_then(busy).or_else(|| {
            let disks = trouble.recording.entities(Table::Disk).filter_map(|(disk, _)| busy(disk));
            disks.max_by(|one, other| one.0.total_cmp(&other.0))
        });
        let wait = |parts: &[Stretch<'_>], disk: &str| {
            let rate = |metric| rate_of_all(parts, Table::Disk, disk, metric);
            let requests = rate("reads")? + rate("writes")?;
            (requests >= 1.0).then_some((rate("read_ms")? + rate("write_ms")?) / requests)
        };
        Self {
            waits: waits(Table::Host, ""),
            groups,
            refaults: each.into_iter().flatten().reduce(|sum, more| sum + more),
            traffic: moved.iter().sum::<f64>() / 4.0,
            disk: busiest.map(|(_, disk)| disk.to_owned()),
            busy: busiest.map(|(busy, _)| busy.min(1.0)),
            moved: busiest.and_then(|(_, disk)| {
                let sectors = |metric| trouble.rate(Table::Disk, disk, metric);
                Some((sectors("read_sectors")? + sectors("write_sectors")?) * SECTOR)
            }),
            slower: busiest.and_then(|(_, disk)| {
                // The first requests of an incident may end in the last second before it.
                let mut before = usual.to_vec();
                before.iter_mut().next_back().into_iter().for_each(|last| *last = last.without_last(1.0));
                let before = wait(&before, disk).or_else(|| wait(usual, disk))?;
                Some(wait(&[*trouble], disk)? / before.max(1e-6))
            }),
        }
    }

    /// Each of them.
    fn each(&self) -> Vec<Amount> {
        let asked =
            |what: &str, unit, value, floor| Amount { what: what.to_owned(), unit, value, floor, is_asked: true };
        let min_refaults = MIN_REFAULTS.max(self.traffic * MIN_REFAULT_SHARE);
        let mut all = vec![
            asked("waits for IO or memory", Unit::Ratio, self.waits, MIN_WAITS),
            asked("refaulted pages", Unit::PagesPerSecond, self.refaults, min_refaults),
            asked("busiest disk busy", Unit::Ratio, self.busy, MIN_BUSY),
            asked("request time relative to before", Unit::Count, self.slower, MIN_SLOWER),
        ];
        all.push(Amount {
            what: "busiest disk reads and writes".to_owned(),
            unit: Unit::BytesPerSecond,
            value: self.moved,
            floor: MIN_MOVED,
            is_asked: false,
        });
        all.extend(self.groups.iter().map(|(name, waits)| Amount {
            what: format!("waits of the group {name}"),
            unit: Unit::Ratio,
            value: Some(*waits),
            floor: MIN_WAITS,
            is_asked: false,
        }));
        all
    }

    /// The same amounts of two.
    fn pairs(&self, other: &Self) -> Vec<(Amount, Amount)> {
        let mut others = other.each();
        let pair = |one: Amount| {
            let at = others.iter().position(|other| other.what == one.what)?;
            Some((one, others.swap_remove(at)))
        };
        self.each().into_iter().filter_map(pair).collect()
    }

    /// How far two are apart in what is asked: the sum of the logarithms of their ratios.
    pub(crate) fn distance(&self, other: &Self) -> f64 {
        let asked = self.pairs(other).into_iter().filter(|(one, _)| one.is_asked);
        asked.filter_map(|(one, other)| Some(apart(one.value?, other.value?, one.floor))).sum()
    }
}

/// The logarithm of a ratio, of what matters of both.
fn apart(one: f64, other: f64, small: f64) -> f64 {
    (one.max(small) / other.max(small)).ln().abs()
}

/// Whether the reproduction has this name for something recorded: parts, groups and disks have names that a scenario may have, and
/// all but the first part of a command a number.
fn is_called(recorded: &str, again: &str) -> bool {
    let last = |path: &str| part_name(path.rsplit('/').next().unwrap_or(path));
    let (recorded, again) = (last(recorded), last(again));
    let number = again.strip_prefix(&recorded).and_then(|rest| rest.strip_prefix('_'));
    recorded == again || number.is_some_and(|number| number.bytes().all(|c| c.is_ascii_digit()))
}

/// How far an incident is from its reproduction: 0 where all that is asked is alike.
pub(crate) fn distance(compared: &[Compared]) -> f64 {
    let unlike = compared.iter().filter(|one| one.differs());
    // A word counts as much as an amount that is eight times another.
    unlike.map(|one| if one.is_amount { 0.5 + one.apart.min(3.0) } else { 2.5 }).sum()
}

/// Compares an incident with its reproduction. `recorded_disk` gives what the recording calls a disk of the model.
pub(crate) fn compare<'a>(
    (one, recorded): (&Diagnosis, &Amounts),
    (other, again): (&Diagnosis, &Amounts),
    recorded_disk: &dyn Fn(&str) -> Option<&'a str>,
) -> Vec<Compared> {
    let mut all = Vec::new();
    let mut words = |what: &str, recorded: String, again: String, alike: bool| {
        // Names of the recording are those that others chose.
        let [recorded, again] = [recorded, again].map(|name| printable(&name).into_owned());
        let what = what.to_owned();
        let (is_amount, is_asked, too_small) = (false, true, false);
        all.push(Compared { what, recorded, again, is_amount, is_asked, apart: 0.0, alike, too_small });
    };
    let verdicts = (one.verdict.name(), other.verdict.name());
    words("verdict", verdicts.0.to_owned(), verdicts.1.to_owned(), verdicts.0 == verdicts.1);
    let cause = |diagnosis: &Diagnosis| {
        diagnosis.cause.as_ref().map_or_else(|| "none".to_owned(), |cause| cause.rule.to_string())
    };
    words("cause", cause(one), cause(other), cause(one) == cause(other));
    let origins = |diagnosis: &Diagnosis, disk_name: &dyn Fn(&str) -> String| -> Vec<String> {
        let all = diagnosis.cause.iter().flat_map(|cause| cause.origins.iter());
        let commands: Vec<String> = all.clone().filter_map(|actor| actor.as_command().map(ToOwned::to_owned)).collect();
        let name = |actor: &Actor| match actor {
            Actor::Disk { name } => Some(disk_name(name)),
            other => other.name().map(ToOwned::to_owned),
        };
        if commands.is_empty() { all.filter_map(name).collect() } else { commands }
    };
    let from = origins(one, &|disk| disk.to_owned());
    let to = origins(other, &|disk| recorded_disk(disk).unwrap_or(disk).to_owned());
    // By the names that the recording has.
    let to: Vec<String> = to
        .into_iter()
        .map(|name| from.iter().find(|recorded| is_called(recorded, &name)).cloned().unwrap_or(name))
        .collect();
    let alike = from.is_empty() && to.is_empty() || from.iter().any(|name| to.contains(name));
    let text =
        |names: &[String]| if names.is_empty() { "host".to_owned() } else { names[..names.len().min(2)].join(", ") };
    words("origin", text(&from), text(&to), alike);
    for (one, other) in recorded.pairs(again) {
        let (Some(recorded), Some(again)) = (one.value, other.value) else { continue };
        let (least, most) = (recorded.min(again), recorded.max(again));
        let text = |value: f64| Quantity::new(value, one.unit).to_string();
        let is_near = most <= least * FACTOR;
        let is_small = recorded <= one.floor && again <= other.floor;
        all.push(Compared {
            recorded: text(recorded),
            again: text(again),
            is_amount: true,
            is_asked: one.is_asked,
            apart: apart(recorded, again, one.floor),
            alike: is_small || is_near,
            too_small: is_small && !is_near,
            what: one.what,
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind, Manifest, Moment, RecordingBuilder, Span, Stamp};

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn parts_of_a_command_have_numbers_and_a_command_may_end_with_one() {
        for (recorded, again) in [
            ("python3", "python3"),
            ("python3", "python3_2"),
            ("mariadb-dump", "mariadb_dump"),
            ("/sys/fs/cgroup/db", "/db"),
        ] {
            assert!(is_called(recorded, again), "{recorded} {again}");
        }
        for (recorded, again) in [("python3", "python"), ("tar", "tar_x"), ("tar", "target_2"), ("/a/db", "/db/a")] {
            assert!(!is_called(recorded, again), "{recorded} {again}");
        }
    }

    #[test]
    fn amounts_are_alike_within_a_factor_or_when_both_are_too_small_to_matter() {
        let none = Amounts::default();
        let alike = |recorded: Amounts, again: Amounts| {
            let healthy = Diagnosis::default();
            let compared = compare((&healthy, &recorded), (&healthy, &again), &|_| None);
            compared.iter().all(|one| one.alike)
        };
        let waits = |share| Amounts { waits: Some(share), ..none.clone() };
        assert!(alike(waits(0.3), waits(0.44)) && alike(waits(0.001), waits(0.019)));
        assert!(!alike(waits(0.3), waits(0.46)) && !alike(waits(0.019), waits(0.03)));
        let too_small = |one: &Amounts, other: &Amounts| {
            let healthy = Diagnosis::default();
            compare((&healthy, one), (&healthy, other), &|_| None).iter().any(|one| one.too_small)
        };
        assert!(too_small(&waits(0.001), &waits(0.019)) && !too_small(&waits(0.001), &waits(0.001)));
        // Of 10 000 pages per second, 100 do not matter.
        let refaults = |refaults, traffic| Amounts { refaults: Some(refaults), traffic, ..none.clone() };
        assert!(alike(refaults(1.0, 10_000.0), refaults(99.0, 10_000.0)));
        assert!(
            !alike(refaults(1.0, 10_000.0), refaults(99.0, 5_000.0)) && !alike(refaults(1.0, 0.0), refaults(30.0, 0.0))
        );
    }

    #[test]
    fn what_the_busiest_disk_moved_is_told_and_not_asked() {
        let recorded = |sectors: i64| {
            let mut made = RecordingBuilder::new(Manifest::default());
            for second in 0..=20 {
                made.stamp(Stamp { boot_ns: second * SECOND, ..Stamp::default() });
                for (disk, name, rise) in [
                    ("vdb", "io_ms", 950),
                    ("vdb", "read_sectors", sectors / 2),
                    ("vdb", "write_sectors", sectors / 2),
                    ("vdc", "io_ms", 100),
                    ("vdc", "read_sectors", 1_000_000),
                    ("vdc", "write_sectors", 0),
                ] {
                    let column = Column { name: name.to_owned(), kind: Kind::Counter, unit: Unit::Count };
                    made.value(Table::Disk, disk, &column, second * rise);
                }
            }
            let recording = made.finish();
            let calm = Stretch { recording: &recording, from: 0, to: 10 * SECOND };
            Amounts::of(&calm, &calm.with(10 * SECOND, 20 * SECOND))
        };
        let alike = |recorded_sectors, again| {
            let healthy = Diagnosis::default();
            let all = compare((&healthy, &recorded(recorded_sectors)), (&healthy, &recorded(again)), &|_| None);
            let moved = all.into_iter().find(|one| one.what == "busiest disk reads and writes").unwrap();
            (moved.alike, moved.differs())
        };
        assert_eq!(alike(38_000, 19_000), (false, false), "half of it");
        assert_eq!(alike(38_000, 30_000), (true, false));
        assert_eq!(alike(100, 20), (true, false), "too little to matter");
    }

    #[test]
    fn the_disk_that_was_busiest_is_compared_with_itself() {
        let mut made = RecordingBuilder::new(Manifest::default());
        for second in 0..=10 {
            made.stamp(Stamp { boot_ns: second * SECOND, ..Stamp::default() });
            for (disk, rise) in [("vdb", 200), ("vdc", 300)] {
                let column = Column { name: "io_ms".to_owned(), kind: Kind::Counter, unit: Unit::Count };
                made.value(Table::Disk, disk, &column, second * rise);
            }
        }
        let recording = made.finish();
        let all = Stretch { recording: &recording, from: 0, to: 10 * SECOND };
        let busy = |disk| {
            let amounts = Amounts::since(&[], &all, disk);
            (amounts.disk.unwrap(), amounts.busy.unwrap())
        };
        assert_eq!(busy(Some("vdb")), ("vdb".to_owned(), 0.2));
        assert_eq!(busy(None), ("vdc".to_owned(), 0.3));
        assert_eq!(busy(Some("dm-0")).0, "vdc", "the scenario has no such disk");
    }

    #[test]
    fn what_the_groups_waited_is_told_and_not_asked() {
        let recorded = |waits: [i64; 2]| {
            let mut made = RecordingBuilder::new(Manifest::default());
            let column = Column { name: "psi_io_some".to_owned(), kind: Kind::Counter, unit: Unit::Micros };
            for second in 0..=20 {
                made.stamp(Stamp { boot_ns: second * SECOND, ..Stamp::default() });
                for (path, waits) in ["/sys/fs/cgroup/pod/my db", "/sys/fs/cgroup/app"].into_iter().zip(waits) {
                    made.value(Table::Cgroup, path, &column, (second - 10).max(0) * waits * 10_000);
                }
            }
            let recording = made.finish();
            let calm = Stretch { recording: &recording, from: 0, to: 10 * SECOND };
            Amounts::of(&calm, &calm.with(10 * SECOND, 20 * SECOND))
        };
        let healthy = Diagnosis::default();
        let compared = compare((&healthy, &recorded([30, 1])), (&healthy, &recorded([60, 0])), &|_| None);
        let groups = compared.iter().filter(|one| one.what.starts_with("waits of"));
        let told: Vec<(&str, bool, bool)> = groups.map(|one| (one.what.as_str(), one.alike, one.is_asked)).collect();
        assert_eq!(told, [("waits of the group app", true, false), ("waits of the group my_db", false, false)]);
        assert_eq!(distance(&compared), 0.0);
    }

    #[test]
    fn what_another_incident_did_before_is_not_usual() {
        let mut made = RecordingBuilder::new(Manifest::default());
        let column = |name: &str| Column { name: name.to_owned(), kind: Kind::Counter, unit: Unit::Count };
        let mut ms = 0;
        for second in 0..=20 {
            made.stamp(Stamp { boot_ns: second * SECOND, ..Stamp::default() });
            // Ten writes a second of 1 ms each, of 41 ms in another incident, and of 10 ms in this one.
            ms += match second {
                4..=6 => 410,
                11.. => 100,
                _ => 10,
            };
            for (name, value) in
                [("io_ms", second), ("reads", 0), ("writes", second * 10), ("read_ms", 0), ("write_ms", ms)]
            {
                made.value(Table::Disk, "vdb", &column(name), value);
            }
        }
        let recording = made.finish();
        let calm = Stretch { recording: &recording, from: 0, to: 10 * SECOND };
        let trouble = calm.with(10 * SECOND, 20 * SECOND);
        let slower = |other: &[Span]| Amounts::since(&calm.without(other), &trouble, None).slower.unwrap();
        let span = |from: i64, to: i64| Span { from: Moment::new(from * SECOND), to: Moment::new(to * SECOND) };
        assert!((slower(&[span(3, 6)]) - 10.0).abs() < 0.1, "{}", slower(&[span(3, 6)]));
        assert!(slower(&[]) < 1.0, "{}", slower(&[]));
        assert_eq!(slower(&[span(0, 10)]), slower(&[]), "nothing else is left");
    }
}
