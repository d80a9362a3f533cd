//! Makes recordings up, sample by sample. What they show is what a test says, not what a kernel does.

use pagetide_core::{
    Bytes, Column, Entity, Figure, Figures, Finding, Kind, Manifest, Mark, MarkKind, Nanos, Outcome, Recording,
    RecordingBuilder, Stamp, StepResult, Table, metric,
};

/// A recording that is being made up: samples at equal distances from 0 on.
pub(crate) struct Story {
    manifest: Manifest,
    samples: usize,
    interval: f64,
    lines: Vec<Line>,
    steps: Vec<StepResult>,
    notes: Vec<Mark>,
    commands: Vec<(String, String)>,
}

struct Line {
    table: Table,
    entity: String,
    column: Column,
    values: Vec<Option<i64>>,
}

impl Story {
    /// `samples` samples, `interval` seconds apart.
    pub(crate) fn new(samples: usize, interval: f64) -> Self {
        let manifest = Manifest {
            page_size: Bytes::new(4096),
            interval: Nanos::from_secs_f64(interval).unwrap(),
            cpus: 2,
            ..Manifest::default()
        };
        Self {
            manifest,
            samples,
            interval,
            lines: Vec::new(),
            steps: Vec::new(),
            notes: Vec::new(),
            commands: Vec::new(),
        }
    }

    /// A recording of a lab run that is nothing but the results of its steps.
    pub(crate) fn of_steps(steps: impl IntoIterator<Item = StepResult>) -> Recording {
        let mut story = Self::new(0, 0.1);
        story.steps.extend(steps);
        story.tell()
    }

    pub(crate) fn step(mut self, step: StepResult) -> Self {
        self.steps.push(step);
        self
    }

    /// A gauge, by the time of each sample in seconds.
    pub(crate) fn gauge(self, table: Table, entity: &str, name: &str, value: impl Fn(f64) -> f64) -> Self {
        let values = self.times().map(|at| Some(whole(value(at)))).collect();
        self.line(table, entity, name, values)
    }

    /// A counter that grows by `rate` per second, by the time at the end of each interval.
    pub(crate) fn counter(self, table: Table, entity: &str, name: &str, rate: impl Fn(f64) -> f64) -> Self {
        let mut sum = 1000.0;
        let interval = self.interval;
        let values = self
            .times()
            .map(|at| {
                sum += if at > 0.0 { rate(at) * interval } else { 0.0 };
                Some(whole(sum))
            })
            .collect();
        self.line(table, entity, name, values)
    }

    /// Values as they are.
    pub(crate) fn line(mut self, table: Table, entity: &str, name: &str, values: Vec<Option<i64>>) -> Self {
        let (kind, unit) = match metric::find(table, name) {
            Some(known) => (known.kind, known.unit),
            // A function of the kernel in which a task waits.
            None if name.starts_with("wchan_") => (Kind::Gauge, pagetide_core::Unit::Count),
            None => panic!("{name} is no metric of {}", table.name()),
        };
        let column = Column { name: name.to_owned(), kind, unit };
        self.lines.push(Line { table, entity: entity.to_owned(), column, values });
        self
    }

    /// A stored rate, as an import of another tool's averages gives it.
    pub(crate) fn rate(mut self, table: Table, entity: &str, name: &str, rate: impl Fn(f64) -> f64) -> Self {
        let unit = metric::find(table, name).map_or(pagetide_core::Unit::Count, |known| known.unit);
        let column = Column { name: name.to_owned(), kind: Kind::Rate, unit };
        let values = self.times().map(|at| Some(whole(rate(at) * metric::RATE_SCALE as f64))).collect();
        self.lines.push(Line { table, entity: entity.to_owned(), column, values });
        self
    }

    /// What a process is called; by its name in the table where nobody says.
    pub(crate) fn command(mut self, process: &str, comm: &str) -> Self {
        self.commands.push((process.to_owned(), comm.to_owned()));
        self
    }

    fn times(&self) -> impl Iterator<Item = f64> + use<> {
        let interval = self.interval;
        (0..self.samples).map(move |at| at as f64 * interval)
    }

    pub(crate) fn manifest(mut self, change: impl Fn(&mut Manifest)) -> Self {
        change(&mut self.manifest);
        self
    }

    /// A line that the recorder noted at a moment.
    pub(crate) fn note(mut self, at: f64, text: String) -> Self {
        self.notes.push(Mark { stamp: stamp(whole(at * 1e9)), kind: MarkKind::Note { text } });
        self
    }

    /// The recording.
    pub(crate) fn tell(self) -> Recording {
        let times: Vec<f64> = self.times().collect();
        let mut builder = RecordingBuilder::new(self.manifest);
        for (process, comm) in self.commands {
            builder.entity(Table::Process, Entity::new(process, comm));
        }
        for (index, at) in times.into_iter().enumerate() {
            builder.stamp(stamp(whole(at * 1e9)));
            for line in &self.lines {
                if let Some(Some(value)) = line.values.get(index) {
                    builder.value(line.table, &line.entity, &line.column, *value);
                }
            }
        }
        for result in self.steps {
            let stamp = stamp(result.ended_ns);
            builder.mark(Mark { stamp, kind: MarkKind::StepEnded { result: Box::new(result) } });
        }
        self.notes.into_iter().for_each(|note| builder.mark(note));
        builder.finish()
    }
}

fn stamp(at: i64) -> Stamp {
    Stamp { wall_ns: at, mono_ns: at, boot_ns: at }
}

pub(crate) fn whole(value: f64) -> i64 {
    format!("{value:.0}").parse().unwrap()
}

pub(crate) const MIB: f64 = 1024.0 * 1024.0;

/// A step with these figures, in their own units.
pub(crate) fn step(id: &str, figures: &[(Figure, f64)]) -> StepResult {
    let mut measured = Figures::default();
    for (figure, value) in figures {
        measured.set(*figure, *value);
    }
    let elapsed = measured.get(Figure::Elapsed).unwrap_or(1e9);
    StepResult {
        id: id.to_owned(),
        kind: "fio".to_owned(),
        title: String::new(),
        started_ns: 0,
        ended_ns: whole(elapsed),
        outcome: Outcome::Done,
        notes: Vec::new(),
        figures: measured,
    }
}

/// The rules that saw something, surest first.
pub(crate) fn seen(recording: &Recording) -> Vec<String> {
    pagetide_diagnose::diagnose(recording).findings.into_iter().map(|finding| finding.rule.to_string()).collect()
}

/// What one rule saw.
pub(crate) fn finding(recording: &Recording, rule: &str) -> Option<Finding> {
    pagetide_diagnose::diagnose(recording).findings.into_iter().find(|finding| finding.rule.as_str() == rule)
}
