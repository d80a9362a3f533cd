//! A setting of the host that changed while it was recorded, as the line of a note that is written and read back here alone.

use crate::recording::{MarkKind, Recording};

/// Begins each note about the host, which separates it from notes of the recorder and of a recorded command.
pub const HOST_NOTE: &str = "host: ";

/// A setting with its values before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingChange<'a> {
    /// `vm.swappiness`, `vdb.queue.scheduler`.
    pub name: &'a str,
    /// What it was.
    pub from: &'a str,
    /// What it is from then on.
    pub to: &'a str,
}

impl<'a> SettingChange<'a> {
    /// The text of its note: `host: vm.swappiness changed from 60 to 10`.
    pub fn note(&self) -> String {
        let Self { name, from, to } = self;
        format!("{HOST_NOTE}{name} changed from {from} to {to}")
    }

    /// The change that a note reports, if it reports one.
    pub fn parse(note: &'a str) -> Option<Self> {
        let (name, values) = note.strip_prefix(HOST_NOTE)?.split_once(" changed from ")?;
        let (from, to) = values.split_once(" to ")?;
        Some(Self { name, from, to })
    }
}

impl Recording {
    /// The changes of settings that were noted, in order of time: when, ns on the recording's axis, and what.
    pub fn setting_changes(&self) -> impl Iterator<Item = (i64, SettingChange<'_>)> {
        self.marks.iter().filter_map(|mark| match &mark.kind {
            MarkKind::Note { text } => SettingChange::parse(text).map(|change| (mark.stamp.boot_ns, change)),
            _ => None,
        })
    }

    /// What a setting was at a moment: what the last change before made it, else what the next one changed, else what the manifest says
    /// of the beginning.
    pub fn setting_at(&self, name: &str, boot_ns: i64) -> Option<&str> {
        let mut changes = self.setting_changes().filter(|(_, change)| change.name == name).peekable();
        let next = changes.peek().filter(|(at, _)| *at > boot_ns).map(|(_, change)| change.from);
        let last = changes.take_while(|(at, _)| *at <= boot_ns).last().map(|(_, change)| change.to);
        last.or(next).or_else(|| self.manifest.sysctls.get(name).map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Manifest, Mark, RecordingBuilder};
    use crate::sample::Stamp;

    #[test]
    fn a_note_is_read_back_as_the_change_that_it_was_made_of() {
        let change = SettingChange { name: "vm.lowmem_reserve_ratio", from: "256 32", to: "1 1" };
        assert_eq!(change.note(), "host: vm.lowmem_reserve_ratio changed from 256 32 to 1 1");
        assert_eq!(SettingChange::parse(&change.note()), Some(change));
        for other in ["recorder: vm.a changed from 1 to 2", "host: /dev/vdb was mounted at /a to b", "host: "] {
            assert_eq!(SettingChange::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_setting_is_what_the_changes_before_made_it() {
        let note = |at, name, from, to| {
            let text = SettingChange { name, from, to }.note();
            Mark { stamp: Stamp { boot_ns: at, ..Stamp::default() }, kind: MarkKind::Note { text } }
        };
        let sysctls = [("vm.swappiness".to_owned(), "60".to_owned()), ("vm.dirty_ratio".to_owned(), "20".to_owned())];
        let manifest = Manifest { sysctls: sysctls.into(), ..Manifest::default() };
        let mut builder = RecordingBuilder::new(manifest);
        builder.mark(note(10, "vm.swappiness", "60", "10"));
        builder.mark(note(15, "vda.queue.scheduler", "none", "kyber"));
        builder.mark(note(20, "vm.swappiness", "10", "1"));
        let recording = builder.finish();
        let at = |name, at| recording.setting_at(name, at);
        assert_eq!(
            [5, 10, 19, 20, 99].map(|t| at("vm.swappiness", t)),
            [Some("60"), Some("10"), Some("10"), Some("1"), Some("1")]
        );
        assert_eq!((at("vda.queue.scheduler", 1), at("vda.queue.scheduler", 15)), (Some("none"), Some("kyber")));
        assert_eq!((at("vm.dirty_ratio", 99), at("vm.other", 99)), (Some("20"), None));
    }
}
