//! tracefs: where the kernel describes its tracepoints.

use crate::format::Format;
use crate::missing::STILL;
use pagetide_core::Error;
use rustix::fs::{Mode, OFlags, openat};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;

/// Where tracefs is usually mounted.
const PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// An open tracefs.
#[derive(Debug)]
pub struct Tracefs(OwnedFd);

impl Tracefs {
    /// Opens tracefs where it is mounted; else mounts one that no path leads to and that ends with this value.
    pub fn open() -> Result<Self, Error> {
        let directory = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        for place in PLACES {
            if let Ok(root) = rustix::fs::open(place, directory, Mode::empty()).map(Self)
                && root.has_events()
            {
                return Ok(root);
            }
        }
        detached().map(Self).map_err(|error| {
            let hint = match error.kind() {
                io::ErrorKind::PermissionDenied => {
                    "run as root, or with CAP_SYS_ADMIN; in a container: mount -t tracefs none /sys/kernel/tracing on the host and bind it"
                }
                _ => "the kernel needs CONFIG_TRACING; then: mount -t tracefs none /sys/kernel/tracing",
            };
            let what = format!("cannot open tracefs, which describes the kernel's tracepoints: {error}; {STILL}");
            Error::system(what, hint)
        })
    }

    /// Whether it has any events: it has none while the kernel is locked down.
    pub fn has_events(&self) -> bool {
        rustix::fs::accessat(&self.0, "events", rustix::fs::Access::EXISTS, rustix::fs::AtFlags::empty()).is_ok()
    }

    /// The format of an event, such as `kmem`, `mm_page_alloc`; `None` when this kernel has no such event.
    pub fn format(&self, group: &str, event: &str) -> Result<Option<Format>, Error> {
        let path = format!("events/{group}/{event}/format");
        let refused = |error: io::Error| {
            let hint = "run as root, or allow this user to read tracefs: mount -o remount,gid=GROUP,mode=750 /sys/kernel/tracing";
            Error::system(format!("{path} in tracefs: {error}"), hint)
        };
        let file = match openat(&self.0, &path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(file) => file,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(refused(error.into())),
        };
        let mut text = String::new();
        File::from(file).read_to_string(&mut text).map_err(refused)?;
        Ok(Format::parse(&text))
    }
}

/// Mounts a tracefs without attaching it to any path: it ends when the descriptor is closed.
fn detached() -> io::Result<OwnedFd> {
    let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(&context)?;
    let attributes =
        MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    Ok(fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}
