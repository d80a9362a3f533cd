//! Who takes shared memory.

use super::command_load::CommandLoad;
use super::growth;
use super::kind::Kind;
use crate::guess::{Guess, megabytes};
use crate::recorded::{Command, Stretch};
use pagetide_core::Table;

/// Who fills tmpfs or shared memory: the command with a process that mapped a good part of it, else the one that gave as much to write calls and to no
/// device. It takes that memory as its own.
pub(super) fn load(trouble: &Stretch<'_>, commands: &[Command], guesses: &mut Vec<Guess>) -> Option<CommandLoad> {
    const SHARE_OF_MEMORY: f64 = 0.02;
    const SHARE_WRITTEN: f64 = 0.4;
    let (from, to) = trouble.ends(Table::Host, "", "Shmem")?;
    let grown = to - from;
    if grown < trouble.recording.manifest.memory_total.as_f64() * SHARE_OF_MEMORY {
        return None;
    }
    let rate = growth::rate(trouble, "Shmem", grown);
    // Processes of a command map the same memory.
    let mapped = |command: &Command| command.processes.iter().map(|one| mapped_anew(trouble, one)).fold(0.0, f64::max);
    let most_mapped = commands.iter().max_by(|one, other| mapped(one).total_cmp(&mapped(other)));
    if let Some(command) = most_mapped.filter(|command| mapped(command) >= SHARE_WRITTEN * grown) {
        guesses.push(Guess::new(
            format!("{} takes the {} that shared memory grew by", command.name, megabytes(grown)),
            "one of its processes mapped most of it",
        ));
        return Some(CommandLoad::new(command, Kind::Grow { to: grown, rate }, false));
    }
    let kept =
        |command: &Command| (command.trouble.given - command.trouble.written) * command.ran[1] * trouble.seconds();
    let command = commands.iter().max_by(|one, other| kept(one).total_cmp(&kept(other)))?;
    if kept(command) < SHARE_WRITTEN * grown || kept(command) > grown / SHARE_WRITTEN {
        return None;
    }
    guesses.push(Guess::new(
        format!("{} takes the {} that tmpfs grew by", command.name, megabytes(grown)),
        "it gave as much to write calls and to no device; memory in tmpfs belongs to no process",
    ));
    Some(CommandLoad::new(command, Kind::Grow { to: grown, rate }, false))
}

/// Bytes of shared memory that a process mapped in a stretch and had not before.
fn mapped_anew(trouble: &Stretch<'_>, process: &str) -> f64 {
    const METRIC: &str = "RssShmem";
    let had = trouble.sampled_at(Table::Process, process, METRIC, trouble.from).unwrap_or(0.0);
    let most = trouble.most(Table::Process, process, METRIC).unwrap_or(0.0);
    (most - had).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::Did;
    use pagetide_core::{Bytes, Column, Kind as MetricKind, Manifest, RecordingBuilder, Stamp, Unit};

    /// What a writer takes of the 200 MB by which tmpfs grew in ten seconds, if it gave and stored so many bytes a second.
    fn filled(given: f64, written: f64) -> Option<Kind> {
        let mut made =
            RecordingBuilder::new(Manifest { memory_total: Bytes::new(1_000_000_000), ..Manifest::default() });
        let shmem = Column { name: "Shmem".to_owned(), kind: MetricKind::Gauge, unit: Unit::Bytes };
        for second in 0..=10 {
            made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
            made.value(Table::Host, "", &shmem, second * 20_000_000);
        }
        let recording = made.finish();
        let trouble = Stretch { recording: &recording, from: 0, to: 10_000_000_001 };
        let command = Command {
            name: "spoold".to_owned(),
            trouble: Did { given, written, ..Did::default() },
            appeared: Some(1),
            ran: [1.0; 2],
            ..Command::default()
        };
        load(&trouble, &[command], &mut Vec::new()).map(|load| load.kind)
    }

    #[test]
    fn who_writes_to_tmpfs_takes_the_memory_that_it_grew_by() {
        let Some(Kind::Grow { to, rate }) = filled(20e6, 0.0) else { panic!("it wrote 200 MB") };
        assert!((to - 200e6).abs() < 1.0 && (rate - 20e6).abs() < 1e6, "{to} {rate}");
        assert_eq!(filled(20e6, 20e6), None, "to a device");
        assert_eq!(filled(1e6, 0.0), None, "too little");
        assert_eq!(filled(200e6, 0.0), None, "what a proxy passes on");
    }

    #[test]
    fn who_maps_shared_memory_that_grows_takes_it() {
        let takes = |mapped: fn(i64) -> i64, before: i64| {
            let mut made =
                RecordingBuilder::new(Manifest { memory_total: Bytes::new(1_000_000_000), ..Manifest::default() });
            let gauge = |name: &str| Column { name: name.to_owned(), kind: MetricKind::Gauge, unit: Unit::Bytes };
            for second in 0..=10 {
                made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
                made.value(Table::Host, "", &gauge("Shmem"), second * 20_000_000);
                made.value(Table::Process, "7@0", &gauge("RssShmem"), before + mapped(second));
            }
            let recording = made.finish();
            let trouble = Stretch { recording: &recording, from: 0, to: 10_000_000_001 };
            let one = |name: &str, process: &str| Command {
                name: name.to_owned(),
                processes: vec![process.to_owned()],
                ..Command::default()
            };
            let commands = [one("other", "6@0"), one("segment", "7@0")];
            load(&trouble, &commands, &mut Vec::new()).map(|load| load.command.name)
        };
        assert_eq!(takes(|second| second * 15_000_000, 0).as_deref(), Some("segment"));
        assert_eq!(takes(|_| 0, 300_000_000), None, "it had mapped that before");
        assert_eq!(takes(|second| second * 1_000_000, 0), None, "a small part");
    }
}
