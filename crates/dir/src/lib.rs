//! A directory that was opened once. What is below it is opened from its descriptor, one component of the path at a time, and no
//! component may be a symbolic link: another user who can write there cannot make a reader or a writer leave it.
//!
//! [`Dir::open`] is for readers: the directory may belong to anybody, and files are regular and of bounded size. [`Dir::own`] is for
//! writers: the directory and everything below it that is opened belong to the caller, files are made with `O_EXCL`, and their mode is
//! [`FILE_MODE`] whatever the umask is. One `openat` per component, and not `openat2` with `RESOLVE_NO_SYMLINKS`, because it is the
//! same on every kernel and under every seccomp filter.

use rustix::fs::{AtFlags, FileType, FlockOperation, Gid, Mode, OFlags};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// The mode of files: what `/proc` shows to the owner and root only must not be readable by all in a recording.
pub const FILE_MODE: u32 = 0o640;
/// The mode of directories.
pub const DIR_MODE: u32 = 0o750;
/// The mode of a directory that only its owner may enter.
const PRIVATE_MODE: u32 = 0o700;
/// Symbolic links that the path of a directory may have.
const MOST_LINKS: usize = 40;

/// An open directory.
#[derive(Debug)]
pub struct Dir {
    fd: OwnedFd,
    path: PathBuf,
    access: Access,
}

/// What a directory was opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    /// To write: the caller's user id, and the group that new files and directories get.
    Write(u32, Option<u32>),
}

