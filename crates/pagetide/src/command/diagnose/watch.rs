//! `pagetide diagnose --watch`: one line for each finding of a growing recording that begins or ends, and one when samples stop coming.

mod event;
mod hook;

use super::arguments::Arguments;
use crate::command::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use crate::programs;
use crate::recordings;
use crate::silence::{self, Heard, Silence};
use event::{Active, Log, Silent};
use hook::Hook;
use pagetide_core::{Actors, Error, Incident, LazyRecording, Moment, Recording, RuleId, Span};
use pagetide_diagnose::{CALM_INTERVAL, Lasting, LastingKey};
use pagetide_store::Reader;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Of so many looks a check reads the end, to see whether anybody waits: those that [`pagetide_diagnose::is_calm`] asks about, and one before.
const RECENT: u32 = 3;

/// What lasts, by rule and place; what no rule explains has neither.
type Lasts = BTreeMap<Option<LastingKey>, Active>;

/// State of a watch from one check to the next.
struct Watcher<'a> {
    arguments: &'a Arguments,
    log: Log,
    hook: Option<Hook>,
    active: Lasts,
    /// When the rules were asked last.
    asked: Option<Instant>,
    /// Whether anything began, or samples stopped coming.
    alarmed: bool,
    /// Whether the recorder of this recording refused the incidents for its metrics.
    refused: bool,
}

