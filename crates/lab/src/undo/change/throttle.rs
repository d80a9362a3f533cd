//! The limits of a device in the v1 blkio controller.

use crate::undo::outcome::{Undone, refuse};
use pagetide_core::Error;
use pagetide_kernel::Root;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::PathBuf;

/// What is limited: a file of the controller each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Throttle {
    /// Reads per second.
    ReadIops,
    /// Writes per second.
    WriteIops,
    /// Bytes read per second.
    ReadBps,
    /// Bytes written per second.
    WriteBps,
}

/// The top of the v1 blkio hierarchy, when it has throttles.
pub(crate) fn blkio_root() -> Result<Option<PathBuf>, Error> {
    let mounts = Root::host().mounts();
    let mounts = mounts.map_err(|error| Error::system(error.to_string(), "mount /proc"))?;
    let mut blkio = mounts
        .into_iter()
        .filter(|mount| mount.kind == "cgroup" && mount.options.split(',').any(|option| option == "blkio"));
    Ok(blkio.find(|mount| mount.point.join(Throttle::ReadIops.name()).exists()).map(|mount| mount.point))
}

/// The limit of a device in the text of a throttle file, 0 when it has none.
fn limit_of(text: &str, device: &str) -> u64 {
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(name, _)| *name == device)
        .and_then(|(_, limit)| limit.trim().parse().ok())
        .unwrap_or(0)
}

fn device_name((major, minor): (u32, u32)) -> String {
    format!("{major}:{minor}")
}

impl Throttle {
    const fn name(self) -> &'static str {
        match self {
            Self::ReadIops => "blkio.throttle.read_iops_device",
            Self::WriteIops => "blkio.throttle.write_iops_device",
            Self::ReadBps => "blkio.throttle.read_bps_device",
            Self::WriteBps => "blkio.throttle.write_bps_device",
        }
    }

    fn file(self) -> Result<PathBuf, Error> {
        let root = blkio_root()?.ok_or_else(|| {
            Error::system("no blkio controller with throttles is mounted", "leave --limit-device out, or mount it")
        })?;
        Ok(root.join(self.name()))
    }

    /// The limit of a device now; 0 when it has none.
    pub(super) fn read(self, device: (u32, u32)) -> Result<u64, Error> {
        let file = self.file()?;
        let text = fs::read_to_string(&file);
        let text = text.map_err(|error| refuse("read", &file, &error))?;
        Ok(limit_of(&text, &device_name(device)))
    }

    /// Limits a device; 0 takes the limit away.
    pub(in crate::undo) fn write(self, device: (u32, u32), limit: u64) -> Result<(), Error> {
        let file = self.file()?;
        fs::write(&file, format!("{} {limit}", device_name(device))).map_err(|error| refuse("write", &file, &error))
    }

    pub(super) fn undo(self, device: (u32, u32), set: u64, before: u64) -> Undone {
        let (name, device_name) = (self.name(), device_name(device));
        match self.read(device) {
            Err(error) => Undone::Trouble(error.to_string()),
            Ok(now) if now == before => Undone::Nothing,
            Ok(now) if now != set => {
                Undone::Trouble(format!("left the limit of {device_name} in {name} at {now}: the lab had set {set}"))
            }
            Ok(_) => match self.write(device, before) {
                Ok(()) => Undone::Restored(format!("set the limit of {device_name} in {name} back")),
                Err(error) => Undone::Trouble(error.to_string()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_a_device_is_found_in_the_file() {
        assert_eq!(limit_of("254:0 300\n254:16 7\n", "254:16"), 7);
        assert_eq!(limit_of("254:160 300\n", "254:16"), 0);
    }
}
