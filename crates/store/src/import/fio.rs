//! fio's JSON (`--output-format=json` and `json+`): each job becomes a step with its figures.

use super::Options;
use super::gather::{Event, Gather};
use super::line::read_failed;
use pagetide_core::{Figure, Figures, Outcome, Refusal, StepResult};
use serde_json::Value;
use std::io::{BufRead, Read};

/// More than fio writes about many jobs with all their latency bins.
const LARGEST: u64 = 256 << 20;

/// Milliseconds in nanoseconds.
const MILLI: f64 = 1e6;

/// Reads fio's JSON. Lines before it, such as fio's notes, are passed over.
pub(super) fn read<R: BufRead>(input: R, gather: &mut Gather, _: &Options) -> Result<(), Refusal> {
    let mut bytes = Vec::new();
    input.take(LARGEST).read_to_end(&mut bytes).map_err(|error| read_failed(&gather.report.name, &error))?;
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
    let mut documents = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    match documents.next() {
        Some(Ok(document)) => jobs(gather, &document),
        Some(Err(error)) => {
            let line = before + u64::try_from(error.line()).unwrap_or(0);
            gather.report.skip(line, format!("the JSON breaks off, and with it all of the result: {error}"));
        }
        None => {}
    }
    let after = before + count(&text[start..start + documents.byte_offset()]);
    for line in after + 2..=gather.report.lines {
        gather.report.leave_out(line, "lines after the JSON");
    }
    Ok(())
}

fn jobs(gather: &mut Gather, document: &Value) {
    let ended_ms = number(document, "timestamp_ms").or(number(document, "timestamp").map(|seconds| seconds * 1e3));
    gather.dated = ended_ms.is_some();
    gather.timed = ended_ms.is_some();
    let jobs = document.get("jobs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let disks = document.get("disk_util").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for job in jobs {
        let mut step = step(job);
        if let ([_], [disk]) = (jobs, disks) {
            step.figures.set_some(Figure::FioDiskReads, number(disk, "read_ios"));
            step.figures.set_some(Figure::FioDiskWrites, number(disk, "write_ios"));
        } else if !disks.is_empty() {
            gather.report.note("the disks' figures belong to no single job and are left out");
        }
        let elapsed_ms = step.get(Figure::Elapsed).unwrap_or(0.0) / MILLI;
        let ended_ms = ended_ms.unwrap_or(elapsed_ms);
        // fio 3.34 and later say when a job began (job_start_clock_id; by default the wall clock).
        let started_ms = number(job, "job_start").filter(|start| (ended_ms - start).abs() < 366.0 * 86_400e3);
        let started_ms = started_ms.unwrap_or(ended_ms - elapsed_ms);
        step.started_ns = nanos(started_ms);
        step.ended_ns = nanos(started_ms + elapsed_ms);
        gather.report.values += step.figures.iter().count() as u64;
        gather.event(step.started_ns, Event::Step(Box::new(step)));
    }
    gather.report.note("a job is taken to begin when fio says, else its run time before the result was written");
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
    figures.set_some(Figure::Elapsed, runtime.map(|ms| ms * MILLI));
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
        notes: if error == 0.0 { Vec::new() } else { vec![format!("fio ended with error {error}")] },
        figures,
    }
}

fn number(of: &Value, key: &str) -> Option<f64> {
    of.get(key).and_then(Value::as_f64)
}

#[expect(clippy::cast_possible_truncation, reason = "a float turns into the nearest i64 there is")]
fn nanos(ms: f64) -> i64 {
    (ms * MILLI) as i64
}