impl Dir {
    /// Opens a directory for reading, also another user's.
    ///
    /// # Errors
    /// It is not there, is not a directory, or may not be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let fd = rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { fd, path: path.to_owned(), access: Access::Read })
    }

    /// Opens a directory for writing, and makes it when it is missing. `group` gets what is made in it; without one, the caller's.
    ///
    /// # Errors
    /// It belongs to another user, is named by a symbolic link of another user, or cannot be made.
    pub fn own(path: &Path, group: Option<u32>) -> io::Result<Self> {
        let user = rustix::process::geteuid().as_raw();
        let (fd, made) = follow_trusted(path, user, true)?;
        let dir = Self { fd, path: path.to_owned(), access: Access::Write(user, group) };
        dir.check_owner(&dir.fd, path)?;
        if made {
            dir.give(&dir.fd, DIR_MODE)?;
        }
        Ok(dir)
    }

    /// Opens a directory for a file that the caller names, and makes it with `make`. It may belong to anybody.
    ///
    /// # Errors
    /// A part of its path is a symbolic link of another user, or it cannot be opened or made.
    pub fn for_output(path: &Path, make: bool) -> io::Result<Self> {
        let (fd, _) = follow_trusted(path, rustix::process::geteuid().as_raw(), make)?;
        Ok(Self { fd, path: path.to_owned(), access: Access::Read })
    }

    /// The path by which it was opened, for people.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A directory below this one, opened for the same.
    ///
    /// # Errors
    /// It is not there, a component is a symbolic link, or, for writing, it belongs to another user.
    pub fn dir(&self, path: &Path) -> io::Result<Self> {
        let fd = match self.walk(path)? {
            Some(fd) => fd,
            None => self.fd.try_clone()?,
        };
        Ok(Self { fd, path: self.path.join(path), access: self.access })
    }

    /// What has its path now, opened for the same, and made when it is missing and this one is for writing.
    ///
    /// # Errors
    /// See [`Dir::own`] and [`Dir::open`].
    pub fn reopen(&self) -> io::Result<Self> {
        match self.access {
            Access::Read => Self::open(&self.path),
            Access::Write(_, group) => Self::own(&self.path, group),
        }
    }

    /// Makes a directory below this one and those above it, as far as they are missing.
    ///
    /// # Errors
    /// One cannot be made, or what has its name is not a directory of the caller's.
    pub fn make_dir(&self, path: &Path) -> io::Result<()> {
        let mut at: Option<OwnedFd> = None;
        for name in components(path)? {
            let above = at.as_ref().unwrap_or(&self.fd);
            let made = match rustix::fs::mkdirat(above, name, mode(DIR_MODE)) {
                Ok(()) => true,
                Err(rustix::io::Errno::EXIST) => false,
                Err(error) => return Err(error.into()),
            };
            let fd = self.step(above, name)?;
            if made {
                self.give(&fd, DIR_MODE)?;
            }
            at = Some(fd);
        }
        Ok(())
    }

    /// Opens a regular file of at most `largest` bytes for reading.
    ///
    /// # Errors
    /// It is not there, is a symbolic link or anything else that is not a regular file, is larger, or, in a directory that was opened
    /// for writing, belongs to another user.
    pub fn file(&self, path: &Path, largest: u64) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = self.regular(path, flags)?;
        let length = file.metadata()?.len();
        if length > largest { Err(too_large(length, largest)) } else { Ok(file) }
    }

    fn regular(&self, path: &Path, flags: OFlags) -> io::Result<File> {
        let file = self.below(path, |above, name| {
            rustix::fs::openat(above, name, flags, Mode::empty()).map_err(|error| explain(error, above, name))
        })?;
        self.check_owner(&file, path)?;
        regular(File::from(file))
    }

    /// The content of a regular file of at most `largest` bytes.
    ///
    /// # Errors
    /// See [`Dir::file`].
    pub fn read(&self, path: &Path, largest: u64) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        // It may grow while it is read.
        self.file(path, largest)?.take(largest).read_to_end(&mut content)?;
        Ok(content)
    }

    /// Makes a file that is not there yet and opens it for reading and writing.
    ///
    /// # Errors
    /// Something has that name, or it cannot be made.
    pub fn create_new(&self, path: &Path) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = self.below(path, |above, name| Ok(rustix::fs::openat(above, name, flags, mode(FILE_MODE))?))?;
        self.give(&file, FILE_MODE)?;
        Ok(File::from(file))
    }

    /// Writes a whole file under a temporary name and then gives it its own, in place of one that may be there.
    ///
    /// # Errors
    /// It cannot be written; what was there is still there.
    pub fn replace(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.replace_by(path, |file| file.write_all(content))
    }

    /// The same of a file that `write` writes.
    ///
    /// # Errors
    /// It cannot be written; what was there is still there.
    pub fn replace_by(&self, path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        let temporary = temporary(path);
        self.remove_if_there(&temporary)?;
        let mut file = self.create_new(&temporary)?;
        let written = write(&mut file).and_then(|()| file.sync_data()).and_then(|()| self.rename(&temporary, path));
        if written.is_err() {
            // The error is what matters; the name begins with a dot.
            let _ = self.remove(&temporary);
        }
        written
    }

    /// Writes at the end of a file, which is made when it is missing.
    ///
    /// # Errors
    /// What has its name is not a regular file of the caller's, or it cannot be written.
    pub fn append(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let mut file = match self.create_new(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
                self.regular(path, flags)?
            }
            made => made?,
        };
        file.write_all(content)
    }

    /// Gives what is called `from` the name `to`, in place of a file that may be there.
    ///
    /// # Errors
    /// It is not there, or the system refuses.
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.below(from, |old, from| self.below(to, |new, to| Ok(rustix::fs::renameat(old, from, new, to)?)))
    }

    /// Removes a file or a symbolic link.
    ///
    /// # Errors
    /// It is not there, or the system refuses.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        self.below(path, |above, name| Ok(rustix::fs::unlinkat(above, name, AtFlags::empty())?))
    }

    /// Removes a file or a symbolic link, if there is one.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove_if_there(&self, path: &Path) -> io::Result<()> {
        self.remove(path).or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// It is not there or not empty.
    pub fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.below(path, |above, name| Ok(rustix::fs::unlinkat(above, name, AtFlags::REMOVEDIR)?))
    }

    /// The names in a directory below this one, in no order; an empty path stands for this one. None when it is not there.
    ///
    /// # Errors
    /// It is a symbolic link, not a directory, or may not be read.
    pub fn names(&self, path: &Path) -> io::Result<Vec<String>> {
        let below = match self.walk(path) {
            Ok(fd) => fd,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        let entries = match below {
            Some(fd) => rustix::fs::Dir::new(fd)?,
            None => rustix::fs::Dir::read_from(&self.fd)?,
        };
        for entry in entries {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Whether something has that name, be it a symbolic link.
    ///
    /// # Errors
    /// The system refuses to say.
    pub fn has(&self, path: &Path) -> io::Result<bool> {
        match self.status(path) {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The size of a file in bytes.
    ///
    /// # Errors
    /// It is not there.
    pub fn size(&self, path: &Path) -> io::Result<u64> {
        self.status(path).map(|status| u64::try_from(status.st_size).unwrap_or(0))
    }

    /// The user id of a file's owner, be it a symbolic link.
    ///
    /// # Errors
    /// It is not there.
    pub fn owner(&self, path: &Path) -> io::Result<u32> {
        self.status(path).map(|status| status.st_uid)
    }

    /// Waits until the names in a directory are on the device; an empty path stands for this one.
    ///
    /// # Errors
    /// The device refuses.
    pub fn sync(&self, path: &Path) -> io::Result<()> {
        let below = self.walk(path)?;
        Ok(rustix::fs::fsync(below.as_ref().unwrap_or(&self.fd))?)
    }

    /// Lets nobody but its owner enter it.
    ///
    /// # Errors
    /// It belongs to another user.
    pub fn make_private(&self) -> io::Result<()> {
        Ok(rustix::fs::fchmod(&self.fd, mode(PRIVATE_MODE))?)
    }

    /// Whether its path no longer leads to it: it was removed or moved, or something is mounted there. Where a directory above may not be
    /// entered, nobody can tell.
    pub fn has_left_its_path(&self) -> bool {
        let Ok(own) = rustix::fs::fstat(&self.fd) else { return false };
        let id = |status: &rustix::fs::Stat| (status.st_dev, status.st_ino);
        match rustix::fs::stat(&self.path) {
            Ok(there) => own.st_nlink == 0 || id(&there) != id(&own),
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => true,
            Err(_) => own.st_nlink == 0,
        }
    }

    /// Locks the directory itself until the lock is dropped.
    ///
    /// # Errors
    /// Somebody else has locked it, or its file system has no locks.
    pub fn lock(&self) -> Result<Lock, TryLockError> {
        // A descriptor of its own: the lock lives as long as that.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, c".", flags, Mode::empty());
        let fd = fd.map_err(|error| TryLockError::Error(error.into()))?;
        match rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Lock { _fd: fd }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(TryLockError::WouldBlock),
            Err(error) => Err(TryLockError::Error(error.into())),
        }
    }

    fn status(&self, path: &Path) -> io::Result<rustix::fs::Stat> {
        self.below(path, |above, name| Ok(rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Does something to the last component of a path, in the directory that the others lead to.
    fn below<T>(&self, path: &Path, act: impl FnOnce(&OwnedFd, &Path) -> io::Result<T>) -> io::Result<T> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let above = self.walk(path.parent().unwrap_or(Path::new("")))?;
        act(above.as_ref().unwrap_or(&self.fd), Path::new(name))
    }

    /// The directory that a path leads to; absent for this one.
    fn walk(&self, path: &Path) -> io::Result<Option<OwnedFd>> {
        let mut at: Option<OwnedFd> = None;
        for name in components(path)? {
            at = Some(self.step(at.as_ref().unwrap_or(&self.fd), name)?);
        }
        Ok(at)
    }

    fn step(&self, above: &OwnedFd, name: &Path) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(above, name, flags, Mode::empty()).map_err(|error| explain(error, above, name))?;
        self.check_owner(&fd, name)?;
        Ok(fd)
    }

    fn check_owner(&self, fd: &OwnedFd, path: &Path) -> io::Result<()> {
        let Access::Write(user, _) = self.access else { return Ok(()) };
        let owner = rustix::fs::fstat(fd)?.st_uid;
        if owner == user { Ok(()) } else { Err(foreign(path, owner)) }
    }

    /// Gives something that was just made its mode and group, which the umask and a set-group-id directory had a part in.
    fn give(&self, fd: &OwnedFd, bits: u32) -> io::Result<()> {
        if let Access::Write(_, Some(group)) = self.access {
            rustix::fs::fchown(fd, None, Some(Gid::from_raw(group)))?;
        }
        Ok(rustix::fs::fchmod(fd, mode(bits))?)
    }
}

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// A lock on a directory.
#[derive(Debug)]
pub struct Lock {
    _fd: OwnedFd,
}

/// The name under which a file is written before it gets its own. Engines skip names with a leading dot.
pub fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

/// Whether a file's name is one of [`temporary`].
pub fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".tmp")
}

fn mode(bits: u32) -> Mode {
    Mode::from_raw_mode(bits)
}

/// The parts of a path that leads downwards.
fn components(path: &Path) -> io::Result<Vec<&Path>> {
    let parts = path.components().map(|part| match part {
        Component::Normal(name) => Ok(Path::new(name)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidFilename, "the path leaves its directory")),
    });
    parts.collect()
}

/// What the kernel says of a symbolic link (`ELOOP`, or `ENOTDIR` with `O_DIRECTORY`), as a person would.
fn explain(error: rustix::io::Errno, above: &OwnedFd, name: &Path) -> io::Error {
    let is_link = || {
        rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|status| FileType::from_raw_mode(status.st_mode) == FileType::Symlink)
    };
    match error {
        rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR if is_link() => {
            io::Error::other(format!("{} is a symbolic link, which pagetide does not follow there", name.display()))
        }
        error => error.into(),
    }
}

