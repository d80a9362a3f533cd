//! The findings that last at the end of what was recorded, for those who look again and again.

use crate::measure::amount::{Amount, Count};
use crate::measure::episodes::Episodes;
use crate::measure::window::{Window, intervals};
use pagetide_core::{
    Actor, Diagnosis, Error, Finding, LazyRecording, Moment, Nanos, Recording, RuleId, Source, Span, Table, derived,
};
use std::collections::BTreeMap;

/// Time between two looks at a recording that grows, unless a command's options say otherwise.
pub const LOOK_INTERVAL: Nanos = Nanos::new(10 * 1_000_000_000);
/// How far back a look goes, unless a command's options say otherwise; it also gives the baseline.
pub const LOOK_BACK: Nanos = Nanos::new(15 * 60 * 1_000_000_000);

/// Time between two looks at a host on which nobody waits: what begins there, such as a leak, harms later.
pub const CALM_INTERVAL: Nanos = Nanos::new(60 * 1_000_000_000);

/// Share of time that tasks of such a host wait for a CPU, IO or memory, below this: half of what users notice.
const CALM: f64 = 0.05;

/// What shows that.
const WAITS: [&str; 4] = ["psi_cpu_some", "psi_io_some", "psi_memory_some", "oom_kill"];

/// A rule and the disk or group that it names. The process that does most of it may change within one incident.
pub type LastingKey = (RuleId, Option<Actor>);

/// A finding that lasts.
#[derive(Debug, Clone, PartialEq)]
pub struct Lasting {
    /// The finding.
    pub finding: Finding,
    /// Whether it is the cause of the others.
    pub cause: bool,
}

/// Whether tasks hardly waited since the look before the last one, where looks are `every` so long, and none was killed: the rules cost most of a look,
/// and need not be asked at each. False where pressure is not recorded.
///
/// # Errors
/// Those of the source.
pub fn is_calm<S: Source>(recording: &mut LazyRecording<S>, every: Nanos) -> Result<bool, Error> {
    Ok(waits_little(recording.columns(&[Table::Host], &WAITS)?, every))
}

fn waits_little(recording: &Recording, every: Nanos) -> bool {
    let episodes = Episodes::default();
    let window = recording.span().zip(Window::whole(recording, &episodes)).map(|((_, last), whole)| {
        let to = Moment::new(last);
        whole.over(Span { from: since(recording, to, every), to })
    });
    let little = |window: &Window<'_>| {
        let waits = [&derived::PSI_CPU_SOME, &derived::PSI_IO_SOME, &derived::PSI_MEMORY_SOME];
        let killed = window.rise::<Count>(Table::Host, "", "oom_kill").is_some_and(Amount::is_positive);
        !killed && waits.iter().all(|waits| window.share(waits).is_some_and(|share| share.get() < CALM))
    };
    window.as_ref().is_some_and(little)
}

/// From when on what is there lasts at the end: the last two samples, or the look before the last one.
fn since(recording: &Recording, end: Moment, every: Nanos) -> Moment {
    end.earlier(intervals(recording, 2).max(Nanos::new(every.get().saturating_mul(2))))
}

