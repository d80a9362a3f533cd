//! What processes waited for: taskstats over generic netlink (`kernel/taskstats.c`, `kernel/delayacct.c`).
//!
//! [`Taskstats::read`] gives the [`Delays`] of one process, summed over its threads (`TASKSTATS_CMD_ATTR_TGID`), in one
//! exchange that allocates nothing. That form has no page faults and no IO bytes; these come from `/proc/PID/stat` and
//! `io`.
//! Needs `CAP_NET_ADMIN`, and `kernel.task_delayacct=1` before the processes of interest start.

mod exits;
mod family;
mod message;

pub(crate) use exits::{ExitRecord, ExitRecords, why_unseen};
pub use family::FamilyDelays;
pub use message::Layout;

use crate::root::Root;
use message::{Answer, Broken};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with};
use std::io;
use std::os::fd::OwnedFd;

/// Why there are no taskstats.
#[derive(Debug, thiserror::Error)]
pub enum NoTaskstats {
    /// The files are another machine's.
    #[error("the kernel's files are not this machine's")]
    NotThisHost,
    /// The kernel does not account delays.
    #[error("kernel.task_delayacct is 0: set it to 1 before the work starts")]
    Off,
    /// The kernel was built without them.
    #[error("this kernel has no taskstats (CONFIG_TASKSTATS)")]
    NotBuilt,
    /// The caller may not ask.
    #[error("the kernel answers only with CAP_NET_ADMIN")]
    NotAllowed,
    /// What a task did when it ended is not told by process.
    #[error(
        "version {} of taskstats does not say which process a task belongs to: Linux 5.18 and later does",
        layout.version
    )]
    WithoutProcess {
        /// What the kernel has.
        layout: Layout,
    },
    /// The fields may lie elsewhere.
    #[error("unknown version {} of taskstats with {} bytes", layout.version, layout.bytes)]
    Unknown {
        /// What the kernel has.
        layout: Layout,
    },
    /// The exchange failed.
    #[error("generic netlink failed: {0}")]
    Failed(#[from] io::Error),
}

/// The delays that are read: the kernel's names, the offset of the total, and the offset of how many there were.
const DELAYS: [(&str, usize, usize); 8] = [
    ("cpu_delay_total", 24, 16),
    ("blkio_delay_total", 40, 32),
    ("swapin_delay_total", 56, 48),
    ("freepages_delay_total", 320, 312),
    ("thrashing_delay_total", 336, 328), // since version 9
    ("compact_delay_total", 360, 352),   // since version 11
    ("wpcopy_delay_total", 408, 400),    // since version 13
    ("irq_delay_total", 424, 416),       // since version 14
];

/// How long a process has waited, for each reason, in ns since it started; summed over its threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delays {
    totals: [Option<u64>; DELAYS.len()],
}

impl Delays {
    /// The kernel's names for the delays, in the order of [`Self::totals`].
    pub const NAMES: [&str; DELAYS.len()] = {
        let mut names = [""; DELAYS.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = DELAYS[at].0;
            at += 1;
        }
        names
    };

    /// The totals in ns. Waiting for a CPU is always known. The others are absent when this kernel does not have
    /// them, and all of them while none has occurred: the threads of a process that started before delays were accounted
    /// look just so.
    pub fn totals(&self) -> &[Option<u64>; DELAYS.len()] {
        &self.totals
    }

    /// A process that has not waited yet.
    pub(crate) fn none() -> Self {
        Self { totals: [None; DELAYS.len()] }
    }

    /// All of them added up.
    pub(crate) fn sum(&self) -> u64 {
        self.totals.iter().flatten().fold(0, |sum, total| sum.saturating_add(*total))
    }

    fn new(stats: &[u8]) -> Self {
        let mut totals = DELAYS.map(|(_, total, _)| message::number(stats, total));
        let (_, others) = DELAYS.split_at(1);
        if others.iter().all(|(.., count)| message::number(stats, *count).unwrap_or(0) == 0) {
            totals[1..].fill(None);
        }
        Self { totals }
    }
}

