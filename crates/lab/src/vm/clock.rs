//! The frequency of this host's time stamp counter, for the kernel of an emulated guest.

/// The counter's frequency in kHz; `None` if the processor has none that a guest would see.
///
/// QEMU without KVM gives a guest the host's counter (`include/qemu/timer.h: cpu_get_host_ticks`). The guest's kernel measures it
/// against an emulated timer while it boots. On a busy host the guest does not run all of that time: one of thirty
/// guests at load 20 had a clock that ran 50 times too fast.
#[cfg(target_arch = "x86_64")]
pub(super) fn tsc_khz() -> Option<u64> {
    use std::time::{Duration, Instant};
    /// Time between the two readings. Each is exact to less than 1 us, also on a busy host, so the result is to 0.002 %.
    const APART: Duration = Duration::from_millis(100);
    /// The counter and the time at one moment: of several tries, the one that was interrupted least.
    fn reading() -> (u64, Instant) {
        #[allow(unsafe_code)]
        let once = || {
            let before = Instant::now();
            // SAFETY: reads a register, which Linux allows every process (`prctl(PR_SET_TSC)` apart).
            let ticks = unsafe { core::arch::x86_64::_rdtsc() };
            (before.elapsed(), ticks, before)
        };
        let (_, ticks, at) = (0..64).map(|_| once()).min_by_key(|(took, ..)| *took).unwrap_or_else(once);
        (ticks, at)
    }
    let (ticks, began) = reading();
    std::thread::sleep(APART);
    let (later, ended) = reading();
    let nanos = u64::try_from(ended.duration_since(began).as_nanos()).ok()?;
    later.checked_sub(ticks)?.checked_mul(1_000_000)?.checked_div(nanos).filter(|khz| *khz > 0)
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn tsc_khz() -> Option<u64> {
    None
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn two_measurements_agree() {
        let (one, other) = (tsc_khz().unwrap(), tsc_khz().unwrap());
        assert!(one.abs_diff(other) * 1000 < one, "{one} {other}");
        assert!((100_000..20_000_000).contains(&one), "{one} kHz");
    }
}
