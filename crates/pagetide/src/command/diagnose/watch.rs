//! `pagetide diagnose --watch`: one line for each finding of a growing recording that begins or ends.

mod event;
mod hook;

use super::arguments::Arguments;
use crate::command::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use crate::recordings;
use event::{Active, Log};
use hook::Hook;
use pagetide_core::{Error, LazyRecording, Moment, Recording, RuleId};
use pagetide_diagnose::{CALM_INTERVAL, Lasting, LastingKey};
use pagetide_store::Reader;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// State of a watch from one check to the next.
struct Watcher<'a> {
    arguments: &'a Arguments,
    log: Log,
    hook: Option<Hook>,
    active: BTreeMap<LastingKey, Active>,
    /// When the rules were asked last.
    asked: Option<Instant>,
    /// Whether anything began.
    alarmed: bool,
    /// Whether the recorder of this recording refused the incidents for its metrics.
    refused: bool,
}

pub(super) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let interrupt = Interrupt::catch()?;
    let until = arguments.lasts.map(|lasts| Instant::now() + Duration::from_nanos(lasts.get()));
    let mut watcher = Watcher {
        arguments,
        log: Log::new(json),
        hook: arguments.exec.clone().map(Hook::new),
        active: BTreeMap::new(),
        asked: None,
        alarmed: false,
        refused: false,
    };
    let mut seen = i64::MIN;
    let mut damaged: BTreeSet<String> = BTreeSet::new();
    let mut end = recordings::times(&arguments.recording)?.stamps().last().map(|stamp| stamp.wall_ns);
    // One reader for all checks, so that it does not read the same samples again.
    let reader = recordings::open(&arguments.recording)?;
    let damage = reader.damage();
    loop {
        let mut recording = tail(arguments, &reader, end)?;
        end = recording.recording().stamps().last().map(|stamp| stamp.wall_ns).or(end);
        if let Some(last) = end.filter(|last| *last > seen) {
            seen = last;
            watcher.look(&mut recording)?;
        }
        for line in damage.lines() {
            if damaged.insert(line.clone()) {
                watcher.alarmed = true;
                watcher.log.damage(&line)?;
            }
        }
        let mut left = Duration::from_nanos(arguments.every.get().max(100_000_000));
        while !left.is_zero() && !interrupt.came() && until.is_none_or(|until| Instant::now() < until) {
            let nap = left.min(Duration::from_millis(50));
            std::thread::sleep(nap);
            left -= nap;
            watcher.hook.iter_mut().for_each(Hook::reap);
        }
        if interrupt.came() || until.is_some_and(|until| Instant::now() >= until) {
            watcher.hook.iter_mut().for_each(Hook::finish);
            return Ok(if watcher.alarmed { Outcome::Failed } else { Outcome::Done });
        }
    }
}

/// The end of the recording, from that long before the last known sample; before the first look, all of it. A check must not take longer on a longer recording.
fn tail<'a>(arguments: &Arguments, reader: &'a Reader, end: Option<i64>) -> Result<LazyRecording<&'a Reader>, Error> {
    let over = i64::try_from(arguments.over.get()).unwrap_or(i64::MAX);
    let from_wall_ns = end.map(|end| end.saturating_sub(over));
    LazyRecording::open(reader, from_wall_ns, None)
}

impl Watcher<'_> {
    /// Examines the end of the recording once, and reports what began and what ended. While nothing is active and nobody waits, the rules are asked
    /// once a minute.
    fn look(&mut self, recording: &mut LazyRecording<&Reader>) -> Result<(), Error> {
        let asked = self.asked.is_some_and(|at| at.elapsed() < Duration::from_nanos(CALM_INTERVAL.get()));
        if asked && self.active.is_empty() && pagetide_diagnose::is_calm(recording, self.arguments.every)? {
            return Ok(());
        }
        self.asked = Some(Instant::now());
        let diagnosis = pagetide_diagnose::diagnose_lazy(recording, &[])?;
        let recording = recording.recording();
        let lasting = pagetide_diagnose::lasting(recording, &diagnosis, self.arguments.every);
        let now: BTreeMap<LastingKey, Active> =
            lasting.into_iter().map(|(key, lasting)| (key, active(recording, lasting))).collect();
        let before = std::mem::take(&mut self.active);
        for (_, one) in now.iter().filter(|(key, _)| !before.contains_key(*key)) {
            self.alarmed = true;
            self.log.finding("began", one)?;
        }
        for (_, one) in before.iter().filter(|(key, _)| !now.contains_key(*key)) {
            self.log.finding("ended", one)?;
        }
        // An incident is a finding as long as it is the cause.
        let causes =
            |active: &BTreeMap<LastingKey, Active>, key: &LastingKey| active.get(key).is_some_and(|one| one.cause);
        if let Some(hook) = &mut self.hook {
            for (_, one) in now.iter().filter(|(key, one)| one.cause && !causes(&before, key)) {
                hook.run(&one.json("began")?);
            }
            for (_, one) in before.iter().filter(|(key, one)| one.cause && !causes(&now, key)) {
                hook.run(&one.json("ended")?);
            }
        }
        self.publish(&now);
        self.active = now;
        Ok(())
    }

    /// Posts the rules of the active incidents to the recorder of this recording, for its metrics. A recording without a recorder,
    /// or with one that this user may not query, is watched as well.
    fn publish(&mut self, now: &BTreeMap<LastingKey, Active>) {
        let rules: BTreeSet<RuleId> = now.keys().map(|(rule, _)| *rule).collect();
        if let Err(error) = pagetide_service::publish(&self.arguments.recording, &rules)
            && !std::mem::replace(&mut self.refused, true)
        {
            output::complain(&error);
        }
    }
}

/// A finding that lasts, by the wall clock.
fn active(recording: &Recording, Lasting { finding, cause }: Lasting) -> Active {
    let wall = |at: Moment| recording.wall_ns(at.ns()).unwrap_or(0);
    Active { cause, onset_wall_ns: wall(finding.range.from), end_wall_ns: wall(finding.range.to), finding }
}
