//! Who makes the slab of the kernel grow.

use super::command_load::CommandLoad;
use super::kind::Kind;
use crate::guess::Guess;
use crate::recorded::{Command, Stretch};
use pagetide_core::Table;

/// Who makes the kernel's slab grow: who the rules name, else of those who began in the incident the one that used most CPU.
pub(super) fn load(
    trouble: &Stretch<'_>,
    commands: &[Command],
    named: &[&str],
    guesses: &mut Vec<Guess>,
) -> Option<CommandLoad> {
    /// Bytes of a dentry, and the share of memory that matters.
    const DENTRY: f64 = 192.0;
    const SHARE: f64 = 0.03;
    let (from, to) = trouble.ends(Table::Host, "", "SReclaimable")?;
    let memory = trouble.recording.manifest.memory_total.as_f64();
    if to - from < memory * SHARE {
        return None;
    }
    let is_named = |command: &Command| named.contains(&command.name.as_str());
    let more = |command: &Command| command.trouble.cpu - command.calm.cpu;
    let command = commands
        .iter()
        .max_by(|one, other| is_named(one).cmp(&is_named(other)).then(more(one).total_cmp(&more(other))))?;
    guesses.push(Guess::new(
        format!("{} looks up the names that the kernel's slab grew by", command.name),
        "slab is counted for the host; the rules name it, or of those who began it uses most CPU",
    ));
    let rate = (to - from) / DENTRY / trouble.seconds();
    Some(CommandLoad::new(command, Kind::Lookups { rate }, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::Did;
    use pagetide_core::{Bytes, Column, Kind as MetricKind, Manifest, RecordingBuilder, Stamp, Unit};

    #[test]
    fn names_are_looked_up_by_whom_the_rules_name_else_by_who_uses_most_cpu() {
        let looks_up = |named: &[&str]| {
            let mut made =
                RecordingBuilder::new(Manifest { memory_total: Bytes::new(1_000_000_000), ..Manifest::default() });
            let slab = Column { name: "SReclaimable".to_owned(), kind: MetricKind::Gauge, unit: Unit::Bytes };
            for second in 0..=10 {
                made.stamp(Stamp { boot_ns: second * 1_000_000_000, ..Stamp::default() });
                made.value(Table::Host, "", &slab, second * 20_000_000);
            }
            let recording = made.finish();
            let trouble = Stretch { recording: &recording, from: 0, to: 10_000_000_001 };
            let commands = [("sensor", 0.1), ("service", 0.5)].map(|(name, cpu)| Command {
                name: name.to_owned(),
                trouble: Did { cpu, ..Did::default() },
                ..Command::default()
            });
            load(&trouble, &commands, named, &mut Vec::new()).unwrap().command.name
        };
        assert_eq!(looks_up(&["sensor"]), "sensor");
        assert_eq!([looks_up(&[]), looks_up(&["other"])], ["service", "service"]);
    }
}
