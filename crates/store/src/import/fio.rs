//! fio's JSON (`--output-format=json` and `json+`): each job becomes a step with its figures.

use super::gather::{Event, Gather};
use super::line::read_failed;
use super::options::Options;
use crate::budget::{Exceeded, Held, JSON_BYTES, bytes_of};
use pagetide_core::{Error, Figure, Figures, Nanos, Outcome, StepResult};
use serde_json::Value;
use std::io::{self, BufRead};

/// More bytes than fio writes about many jobs with all their latency bins.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// A millisecond in nanoseconds.
const MILLI: i64 = 1_000_000;

/// A year in nanoseconds. A start further off than this is from another clock.
const YEAR: u64 = 366 * 86_400 * 1_000_000_000;

/// Reads fio's JSON. Lines before it, such as fio's notes, are passed over.
pub(super) fn read<R: BufRead>(input: R, gather: &mut Gather, _: &Options) -> Result<(), Error> {
    let held = gather.hold();
    let bytes = match whole(input.take(MAX_FILE_BYTES), &held) {
        Ok(bytes) => bytes,
        Err(error) => {
            gather.exceeded = Exceeded::of(&error).cloned();
            return if gather.exceeded.is_some() { Ok(()) } else { Err(read_failed(&gather.report.name, &error)) };
        }
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = text.as_ref();
    let count = |part: &str| part.bytes().map(|byte| u64::from(byte == b'\n')).sum::<u64>();
    gather.report.lines = count(text) + u64::from(!text.is_empty() && !text.ends_with('\n'));
    let start = if text.starts_with('{') { Some(0) } else { text.find("\n{").map(|at| at + 1) };
    let Some(start) = start else {
        gather.report.skip(1, "no JSON object");
        return Ok(());
    };
    let before = count(&text[..start]);
    for line in 1..=before {
        gather.report.leave_out(line, "lines before the JSON");
    }
    // With --status-interval each report has all that the jobs did so far: the last one is the result.
    let (mut result, mut next) = (None, Some(start));
    while let Some(start) = next {
        let mut documents = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match documents.next() {
            Some(Ok(document)) => {
                let end = start + documents.byte_offset();
                if let Some((lines, _)) =
                    result.replace((count(&text[..start]) + 1..=count(&text[..end]) + 1, document))
                {
                    lines.for_each(|line| gather.report.leave_out(line, "reports before the last (--status-interval)"));
                }
                next = text[end..].find("\n{").map(|at| end + at + 1);
            }
            Some(Err(error)) => {
                let line = count(&text[..start]) + u64::try_from(error.line()).unwrap_or(0);
                let what = if result.is_none() {
                    "so none of the result can be read"
                } else {
                    "so the report before it is read"
                };
                gather.report.skip(line, format!("the JSON is incomplete, {what}: {error}"));
                next = None;
            }
            None => next = None,
        }
    }
    if let Some((lines, document)) = result {
        jobs(gather, &document);
        for line in lines.end() + 1..=gather.report.lines {
            gather.report.leave_out(line, "lines after the JSON");
        }
    }
    Ok(())
}

/// Reads a whole file, and charges what its JSON may take.
fn whole(mut input: impl BufRead, held: &Held) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let chunk = input.fill_buf()?;
        let length = chunk.len();
        if length == 0 {
            return Ok(bytes);
        }
        held.charge(bytes_of(length, JSON_BYTES))?;
        bytes.try_reserve(length).map_err(Exceeded::from)?;
        bytes.extend_from_slice(chunk);
        input.consume(length);
    }
}

