//! A memory control group in which a reader runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What the kernel has read from devices for this process.
pub(crate) fn read_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/io").unwrap();
    text.lines().find_map(|line| line.strip_prefix("read_bytes: ")).unwrap().parse().unwrap()
}

/// A memory control group (v1 or v2), which is removed with it.
pub(crate) struct Group(pub(crate) PathBuf);

impl Group {
    /// A group with this limit.
    pub(crate) fn of(name: &str, mib: u64) -> Self {
        let v1 = Path::new("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists();
        let (root, limit) =
            if v1 { ("/sys/fs/cgroup/memory", "memory.limit_in_bytes") } else { ("/sys/fs/cgroup", "memory.max") };
        let group = PathBuf::from(format!("{root}/{name}-{}", std::process::id()));
        let _ = fs::remove_dir(&group);
        fs::create_dir(&group).unwrap();
        fs::write(group.join(limit), (mib << 20).to_string()).unwrap();
        Self(group)
    }

    /// This program within the group, as the reader of a file of which nothing is in the cache.
    pub(crate) fn reader(&self, load: &str, path: &Path) -> Command {
        let file = fs::File::open(path).unwrap();
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
        let script = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", self.0.display());
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).arg(std::env::current_exe().unwrap()).args(["reader", load]).arg(path);
        command
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // A group whose last task has just ended is busy for a moment.
        while fs::remove_dir(&self.0).is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
