//! The clocks, and what their jumps mean.

use pagetide_core::{Nanos, Stamp};
use rustix::time::{ClockId, clock_gettime};

/// A jump of one clock against another that is worth a note.
const JUMP_NS: i64 = 1_000_000_000;

/// How far apart the first and the last clock of one stamp may be read before it is read again.
const SPREAD_NS: i64 = 100_000;

fn read(clock: ClockId) -> i64 {
    let time = clock_gettime(clock);
    time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec)
}

/// `CLOCK_MONOTONIC`, in nanoseconds.
pub(crate) fn monotonic_ns() -> i64 {
    read(ClockId::Monotonic)
}

/// The CPU time that the calling thread has used.
pub(crate) fn thread_cpu() -> Nanos {
    Nanos::new(u64::try_from(read(ClockId::ThreadCPUTime)).unwrap_or(0))
}

/// The present moment on all three clocks.
///
/// A thread that is preempted between two of the clocks would show a jump that never was, so a stamp whose clocks
/// were read more than 0.1 ms apart is read again, a few times at most.
pub fn now() -> Stamp {
    let mut best = (i64::MAX, Stamp::default());
    for _ in 0..4 {
        let mono_ns = monotonic_ns();
        let stamp = Stamp { mono_ns, boot_ns: read(ClockId::Boottime), wall_ns: read(ClockId::Realtime) };
        let spread = monotonic_ns() - mono_ns;
        if spread < best.0 {
            best = (spread, stamp);
        }
        if spread <= SPREAD_NS {
            break;
        }
    }
    best.1
}

/// Something that happened to the clocks between two samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Jump {
    /// The wall clock was set: by this many nanoseconds, forward when positive.
    WallClockSet(i64),
    /// The host was suspended for this many nanoseconds.
    Suspended(i64),
}

impl Jump {
    /// What the recording says about it.
    pub(crate) fn note(self) -> String {
        let seconds = |ns: i64| ns.unsigned_abs() as f64 / 1e9;
        match self {
            Self::WallClockSet(by) => {
                let direction = if by > 0 { "forward" } else { "back" };
                format!("recorder: the wall clock was set {direction} by {:.3} s", seconds(by))
            }
            Self::Suspended(by) => format!("recorder: the host was suspended for {:.3} s", seconds(by)),
        }
    }
}

/// What the clocks did between two stamps, when it is more than a second. A suspend moves the boot clock and the wall
/// clock against the monotonic one; what the wall clock moved beyond that, somebody set.
pub(crate) fn jumps(before: &Stamp, after: &Stamp) -> [Option<Jump>; 2] {
    let mono = after.mono_ns.saturating_sub(before.mono_ns);
    let suspended = after.boot_ns.saturating_sub(before.boot_ns).saturating_sub(mono);
    let set = after.wall_ns.saturating_sub(before.wall_ns).saturating_sub(mono).saturating_sub(suspended);
    [
        (suspended > JUMP_NS).then_some(Jump::Suspended(suspended)),
        (set.saturating_abs() > JUMP_NS).then_some(Jump::WallClockSet(set)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn stamp(mono: i64, boot: i64, wall: i64) -> Stamp {
        Stamp { mono_ns: mono * SECOND, boot_ns: boot * SECOND, wall_ns: wall * SECOND }
    }

    #[test]
    fn clocks_that_run_together_have_not_jumped() {
        assert_eq!(jumps(&stamp(10, 20, 1000), &stamp(11, 21, 1001)), [None, None]);
        assert_eq!(jumps(&stamp(10, 20, 1000), &stamp(11, 21, 1002)), [None, None], "exactly a second is let pass");
    }

    #[test]
    fn a_set_clock_differs_from_a_suspend() {
        let before = stamp(10, 20, 1000);
        assert_eq!(jumps(&before, &stamp(11, 21, 4601)), [None, Some(Jump::WallClockSet(3600 * SECOND))]);
        assert_eq!(jumps(&before, &stamp(11, 21, 901)), [None, Some(Jump::WallClockSet(-100 * SECOND))]);
        assert_eq!(jumps(&before, &stamp(11, 81, 1061)), [Some(Jump::Suspended(60 * SECOND)), None]);
        assert_eq!(
            jumps(&before, &stamp(11, 81, 1001)),
            [Some(Jump::Suspended(60 * SECOND)), Some(Jump::WallClockSet(-60 * SECOND))]
        );
    }

    #[test]
    fn notes_say_how_far_and_in_which_direction() {
        assert_eq!(Jump::WallClockSet(-1_500_000_000).note(), "recorder: the wall clock was set back by 1.500 s");
        assert_eq!(Jump::Suspended(60 * SECOND).note(), "recorder: the host was suspended for 60.000 s");
    }

    #[test]
    fn the_clocks_are_the_kernels() {
        let (before, after) = (now(), now());
        assert!(before.mono_ns > 0 && after.mono_ns >= before.mono_ns);
        assert!(after.boot_ns >= after.mono_ns, "the boot clock counts suspends as well");
        assert!(after.wall_ns > 1_700_000_000 * SECOND);
    }
}
