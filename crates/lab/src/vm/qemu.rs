//! A running QEMU: its command line, its output (messages, console, stderr), and its end.

mod spawn;

use super::wire::{Frames, Message};
use pagetide_core::{Bytes, BytesPerSecond, DiskSpec, Error, Nanos};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

/// What executes the guest's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accelerator {
    /// The processor, by KVM.
    Kvm,
    /// Software emulation (TCG), on all of the host's CPUs.
    Tcg,
}

impl Accelerator {
    /// QEMU's name for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kvm => "kvm",
            Self::Tcg => "tcg",
        }
    }
}

/// What backs a disk of the guest.
#[derive(Debug)]
pub(crate) enum Backing {
    /// A file, with limits that QEMU applies.
    File { file: File, iops: Option<u64>, bandwidth: Option<u64> },
    /// Our own server at the other end of a socket.
    Served(OwnedFd),
}

impl Backing {
    /// A file with the limits of a scenario's disk.
    pub(crate) fn limited(spec: &DiskSpec, file: File) -> Self {
        Self::File { file, iops: spec.iops, bandwidth: spec.bandwidth.map(BytesPerSecond::get) }
    }
}

/// A machine to start.
#[derive(Debug)]
pub(crate) struct Machine {
    pub qemu: PathBuf,
    pub accelerator: Accelerator,
    pub cpus: u32,
    pub memory: Bytes,
    pub kernel: PathBuf,
    pub initramfs: Vec<u8>,
    /// Arguments of the kernel, and after `--` of init.
    pub words: String,
    pub disks: Vec<Backing>,
}

/// The name by which the guest finds the port.
pub(super) const PORT: &str = "pagetide";
/// Lines of the console that are kept.
const CONSOLE_LINES: usize = 60;

/// A QEMU that runs. Dropped, it is killed and waited for.
#[derive(Debug)]
pub(super) struct Qemu {
    child: Child,
    link: UnixStream,
    console: UnixStream,
    complaints: Option<std::process::ChildStderr>,
    frames: Frames,
    lines: Lines,
    complaint: Vec<u8>,
}

/// The last lines of a console.
#[derive(Debug, Default)]
struct Lines {
    whole: VecDeque<String>,
    open: Vec<u8>,
}

impl Lines {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => {
                    let line = String::from_utf8_lossy(&self.open).trim_end().to_owned();
                    self.open.clear();
                    if !line.is_empty() {
                        self.whole.push_back(line);
                    }
                    if self.whole.len() > CONSOLE_LINES {
                        self.whole.pop_front();
                    }
                }
                // Drop escape sequences of the firmware, and the rest of endless lines.
                byte if byte.is_ascii_control() && *byte != b'\t' || self.open.len() >= 400 => {}
                byte => self.open.push(*byte),
            }
        }
    }
}

impl Qemu {
    /// Starts QEMU.
    ///
    /// # Errors
    /// QEMU cannot be started.
    pub(super) fn start(machine: Machine) -> Result<Self, Error> {
        let program = machine.qemu.clone();
        let refuse = |error: std::io::Error| {
            Error::system(
                format!("cannot run {}: {error}", program.display()),
                "apt-get install --no-install-recommends qemu-system-x86",
            )
        };
        let (link, link_end) = UnixStream::pair().map_err(refuse)?;
        let (console, console_end) = UnixStream::pair().map_err(refuse)?;
        for socket in [&link, &console] {
            socket.set_nonblocking(true).map_err(refuse)?;
        }
        let initramfs = memory_file(&machine.initramfs).map_err(refuse)?;
        let (link_end, console_end) = (OwnedFd::from(link_end), OwnedFd::from(console_end));
        let mut command = Command::new(&machine.qemu);
        command.args(arguments(&machine, link_end.as_raw_fd(), console_end.as_raw_fd(), initramfs.as_raw_fd()));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut inherited = vec![link_end, console_end, initramfs];
        inherited.extend(machine.disks.into_iter().map(|disk| match disk {
            Backing::File { file, .. } => file.into(),
            Backing::Served(socket) => socket,
        }));
        spawn::prepare(&mut command, inherited.iter().map(AsRawFd::as_raw_fd).collect());
        let mut child = command.spawn().map_err(refuse)?;
        let complaints = child.stderr.take();
        Ok(Self {
            child,
            link,
            console,
            complaints,
            frames: Frames::default(),
            lines: Lines::default(),
            complaint: Vec::new(),
        })
    }