/// Fails when another user can replace what is at `path`, because they own a directory above it or may write to one that is not sticky. For
/// programs that are given a path and follow links below it. Root and who became root by sudo are not other users; for root, the
/// members of a directory's group are.
///
/// # Errors
/// The path is not there, or another user can replace a part of it.
pub fn check_path(path: &Path) -> io::Result<()> {
    let user = rustix::process::geteuid().as_raw();
    let sudo = std::env::var("SUDO_UID").ok().and_then(|uid| uid.parse().ok()).unwrap_or(user);
    let others = if user == 0 && sudo == 0 { Mode::WGRP | Mode::WOTH } else { Mode::WOTH };
    for part in path.canonicalize()?.ancestors() {
        let status = rustix::fs::stat(part)?;
        if ![0, user, sudo].contains(&status.st_uid) {
            return Err(foreign(part, status.st_uid));
        }
        let mode = Mode::from_raw_mode(status.st_mode);
        if mode.intersects(others) && !mode.contains(Mode::SVTX) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("other users may write to {}", part.display()),
            ));
        }
    }
    Ok(())
}

/// The content of the regular file at `path` of at most `largest` bytes. The path is the caller's: links in it are followed.
///
/// # Errors
/// It is not there, not a regular file (a FIFO is not waited for), or larger.
pub fn read_file(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_file(path)?.take(largest + 1).read_to_end(&mut content)?;
    if content.len() as u64 > largest {
        return Err(too_large(content.len() as u64, largest));
    }
    Ok(content)
}