fn jobs(gather: &mut Gather, document: &Value) {
    let whole = |of: &Value, key: &str| of.get(key).and_then(Value::as_i64);
    let ended =
        whole(document, "timestamp_ms").or(whole(document, "timestamp").and_then(|seconds| seconds.checked_mul(1000)));
    let ended = ended.and_then(|ms| ms.checked_mul(MILLI));
    gather.dated = ended.is_some();
    gather.timed = ended.is_some();
    let jobs = document.get("jobs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let disks = document.get("disk_util").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for job in jobs {
        let mut step = step(job);
        if let ([_], [disk]) = (jobs, disks) {
            step.figures.set_some(Figure::FioDiskReads, number(disk, "read_ios"));
            step.figures.set_some(Figure::FioDiskWrites, number(disk, "write_ios"));
        } else if !disks.is_empty() {
            gather.report.note("disk figures are left out: they belong to no single job");
        }
        let elapsed = job_time(&step);
        let ended = ended.unwrap_or(elapsed);
        // fio 3.34 and later say when a job began (job_start_clock_id; by default the wall clock).
        let said = whole(job, "job_start").and_then(|ms| ms.checked_mul(MILLI));
        step.started_ns = said.filter(|start| ended.abs_diff(*start) < YEAR).unwrap_or(ended.saturating_sub(elapsed));
        step.ended_ns = step.started_ns.saturating_add(elapsed);
        gather.report.values += step.figures.iter().count() as u64;
        gather.event(step.started_ns, Event::Step(Box::new(step)));
    }
    gather.report.note("a job starts when fio says so; where fio does not, its run time before the result was written");
}

/// A job with its figures. Latencies of a job that read and wrote are given only where one direction did everything.
fn step(job: &Value) -> StepResult {
    let name = job.get("jobname").and_then(Value::as_str).unwrap_or("fio");
    let option = |key: &str| job.get("job options").and_then(|options| options.get(key)).and_then(Value::as_str);
    let title = ["rw", "bs", "size"].iter().filter_map(|key| option(key)).collect::<Vec<_>>().join(" ");
    let error = number(job, "error").unwrap_or(0.0);
    let mut figures = Figures::default();
    let directions: Vec<&Value> = ["read", "write"]
        .iter()
        .filter_map(|key| job.get(*key))
        .filter(|direction| number(direction, "total_ios").is_some_and(|ios| ios > 0.0))
        .collect();
    let sum = |key: &str| {
        let each: Option<Vec<f64>> = directions.iter().map(|direction| number(direction, key)).collect();
        each.filter(|each| !each.is_empty()).map(|each| each.iter().sum::<f64>())
    };
    figures.set_some(Figure::Issued, sum("total_ios"));
    figures.set_some(Figure::Iops, sum("iops"));
    figures.set_some(Figure::Bandwidth, sum("bw_bytes").or(sum("bw").map(|kib| kib * 1024.0)));
    figures.set_some(Figure::Processed, sum("io_bytes"));
    let runtime = directions.iter().filter_map(|direction| number(direction, "runtime")).reduce(f64::max);
    figures.set_some(Figure::Elapsed, runtime.map(|ms| ms * 1e6));
    if let [only] = directions[..]
        && let Some(latency) = only.get("clat_ns")
    {
        figures.set_some(Figure::ClatMean, number(latency, "mean"));
        let percentile = |key| latency.get("percentile").and_then(|all| number(all, key));
        figures.set_some(Figure::ClatP50, percentile("50.000000"));
        figures.set_some(Figure::ClatP95, percentile("95.000000"));
        figures.set_some(Figure::ClatP99, percentile("99.000000"));
        figures.set_some(Figure::ClatP999, percentile("99.900000"));
    }
    figures.set_some(Figure::MajorFaults, number(job, "majf"));
    StepResult {
        id: name.to_owned(),
        kind: "fio".to_owned(),
        title,
        started_ns: 0,
        ended_ns: 0,
        outcome: if error == 0.0 { Outcome::Done } else { Outcome::Refused },
        notes: if error == 0.0 { Vec::new() } else { vec![format!("fio reported error {error}")] },
        figures,
    }
}

fn number(of: &Value, key: &str) -> Option<f64> {
    of.get(key).and_then(Value::as_f64)
}

/// The job's run time in nanoseconds; fio gives whole milliseconds.
fn job_time(step: &StepResult) -> i64 {
    let elapsed = step.get(Figure::Elapsed).and_then(|nanos| Nanos::from_secs_f64(nanos / 1e9));
    elapsed.and_then(|elapsed| i64::try_from(elapsed.get()).ok()).unwrap_or(0)
}