/// The manifest's entry about the source of delays: the version of taskstats, or why there are none.
pub fn source(root: &Root) -> String {
    match Taskstats::open(root) {
        Ok(taskstats) => format!("taskstats version {}", taskstats.layout.version),
        Err(why) => format!("none: {why}"),
    }
}

/// A connection to the kernel.
#[derive(Debug)]
pub struct Taskstats {
    socket: OwnedFd,
    family: u16,
    sequence: u32,
    layout: Layout,
}

impl Taskstats {
    /// Connects, when the kernel under `root` is this machine's and accounts delays.
    ///
    /// # Errors
    /// Says why there are none.
    pub fn open(root: &Root) -> Result<Self, NoTaskstats> {
        if !root.is_host() {
            return Err(NoTaskstats::NotThisHost);
        }
        // The setting came with Linux 5.14; older kernels account delays unless booted with nodelayacct.
        if root.read("/proc/sys/kernel/task_delayacct").is_ok_and(|text| text.trim_ascii() == "0") {
            return Err(NoTaskstats::Off);
        }
        Self::connect()
    }

    /// Connects, finds the family and asks about this process to learn the layout.
    fn connect() -> Result<Self, NoTaskstats> {
        let protocol = Some(netlink::GENERIC);
        let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, protocol)
            .map_err(io::Error::from)?;
        let mut taskstats = Self { socket, family: 0, sequence: 0, layout: Layout { version: 0, bytes: 0 } };
        taskstats.family = match taskstats.ask_family() {
            Ok(family) => family,
            Err(Errno::NOENT) => return Err(NoTaskstats::NotBuilt),
            Err(errno) => return Err(NoTaskstats::Failed(errno.into())),
        };
        taskstats.layout = match taskstats.ask(std::process::id(), message::layout) {
            Ok(layout) if layout.is_known() => layout,
            Ok(layout) => return Err(NoTaskstats::Unknown { layout }),
            Err(Errno::PERM) => return Err(NoTaskstats::NotAllowed),
            Err(errno) => return Err(NoTaskstats::Failed(errno.into())),
        };
        Ok(taskstats)
    }

    /// The kernel's layout.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The delays of a process; `None` when it is gone.
    ///
    /// # Errors
    /// When the exchange fails.
    pub fn read(&mut self, pid: u32) -> io::Result<Option<Delays>> {
        match self.ask(pid, |stats| Ok(Delays::new(stats))) {
            Ok(delays) => Ok(Some(delays)),
            Err(Errno::SRCH) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    fn ask_family(&mut self) -> Result<u16, Errno> {
        let (mut buffer, sequence) = ([0; message::REQUEST_BYTES], self.next());
        self.exchange(message::ask_family(&mut buffer, sequence, b"TASKSTATS\0"), sequence, message::family)
    }

    fn ask<T>(&mut self, pid: u32, take: impl FnOnce(&[u8]) -> Result<T, Broken>) -> Result<T, Errno> {
        let (mut buffer, sequence) = ([0; message::REQUEST_BYTES], self.next());
        let request = message::ask_process(&mut buffer, self.family, sequence, pid);
        self.exchange(request, sequence, |attributes| take(message::stats(attributes, pid)?))
    }

    fn next(&mut self) -> u32 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// One question and its answer. The kernel answers within the call that asks, so nothing is waited for.
    fn exchange<T>(
        &self,
        request: &[u8],
        sequence: u32,
        take: impl FnOnce(&[u8]) -> Result<T, Broken>,
    ) -> Result<T, Errno> {
        send(&self.socket, request, SendFlags::empty())?;
        // An answer about a family with all its operations has 200 bytes, one about a process less than 800.
        let mut buffer = [0; 4096];
        loop {
            let (length, _) = match recv(&self.socket, &mut buffer[..], RecvFlags::DONTWAIT) {
                Err(Errno::INTR) => continue,
                received => received?,
            };
            match message::answer(&buffer[..length]).map_err(|Broken| Errno::BADMSG)? {
                // Left over from an exchange that failed.
                (answered, _) if answered != sequence => {}
                (_, Answer::Refused(errno)) => return Err(errno),
                (_, Answer::Given { attributes }) => return take(attributes).map_err(|Broken| Errno::BADMSG),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    /// A `struct taskstats` of this size whose numbers are `fill`, except those at some offsets.
    fn stats(bytes: usize, fill: u64, numbers: &[(usize, u64)]) -> Vec<u8> {
        let mut stats = fill.to_ne_bytes().repeat(bytes / 8);
        for (offset, number) in numbers {
            stats[*offset..offset + 8].copy_from_slice(&number.to_ne_bytes());
        }
        stats
    }

    #[test]
    fn a_delay_that_the_kernel_does_not_have_is_absent() {
        let delays = Delays::new(&stats(344, 9, &[(336, 1234)]));
        let seen: Vec<_> =
            Delays::NAMES.into_iter().zip(*delays.totals()).filter(|(_, total)| total.is_some()).collect();
        assert_eq!(
            seen,
            [
                ("cpu_delay_total", Some(9)),
                ("blkio_delay_total", Some(9)),
                ("swapin_delay_total", Some(9)),
                ("freepages_delay_total", Some(9)),
                ("thrashing_delay_total", Some(1234)),
            ]
        );
    }

    #[test]
    fn a_process_whose_delays_are_not_accounted_has_none() {
        let delays = Delays::new(&stats(432, 0, &[(16, 50), (24, 777)]));
        assert_eq!(delays.totals()[0], Some(777), "waiting for a CPU is accounted always");
        assert_eq!(delays.totals()[1..], [None; 7]);
        let delays = Delays::new(&stats(432, 0, &[(16, 50), (24, 777), (328, 1)]));
        assert_eq!(delays.totals()[1..], [Some(0); 7], "one count is enough to know that they are");
    }

    #[test]
    fn only_layouts_whose_fields_are_known_are_read() {
        let known = |version, bytes| Layout { version, bytes }.is_known();
        assert!(known(8, 328) && known(13, 416) && known(14, 432) && known(16, 560) && known(17, 688));
        assert!(!known(15, 560), "fields in the middle");
        assert!(!known(14, 560), "the same before it was given its number");
        assert!(!known(7, 320) && !known(16, 424) && !known(0, 0));
    }

    proptest! {
        #[test]
        fn delays_of_any_bytes_are_numbers_or_absent(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            let _ = Delays::new(&bytes);
        }
    }

    /// `schedstat` says how long a thread has waited for a CPU, from the same counter.
    fn waited(pid: u32) -> u64 {
        let text = fs::read_to_string(format!("/proc/{pid}/schedstat")).unwrap();
        text.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
    }

    #[test]
    fn the_kernel_says_the_same_over_netlink_as_in_procfs() {
        let mut taskstats = Taskstats::connect().expect("run as root: taskstats need CAP_NET_ADMIN");
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        for _ in 0..3 {
            let before = waited(child.id());
            let delays = taskstats.read(child.id()).unwrap().unwrap();
            let after = waited(child.id());
            assert!((before..=after).contains(&delays.totals()[0].unwrap()), "{before} {delays:?} {after}");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(taskstats.read(child.id()).unwrap(), None, "the process is gone");
        assert!(taskstats.read(std::process::id()).unwrap().is_some(), "and the connection goes on");
    }

    #[test]
    fn the_files_of_another_machine_have_no_taskstats() {
        assert!(matches!(Taskstats::open(&Root::new("/nowhere")), Err(NoTaskstats::NotThisHost)));
    }
}
