//! One time axis across reboots of the host, and across boot clocks that go back.

use pagetide_core::{Mark, MarkKind, Stamp};

/// What the note says where the boot clock is earlier than before on the same boot: in each time namespace it has another offset
/// (`time_namespaces(7)`), and a container that is started again may get a smaller one.
pub const CLOCK_WENT_BACK: &str = "store: the boot clock went back here, as in a container with another time namespace; earlier times are \
                                   moved onto the new clock";
/// What the note says where another boot begins.
const STARTED_AGAIN: &str = "store: the host was restarted here; earlier times are moved onto the new clock";

/// What was recorded during one boot without its clock going back.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) boot_id: String,
    /// Index of its first sample.
    pub(super) first_stamp: usize,
    /// Index of its first mark.
    pub(super) first_mark: usize,
}

/// Time between two runs, in ns, if the wall clock shows less or went back.
const LEAST_PAUSE: i64 = 1_000_000;

/// Shifts the boot clock times of all runs but the last, so that as much time passes between two runs on the axis as on the wall clock. A
/// note marks the begin of each later run.
pub(super) fn join(runs: &[Run], stamps: &mut [Stamp], marks: &mut Vec<Mark>) {
    let (mut stamps_end, mut marks_end) = (stamps.len(), marks.len());
    let mut notes = Vec::new();
    let mut later: Option<(Stamp, &str)> = None;
    for run in runs.iter().rev() {
        let samples = &mut stamps[run.first_stamp..stamps_end];
        let marked = &mut marks[run.first_mark..marks_end];
        (stamps_end, marks_end) = (run.first_stamp, run.first_mark);
        let all = || samples.iter().copied().chain(marked.iter().map(|mark| mark.stamp));
        let Some(last) = all().max_by_key(|stamp| stamp.boot_ns) else { continue };
        let Some(first) = all().min_by_key(|stamp| stamp.boot_ns) else { continue };
        let mut shift = 0;
        if let Some((later, boot_id)) = later {
            let pause = later.wall_ns.saturating_sub(last.wall_ns).max(LEAST_PAUSE);
            shift = later.boot_ns.saturating_sub(pause).saturating_sub(last.boot_ns);
            let text = if boot_id == run.boot_id { CLOCK_WENT_BACK } else { STARTED_AGAIN };
            notes.push(Mark { stamp: later, kind: MarkKind::Note { text: text.to_owned() } });
        }
        for stamp in samples.iter_mut().chain(marked.iter_mut().map(|mark| &mut mark.stamp)) {
            stamp.boot_ns = stamp.boot_ns.saturating_add(shift);
        }
        later = Some((Stamp { boot_ns: first.boot_ns.saturating_add(shift), ..first }, &run.boot_id));
    }
    marks.extend(notes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(wall: i64, boot: i64) -> Stamp {
        Stamp { wall_ns: wall * LEAST_PAUSE, mono_ns: 0, boot_ns: boot * LEAST_PAUSE }
    }

    fn run(first_stamp: usize) -> Run {
        Run { boot_id: first_stamp.to_string(), first_stamp, first_mark: 0 }
    }

    #[test]
    fn the_axis_goes_on_over_a_restart_as_the_wall_clock_did() {
        let mut stamps = [at(100, 50), at(110, 60), at(150, 5), at(160, 15)];
        let mut marks = Vec::new();
        join(&[run(0), run(2)], &mut stamps, &mut marks);
        assert_eq!(stamps.map(|stamp| stamp.boot_ns / LEAST_PAUSE), [-45, -35, 5, 15]);
        assert_eq!(marks.len(), 1);
        assert_eq!(marks[0].stamp, stamps[2]);
    }

    #[test]
    fn a_boot_clock_that_went_back_is_noted_as_such() {
        let mut stamps = [at(100, 50), at(110, 60), at(150, 5), at(200, 1)];
        let run = |boot_id: &str, first_stamp| Run { boot_id: boot_id.to_owned(), first_stamp, first_mark: 0 };
        let mut marks = Vec::new();
        join(&[run("a", 0), run("a", 2), run("b", 3)], &mut stamps, &mut marks);
        assert_eq!(stamps.map(|stamp| stamp.boot_ns / LEAST_PAUSE), [-99, -89, -49, 1]);
        let notes = marks.iter().map(|mark| (mark.stamp, &mark.kind));
        let note = |text: &str| MarkKind::Note { text: text.to_owned() };
        assert!(notes.eq([(stamps[3], &note(STARTED_AGAIN)), (stamps[2], &note(CLOCK_WENT_BACK))]), "{marks:?}");
    }

    #[test]
    fn the_axis_never_goes_back_though_the_wall_clock_did() {
        let mut stamps = [at(100, 50), at(90, 5), at(20, 7)];
        join(&[run(0), run(1), run(2)], &mut stamps, &mut Vec::new());
        assert!(stamps.is_sorted_by_key(|stamp| stamp.boot_ns), "{stamps:?}");
        assert_eq!(stamps[2], at(20, 7));
    }
}
