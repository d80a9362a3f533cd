//! What each task did, told by the kernel when it ends (`kernel/taskstats.c:taskstats_exit`, 6.12): the only trace of a process that began and ended
//! between two samples.
//!
//! Records wait in the socket until they are taken, up to [`WAITING_BYTES`] of kernel memory; the kernel drops what comes on top and
//! counts it. Needs `CAP_NET_ADMIN`, and the host's own process ids and users.

use super::message::{self, Answer, Layout};
use super::{Delays, NoTaskstats, Taskstats};
use crate::root::Root;
use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{RecvFlags, SendFlags, getsockname, recv, send, sockopt};
use std::io;

/// Memory for records that wait to be taken; the kernel takes up to twice as much, some 7000 records.
const WAITING_BYTES: usize = 8 << 20;

/// The first version that says which process a task belongs to (`ac_tgid`), since Linux 5.18.
const WITH_PROCESS: u16 = 12;

/// Counters of the process table that a record has, with their offsets.
const COUNTERS: [(&str, usize); 9] = [
    ("minflt", 168),
    ("majflt", 176),
    ("rchar", 216),
    ("wchar", 224),
    ("syscr", 232),
    ("syscw", 240),
    ("read_bytes", 248),
    ("write_bytes", 256),
    ("cancelled_write_bytes", 264),
];

const NICE: usize = 9; // ac_nice, an i8
const POLICY: usize = 112; // ac_sched
const RUN_NS: usize = 72; // cpu_run_virtual_total
const COMM: usize = 80; // ac_comm
const COMM_BYTES: usize = 16; // TASK_COMM_LEN
const UID: usize = 120; // ac_uid
const TASK: usize = 128; // ac_pid
const PARENT: usize = 132; // ac_ppid
const USER_US: usize = 152; // ac_utime
const SYSTEM_US: usize = 160; // ac_stime
const PROCESS: usize = 368; // ac_tgid

/// What a task did in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExitRecord {
    comm: [u8; COMM_BYTES],
    /// Its own id, and that of its process.
    pub(crate) task: u32,
    pub(crate) process: u32,
    /// The process that started it, or that it was given to; 0 when there is none.
    pub(crate) parent: u32,
    pub(crate) uid: u32,
    /// What the scheduler was told of it, as in `/proc/PID/stat` (`kernel/tsacct.c:bacct_add_tsk`, 6.12).
    pub(crate) nice: i64,
    pub(crate) policy: u64,
    /// CPU time in user mode and in the kernel, in ns.
    pub(crate) cpu_ns: [u64; 2],
    /// In the order of [`Self::COUNTERS`].
    pub(crate) counters: [u64; COUNTERS.len()],
    pub(crate) delays: Delays,
}

impl ExitRecord {
    /// The names of the counters in the process table.
    pub(crate) const COUNTERS: [&str; COUNTERS.len()] = {
        let mut names = [""; COUNTERS.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = COUNTERS[at].0;
            at += 1;
        }
        names
    };

    /// The name it went by. What is not UTF-8 becomes `?`.
    pub(crate) fn comm(&self) -> &str {
        let end = self.comm.iter().position(|byte| *byte == 0).unwrap_or(COMM_BYTES);
        std::str::from_utf8(&self.comm[..end]).unwrap_or("?")
    }

    /// A task that did nothing.
    #[cfg(test)]
    pub(crate) fn of(comm: &str) -> Self {
        let mut stats = [0; 432];
        stats[COMM..COMM + comm.len()].copy_from_slice(comm.as_bytes());
        Self::new(&stats).unwrap()
    }

    /// A task that waited for block IO.
    #[cfg(test)]
    pub(crate) fn waiting(comm: &str, ns: u64) -> Self {
        let mut stats = [0; 432];
        stats[32..48].copy_from_slice(&[1, ns].map(u64::to_ne_bytes).concat());
        Self { delays: Delays::new(&stats), ..Self::of(comm) }
    }

