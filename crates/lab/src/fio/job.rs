//! The command line of fio for a job of a scenario.

use pagetide_core::FioJob;

/// The options of fio for a job on the file of that name in its folder. Each is one argument that begins with its own `--OPTION=`, and no
/// text of the scenario is in one but names of a step and a file and what [`FioJob`]'s check allows. Sizes are given in bytes, so that
/// fio's idea of `k` does not matter.
/// `seed` decides the random sequence of a job that is not to repeat fio's default one.
pub fn arguments(name: &str, job: &FioJob, file: &str, seed: u64) -> Vec<String> {
    let mut options = vec![
        format!("--name={name}"),
        format!("--filename={}", file),
        format!("--ioengine={}", job.ioengine.name()),
        format!("--rw={}", job.rw),
        format!("--bs={}", job.bs.get()),
        format!("--size={}", job.size.get()),
    ];
    let mut add = |option: &str, value: Option<String>| {
        options.extend(value.map(|value| format!("--{option}={value}")));
    };
    let truth = |value: bool| u8::from(value).to_string();
    let when = |value: bool| value.then(|| truth(true));
    add("invalidate", job.invalidate.map(truth));
    add("norandommap", when(job.norandommap));
    add("randrepeat", job.randrepeat.map(truth));
    add("randseed", (job.randrepeat == Some(false)).then(|| (seed >> 1).to_string()));
    add("random_distribution", job.random_distribution.clone());
    add("direct", when(job.direct));
    add("iodepth", job.iodepth.map(|depth| depth.to_string()));
    add("numjobs", job.numjobs.map(|count| count.to_string()));
    // fio counts time in microseconds at the finest.
    add("runtime", job.runtime.map(|time| format!("{}us", time.get().div_ceil(1000))));
    add("time_based", when(job.time_based));
    add("rate_iops", job.rate_iops.map(|rate| rate.to_string()));
    add("fsync", job.fsync.map(|count| count.to_string()));
    add("end_fsync", when(job.end_fsync));
    options
}

/// The options of fio that fill a file of `size` bytes with data that the disk really holds.
pub fn layout(file: &str, size: u64) -> Vec<String> {
    vec![
        "--name=layout".to_owned(),
        format!("--filename={}", file),
        "--ioengine=sync".to_owned(),
        "--rw=write".to_owned(),
        // Whole blocks first: fio leaves out a last block that is not whole.
        format!("--bs={}", if size.is_multiple_of(1 << 20) { 1 << 20 } else { 4096 }),
        format!("--size={size}"),
        "--fallocate=none".to_owned(),
        "--end_fsync=1".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Bytes, FioEngine, Nanos};

    #[test]
    fn every_option_reaches_fio_and_absent_ones_keep_its_defaults() {
        let mut job = FioJob {
            rw: "randread".into(),
            bs: Bytes::new(8192),
            size: Bytes::new(64 << 20),
            ioengine: FioEngine::Sync,
            invalidate: Some(false),
            norandommap: false,
            randrepeat: None,
            random_distribution: None,
            direct: false,
            iodepth: None,
            numjobs: None,
            runtime: None,
            time_based: false,
            rate_iops: None,
            fsync: None,
            end_fsync: false,
            file: None,
            disk: None,
        };
        let plain = "--name=A1 --filename=data --ioengine=sync --rw=randread --bs=8192 --size=67108864 --invalidate=0";
        assert_eq!(arguments("A1", &job, "data", 9).join(" "), plain);
        job.norandommap = true;
        job.randrepeat = Some(false);
        job.random_distribution = Some("zipf:1.2".into());
        job.direct = true;
        job.iodepth = Some(32);
        job.numjobs = Some(2);
        job.runtime = Some(Nanos::new(1_500_000_000));
        job.time_based = true;
        job.rate_iops = Some(500);
        job.fsync = Some(1);
        job.end_fsync = true;
        assert_eq!(
            arguments("A1", &job, "data", 9).join(" "),
            format!(
                "{plain} --norandommap=1 --randrepeat=0 --randseed=4 --random_distribution=zipf:1.2 --direct=1 --iodepth=32 --numjobs=2 --runtime=1500000us \
                 --time_based=1 --rate_iops=500 --fsync=1 --end_fsync=1"
            )
        );
    }
}
