//! Whether the kernel counted the delays of tasks.

use pagetide_core::{Recording, Table};

/// Whether delays of any task were counted. Waits for a CPU the scheduler counts anyway (`kernel/sched/stats.h: sched_info_dequeue`), and the
/// rows of processes that ended have them.
pub(crate) fn has_delays(recording: &Recording) -> bool {
    const COUNTED: [&str; 2] = ["blkio_delay_total", "freepages_delay_total"];
    let of = |process: &str, metric| {
        recording.series(Table::Process, process, metric).is_some_and(|delay| delay.points().any(|(_, ns)| ns > 0))
    };
    recording.entities(Table::Process).any(|(process, _)| COUNTED.into_iter().any(|metric| of(process, metric)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    #[test]
    fn waits_for_a_cpu_alone_are_no_sign_that_delays_are_counted() {
        let counts = |metric: &str, ns: i64| {
            let mut made = RecordingBuilder::new(Manifest::default());
            made.stamp(Stamp { boot_ns: 1, ..Stamp::default() });
            let column = Column { name: metric.to_owned(), kind: Kind::Counter, unit: Unit::Nanos };
            made.value(Table::Process, "ended/7.1@0", &column, ns);
            has_delays(&made.finish())
        };
        assert!(counts("blkio_delay_total", 5) && counts("freepages_delay_total", 5));
        assert!(!counts("blkio_delay_total", 0) && !counts("cpu_delay_total", 5));
    }
}