    /// From a `struct taskstats`; absent where it is too short.
    fn new(stats: &[u8]) -> Option<Self> {
        let number = |offset| message::number(stats, offset);
        let half = |offset: usize| Some(u32::from_ne_bytes(stats.get(offset..offset + 4)?.try_into().ok()?));
        let mut comm: [u8; COMM_BYTES] = stats.get(COMM..COMM + COMM_BYTES)?.try_into().ok()?;
        while let Err(error) = std::str::from_utf8(&comm) {
            comm[error.valid_up_to()] = b'?';
        }
        let mut counters = [0; COUNTERS.len()];
        for (counter, (_, offset)) in counters.iter_mut().zip(COUNTERS) {
            *counter = number(offset)?;
        }
        Some(Self {
            comm,
            task: half(TASK)?,
            process: half(PROCESS)?,
            parent: half(PARENT)?,
            uid: half(UID)?,
            nice: stats.get(NICE)?.cast_signed().into(),
            policy: (*stats.get(POLICY)?).into(),
            cpu_ns: cpu(number(RUN_NS)?, [number(USER_US)?, number(SYSTEM_US)?]),
            counters,
            delays: Delays::new(stats),
        })
    }
}

/// CPU time in ns by mode, as `/proc/PID/stat` has it (`kernel/sched/cputime.c:cputime_adjust`): the exact sum, divided as the ticks that hit the
/// task were; most short tasks are hit by none.
fn cpu(run_ns: u64, [user_us, system_us]: [u64; 2]) -> [u64; 2] {
    let ticks = user_us.saturating_add(system_us);
    if run_ns == 0 {
        return [user_us, system_us].map(|us| us.saturating_mul(1000));
    }
    if system_us == 0 {
        return [run_ns, 0];
    }
    let user = u128::from(run_ns) * u128::from(user_us) / u128::from(ticks);
    let user = u64::try_from(user).unwrap_or(run_ns);
    [user, run_ns - user]
}

/// A socket to which the kernel sends a record of each task that ends.
#[derive(Debug)]
pub(crate) struct ExitRecords {
    taskstats: Taskstats,
    /// The CPUs on which tasks end, as the kernel lists them, with a zero byte at the end.
    cpus: Vec<u8>,
    /// The socket's number in the kernel's list.
    port: u32,
    /// Whether the kernel has dropped records.
    pub(crate) dropped: bool,
}

/// Whether records of this layout say which process a task belongs to.
fn names_process(layout: Layout) -> Result<(), NoTaskstats> {
    if layout.version < WITH_PROCESS { Err(NoTaskstats::WithoutProcess { layout }) } else { Ok(()) }
}

impl ExitRecords {
    /// Asks for records.
    ///
    /// # Errors
    /// Says why there are none.
    pub(crate) fn open(root: &Root) -> Result<Self, NoTaskstats> {
        if !root.is_host() {
            return Err(NoTaskstats::NotThisHost);
        }
        let taskstats = Taskstats::connect()?;
        names_process(taskstats.layout())?;
        let failed = |errno: Errno| NoTaskstats::Failed(errno.into());
        let possible = root.read("/sys/devices/system/cpu/possible").map_err(io::Error::other)?;
        let mut cpus = possible.trim_ascii().as_bytes().to_vec();
        cpus.push(0);
        if cpus.len() > message::CPU_LIST_BYTES {
            return Err(failed(Errno::TOOBIG));
        }
        sockopt::set_socket_recv_buffer_size_force(&taskstats.socket, WAITING_BYTES).map_err(failed)?;
        let port = getsockname(&taskstats.socket).map_err(failed)?;
        let port = SocketAddrNetlink::try_from(port).map_err(failed)?.pid();
        let mut records = Self { taskstats, cpus, port, dropped: false };
        records.ask(true).map_err(failed)?;
        Ok(records)
    }