/// The problems that a diagnosis found at the end of a recording: those that were there in one of the last two samples, or since the look
/// before the last one, where looks are `every` so long. A pause of one sample or one look ends none.
pub fn lasting(recording: &Recording, diagnosis: &Diagnosis, every: Nanos) -> BTreeMap<LastingKey, Lasting> {
    let Some((_, last)) = recording.span() else { return BTreeMap::new() };
    let since = since(recording, Moment::new(last), every);
    let root = diagnosis.cause.as_ref().map(|cause| (cause.rule, &cause.origins));
    let lasts = |finding: &&Finding| crate::alarming(finding) && finding.range.to >= since;
    // The strongest come first, and of several with one key the last is kept.
    let lasting = diagnosis.findings.iter().filter(lasts).rev().map(|finding| {
        let place = finding.origins.iter().find(|origin| origin.as_command().is_none()).cloned();
        let cause = root == Some((finding.rule, &finding.origins));
        ((finding.rule, place), Lasting { finding: finding.clone(), cause })
    });
    lasting.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Confidence, Entity, Manifest, RecordingBuilder, Sample, Schema, Span, Stamp};

    const SECOND: i64 = 1_000_000_000;

    fn finding(rule: RuleId, to: i64, origins: &[&str], confidence: f64) -> Finding {
        Finding {
            rule,
            statement: String::new(),
            origins: origins.iter().map(|origin| origin.parse::<Actor>().unwrap()).collect::<Vec<_>>().into(),
            step: None,
            range: Span::new(0, to * SECOND),
            confidence: Confidence::new(confidence),
            evidence: Vec::new(),
            contradictions: Vec::new(),
            advice: Vec::new(),
        }
    }

    #[test]
    fn a_host_is_calm_while_nobody_waits_and_nobody_is_killed() {
        let calm = |metrics: &[&str], waited: [i64; 2], killed: i64| {
            let manifest = Manifest { interval: Nanos::new(SECOND as u64), ..Manifest::default() };
            let mut builder = RecordingBuilder::new(manifest);
            let mut schema = Schema::default();
            let host = schema.push_entity(Table::Host, Entity::new("", ""));
            metrics.iter().for_each(|metric| _ = schema.column(Table::Host, metric));
            let mut sample = Sample::default();
            for at in 0..=100 {
                // Until 70 s, and from then on: in the last two looks.
                let waited = at.min(70) * waited[0] + (at - 70).max(0) * waited[1];
                let value = |metric: &str| match metric {
                    "oom_kill" if at == 100 => killed,
                    "psi_io_some" => waited,
                    _ => 0,
                };
                let stamp = Stamp { wall_ns: at * SECOND, mono_ns: at * SECOND, boot_ns: at * SECOND };
                sample.clear();
                sample.stamp = stamp;
                let row = sample.row(Table::Host, host, metrics.len());
                row.iter_mut().zip(metrics).for_each(|(cell, metric)| *cell = Some(value(metric)));
                builder.sample(&schema, &sample);
            }
            waits_little(&builder.finish(), Nanos::new(10 * SECOND as u64))
        };
        assert!(calm(&WAITS, [1000, 1000], 0), "1 ms of each second");
        assert!(calm(&WAITS, [900_000, 1000], 0), "it is over");
        assert!(!calm(&WAITS, [1000, 200_000], 0), "a fifth of the time");
        assert!(!calm(&WAITS, [1000, 1000], 1), "a task was killed");
        assert!(!calm(&WAITS[..2], [1000, 1000], 0), "waits for memory are not recorded");
    }

    #[test]
    fn what_was_seen_within_two_samples_or_two_looks_lasts() {
        let manifest = Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() };
        let mut recording = RecordingBuilder::new(manifest);
        (0..=100).for_each(|at| recording.stamp(Stamp { boot_ns: at * SECOND, ..Stamp::default() }));
        let recording = recording.finish();
        let findings = vec![
            finding(RuleId::SwapThrash, 98, &["process:java"], 0.9),
            finding(RuleId::DeviceSaturated, 97, &["disk:vda"], 0.9),
            finding(RuleId::DeviceSaturated, 97, &["disk:vda", "process:java"], 0.6),
            finding(RuleId::SwapInUse, 100, &[], 0.9),
        ];
        let diagnosis = Diagnosis { findings, ..Diagnosis::default() };
        let keys = |every| lasting(&recording, &diagnosis, Nanos::new(every)).into_keys().collect::<Vec<_>>();
        assert_eq!(keys(0), [(RuleId::SwapThrash, None)], "what is benign is no problem");
        let saturated = (RuleId::DeviceSaturated, Some(Actor::disk("vda")));
        assert_eq!(keys(10_000_000_000), [saturated.clone(), (RuleId::SwapThrash, None)]);
        let strongest = &lasting(&recording, &diagnosis, Nanos::new(10_000_000_000))[&saturated];
        assert_eq!(strongest.finding.confidence, Confidence::new(0.9));
    }
}
