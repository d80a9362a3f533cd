//! Control groups of single steps: beside each other, inside of the group of the whole work where there is one.

use super::changes;
use super::disk::Disks;
use crate::group::Group;
use crate::shrink::Controller;
use crate::undo::Journal;
use pagetide_core::{Error, GroupReclaim, GroupSpec, IoMax};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The groups that steps have been given so far, by name. They go at the end of the run, by the journal.
#[derive(Debug, Default)]
pub(super) struct Groups(BTreeMap<String, Group>);

impl Groups {
    /// The group of a step, made when it is not there yet, with the step's limits.
    ///
    /// # Errors
    /// This host's control groups lack one of the limits, or refuse it.
    pub(super) fn get(
        &mut self,
        spec: &GroupSpec,
        work: Option<&Group>,
        journal: &Journal,
        disks: &Disks,
    ) -> Result<Group, Error> {
        let group = match self.0.get(&spec.name) {
            Some(group) => group.clone(),
            None => {
                let group = make(&spec.name, work, journal)?;
                self.0.insert(spec.name.clone(), group.clone());
                group
            }
        };
        limit(&group, spec, disks)?;
        Ok(group)
    }

    /// Sets the limits of a group that is there: those of the part that begins in it.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub(super) fn limit(&self, spec: &GroupSpec, disks: &Disks) -> Result<(), Error> {
        self.0.get(&spec.name).map_or(Ok(()), |group| limit(group, spec, disks))
    }

    /// Asks the kernel for memory of a group, and says what it had. The kernel may find less than it is asked for.
    ///
    /// # Errors
    /// No part has begun in it, this host's control groups have no `memory.reclaim`, or the kernel refuses.
    pub(super) fn reclaim(&self, asked: &GroupReclaim) -> Result<String, Error> {
        const FILE: &str = "memory.reclaim";
        let Some(group) = self.0.get(&asked.cgroup) else { return Err(changes::no_group(&asked.cgroup)) };
        if !group.has(FILE) {
            return Err(Error::system(
                format!("group {}: {FILE} needs control groups of version 2 and Linux 5.19", asked.cgroup),
                "run it in a VM: --on vm",
            ));
        }
        let charged = group.usage()?.charged();
        match fs::write(group.path().join(FILE), asked.size.get().to_string()) {
            // `EAGAIN`: it found less.
            Err(error) if error.kind() != ErrorKind::WouldBlock => {
                Err(Error::system(format!("group {}: cannot write {FILE}: {error}", asked.cgroup), ""))
            }
            _ => Ok(charged.map(changes::of_group).unwrap_or_default()),
        }
    }
}

fn make(name: &str, work: Option<&Group>, journal: &Journal) -> Result<Group, Error> {
    let path = match work {
        Some(work) => {
            delegate(work.path(), &[])?;
            work.path().join(format!("pagetide-{name}"))
        }
        None => {
            let mount = top()?;
            delegate(&mount, &["io"])?;
            mount.join(format!("pagetide-{}-{name}", std::process::id()))
        }
    };
    journal.make_cgroup(&path)?;
    Ok(Group::new(path))
}

/// The top of the hierarchy: of v2 when its memory controller can be had, which a guest's kernel leaves switched off at first.
fn top() -> Result<std::path::PathBuf, Error> {
    let v2 = Path::new("/sys/fs/cgroup");
    let controllers = fs::read_to_string(v2.join("cgroup.controllers")).unwrap_or_default();
    if controllers.split_ascii_whitespace().any(|word| word == "memory") {
        return Ok(v2.to_owned());
    }
    Ok(Controller::find()?.mount)
}

/// Lets children of a v2 group have limits of their own.
fn delegate(parent: &Path, controllers: &[&str]) -> Result<(), Error> {
    let file = parent.join("cgroup.subtree_control");
    if !file.exists() {
        return Ok(());
    }
    let refuse = |error: std::io::Error| {
        Error::system(
            format!("cannot enable controllers below {}: {error}", parent.display()),
            "a v2 group with processes cannot have children with limits: use --shrink none or --on vm",
        )
    };
    fs::write(&file, "+memory").map_err(refuse)?;
    // A kernel without it can still limit memory; a limit that is asked for says so itself.
    for controller in controllers {
        let _ = fs::write(&file, format!("+{controller}"));
    }
    Ok(())
}

fn limit(group: &Group, spec: &GroupSpec, disks: &Disks) -> Result<(), Error> {
    let v1 = group.has("memory.limit_in_bytes");
    if let Some(max) = spec.memory_max {
        group.write(if v1 { "memory.limit_in_bytes" } else { "memory.max" }, &max.get().to_string())?;
    }
    if let Some(high) = spec.memory_high {
        if v1 {
            return Err(Error::system(
                format!("group {}: memory_high needs control groups of version 2", spec.name),
                "run it in a VM: --on vm",
            ));
        }
        group.write("memory.high", &high.get().to_string())?;
    }
    if let Some(quota) = spec.cpu_quota() {
        // Accounting of CPU time by groups costs every task a little, so it is switched on where it is asked for.
        if let (false, Some(parent)) = (group.has("cpu.max"), group.path().parent()) {
            delegate(parent, &["cpu"])?;
        }
        if !group.has("cpu.max") {
            return Err(Error::system(
                format!("group {}: cpu_max needs the cpu controller of control groups of version 2", spec.name),
                "run it in a VM: --on vm",
            ));
        }
        group.write("cpu.max", &format!("{} {}", quota.get() / 1000, GroupSpec::CPU_PERIOD.get() / 1000))?;
    }
    for io in &spec.io_max {
        if !group.has("io.max") {
            return Err(Error::system(
                format!("group {}: io_max needs the io controller of control groups of version 2", spec.name),
                "run it in a VM: --on vm",
            ));
        }
        for disk in disks.of(&io.disk)? {
            let file = Path::new("/sys/block").join(&disk).join("dev");
            let number =
                fs::read_to_string(&file).map_err(|error| Error::system(format!("{}: {error}", file.display()), ""))?;
            group.write("io.max", &io_max(number.trim(), io))?;
        }
    }
    Ok(())
}

/// A line of `io.max`.
fn io_max(device: &str, io: &IoMax) -> String {
    let word = |limit: Option<u64>| limit.map_or_else(|| "max".to_owned(), |limit| limit.to_string());
    let (read, write) = (io.read.map(|rate| rate.get()), io.write.map(|rate| rate.get()));
    format!(
        "{device} rbps={} wbps={} riops={} wiops={}",
        word(read),
        word(write),
        word(io.read_iops),
        word(io.write_iops)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::BytesPerSecond;

    #[test]
    fn limits_that_are_not_given_are_none() {
        let io = IoMax {
            disk: "d".into(),
            read: Some(BytesPerSecond::new(5_000_000)),
            write: None,
            read_iops: None,
            write_iops: Some(7),
        };
        assert_eq!(io_max("254:16", &io), "254:16 rbps=5000000 wbps=max riops=max wiops=7");
    }
}