    /// Asks for records or for no more of them. The kernel refuses within the call, and says nothing when it does not.
    fn ask(&mut self, begin: bool) -> Result<(), Errno> {
        let Self { taskstats, cpus, .. } = self;
        let (mut buffer, sequence) = ([0; message::REQUEST_BYTES], taskstats.next());
        let request = message::ask_exits(&mut buffer, taskstats.family, sequence, cpus, begin);
        send(&taskstats.socket, request, SendFlags::empty())?;
        let mut buffer = [0; 4096];
        loop {
            let length = match recv(&taskstats.socket, &mut buffer[..], RecvFlags::DONTWAIT) {
                Err(Errno::INTR | Errno::NOBUFS) => continue,
                Err(Errno::AGAIN) => return Ok(()),
                received => received?.0,
            };
            // A record may be there before.
            if let Ok((answered, Answer::Refused(errno))) = message::answer(&buffer[..length])
                && answered == sequence
            {
                return Err(errno);
            }
        }
    }

    /// Takes the records that wait, `most` at most: more may come as fast as they are taken.
    pub(crate) fn take(&mut self, most: usize, mut each: impl FnMut(&ExitRecord)) -> io::Result<()> {
        let mut buffer = [0; 4096];
        for _ in 0..most {
            let length = match recv(&self.taskstats.socket, &mut buffer[..], RecvFlags::DONTWAIT) {
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::NOBUFS) => {
                    self.dropped = true;
                    continue;
                }
                received => received?.0,
            };
            let Ok((_, Answer::Given { attributes })) = message::answer(&buffer[..length]) else { continue };
            if let Some(record) = message::exit(attributes).ok().and_then(ExitRecord::new) {
                each(&record);
            }
        }
        Ok(())
    }

    /// Whether records come at all: the kernel takes the request of any network namespace, and sends records to the first one only
    /// (`kernel/taskstats.c: send_cpu_listeners`, by `genlmsg_unicast` in `init_net`). A thread ends to see that.
    fn arrive(&mut self) -> io::Result<bool> {
        const NAME: &str = "pagetide-probe";
        std::thread::Builder::new().name(NAME.to_owned()).spawn(|| {})?.join().map_err(|_| io::ErrorKind::Other)?;
        let mut arrived = false;
        // The kernel sends it before it wakes who waits for the thread.
        self.take(1 << 16, |record| arrived |= record.comm() == NAME)?;
        Ok(arrived)
    }

    /// How many records the kernel has dropped since it was asked, from the text of `/proc/net/netlink` (`net/netlink/af_netlink.c:
    /// netlink_native_seq_show`).
    pub(crate) fn drops(&self, sockets: &str) -> Option<u64> {
        drops(sockets, self.port)
    }
}

/// The drops of the generic socket with this port.
fn drops(sockets: &str, port: u32) -> Option<u64> {
    const GENERIC: &str = "16"; // NETLINK_GENERIC
    sockets.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace().skip(1);
        let (protocol, of) = (words.next()?, words.next()?);
        // Groups, Rmem, Wmem, Dump and Locks.
        (protocol == GENERIC && of.parse() == Ok(port)).then(|| words.nth(5)?.parse().ok())?
    })
}

/// Why the work of processes that end between two samples is not recorded; none when it is.
pub(crate) fn why_unseen(root: &Root) -> Option<String> {
    match ExitRecords::open(root).and_then(|mut records| Ok(records.arrive()?)) {
        Ok(true) => None,
        Ok(false) => Some("the kernel tells only the host's network namespace of them".to_owned()),
        Err(why) => Some(why.to_string()),
    }
}

