//! `open_by_handle_at(2)`: a file by its inode number, on file systems whose handles are that simple.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// `struct file_handle` with the 8 bytes of a `FILEID_INO32_GEN`.
#[repr(C)]
struct Handle {
    bytes: u32,
    kind: i32,
    ino: u32,
    generation: u32,
}

/// Opens the file with inode `ino` on the file system of `mount`, as a path only. Generation 0 stands for any on ext4
/// (`fs/ext4/super.c:ext4_nfs_get_inode`); other file systems refuse (`ESTALE`). Needs `CAP_DAC_READ_SEARCH`.
pub(crate) fn open_by_inode(mount: &OwnedFd, ino: u32) -> io::Result<OwnedFd> {
    let mut handle = Handle { bytes: 8, kind: 1, ino, generation: 0 };
    // SAFETY: the pointer is to a live handle whose `bytes` says how many follow its head.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_open_by_handle_at,
            mount.as_raw_fd(),
            &raw mut handle,
            libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW,
        )
    };
    let fd = i32::try_from(fd).map_err(|_| io::ErrorKind::Other)?;
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has just returned this descriptor; nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
