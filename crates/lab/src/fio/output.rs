//! fio's result: `--output-format=json+`.

use pagetide_core::{Figure, Figures};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What fio measured.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Output {
    #[serde(default)]
    jobs: Vec<Job>,
    #[serde(default)]
    disk_util: Vec<DiskUse>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Job {
    error: i64,
    read: Direction,
    write: Direction,
    /// Sum of the jobs' running times, ms: what `usr_cpu` and `sys_cpu` are percentages of.
    job_runtime: f64,
    usr_cpu: f64,
    sys_cpu: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Direction {
    io_bytes: u64,
    bw_bytes: f64,
    iops: f64,
    /// Milliseconds.
    runtime: f64,
    total_ios: u64,
    clat_ns: Latency,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Latency {
    mean: f64,
    #[serde(rename = "N")]
    count: u64,
    percentile: BTreeMap<String, f64>,
    /// How many requests took how many ns (the histogram's buckets by their middle).
    bins: BTreeMap<String, u64>,
}

/// What fio says of a disk.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DiskUse {
    /// The disk's name.
    pub name: String,
    /// Reads it completed.
    pub read_ios: u64,
    /// Writes it completed.
    pub write_ios: u64,
    /// Reads that were merged.
    pub read_merges: u64,
    /// Writes that were merged.
    pub write_merges: u64,
    /// Percent of the time that it was busy.
    pub util: f64,
}

/// Reads fio's result. fio may write a line of its own before the JSON.
///
/// # Errors
/// It is not the JSON of fio, or there is no job in it; the message says which.
pub fn parse_output(text: &str) -> Result<Output, String> {
    let start = text.find('{').ok_or("its output is not JSON")?;
    // Reads one value; text after it (a warning of fio) is ignored.
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Output>();
    match values.next() {
        Some(Ok(output)) if output.jobs.is_empty() => Err("no job in its output".to_owned()),
        Some(Ok(output)) => Ok(output),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("its output is empty".to_owned()),
    }
}

/// The figures that are percentiles of completion latency, with fio's name for each.
const PERCENTILES: [(Figure, f64, &str); 4] = [
    (Figure::ClatP50, 0.50, "50.000000"),
    (Figure::ClatP95, 0.95, "95.000000"),
    (Figure::ClatP99, 0.99, "99.000000"),
    (Figure::ClatP999, 0.999, "99.900000"),
];

impl Output {
    /// The disks that fio looked at.
    pub fn disks(&self) -> &[DiskUse] {
        &self.disk_util
    }

    /// Bytes that the jobs read.
    pub fn read_bytes(&self) -> u64 {
        self.jobs.iter().map(|job| job.read.io_bytes).sum()
    }

    /// Bytes that the jobs read and wrote.
    pub fn io_bytes(&self) -> u64 {
        self.directions().map(|direction| direction.io_bytes).sum()
    }

    /// The error number of the first job that failed.
    pub fn error(&self) -> Option<i64> {
        self.jobs.iter().map(|job| job.error).find(|error| *error != 0)
    }

    fn directions(&self) -> impl Iterator<Item = &Direction> {
        self.jobs.iter().flat_map(|job| [&job.read, &job.write]).filter(|direction| direction.total_ios > 0)
    }

    /// Sets the figures that fio measures. Reads and writes of a mixed job count together.
    pub fn figures(&self, figures: &mut Figures) {
        let sum = |of: fn(&Direction) -> f64| self.directions().map(of).sum::<f64>();
        if self.directions().next().is_none() {
            return;
        }
        figures.set(Figure::Issued, sum(|direction| direction.total_ios as f64));
        figures.set(Figure::Iops, sum(|direction| direction.iops));
        figures.set(Figure::Bandwidth, sum(|direction| direction.bw_bytes));
        figures.set(Figure::Processed, sum(|direction| direction.io_bytes as f64));
        let longest = self.directions().map(|direction| direction.runtime).fold(0.0, f64::max);
        // fio counts whole milliseconds; a job that took less than one has no time to give.
        figures.set_some(Figure::Elapsed, (longest > 0.0).then_some(longest * 1e6));
        let count = sum(|direction| direction.clat_ns.count as f64);
        if count > 0.0 {
            figures.set(
                Figure::ClatMean,
                sum(|direction| direction.clat_ns.mean * direction.clat_ns.count as f64) / count,
            );
        }
        let directions: Vec<&Direction> = self.directions().collect();
        let bins = (directions.len() > 1).then(|| self.bins());
        for (figure, part, key) in PERCENTILES {
            let own = || directions[0].clat_ns.percentile.get(key).copied();
            figures.set_some(figure, bins.as_ref().map_or_else(own, |bins| percentile(bins, part)));
        }
        let cpu =
            |of: fn(&Job) -> f64| self.jobs.iter().map(|job| of(job) / 100.0 * job.job_runtime * 1e6).sum::<f64>();
        figures.set(Figure::UserCpu, cpu(|job| job.usr_cpu));
        figures.set(Figure::SystemCpu, cpu(|job| job.sys_cpu));
    }

    /// Latencies of all requests: ns and how many took so long.
    fn bins(&self) -> BTreeMap<u64, u64> {
        let mut all = BTreeMap::new();
        for (nanos, count) in self.directions().flat_map(|direction| &direction.clat_ns.bins) {
            if let Ok(nanos) = nanos.parse::<u64>() {
                *all.entry(nanos).or_insert(0) += count;
            }
        }
        all
    }
}

/// The latency that `part` of the requests did not exceed.
fn percentile(bins: &BTreeMap<u64, u64>, part: f64) -> Option<f64> {
    let wanted = bins.values().sum::<u64>() as f64 * part;
    let mut below = 0;
    bins.iter()
        .find(|(_, count)| {
            below += **count;
            below as f64 >= wanted
        })
        .map(|(nanos, _)| *nanos as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: &str = include_str!("../../../../fixtures/fio/randread.json");
    const MIXED: &str = include_str!("../../../../fixtures/fio/randrw.json");

    fn figures(text: &str) -> Figures {
        let mut figures = Figures::default();
        parse_output(text).unwrap().figures(&mut figures);
        figures
    }

    #[test]
    fn a_read_gives_fios_own_figures() {
        let figures = figures(READ);
        let value: serde_json::Value = serde_json::from_str(READ).unwrap();
        let read = &value["jobs"][0]["read"];
        let check = |figure, value: &serde_json::Value, factor: f64| {
            assert_eq!(figures.get(figure), Some(value.as_f64().unwrap() * factor), "{figure:?}");
        };
        check(Figure::Issued, &read["total_ios"], 1.0);
        check(Figure::Iops, &read["iops"], 1.0);
        check(Figure::Bandwidth, &read["bw_bytes"], 1.0);
        check(Figure::Elapsed, &read["runtime"], 1e6);
        check(Figure::ClatMean, &read["clat_ns"]["mean"], 1.0);
        check(Figure::ClatP50, &read["clat_ns"]["percentile"]["50.000000"], 1.0);
        check(Figure::ClatP999, &read["clat_ns"]["percentile"]["99.900000"], 1.0);
        assert_eq!(figures.get(Figure::Issued), Some(8192.0), "64 MiB in blocks of 8 KiB");
        assert_eq!(parse_output(READ).unwrap().disks()[0].name, "vda");
    }

    #[test]
    fn reads_and_writes_of_a_mixed_job_count_together() {
        let figures = figures(MIXED);
        let output = parse_output(MIXED).unwrap();
        assert_eq!(figures.get(Figure::Issued), Some(2048.0), "16 MiB in blocks of 8 KiB");
        assert_eq!(output.io_bytes(), 16 << 20);
        assert!(output.read_bytes() > 0 && output.read_bytes() < output.io_bytes());
        let median = figures.get(Figure::ClatP50).unwrap();
        assert!(median > 0.0 && median <= figures.get(Figure::ClatP99).unwrap());
    }

    #[test]
    fn percentiles_of_the_histogram_are_those_that_fio_prints() {
        let output = parse_output(READ).unwrap();
        let bins = output.bins();
        assert_eq!(bins.values().sum::<u64>(), 8192);
        for (_, part, key) in PERCENTILES {
            assert_eq!(percentile(&bins, part), output.jobs[0].read.clat_ns.percentile.get(key).copied(), "{key}");
        }
    }

    #[test]
    fn what_is_not_a_result_is_refused_with_the_reason() {
        for bad in ["", "fio: pid=1, err=2", "{", "{}", "{\"jobs\": []}", "[1]"] {
            assert!(parse_output(bad).is_err(), "{bad}");
        }
        assert!(parse_output(&format!("fio: a warning\n{READ}\nfio: another")).is_ok());
        for cut in [100, READ.len() / 2, READ.len() - 10] {
            assert!(parse_output(&READ[..cut]).is_err(), "a torn result is no result");
        }
    }
}
