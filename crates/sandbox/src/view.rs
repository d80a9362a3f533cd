//! Namespaces of a confined program, and what it sees of the file system in them: everything read-only, nothing of other people, of
//! services and of their sockets, and its own folder.

use crate::call::checked;
use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

/// Folders that are empty in it: of people, of services, and of their sockets. The program's own takes the place of the first that
/// does not hold the program.
const HIDDEN: [&str; 9] = ["/tmp", "/mnt", "/srv", "/home", "/root", "/run", "/var", "/media", "/boot"];
/// What it gets namespaces of.
const NAMESPACES: libc::c_int = libc::CLONE_NEWNS | libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;

/// A view, made ready before the fork.
#[derive(Debug)]
pub(super) struct View {
    /// What is covered by the program's folder, or by an empty one, and is its current folder.
    own: CString,
    hidden: Vec<CString>,
    folder: bool,
}

/// Why this caller gets no namespaces, when it does not. A thread of its own tries: what it has then ends with it.
pub(super) fn refused() -> Option<io::Error> {
    // SAFETY: takes a number, and changes the calling thread only.
    let attempt = || checked(unsafe { libc::unshare(NAMESPACES) }.into()).err();
    std::thread::spawn(attempt).join().unwrap_or_else(|_| Some(io::ErrorKind::Other.into()))
}

impl View {
    /// For a program at `program`, which stays visible, and, with `folder`, its current folder.
    pub(super) fn new(program: &Path, folder: bool) -> Self {
        let program = program.canonicalize().unwrap_or_else(|_| program.to_owned());
        let shown = |path: &Path| program.starts_with(path) || path.is_symlink() || !path.is_dir();
        let hidden = HIDDEN.iter().map(PathBuf::from).filter(|path| !shown(path));
        let mut hidden = hidden.filter_map(|path| CString::new(path.as_os_str().as_bytes()).ok());
        // Without one, mount(2) fails with ENOENT.
        Self { own: hidden.next().unwrap_or_default(), hidden: hidden.collect(), folder }
    }

    /// Enters it. The current folder is the program's. Safe after a fork.
    pub(super) fn enter(&self) -> io::Result<()> {
        // SAFETY: takes a number.
        checked(unsafe { libc::unshare(NAMESPACES) }.into())?;
        // Nothing of what follows reaches the system's own view.
        mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE, None)?;
        if self.folder {
            mount(Some(c"."), &self.own, None, libc::MS_BIND, None)?;
        } else {
            empty(&self.own)?;
        }
        for path in &self.hidden {
            empty(path)?;
        }
        read_only()?;
        if self.folder {
            let own = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_NOSUID | libc::MS_NODEV;
            mount(None, &self.own, None, own, None)?;
        }
        // SAFETY: the path ends with a zero byte.
        checked(unsafe { libc::chdir(self.own.as_ptr()) }.into())
    }
}

/// Covers a folder by an empty one.
fn empty(path: &CStr) -> io::Result<()> {
    let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    mount(Some(c"none"), path, Some(c"tmpfs"), flags, Some(c"size=4k,mode=755"))
}

/// `struct mount_attr` of `mount_setattr(2)`.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Makes all that is mounted read-only, and its set-user-id bits void; the root alone before Linux 5.12.
fn read_only() -> io::Result<()> {
    const RDONLY_NOSUID: u64 = 1 | 2;
    const RECURSIVE: libc::c_int = 0x8000;
    let attributes = Attributes { set: RDONLY_NOSUID, clear: 0, propagation: 0, user_namespace: 0 };
    let size = size_of::<Attributes>();
    // SAFETY: the path ends with a zero byte, and the attributes are as large as is said.
    let done = unsafe {
        libc::syscall(libc::SYS_mount_setattr, libc::AT_FDCWD, c"/".as_ptr(), RECURSIVE, &raw const attributes, size)
    };
    match checked(done) {
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
            let flags = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY | libc::MS_NOSUID;
            mount(None, c"/", None, flags, None)
        }
        done => done,
    }
}

fn mount(
    from: Option<&CStr>,
    to: &CStr,
    kind: Option<&CStr>,
    flags: libc::c_ulong,
    options: Option<&CStr>,
) -> io::Result<()> {
    let text = |text: Option<&CStr>| text.map_or(ptr::null(), CStr::as_ptr);
    // SAFETY: each text ends with a zero byte or is absent, as mount(2) allows.
    checked(unsafe { libc::mount(text(from), to.as_ptr(), text(kind), flags, text(options).cast()) }.into())
}
