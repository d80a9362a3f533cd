//! How fast a CPU reclaims memory, and for whom.

use super::command::Command;
use super::delays::has_delays;
use super::did::Did;
use super::stretch::{Stretch, TICKS, whole};
use pagetide_core::Table;
use pagetide_lab::sim::Costs;

/// CPU time of reclaim from which on it tells how fast that is: it is counted in ticks of 10 ms.
const MIN_CPU: f64 = 0.1;
const MAX_SLOWDOWN: f64 = 200.0;

/// How many times as long reclaim of a page takes as on a current server, where the kernel reclaimed for long enough to say.
pub(crate) fn slowdown(stretch: &Stretch<'_>) -> Option<u64> {
    let kernel: f64 =
        rows(stretch).filter(|(_, name)| name.starts_with("kswapd")).map(|(row, _)| system(stretch, row)).sum();
    let (mut cpu, mut on_server) = (kernel, on_server(stretch, "kswapd")?);
    if has_delays(stretch.recording) {
        cpu += rows(stretch).map(|(row, _)| own(stretch, row)).sum::<f64>();
        on_server += self::on_server(stretch, "direct")?;
    }
    let times = whole((cpu / on_server.max(1e-12)).min(MAX_SLOWDOWN).round());
    (cpu * stretch.seconds() >= MIN_CPU && times > 1).then_some(times)
}

/// Says of each command how much of its CPU time is reclaim, as a share of the time: the kernel counts that as a delay of a process, or not
/// at all. Then it is booked in proportion to the memory that they ask for.
pub(crate) fn book(
    stretch: &Stretch<'_>,
    slowdown: Option<u64>,
    commands: &mut [Command],
    did: fn(&mut Command) -> &mut Did,
) {
    if has_delays(stretch.recording) {
        for command in commands {
            let reclaim = command.processes.iter().map(|row| own(stretch, row)).sum();
            did(command).reclaim = reclaim;
        }
        return;
    }
    let all = slowdown.map_or(1.0, |times| times as f64) * on_server(stretch, "direct").unwrap_or(0.0);
    let seconds = stretch.seconds();
    let wants = |did: &Did| did.read + did.written + (did.anon.1 - did.anon.0).max(0.0) / seconds;
    let wanted: f64 = commands.iter_mut().map(|command| wants(did(command))).sum();
    for command in commands {
        let system: f64 = command.processes.iter().map(|row| system(stretch, row)).sum();
        let did = did(command);
        did.reclaim = (all * wants(did) / wanted.max(1.0)).min(system);
    }
}

fn rows<'a>(stretch: &Stretch<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
    stretch.recording.entities_within(Table::Process, stretch.from, stretch.to)
}

/// CPU time that a process spends in the kernel, and what it is in direct reclaim of it at most, as a share of the time.
fn system(stretch: &Stretch<'_>, row: &str) -> f64 {
    stretch.rate(Table::Process, row, "stime").unwrap_or(0.0) / TICKS
}

fn own(stretch: &Stretch<'_>, row: &str) -> f64 {
    let delay = stretch.rate(Table::Process, row, "freepages_delay_total").unwrap_or(0.0) / 1e9;
    delay.min(system(stretch, row))
}

/// CPU time that the model takes of a current server for the pages that kswapd, or those who wait, look at and free, as a share of the time.
fn on_server(stretch: &Stretch<'_>, by: &str) -> Option<f64> {
    let costs = Costs::default();
    let pages = |what: &str| stretch.host_rate(&format!("{what}_{by}"));
    let ns = pages("pgscan")? * costs.scan_page.as_f64() + pages("pgsteal")? * costs.reclaim_page.as_f64();
    Some(ns / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Column, Kind, Manifest, RecordingBuilder, Stamp, Unit};

    /// Ten seconds in which kswapd takes so many ticks, and a reader so many of which it was in direct reclaim for this time at most; each looks
    /// at, and frees, 10 000 pages: 2.6 ms of a current server.
    fn stretch_of(kswapd: i64, reader: i64, delay_ms: Option<i64>, act: impl FnOnce(&Stretch<'_>)) {
        let mut made = RecordingBuilder::new(Manifest::default());
        for (at, part) in [(0, 0), (10_000_000_000, 1)] {
            made.stamp(Stamp { boot_ns: at, ..Stamp::default() });
            let mut set = |table, row: &str, name: &str, value: i64| {
                let column = Column { name: name.to_owned(), kind: Kind::Counter, unit: Unit::Count };
                made.value(table, row, &column, value * part);
            };
            for metric in ["pgscan_kswapd", "pgsteal_kswapd", "pgscan_direct", "pgsteal_direct"] {
                set(Table::Host, "", metric, 10_000);
            }
            set(Table::Process, "kswapd0", "stime", kswapd);
            set(Table::Process, "reader", "stime", reader);
            set(Table::Process, "reader", "read_bytes", 1 << 20);
            if let Some(delay) = delay_ms {
                set(Table::Process, "reader", "blkio_delay_total", 1);
                set(Table::Process, "reader", "freepages_delay_total", delay * 1_000_000);
            }
        }
        let recording = made.finish();
        act(&Stretch { recording: &recording, from: 0, to: 10_000_000_000 });
    }

    #[test]
    fn a_cpu_is_as_slow_as_its_kswapd_and_as_those_who_reclaim_for_themselves() {
        stretch_of(26, 100, None, |stretch| assert_eq!(slowdown(stretch), Some(100)));
        // 260 ms of kswapd and 260 of the reader, for twice 2.6.
        stretch_of(26, 100, Some(260), |stretch| assert_eq!(slowdown(stretch), Some(100)));
        stretch_of(0, 100, Some(520), |stretch| assert_eq!(slowdown(stretch), Some(100)));
        stretch_of(9, 0, None, |stretch| assert_eq!(slowdown(stretch), None, "too few ticks to say"));
        stretch_of(26, 10, Some(10_000), |stretch| {
            assert_eq!(slowdown(stretch), Some(69), "most of a delay is no CPU time")
        });
    }

    #[test]
    fn reclaim_is_no_work_of_a_command_that_its_requests_take() {
        for (delay, reader, expected) in [(Some(260), 100, 0.026), (None, 100, 0.026), (None, 1, 0.001)] {
            stretch_of(26, reader, delay, |stretch| {
                let did = Did { read: 1e6, ..Did::default() };
                let own = Command {
                    name: "reader".to_owned(),
                    trouble: did,
                    processes: vec!["reader".to_owned()],
                    ..Command::default()
                };
                let mut commands = [own];
                book(stretch, slowdown(stretch), &mut commands, |command| &mut command.trouble);
                let got = commands[0].trouble.reclaim;
                assert!((got - expected).abs() < 1e-6, "{delay:?} {reader}: {got}");
            });
        }
    }
}
