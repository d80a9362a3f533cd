//! The row of one hour of a recording.

use super::facts;
use crate::row::{Row, Text};
use pagetide_core::derived::{self, Derived};
use pagetide_core::{Actor, Conclusion, Diagnosis, Error, LazyRecording, Recording, Table};
use pagetide_store::Reader;

/// The derived metrics of the host that rows have.
const HOST: &[&Derived] = &[
    &derived::REFAULTS,
    &derived::MAJOR_FAULTS,
    &derived::SCANNED_FOR_HOST,
    &derived::SCANNED_DIRECT,
    &derived::SWAP_IN,
    &derived::SWAP_OUT,
    &derived::PAGED_IN,
    &derived::PAGED_OUT,
    &derived::PSI_IO_SOME,
    &derived::PSI_MEMORY_SOME,
    &derived::CPU_IOWAIT,
    &derived::DIRTY_ROOM,
    &derived::AWAIT,
    &derived::BUSY,
];
const AVAILABLE: &str = "MemAvailable";

/// Reads an hour and says what happened in it. Nothing outside the hour counts, so the row does not depend on who computes what else.
pub(super) fn row(recording: &str, reader: &Reader, (from, to): (i64, i64)) -> Result<Row, Error> {
    let mut metrics: Vec<&str> = HOST.iter().flat_map(|derived| derived.metrics()).collect();
    metrics.push(AVAILABLE);
    let mut hour = LazyRecording::open(reader, Some(from), Some(to))?;
    // A fleet ignores what the lab knew of a run: it reads every recording as a host's.
    hour.drop_marks();
    let diagnosis = pagetide_diagnose::diagnose_losses(&mut hour, &metrics)?;
    let hour = hour.into_recording();
    let mut row = Row::new(recording);
    facts::fill(&mut row, &hour.manifest);
    conclude(&mut row, &diagnosis, &hour);
    measure(&mut row, &hour);
    Ok(row)
}

fn text(text: &str) -> Option<Text> {
    Some(text.into())
}

#[expect(clippy::cast_possible_truncation, reason = "amounts of an hour")]
fn rounded(value: f64) -> i64 {
    value.round() as i64
}

fn conclude(row: &mut Row, diagnosis: &Diagnosis, hour: &Recording) {
    row.verdict = text(match diagnosis.verdict {
        Conclusion::Incident => "incident",
        Conclusion::Forecast => "forecast",
        Conclusion::Healthy => "healthy",
        Conclusion::CannotTell | Conclusion::Experiment => "cannot-tell",
    });
    if diagnosis.verdict == Conclusion::Incident {
        row.harm_ns = Some(i64::try_from(diagnosis.time_lost_in_all()).unwrap_or(i64::MAX));
    }
    let named = matches!(diagnosis.verdict, Conclusion::Incident | Conclusion::Forecast);
    let Some(cause) = diagnosis.cause.as_ref().filter(|_| named) else { return };
    row.cause = text(&cause.rule.to_string());
    row.confidence = Some(cause.confidence.get());
    row.program = cause.origins.first_command().and_then(text);
    row.group = cause.origins.iter().find_map(Actor::as_group).and_then(text);
    row.disk = cause.origins.iter().find_map(Actor::as_disk).and_then(text);
    let disk = row.disk.as_deref().and_then(|name| hour.manifest.disks.iter().find(|disk| disk.name == name));
    row.disk_class = disk.map(facts::class).and_then(text);
}

fn measure(row: &mut Row, hour: &Recording) {
    let stamps = hour.stamps();
    row.samples = i64::try_from(stamps.len()).ok();
    let (Some(first), Some(last)) = (stamps.first(), stamps.last()) else { return };
    let span = (first.boot_ns, last.boot_ns);
    let length = last.boot_ns.saturating_sub(first.boot_ns);
    row.covered_ns = Some(length);
    let mean = |derived: &'static Derived| derived.over(hour, Table::Host, "", span);
    let amount = |derived: &'static Derived, per: f64| mean(derived).map(|rate| rounded(rate * length as f64 / per));
    let values = |derived: &'static Derived, table, entity: &str| -> Vec<f64> {
        derived.intervals(hour, table, entity).iter().map(|interval| interval.value).collect()
    };
    row.stalled_io_ns = amount(&derived::PSI_IO_SOME, 1.0);
    row.stalled_memory_ns = amount(&derived::PSI_MEMORY_SOME, 1.0);
    row.iowait_share = mean(&derived::CPU_IOWAIT);
    row.refaults = amount(&derived::REFAULTS, 1e9);
    row.refaults_per_s_p99 = quantile(values(&derived::REFAULTS, Table::Host, ""), 0.99);
    row.major_faults_per_s = mean(&derived::MAJOR_FAULTS);
    row.major_faults_per_s_p99 = quantile(values(&derived::MAJOR_FAULTS, Table::Host, ""), 0.99);
    row.scanned_per_s = mean(&derived::SCANNED_FOR_HOST);
    row.scanned_direct_per_s = mean(&derived::SCANNED_DIRECT);
    row.swap_in_per_s = mean(&derived::SWAP_IN);
    row.swap_out_per_s = mean(&derived::SWAP_OUT);
    row.read_bytes_per_s = mean(&derived::PAGED_IN);
    row.written_bytes_per_s = mean(&derived::PAGED_OUT);
    let busy = |(disk, _): (&str, &str)| Some((derived::BUSY.over(hour, Table::Disk, disk, span)?, disk.to_owned()));
    let busiest = hour.entities(Table::Disk).filter_map(busy).max_by(|one, other| one.0.total_cmp(&other.0));
    if let Some((share, disk)) = busiest {
        row.busy_share = Some(share);
        let times = values(&derived::AWAIT, Table::Disk, &disk);
        row.await_ns_p50 = quantile(times.clone(), 0.5);
        row.await_ns_p99 = quantile(times, 0.99);
    }
    let room = values(&derived::DIRTY_ROOM, Table::Host, "").into_iter().min_by(f64::total_cmp);
    row.dirty_room_bytes_min = room.map(|pages| rounded(pages * hour.manifest.page_size.as_f64()));
    row.available_bytes_min = hour.host(AVAILABLE).and_then(|series| series.points().map(|(_, value)| value).min());
}

/// The value that this share of the values do not exceed (nearest rank).
fn quantile(mut values: Vec<f64>, share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let rank = (values.len() as f64 * share).ceil().max(1.0) as usize;
    values.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let values = || vec![3.0, 1.0, 2.0, 4.0];
        assert_eq!(
            [0.0, 0.25, 0.5, 0.99, 1.0].map(|share| quantile(values(), share)),
            [1.0, 1.0, 2.0, 4.0, 4.0].map(Some)
        );
        assert_eq!(quantile(Vec::new(), 0.5), None);
    }
}