impl Drop for ExitRecords {
    fn drop(&mut self) {
        // Else the kernel prepares records until it finds the socket closed.
        let _ = self.ask(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stats(numbers: &[(usize, u64)], comm: &[u8]) -> Vec<u8> {
        let mut stats = vec![0; 432];
        stats[COMM..COMM + comm.len()].copy_from_slice(comm);
        for (offset, number) in numbers {
            // The ids have four bytes each.
            let bytes = if (UID..=PARENT).contains(offset) || *offset == PROCESS { 4 } else { 8 };
            stats[*offset..offset + bytes].copy_from_slice(&number.to_ne_bytes()[..bytes]);
        }
        stats
    }

    #[test]
    fn a_record_is_read_by_its_offsets() {
        let mut stats = stats(
            &[
                (UID, 1000),
                (TASK, 8),
                (PARENT, 5),
                (PROCESS, 7),
                (248, 4096),
                (264, 1),
                (RUN_NS, 900),
                (40, 3),
                (32, 1),
            ],
            b"dd\0",
        );
        stats[NICE] = 0xfb;
        stats[POLICY] = 3;
        let record = ExitRecord::new(&stats).unwrap();
        assert_eq!((record.nice, record.policy), (-5, 3));
        assert_eq!((record.comm(), record.task, record.process, record.parent, record.uid), ("dd", 8, 7, 5, 1000));
        assert_eq!((record.cpu_ns, record.delays.totals()[1]), ([900, 0], Some(3)));
        let of = |name: &str| record.counters[ExitRecord::COUNTERS.iter().position(|known| *known == name).unwrap()];
        assert_eq!((of("read_bytes"), of("cancelled_write_bytes"), of("rchar")), (4096, 1, 0));
        assert_eq!(ExitRecord::new(&stats[..370]), None, "it does not say whose it is");
    }

    #[test]
    fn a_kernel_that_names_no_process_is_told_apart_from_an_unknown_one() {
        let of = |version| names_process(Layout { version, bytes: 352 }).map_err(|error| error.to_string());
        assert!(of(10).unwrap_err().starts_with("version 10 of taskstats does not say"));
        assert_eq!(of(WITH_PROCESS), Ok(()));
    }

    #[test]
    fn cpu_time_is_exact_and_divided_by_ticks() {
        assert_eq!(cpu(0, [2, 3]), [2000, 3000], "a kernel that does not count it");
        assert_eq!(cpu(700, [0, 0]), [700, 0]);
        assert_eq!(cpu(700, [0, 4000]), [0, 700]);
        assert_eq!(cpu(9_000_000, [4000, 8000]), [3_000_000, 6_000_000]);
    }

    #[test]
    fn drops_are_of_the_socket_with_the_port() {
        let text = "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode\n\
                    0000000000000000 0   77         00000000 0        0        0     2        5        1\n\
                    0000000000000000 16  7          00000000 0        0        0     2        6        2\n\
                    0000000000000000 16  77         00000550 0        0        0     2        1234     3\n";
        assert_eq!(drops(text, 77), Some(1234));
        assert_eq!((drops(text, 8), drops("", 77), drops("a b\nc 16 77 1\n", 77)), (None, None, None));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_record_or_none(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            if let Some(record) = ExitRecord::new(&bytes) {
                prop_assert!(record.comm().len() <= COMM_BYTES);
            }
            let _ = drops(&String::from_utf8_lossy(&bytes), 7);
        }
    }

    #[test]
    #[allow(unsafe_code)]
    fn records_do_not_arrive_in_another_network_namespace() {
        assert_eq!(why_unseen(&Root::host()), None, "run as root of the host");
        let elsewhere = std::thread::spawn(|| {
            // SAFETY: a network namespace of its own changes neither memory nor descriptors of this thread.
            unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWNET) }.unwrap();
            why_unseen(&Root::host())
        });
        assert!(elsewhere.join().unwrap().unwrap().contains("network namespace"));
    }

    #[test]
    fn the_kernel_tells_what_a_short_process_did() {
        let mut records =
            ExitRecords::open(&Root::host()).expect("run as root of the host: exit records need CAP_NET_ADMIN");
        let mut child = std::process::Command::new("nice")
            .args(["-n", "7", "head", "-c", "65536", "/dev/zero"])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        child.wait().unwrap();
        let mut found = None;
        records
            .take(usize::MAX, |record| {
                if record.process == child.id() {
                    found = Some(*record);
                }
            })
            .unwrap();
        let record = found.expect("the record is sent before the parent knows");
        assert_eq!((record.comm(), record.parent), ("head", std::process::id()));
        let rchar = record.counters[2];
        assert!((65_536..1 << 20).contains(&rchar), "{record:?}");
        assert!(record.cpu_ns.iter().sum::<u64>() > 0, "{record:?}");
    }
}
