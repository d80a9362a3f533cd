//! Where this host's memory controller is.

use pagetide_core::Error;
use pagetide_kernel::cgroup::Version;
use pagetide_kernel::{Mount, Root};
use std::fs;
use std::path::{Path, PathBuf};

/// A memory controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Controller {
    pub(crate) version: Version,
    /// The top of its hierarchy.
    pub(crate) mount: PathBuf,
}

impl Controller {
    /// The memory controller of this host: v2 when it has memory, else v1.
    pub(crate) fn find() -> Result<Self, Error> {
        let mounts = Root::host().mounts().map_err(|error| Error::system(error.to_string(), ""))?;
        Self::find_in(&mounts, |path| fs::read_to_string(path).unwrap_or_default())
    }

    /// The same of given mounts and files.
    fn find_in(mounts: &[Mount], read: impl Fn(&Path) -> String) -> Result<Self, Error> {
        let has = |file: PathBuf| read(&file).split_ascii_whitespace().any(|word| word == "memory");
        let mut v1 = None;
        let mut switched_off = None;
        for mount in mounts {
            match mount.kind.as_str() {
                "cgroup2" if has(mount.point.join("cgroup.controllers")) => {
                    if has(mount.point.join("cgroup.subtree_control")) {
                        return Ok(Self { version: Version::V2, mount: mount.point.clone() });
                    }
                    switched_off = Some(mount.point.clone());
                }
                "cgroup" if mount.options.split(',').any(|option| option == "memory") => v1 = Some(mount.point.clone()),
                _ => {}
            }
        }
        match (v1, switched_off) {
            (Some(mount), _) => Ok(Self { version: Version::V1, mount }),
            (None, Some(mount)) => Err(Error::system(
                format!("the memory controller is switched off in {}", mount.display()),
                format!("echo '+memory +io' > {}", mount.join("cgroup.subtree_control").display()),
            )),
            (None, None) => Err(Error::system(
                "no control group with a memory controller is mounted",
                "use --shrink hold or --shrink none",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_kernel::parse_mounts;

    const V1: &str =
        "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0\n";
    const V2: &str = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";

    fn find(mounts: &str, controllers: &'static str, subtree: &'static str) -> Result<Controller, Error> {
        let mounts = if mounts.is_empty() { Vec::new() } else { parse_mounts(mounts).unwrap() };
        Controller::find_in(&mounts, |path| {
            (if path.ends_with("cgroup.controllers") { controllers } else { subtree }).to_owned()
        })
    }

    #[test]
    fn v2_is_preferred_and_an_empty_v2_does_not_count() {
        let v1 = Controller { version: Version::V1, mount: "/sys/fs/cgroup/memory".into() };
        let v2 = Controller { version: Version::V2, mount: "/sys/fs/cgroup".into() };
        assert_eq!(find(V1, "", "").unwrap(), v1);
        assert_eq!(find(&format!("{V1}{V2}"), "", "").unwrap(), v1);
        assert_eq!(find(V2, "cpuset cpu io memory pids\n", "cpu memory pids\n").unwrap(), v2);
    }

    #[test]
    fn what_is_missing_is_reported_with_a_hint() {
        assert!(find("", "", "").unwrap_err().hint.contains("--shrink"));
        assert!(find(V2, "memory", "cpu").unwrap_err().hint.contains("subtree_control"));
    }
}
