//! The peak of dirty and writeback memory during a step, sampled often because a step can last a few milliseconds.

use pagetide_core::Bytes;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Samples Dirty and Writeback of the host in a thread.
#[derive(Debug)]
pub(super) struct PeakSampler {
    stop: Arc<AtomicBool>,
    peak: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl PeakSampler {
    /// Starts the thread. Nothing is measured when `/proc/meminfo` cannot be read.
    pub(super) fn start() -> Self {
        let (stop, peak) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let thread = File::open("/proc/meminfo").ok().and_then(|file| {
            let (stop, peak) = (Arc::clone(&stop), Arc::clone(&peak));
            let sample = move || {
                // Both lines are in the first kilobytes.
                let mut buffer = [0; 2048];
                loop {
                    let last = stop.load(Ordering::Relaxed);
                    if let Some(bytes) = file.read_at(&mut buffer, 0).ok().and_then(|count| dirty(&buffer[..count])) {
                        peak.fetch_max(bytes, Ordering::Relaxed);
                    }
                    if last {
                        return;
                    }
                    sleep(PAUSE);
                }
            };
            std::thread::Builder::new().name("pagetide-dirty".into()).spawn(sample).ok()
        });
        Self { stop, peak, thread }
    }

    /// The peak; ends the thread.
    pub(super) fn peak(mut self) -> Option<Bytes> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take()?.join().ok()?;
        Some(Bytes::new(self.peak.load(Ordering::Relaxed)))
    }
}

impl Drop for PeakSampler {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It does nothing that could panic.
            let _ = thread.join();
        }
    }
}

/// Dirty and Writeback out of `/proc/meminfo`, in bytes.
fn dirty(meminfo: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(meminfo).ok()?;
    let kib = |name: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    (kib("Dirty:")? + kib("Writeback:")?).checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dirty_and_writeback_add_up() {
        let text = b"MemTotal: 9 kB\nDirty:    12 kB\nWriteback:   4 kB\nWritebackTmp:  99 kB\nAnon";
        assert_eq!(dirty(text), Some(16 << 10));
        assert_eq!(dirty(b"MemTotal: 9 kB\n"), None);
    }

    #[test]
    fn a_short_step_has_a_peak() {
        assert!(PeakSampler::start().peak().is_some());
    }
}
