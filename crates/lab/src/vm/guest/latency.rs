//! The latency that the layers of the VM add to a disk request.

use super::disk::Disk;
use pagetide_core::{Error, Machine, Nanos};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Instant;

/// Requests that are timed, and untimed ones before them, which are slower.
const TIMED: usize = 300;
const WARM_UP: usize = 50;
/// Bytes of each.
const SIZE: usize = 8192;

/// Times direct reads from the first disk with a delay, and returns the median; zero if no disk has one.
///
/// # Errors
/// The disk cannot be read.
pub(super) fn measure(machine: &Machine, disks: &[Disk], differences: &mut Vec<String>) -> Result<Nanos, Error> {
    let slow = machine.disks.iter().zip(disks).find_map(|(spec, disk)| Some((spec.latency?, disk)));
    let Some((wanted, disk)) = slow else { return Ok(Nanos::ZERO) };
    let path = format!("/dev/{}", disk.device);
    let refuse = |error: std::io::Error| Error::system(format!("cannot time {path}: {error}"), "");
    let file = rustix::fs::open(&path, OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC, Mode::empty());
    let file = File::from(file.map_err(|error| refuse(error.into()))?);
    // Direct IO needs a buffer aligned to the disk's blocks.
    let mut room = vec![0; SIZE + 4096];
    let start = room.as_ptr().align_offset(4096);
    let buffer = &mut room[start..start + SIZE];
    let mut times = Vec::with_capacity(TIMED);
    for at in 0..WARM_UP + TIMED {
        let offset = (at * 37 % 1000 * SIZE) as u64;
        let began = Instant::now();
        file.read_exact_at(buffer, offset).map_err(refuse)?;
        if at >= WARM_UP {
            times.push(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX));
        }
    }
    times.sort_unstable();
    let own = Nanos::new(times[TIMED / 2]);
    differences.push(if own < wanted {
        format!("A request takes {own} in the VM itself, which is subtracted from the disk's {wanted}.")
    } else {
        format!("A request takes {own} in the VM itself, more than the {wanted} of the scenario's disk.")
    });
    Ok(own)
}