/// Writes a file of mode [`FILE_MODE`] whole, in place of a regular file that may have its name. No link that another user put there, or
/// anywhere in the path, is followed.
///
/// # Errors
/// What has its name is not a regular file, a part of its path is another user's link, or the directory cannot be written.
pub fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    write_file_by(path, |file| file.write_all(content))
}

/// The same of a file that `write` writes.
///
/// # Errors
/// See [`write_file`].
pub fn write_file_by(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let above = path.parent().unwrap_or(Path::new(""));
    let name = Path::new(path.file_name().ok_or(io::ErrorKind::InvalidFilename)?);
    let dir = Dir::for_output(above, false)?;
    match dir.status(name) {
        Ok(status) if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => dir.replace_by(name, write),
    }
}

/// Opens the regular file at `path` for reading. The path is the caller's: links in it are followed.
///
/// # Errors
/// It is not there, or not a regular file (a FIFO is not waited for).
pub fn open_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    regular(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.file_type().is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

fn too_large(length: u64, largest: u64) -> io::Error {
    let what = format!("{length} bytes, more than the {largest} that such a file can have");
    io::Error::new(io::ErrorKind::FileTooLarge, what)
}

fn foreign(path: &Path, owner: u32) -> io::Error {
    let what = format!("{} belongs to another user (uid {owner})", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, what)
}

/// Opens a directory, and makes it and those above it with `make`; whether it was made. A symbolic link in its path is followed when it
/// is the caller's or root's, as the state directory of a service is, and refused when another user could have put it there.
fn follow_trusted(path: &Path, user: u32, make: bool) -> io::Result<(OwnedFd, bool)> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let start = |path: &Path| rustix::fs::open(if path.is_absolute() { c"/" } else { c"." }, flags, Mode::empty());
    let (mut at, mut left, mut links, mut made) = (start(path)?, parts(path), 0, false);
    while let Some(name) = left.pop_front() {
        // As a directory first: the kernel mounts what is to be mounted on use then (automount).
        let found = match rustix::fs::openat(&at, &name, flags | OFlags::DIRECTORY, Mode::empty()) {
            Err(rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) => {
                rustix::fs::openat(&at, &name, flags, Mode::empty())?
            }
            Err(rustix::io::Errno::NOENT) if make => {
                match rustix::fs::mkdirat(&at, &name, mode(DIR_MODE)) {
                    Err(rustix::io::Errno::EXIST) => {}
                    done => done?,
                }
                made = left.is_empty();
                rustix::fs::openat(&at, &name, flags, Mode::empty())?
            }
            found => found?,
        };
        let status = rustix::fs::fstat(&found)?;
        if FileType::from_raw_mode(status.st_mode) != FileType::Symlink {
            at = found;
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return Err(io::Error::from(rustix::io::Errno::LOOP));
        }
        if ![0, user].contains(&status.st_uid) {
            return Err(foreign(path, status.st_uid));
        }
        // This changes the link that was checked, not a file that has taken its name.
        let target = rustix::fs::readlinkat(&found, c"", Vec::new())?;
        let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
        if target.is_absolute() {
            at = start(&target)?;
        }
        let rest = std::mem::take(&mut left);
        left = parts(&target);
        left.extend(rest);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok((rustix::fs::openat(&at, c".", flags, Mode::empty())?, made))
}

/// The names in a path, `..` included.
fn parts(path: &Path) -> VecDeque<OsString> {
    let named = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    named.map(|part| part.as_os_str().to_owned()).collect()
}
