//! What the kernel refuses, in words: what is missing, what still works, and the command that helps.

use crate::tracepoint::Tracepoint;
use pagetide_core::Error;
use std::io;

/// Something that cannot be measured here, although the rest can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Why, in one sentence without a full stop.
    pub why: String,
    /// What cannot be known because of it.
    pub lost: String,
    /// The command or change that helps; empty when there is none.
    pub hint: String,
}

impl Missing {
    /// The kernel lacks a tracepoint that is not required.
    pub(crate) fn tracepoint(tracepoint: Tracepoint) -> Self {
        Self {
            why: format!("this kernel has no tracepoint {}:{}", tracepoint.group(), tracepoint.name()),
            lost: tracepoint.lost_without().to_owned(),
            hint: String::new(),
        }
    }

    /// bpf(2) does not work here: filters sample instead.
    pub(crate) fn bpf(error: &io::Error) -> Self {
        Self {
            why: format!("bpf(2) refused: {error}"),
            lost: "exact page totals and buffered reads (so the miss ratio); filters sample one fixed page of each group instead"
                .to_owned(),
            hint: match error.raw_os_error() {
                Some(libc::EPERM | libc::EACCES) => {
                    "run as root, or with CAP_BPF and CAP_PERFMON; in a container allow bpf in its seccomp profile"
                }
                Some(libc::ENOSYS) => "the kernel needs CONFIG_BPF_SYSCALL, or the container's seccomp profile allows no bpf",
                _ => "",
            }
            .to_owned(),
        }
    }
}

/// What works without any tracing.
pub(crate) const STILL: &str = "nothing can be traced; `pagetide record` and `pagetide diagnose` work without tracing";

/// What to do about a kernel that is locked down.
const LOCKED_DOWN: &str = "the kernel is locked down (confidentiality), which forbids tracing to root, too; boot without lockdown=confidentiality";

/// The kernel lacks a tracepoint without which nothing can be attributed; `any` when it has others.
pub(crate) fn no_tracepoint(tracepoint: Tracepoint, any: bool) -> Error {
    tracepoint_refusal(tracepoint, any, &read("/sys/kernel/security/lockdown"))
}

fn tracepoint_refusal(tracepoint: Tracepoint, any: bool, lockdown: &str) -> Error {
    if lockdown.contains("[confidentiality]") {
        return Error::system(format!("tracefs is empty; {STILL}"), LOCKED_DOWN);
    }
    if !any {
        let hint = "the kernel is locked down (boot without lockdown=confidentiality) or was built without CONFIG_EVENT_TRACING";
        return Error::system(format!("tracefs has no events; {STILL}"), hint);
    }
    Error::system(
        format!("this kernel has no tracepoint {}:{}", tracepoint.group(), tracepoint.name()),
        format!(
            "without it {} cannot be measured; `pagetide record` and `pagetide diagnose` need no tracepoints",
            tracepoint.lost_without()
        ),
    )
}

/// `perf_event_open` refused.
pub(crate) fn perf_event_open(error: &io::Error) -> Error {
    let (paranoid, lockdown) = (read("/proc/sys/kernel/perf_event_paranoid"), read("/sys/kernel/security/lockdown"));
    perf_refusal(error, &paranoid, &lockdown)
}

fn perf_refusal(error: &io::Error, paranoid: &str, lockdown: &str) -> Error {
    let hint = match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) if lockdown.contains("[confidentiality]") => LOCKED_DOWN.to_owned(),
        Some(libc::EPERM | libc::EACCES) => {
            format!(
                "run as root or with CAP_PERFMON (perf_event_paranoid is {paranoid}); in a container allow perf_event_open in its seccomp profile"
            )
        }
        Some(libc::ENOSYS) => {
            "the kernel needs CONFIG_PERF_EVENTS, or the container's seccomp profile allows no perf_event_open"
                .to_owned()
        }
        Some(libc::EMFILE) => "raise the limit of open files: ulimit -n 65536".to_owned(),
        _ => String::new(),
    };
    Error::system(format!("perf_event_open(2) refused: {error}; {STILL}"), hint)
}

/// A ring could not be mapped.
pub(crate) fn ring(error: &io::Error, bytes: usize) -> Error {
    let hint = "run as root or with CAP_IPC_LOCK, or raise kernel.perf_event_mlock_kb";
    Error::system(format!("cannot map a perf ring of {} KiB: {error}; {STILL}", bytes >> 10), hint)
}

/// An event could not be switched on or off.
pub(crate) fn switch(error: &io::Error) -> Error {
    Error::system(format!("cannot enable or disable a perf event: {error}"), "")
}

/// Rings, and before Linux 5.11 maps and programs, count as locked memory: raises that limit as far as it is allowed.
pub(crate) fn raise_locked_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let unlimited = Rlimit { current: None, maximum: None };
    if setrlimit(Resource::Memlock, unlimited).is_err() {
        let maximum = getrlimit(Resource::Memlock).maximum;
        let _ = setrlimit(Resource::Memlock, Rlimit { current: maximum, maximum });
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_names_its_cause_and_what_helps() {
        let refused = |errno, lockdown| perf_refusal(&io::Error::from_raw_os_error(errno), "4", lockdown).to_string();
        assert!(refused(libc::EACCES, "[none] integrity").contains("CAP_PERFMON (perf_event_paranoid is 4)"));
        assert!(refused(libc::EPERM, "none [confidentiality]").contains("without lockdown=confidentiality"));
        assert!(refused(libc::ENOSYS, "").contains("CONFIG_PERF_EVENTS"));
        assert!(refused(libc::EMFILE, "").contains("ulimit -n"));
        assert!(refused(libc::EPERM, "").contains("`pagetide diagnose` work without"));
        let added = |any, lockdown| tracepoint_refusal(Tracepoint::Added, any, lockdown).to_string();
        assert!(added(false, "none integrity [confidentiality]").contains("without lockdown=confidentiality"));
        assert!(added(false, "").contains("CONFIG_EVENT_TRACING"));
        assert!(added(true, "[none] integrity").contains("no tracepoint filemap:mm_filemap_add_to_page_cache"));
        let bpf = |errno| Missing::bpf(&io::Error::from_raw_os_error(errno));
        assert!(bpf(libc::EPERM).hint.contains("CAP_BPF"));
        assert!(bpf(libc::ENOSYS).hint.contains("seccomp"));
        assert!(bpf(libc::E2BIG).lost.contains("filters sample"));
    }
}
