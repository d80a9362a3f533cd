//! The sampling thread.

use crate::clock;
use crate::probe::Probe;
use crate::protection::Protection;
use crate::schedule::Schedule;
use crate::shared::{Command, Shared};
use pagetide_core::{Nanos, Sample, Schema, SchemaCursor, SchemaGrowth, Table};

/// Room in every buffer beyond the rows of the first sample, as a part of them: processes and disks come and go.
const HEADROOM: usize = 4;

/// Never fewer buffers than this, however large a sample is.
const FEWEST_BUFFERS: usize = 8;

/// Never more than this, however small a sample is.
const MOST_BUFFERS: usize = 4096;

/// What the sampling thread knows when it ends.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Account {
    /// Samples taken.
    pub(crate) samples: u64,
    /// Samples that came late.
    pub(crate) late: u64,
    /// Samples that were due and not taken.
    pub(crate) missed: u64,
    /// CPU time that the thread used.
    pub(crate) cpu: Nanos,
}

/// If the last interval is shorter than this part of the usual one, no sample is taken for it, unless the one before it was requested.
const SLIVER: i64 = 10;

/// Samples until it is told to stop. `begun` is called when the first sample is in the ring.
pub(crate) fn run(
    shared: &Shared,
    probe: &mut dyn Probe,
    interval: i64,
    protection: Protection,
    begun: impl FnOnce(),
) -> Account {
    let refused = protection.raise();
    let mut schema = Schema::default();
    let mut handed_over = SchemaCursor::default();
    let mut growth = SchemaGrowth::default();
    let mut account = Account::default();
    let mut commands = Vec::with_capacity(16);
    let mut buffer = Sample::default();
    let mut trouble = None;
    let mut before: Option<i64> = None;
    let (mut served, mut regular) = (0, false);
    let mut begun = Some(begun);
    let mut schedule = Schedule::new(clock::monotonic_ns(), interval);
    loop {
        let turn = shared.wait_for_turn(schedule.deadline(), &mut commands);
        for command in commands.drain(..) {
            match command {
                Command::Pid(pid) => probe.watch_pid(pid),
                Command::Cgroup(path) => probe.watch_cgroup(&path),
            }
        }
        let needed = turn.last && probe.end();
        let stamp = clock::now();
        let sliver = before.is_some_and(|before| is_sliver(stamp.mono_ns - before, interval));
        if turn.last && !needed && turn.asked == served && regular && account.samples >= 2 && sliver {
            account.cpu = clock::thread_cpu();
            return account;
        }
        (served, regular) = (turn.asked, turn.due);
        buffer.clear();
        buffer.stamp = stamp;
        let result = probe.sample(&mut schema, &mut buffer).err();
        if result != trouble {
            if let Some(error) = &result {
                shared.note(format!("recorder: {error}"));
            }
            trouble = result;
        }
        probe.take_notes().into_iter().for_each(|note| shared.note(note));
        shared.set_skipped_groups(probe.skipped_groups());
        handed_over.collect(&schema, &mut growth);

        let renew = is_full(&schema, &buffer, protection);
        account.samples += 1;
        account.late += u64::from(before.is_some_and(|before| schedule.is_late(before, stamp.mono_ns)));
        before = Some(stamp.mono_ns);
        if let Some(begun) = begun.take() {
            shared.prepare(buffers(&buffer, protection));
            for line in refused.iter().cloned().chain(protection.lock()) {
                shared.note(line);
            }
            buffer = shared.push_sample(buffer, &mut growth, turn, (account.late, account.missed));
            begun();
        } else {
            buffer = shared.push_sample(buffer, &mut growth, turn, (account.late, account.missed));
        }
        if renew && !turn.last {
            match probe.renew() {
                Ok(()) => {
                    (schema, handed_over) = (Schema::default(), SchemaCursor::default());
                    shared.renew();
                }
                Err(error) => shared.note(format!("recorder: cannot forget processes that are gone: {error}")),
            }
        }
        if turn.last {
            account.cpu = clock::thread_cpu();
            return account;
        }
        if turn.due {
            account.missed += schedule.advance(clock::monotonic_ns());
        }
    }
}

/// Whether an interval is too short to be the last one: a rate over a few milliseconds says nothing of the recording.
fn is_sliver(length: i64, interval: i64) -> bool {
    length < interval / SLIVER
}

/// Whether the schema has more entities than it should, and most of them are gone.
fn is_full(schema: &Schema, sample: &Sample, protection: Protection) -> bool {
    let known: usize = Table::ALL.into_iter().map(|table| schema.entities(table).len()).sum();
    known >= protection.entities && known >= 2 * sample.tables().map(|table| table.rows().count()).sum::<usize>()
}

/// Empty buffers that hold a sample such as `first`, and some more rows, without allocating.
fn buffers(first: &Sample, protection: Protection) -> Vec<Sample> {
    let mut size = size_of::<Sample>();
    let model: Vec<_> = first
        .tables()
        .map(|table| {
            let rows = table.rows().count();
            let width = table.rows().map(|(_, values)| values.len()).max().unwrap_or(0);
            let rows = rows + if rows > 1 { rows / HEADROOM + 2 } else { 0 };
            size += rows * (width * size_of::<Option<i64>>() + size_of::<u32>());
            (table, rows, width)
        })
        .collect();
    let affordable = usize::try_from(protection.ring.get()).unwrap_or(usize::MAX) / size;
    (0..affordable.clamp(FEWEST_BUFFERS, MOST_BUFFERS))
        .map(|_| {
            let mut buffer = Sample::default();
            for (table, rows, width) in &model {
                let Some((entity, _)) = table.rows().next() else { continue };
                for _ in 0..*rows {
                    buffer.row(table.table(), entity, *width);
                }
            }
            buffer.clear();
            buffer
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::is_sliver;

    #[test]
    fn ten_seconds_and_three_milliseconds_are_ten_intervals_of_a_second() {
        const SECOND: i64 = 1_000_000_000;
        assert!(is_sliver(3_000_000, SECOND));
        assert!(!is_sliver(SECOND / 2, SECOND) && !is_sliver(SECOND, SECOND));
    }
}
