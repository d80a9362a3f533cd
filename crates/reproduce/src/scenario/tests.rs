//! Parts of the text of a scenario.

use super::draft::{Draft, Facts};
use super::programs::Parts;
use super::{memory, programs};
use crate::guess::{Factors, Guess, Knob};
use crate::load::{CommandLoad, Kind};
use crate::recorded::disk::{self, DiskModel};
use crate::recorded::{Command, Did, Phase, Stretch};
use pagetide_core::{Column, Kind as MetricKind, Manifest, Recording, RecordingBuilder, Stamp, Table, Unit};

fn moments() -> Recording {
    let mut made = RecordingBuilder::new(Manifest::default());
    for second in 0..=20 {
        made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
    }
    made.finish()
}

/// Loads that run for 20 s, and nothing else.
fn facts_of<'a>(calm: Stretch<'a>, loads: &[CommandLoad]) -> Facts<'a> {
    Facts {
        calm,
        trouble: calm.with(calm.to, 20_000_000_000),
        disks: Vec::new(),
        loads: loads.to_vec(),
        group_memory: Vec::new(),
        cache: 0.0,
        reclaim_slowdown: None,
        throttled: Vec::new(),
        changes: Vec::new(),
    }
}

fn draft<'a>(facts: &'a Facts<'a>) -> Draft<'a> {
    Draft { facts, guesses: &[], factors: Factors::FIRST }
}

/// Their programs.
fn programs_of(calm: Stretch<'_>, loads: &[CommandLoad]) -> Parts {
    programs::parts(&draft(&facts_of(calm, loads)), 20.0)
}

#[test]
fn what_goes_as_fast_as_a_disk_without_a_known_limit_has_files_by_what_it_did() {
    let recording = moments();
    let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
    let bytes = |rate: Option<f64>| {
        let command = Command {
            trouble: Did { written: 40e6, active: 4, waits: 4.0, ..Did::default() },
            appeared: Some(calm.to),
            ran: [1.0; 2],
            ..Command::default()
        };
        let kind = Kind::Write { rate, block: 1048576.0, direct: true, sync_every: None, random: None };
        programs_of(calm, &[CommandLoad::new(&command, kind, false)]).files[&0]
    };
    // Four processes that write 40 MB/s together, for 10 s.
    assert!((bytes(None) - 16.0 * 40e6 * 10.0 * 1.2).abs() < 1.0, "{}", bytes(None));
    assert!((bytes(Some(2e6)) - 2e6 * 10.0 * 1.2).abs() < 1.0, "{}", bytes(Some(2e6)));
}

#[test]
fn reads_of_a_working_set_that_was_used_before_are_skewed_and_others_are_not() {
    let recording = moments();
    let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
    let skew = |warm: bool, factor: f64| {
        let kind = Kind::WorkingSet { rate: 1e6, block: 8192.0, size: 64e6, warm };
        let loads = [CommandLoad::new(&Command { ran: [1.0; 2], ..Command::default() }, kind, true)];
        let facts = facts_of(calm, &loads);
        let factors = Factors::FIRST.with(Knob::Skew, factor);
        let parts = programs::parts(&Draft { facts: &facts, guesses: &[], factors }, 20.0).parts;
        parts[0].split_once("skew = ").map(|(_, rest)| rest.split(',').next().unwrap().to_owned())
    };
    assert_eq!(skew(true, 4.0).as_deref(), Some("0.800"));
    assert_eq!([skew(true, 1.0), skew(false, 4.0)], [None, None]);
}

#[test]
fn many_that_write_a_disk_share_the_files_that_it_could_fill() {
    let recording = moments();
    let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
    let disks = [DiskModel { bandwidth: Some(100e6), ..DiskModel::default() }];
    let bytes = |processes: usize| {
        let command = Command {
            trouble: Did { written: 40e6, active: processes, waits: processes as f64, ..Did::default() },
            appeared: Some(calm.to),
            ran: [1.0; 2],
            ..Command::default()
        };
        let kind = Kind::Write { rate: None, block: 1048576.0, direct: true, sync_every: None, random: None };
        let loads = [CommandLoad::new(&command, kind, false)];
        programs::parts(&draft(&Facts { disks: disks.to_vec(), ..facts_of(calm, &loads) }), 20.0).files[&0]
    };
    // 100 MB/s for 10 s, and a fifth more.
    assert!((bytes(1) - 1.2e9).abs() < 1e6, "{}", bytes(1));
    assert!((bytes(8) - 2.0 * 1.2e9).abs() < 1e6, "all together: {}", bytes(8));
}