pub(super) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if let Some(program) = &arguments.exec {
        programs::is_there(program.as_os_str(), "give --exec a program in PATH or a path; it gets no arguments")?;
    }
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
    let mut damaged: BTreeSet<String> = BTreeSet::new();
    let times = recordings::times(&arguments.recording)?;
    let mut end = times.stamps().last().map(|stamp| stamp.wall_ns);
    let [interval, every] = [times.manifest.interval, arguments.every].map(|time| Duration::from_nanos(time.get()));
    let mut silence = Silence::new(interval, every, end);
    let mut seen = i64::MIN;
    // One reader for all checks, so that it does not read the same samples again.
    let mut reader = recordings::open(&arguments.recording)?;
    loop {
        // A recorder may have begun anew in another folder of that name.
        if silence.lasts()
            && let Ok(anew) = recordings::open(&arguments.recording)
        {
            reader = anew;
        }
        let recent = tail(&reader, end, every.max(interval).saturating_mul(RECENT))?;
        end = recent.recording().stamps().last().map(|stamp| stamp.wall_ns).or(end);
        let before = silence.since();
        let heard = silence.look(end, Instant::now());
        if heard == Heard::Samples {
            watcher.samples_again(before)?;
        }
        if let Some(last) = end.filter(|last| *last > seen) {
            seen = last;
            watcher.look(&reader, recent, last)?;
        }
        if heard == Heard::Silence {
            watcher.no_samples(silence.since())?;
        }
        for line in reader.damage().lines() {
            if damaged.insert(line.clone()) {
                watcher.alarmed = true;
                watcher.log.damage(&line)?;
            }
        }
        let mut left = every.max(Duration::from_millis(100));
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

/// The end of the recording, from `over` before the last known sample; before the first look, all of it. A check must not take longer on a longer
/// recording.
fn tail(reader: &Reader, end: Option<i64>, over: Duration) -> Result<LazyRecording<&Reader>, Error> {
    let over = i64::try_from(over.as_nanos()).unwrap_or(i64::MAX);
    LazyRecording::open(reader, end.map(|end| end.saturating_sub(over)), None)
}

impl Watcher<'_> {
    /// Examines the end of the recording once, and reports what began and what ended. While nothing is active and nobody waits, the rules are asked
    /// once a minute.
    fn look(&mut self, reader: &Reader, mut recent: LazyRecording<&Reader>, end: i64) -> Result<(), Error> {
        let asked = self.asked.is_some_and(|at| at.elapsed() < Duration::from_nanos(CALM_INTERVAL.get()));
        if asked && self.active.is_empty() && pagetide_diagnose::is_calm(&mut recent, self.arguments.every)? {
            return Ok(());
        }
        self.asked = Some(Instant::now());
        let mut recording = tail(reader, Some(end), Duration::from_nanos(self.arguments.over.get()))?;
        let diagnosis = pagetide_diagnose::diagnose_lazy(&mut recording, &[])?;
        let recording = recording.recording();
        let lasting = pagetide_diagnose::lasting(recording, &diagnosis, self.arguments.every);
        let lasting = lasting.into_iter().map(|(key, lasting)| (Some(key), active(recording, lasting)));
        let unexplained = diagnosis.incidents.iter().find(|incident| incident.ongoing && incident.cause.is_none());
        let now: Lasts = lasting.chain(unexplained.map(|incident| (None, without_rule(recording, incident)))).collect();
        let before = std::mem::take(&mut self.active);
        for (_, one) in now.iter().filter(|(key, _)| !before.contains_key(*key)) {
            self.alarmed = true;
            self.log.finding("began", one)?;
        }
        for (_, one) in before.iter().filter(|(key, _)| !now.contains_key(*key)) {
            self.log.finding("ended", one)?;
        }
        // An incident is a finding as long as it is the cause.
        let causes = |active: &Lasts, key: &Option<LastingKey>| active.get(key).is_some_and(|one| one.cause);
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

    /// Reports that no samples come: whether what was active lasts is not known.
    fn no_samples(&mut self, since: Option<i64>) -> Result<(), Error> {
        self.alarmed = true;
        let silent = Silent::began(silence::describe(&self.arguments.recording, since), since);
        self.log.silence(&silent)?;
        let before = std::mem::take(&mut self.active);
        before.values().try_for_each(|one| self.log.finding("unknown", one))?;
        if let Some(hook) = &mut self.hook {
            hook.run(&silent.json()?);
            for one in before.values().filter(|one| one.cause) {
                hook.run(&one.json("unknown")?);
            }
        }
        self.publish(&Lasts::new());
        self.asked = None;
        Ok(())
    }

    /// Reports that samples come again after the one at `before`.
    fn samples_again(&mut self, before: Option<i64>) -> Result<(), Error> {
        let since = before.map(|before| format!(" after the silence since {}", recordings::timestamp(before)));
        let resumed = Silent::ended(format!("samples come again{}", since.unwrap_or_default()), before);
        self.log.silence(&resumed)?;
        if let Some(hook) = &mut self.hook {
            hook.run(&resumed.json()?);
        }
        Ok(())
    }

    /// Posts the rules of the active incidents to the recorder of this recording, for its metrics. A recording without a recorder,
    /// or with one that this user may not query, is watched as well.
    fn publish(&mut self, now: &Lasts) {
        let rules: BTreeSet<RuleId> = now.values().filter_map(|one| one.rule).collect();
        if let Err(error) = pagetide_service::publish(&self.arguments.recording, &rules)
            && !std::mem::replace(&mut self.refused, true)
        {
            output::complain(&error);
        }
    }
}

/// A finding that lasts, by the wall clock.
fn active(recording: &Recording, Lasting { finding, cause }: Lasting) -> Active {
    let (onset_wall_ns, end_wall_ns) = walls(recording, finding.range);
    Active {
        cause,
        rule: Some(finding.rule),
        origins: finding.origins,
        statement: finding.statement,
        confidence: Some(finding.confidence.get()),
        onset_wall_ns,
        end_wall_ns,
    }
}

/// An incident that lasts and has no known cause, by the wall clock.
fn without_rule(recording: &Recording, incident: &Incident) -> Active {
    let (onset_wall_ns, end_wall_ns) = walls(recording, incident.range);
    Active {
        cause: true,
        rule: None,
        origins: Actors::default(),
        statement: incident.statement.clone(),
        confidence: None,
        onset_wall_ns,
        end_wall_ns,
    }
}

fn walls(recording: &Recording, span: Span) -> (i64, i64) {
    let wall = |at: Moment| recording.wall_ns(at.ns()).unwrap_or(0);
    (wall(span.from), wall(span.to))
}
