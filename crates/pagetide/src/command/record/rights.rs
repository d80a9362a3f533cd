//! The rights that a user lacks to record everything, and the command that gives them.

use crate::output::shell_word;
use pagetide_core::Manifest;
use std::path::Path;

/// Where packages and administrators put the unit of the recorder.
const UNITS: [&str; 3] = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];

/// Capabilities by which more is recorded, as setcap(8) calls them, and their numbers (`include/uapi/linux/capability.h`).
const DAC_READ_SEARCH: (&str, u32) = ("cap_dac_read_search", 2);
const NET_ADMIN: (&str, u32) = ("cap_net_admin", 12);
const SYS_PTRACE: (&str, u32) = ("cap_sys_ptrace", 19);

/// The command with which what a manifest says that this user may not read is recorded; absent where no right is missing that could be given.
pub(crate) fn hint(manifest: &Manifest) -> Option<String> {
    let own = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lacking = capabilities(manifest, &own)?;
    if UNITS.iter().any(|folder| Path::new(folder).join("pagetide-recorder.service").exists()) {
        return Some("sudo systemctl enable --now pagetide-recorder".to_owned());
    }
    let program = std::env::current_exe().unwrap_or_else(|_| "/usr/bin/pagetide".into());
    Some(format!("sudo setcap {lacking}+ep {}", shell_word(&program)))
}

/// The capabilities with which more could be read, for setcap(8). `own` is `/proc/self/status`: what a process has it does not lack, and what its
/// bounding set does not have it cannot get, as in a container.
fn capabilities(manifest: &Manifest, own: &str) -> Option<String> {
    let denied = |what: &str, why: &str| {
        manifest.unreadable.iter().any(|missing| missing.source.starts_with(what) && missing.reason.contains(why))
    };
    let has = |set: &str, bit: u32| {
        let value = own.lines().find_map(|line| line.strip_prefix(set));
        let bits = value.and_then(|value| u64::from_str_radix(value.trim(), 16).ok());
        bits.is_some_and(|bits| bits >> bit & 1 == 1)
    };
    // `fs/proc/base.c: do_io_accounting` asks for ptrace access, and the file is its owner's only.
    let others = denied("/proc/1/io", "permission denied") || denied("/proc/1/stat", "hidepid");
    let wanted = [(others, SYS_PTRACE), (others, DAC_READ_SEARCH), (denied("", "CAP_NET_ADMIN"), NET_ADMIN)];
    let lacking =
        wanted.into_iter().filter(|(wants, (_, bit))| *wants && has("CapBnd:", *bit) && !has("CapEff:", *bit));
    let lacking: Vec<&str> = lacking.map(|(_, (name, _))| name).collect();
    (!lacking.is_empty()).then(|| lacking.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Unreadable;

    const USER: &str = "CapEff:\t0000000000000000\nCapBnd:\t000001ffffffffff\n";

    fn of(all: &[(&str, &str)], own: &str) -> Option<String> {
        let unreadable =
            |(source, reason): &(&str, &str)| Unreadable { source: (*source).to_owned(), reason: (*reason).to_owned() };
        capabilities(&Manifest { unreadable: all.iter().map(unreadable).collect(), ..Manifest::default() }, own)
    }

    const IO: (&str, &str) = ("/proc/1/io", "permission denied");
    const EXITS: (&str, &str) =
        ("processes that end between two samples", "the kernel answers only with CAP_NET_ADMIN");

    #[test]
    fn what_is_unseen_for_want_of_rights_names_the_capabilities_that_give_it() {
        let others = "cap_sys_ptrace,cap_dac_read_search";
        assert_eq!(of(&[IO, EXITS], USER), Some(format!("{others},cap_net_admin")));
        assert_eq!(of(&[EXITS], USER).as_deref(), Some("cap_net_admin"));
        assert_eq!(of(&[("/proc/1/stat", "/proc is mounted with hidepid=2")], USER).as_deref(), Some(others));
        let kernel = ("taskstats", "kernel.task_delayacct is 0: set it to 1 before the work starts");
        assert_eq!(of(&[kernel], USER), None, "no right gives what the kernel does not count");
        assert_eq!(
            of(&[("/proc/pressure/memory", "permission denied")], USER),
            None,
            "nor a file that nobody may read"
        );
    }

    #[test]
    fn who_has_a_right_or_cannot_get_it_is_not_told_to() {
        let root = "CapEff:\t000001ffffffffff\nCapBnd:\t000001ffffffffff\n";
        assert_eq!(of(&[IO, EXITS], root), None);
        let container = "CapEff:\t0000000000000000\nCapBnd:\t0000000000000400\n";
        assert_eq!(of(&[IO, EXITS], container), None);
        let with_net_admin = "CapEff:\t0000000000001000\nCapBnd:\t000001ffffffffff\n";
        assert_eq!(of(&[IO, EXITS], with_net_admin).as_deref(), Some("cap_sys_ptrace,cap_dac_read_search"));
    }
}