    /// Waits at most `time` for messages, and returns those that arrived.
    ///
    /// # Errors
    /// The bytes are not a message.
    pub(super) fn listen(&mut self, time: Nanos) -> Result<Vec<Message>, String> {
        {
            let mut ears = vec![PollFd::new(&self.link, PollFlags::IN), PollFd::new(&self.console, PollFlags::IN)];
            ears.extend(self.complaints.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            let time = i64::try_from(time.get()).unwrap_or(i64::MAX);
            // An interrupted wait needs no retry: the caller calls again.
            let _ = poll(&mut ears, Some(&Timespec { tv_sec: time / 1_000_000_000, tv_nsec: time % 1_000_000_000 }));
            let heard: Vec<bool> = ears.iter().map(|ear| !ear.revents().is_empty()).collect();
            drop(ears);
            if heard.get(2) == Some(&true) {
                let mut buffer = [0; 4096];
                match self.complaints.as_mut().map(|pipe| pipe.read(&mut buffer)) {
                    Some(Ok(count @ 1..)) => self.complaint.extend_from_slice(&buffer[..count]),
                    _ => self.complaints = None,
                }
            }
        }
        let mut buffer = vec![0; 1 << 16];
        let lines = &mut self.lines;
        drain(&mut self.console, &mut buffer, &mut |bytes| lines.feed(bytes));
        let frames = &mut self.frames;
        drain(&mut self.link, &mut buffer, &mut |bytes| frames.feed(bytes));
        let mut messages = Vec::new();
        while let Some(message) = self.frames.next()? {
            messages.push(message);
        }
        Ok(messages)
    }

    /// Its exit status, if it has ended.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// The last lines of the console, and QEMU's stderr.
    pub(super) fn last_lines(&self) -> Vec<String> {
        let complaint = String::from_utf8_lossy(&self.complaint);
        let complaint = complaint.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("qemu: {line}"));
        self.lines.whole.iter().cloned().chain(complaint).collect()
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        // Both fail only if QEMU has ended and was waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads what has arrived, up to 1 MiB.
fn drain(socket: &mut UnixStream, buffer: &mut [u8], take: &mut dyn FnMut(&[u8])) {
    for _ in 0..16 {
        match socket.read(buffer) {
            Ok(count @ 1..) => take(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => return,
        }
    }
}

/// An unnamed file in memory.
fn memory_file(bytes: &[u8]) -> std::io::Result<OwnedFd> {
    let file = File::from(rustix::fs::memfd_create("pagetide-initramfs", rustix::fs::MemfdFlags::CLOEXEC)?);
    std::io::Write::write_all(&mut &file, bytes)?;
    Ok(file.into())
}

/// QEMU's command line. Of a scenario it contains only numbers: options with several values are JSON, or consist of numbers and fixed words.
pub(crate) fn arguments(machine: &Machine, link: RawFd, console: RawFd, initramfs: RawFd) -> Vec<OsString> {
    const FIRST: [&str; 7] = ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", "pc"];
    let mut arguments: Vec<OsString> = FIRST.map(OsString::from).into();
    // QEMU takes the whole value as the path, commas included.
    arguments.extend(["-kernel".into(), machine.kernel.clone().into_os_string()]);
    let mut add = |option: &str, value: String| arguments.extend([option.into(), value.into()]);
    match machine.accelerator {
        Accelerator::Kvm => {
            add("-accel", "kvm".into());
            add("-cpu", "host".into());
        }
        Accelerator::Tcg => {
            add("-accel", "tcg,thread=multi".into());
            // Debian's Linux 6.12 does not boot with the cmpxchg16b of QEMU 7.2's emulation.
            add("-cpu", "max,cx16=off".into());
        }
    }
    add("-smp", machine.cpus.to_string());
    add("-m", format!("{}M", machine.memory.get().div_ceil(1 << 20)));
    add("-initrd", format!("/proc/self/fd/{}", initramfs));
    add("-append", machine.words.clone());
    add("-chardev", format!("socket,id=console,fd={}", console));
    add("-serial", "chardev:console".into());
    add("-device", "virtio-serial-pci".into());
    add("-chardev", format!("socket,id=link,fd={}", link));
    add("-device", format!("virtserialport,chardev=link,name={PORT}"));
    add("-device", "virtio-rng-pci".into());
    for (at, disk) in machine.disks.iter().enumerate() {
        match disk {
            Backing::File { file, iops, bandwidth } => {
                add("-add-fd", format!("fd={},set={at}", file.as_raw_fd()));
                let limits = serde_json::json!({
                    "qom-type": "throttle-group",
                    "id": format!("limit{at}"),
                    "limits": { "iops-total": iops.unwrap_or(0), "bps-total": bandwidth.unwrap_or(0) },
                });
                add("-object", limits.to_string());
                // The file lives only as long as the VM, so a flush need not reach the host's disk.
                let node = serde_json::json!({
                    "driver": "throttle",
                    "node-name": format!("disk{at}"),
                    "throttle-group": format!("limit{at}"),
                    "cache": { "no-flush": true },
                    "file": {
                        "driver": "raw",
                        "file": { "driver": "file", "filename": format!("/dev/fdset/{at}"), "locking": "off" },
                    },
                });
                add("-blockdev", node.to_string());
            }
            Backing::Served(socket) => {
                let node = serde_json::json!({
                    "driver": "nbd",
                    "node-name": format!("disk{at}"),
                    "server": { "type": "fd", "str": socket.as_raw_fd().to_string() },
                });
                add("-blockdev", node.to_string());
            }
        }
        add("-object", format!("iothread,id=thread{at}"));
        add("-device", format!("virtio-blk-pci,drive=disk{at},iothread=thread{at},serial={}", serial(at)));
    }
    arguments
}

/// The serial number by which the guest identifies the disk at this index of the scenario's list.
pub(super) fn serial(at: usize) -> String {
    format!("disk{at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_a_console_are_kept_whole() {
        let mut lines = Lines::default();
        for at in 0..CONSOLE_LINES + 5 {
            lines.feed(format!("line {at}\r\n\n").as_bytes());
        }
        lines.feed(b"\x1b[2Jhalf");
        assert_eq!(lines.whole.len(), CONSOLE_LINES);
        assert_eq!(lines.whole.front().unwrap(), "line 5");
        lines.feed(b" whole\n");
        assert_eq!(lines.whole.back().unwrap(), "[2Jhalf whole");
    }

    #[test]
    fn qemu_is_given_no_network_device() {
        const OPTIONS: &str = "-accel -add-fd -append -blockdev -chardev -cpu -device -display -initrd -kernel -m -machine \
                               -no-reboot -no-user-config -nodefaults -object -serial -smp";
        const DEVICES: [&str; 4] = ["virtio-serial-pci", "virtserialport", "virtio-rng-pci", "virtio-blk-pci"];
        let file = || File::open("/dev/null").unwrap();
        for accelerator in [Accelerator::Kvm, Accelerator::Tcg] {
            let machine = Machine {
                qemu: PathBuf::from("qemu-system-x86_64"),
                accelerator,
                cpus: 2,
                memory: Bytes::new(160 << 20),
                kernel: PathBuf::from("/boot/vmlinuz"),
                initramfs: Vec::new(),
                words: "console=ttyS0 -- run".to_owned(),
                disks: vec![
                    Backing::File { file: file(), iops: Some(500), bandwidth: None },
                    Backing::Served(file().into()),
                ],
            };
            let words: Vec<String> =
                arguments(&machine, 3, 4, 5).into_iter().map(|word| word.into_string().unwrap()).collect();
            // Without it QEMU adds a network card and its user-mode network.
            assert!(words.contains(&"-nodefaults".to_owned()), "{words:?}");
            let options: Vec<&String> = words.iter().filter(|word| word.starts_with('-')).collect();
            assert!(options.iter().all(|option| OPTIONS.split(' ').any(|known| known == *option)), "{options:?}");
            let devices = words.windows(2).filter(|pair| pair[0] == "-device").map(|pair| &pair[1]);
            let models: Vec<&str> = devices.map(|device| device.split(',').next().unwrap()).collect();
            assert!(models.len() == 5 && models.iter().all(|model| DEVICES.contains(model)), "{models:?}");
            // A character device could be a socket, too: both are descriptors that pagetide opened.
            let channels: Vec<&String> =
                words.windows(2).filter(|pair| pair[0] == "-chardev").map(|pair| &pair[1]).collect();
            assert_eq!(channels, ["socket,id=console,fd=4", "socket,id=link,fd=3"]);
        }
    }
}