#[test]
fn new_processes_of_one_command_are_one_program_whatever_their_groups() {
    let recording = moments();
    let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
    let programs = |ran_before: bool| {
        let load = |group: &str| {
            let appeared = (!ran_before).then_some(calm.to);
            let command = Command {
                name: "pod".to_owned(),
                group: Some(format!("/sys/fs/cgroup/{group}")),
                appeared,
                ran: [1.0; 2],
                ..Command::default()
            };
            CommandLoad::new(&command, Kind::Spin { cpus: 1.0 }, ran_before)
        };
        let Parts { parts, culprits, .. } = programs_of(calm, &["one", "two"].map(load));
        let shared = parts.iter().filter(|part| part.contains("process = \"pod\"")).count();
        (shared, culprits.len())
    };
    assert_eq!(programs(false), (1, 1));
    assert_eq!(programs(true), (0, 0), "each does what it usually does");
}

#[test]
fn who_ran_before_is_there_before_it_does_what_it_did_in_the_incident() {
    let recording = moments();
    let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
    let programs = |phase: Phase, appeared: Option<i64>, usual: bool, waits: f64| {
        let load = |ran_before: bool| {
            let (calm, trouble) = (Did { cpu: 0.02, ..Did::default() }, Did { waits, ..Did::default() });
            let name = "service".to_owned();
            let command = Command { name, appeared, phase, calm, trouble, ran: [1.0; 2], ..Command::default() };
            CommandLoad::new(&command, Kind::Spin { cpus: 1.0 }, ran_before)
        };
        let parts = programs_of(calm, &[load(false), load(usual)]).parts;
        parts.into_iter().filter(|part| part.contains("-usual@")).collect::<Vec<_>>()
    };
    let there = programs(Phase::Whole, None, false, 0.5);
    let pace = "compute = \"2000000ns\", think = \"98000000ns\", repeat = true, time = \"10000ms\"";
    assert!(there.len() == 1 && there[0].contains(pace), "{there:?}");
    assert!(there[0].contains("process = \"service\"") && !there[0].contains("delay"), "{there:?}");
    assert_eq!(programs(Phase::Changed, Some(calm.to), false, 0.5).len(), 1, "it turns at the onset");
    assert!(programs(Phase::Whole, Some(calm.to), false, 0.5).is_empty(), "it came");
    assert!(programs(Phase::Whole, None, true, 0.5).is_empty(), "what it usually does is a load");
    assert!(programs(Phase::Whole, None, false, 0.0).is_empty(), "it waits for nothing");
}

#[test]
fn disks_that_wrote_before_have_their_shares_of_dirty_memory() {
    let mut made = RecordingBuilder::new(Manifest::default());
    let column = Column { name: "write_sectors".to_owned(), kind: MetricKind::Counter, unit: Unit::Count };
    for second in 0..=20 {
        made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
        for (disk, sectors) in [("vda", 0), ("vdb", 300_000), ("vdc", 100_000)] {
            made.value(Table::Disk, disk, &column, sectors + second);
        }
    }
    let recording = made.finish();
    let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
    let disks = ["vda", "vdb", "vdc"].map(|name| disk::model(&calm, calm.to, name, &mut Vec::new()));
    let shares = |sync_every: Option<f64>, ran_before: bool| {
        let kind = Kind::Write { rate: Some(1e6), block: 4096.0, direct: false, sync_every, random: None };
        let loads = [CommandLoad::new(&Command::default(), kind, ran_before)];
        let facts = Facts { disks: disks.to_vec(), ..facts_of(calm, &loads) };
        let draft = draft(&facts);
        let all = memory::written_before(&draft).into_iter();
        all.map(|(disk, bytes)| (disk.to_owned(), bytes / 1048576.0)).collect::<Vec<_>>()
    };
    assert_eq!(shares(None, true), [("vdb".to_owned(), 12.0), ("vdc".to_owned(), 4.0)], "vda never wrote");
    assert_eq!(shares(Some(65536.0), true), [], "it waits for its writes");
    assert_eq!(shares(None, false), [], "it comes with the incident");
}

#[test]
fn a_name_with_any_character_in_it_is_part_of_a_comment() {
    let recording = moments();
    let calm = Stretch { recording: &recording, from: 0, to: 10_000_000_000 };
    let facts = facts_of(calm, &[]);
    let controls = ('\0'..='\u{9f}').filter(|c| c.is_control()).chain(['\u{2028}', '\u{2029}', '\u{202e}']);
    for control in controls {
        let name = format!("q{control}[[step]]{control}id = \"pwn\"{control}");
        let guesses = [Guess::new(format!("{name} reads"), format!("{name} is not known"))];
        let text = super::about(&Draft { facts: &facts, guesses: &guesses, factors: Factors::FIRST });
        let (known, comment) = text.split_once("\n\n").unwrap();
        assert_eq!((known.lines().count(), comment.lines().count()), (4, 1), "{control:?}: {text}");
        assert!(comment.starts_with("# guess: q\\"), "{control:?}: {text}");
        assert!(!text.contains(|c| pagetide_core::is_unprintable(c) && c != '\n'), "{control:?}: {text:?}");
    }
}
