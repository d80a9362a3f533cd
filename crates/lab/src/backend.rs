//! What the command line knows of a backend, and the parts of a run that all backends share.

use crate::claims;
use crate::executor::reading::is_counted_at_disks;
use pagetide_core::{Backend, Error, Nanos, Progress, RunRequest, RunResult, Scale, Scenario, Sink, StepResult};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A way to make a backend.
#[derive(Debug, Clone, Copy)]
pub struct BackendKind {
    /// Its name on the command line and in results.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The options that only it understands.
    pub options: &'static [BackendOption],
    /// Makes one.
    pub make: MakeBackend,
    /// Forecasts a run on it.
    pub forecast: Forecast,
}

/// Makes a backend from the common options and its own.
pub type MakeBackend = fn(&RunPlace, &GivenOptions) -> Result<Box<dyn Backend>, Error>;

/// Forecasts the time before the first step of a scenario and that of each step, in order. The scenario is already scaled by the scale.
pub type Forecast = fn(&Scenario, Scale) -> Vec<Nanos>;

/// Where a backend works and how it samples, whichever it is.
#[derive(Debug, Clone)]
pub struct RunPlace {
    /// An existing folder on the disk to use, for data files.
    pub work_dir: PathBuf,
    /// An existing folder in which fio's own results are left.
    pub results: PathBuf,
    /// Time between two samples.
    pub interval: Nanos,
}

/// An option of one backend. The command line and its help are made of these.
#[derive(Debug, Clone, Copy)]
pub struct BackendOption {
    /// Its name on the command line, without dashes.
    pub name: &'static str,
    /// What its value is.
    pub value: OptionValue,
    /// What it does.
    pub about: &'static str,
}

/// The value of an option.
#[derive(Debug, Clone, Copy)]
pub enum OptionValue {
    /// None: it is given or not.
    Flag,
    /// One of these names, each with what it does. The first one is the default.
    Choice(&'static [(&'static str, &'static str)]),
    /// A text, with the word that help prints for it. The option may be repeated.
    Text(&'static str),
}

/// The options that the user gave, by name: none, one or several values each. A flag has the value `true`.
#[derive(Debug, Clone, Default)]
pub struct GivenOptions(pub BTreeMap<&'static str, Vec<String>>);

impl GivenOptions {
    /// All values of an option.
    pub fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// The last value of an option.
    pub fn last(&self, name: &str) -> Option<&str> {
        self.all(name).last().map(String::as_str)
    }
}

/// Runs a scenario on a backend and checks its claims.
///
/// # Errors
/// As [`Backend::run`].
pub fn run(
    backend: &mut dyn Backend,
    request: &RunRequest,
    sink: Box<dyn Sink>,
    progress: &mut dyn Progress,
) -> Result<RunResult, Error> {
    let mut run = backend.run(request, sink, progress)?;
    leave_out_shared(&request.scenario, &mut run.steps);
    Ok(RunResult {
        scenario: request.scenario.id.clone(),
        backend: backend.name().to_owned(),
        scale: request.scale,
        machine: run.machine,
        differences: run.differences,
        kernel: run.kernel,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: request.seed,
        started_wall_ns: run.started_wall_ns,
        claims: claims::check(&request.scenario, &run.steps),
        steps: run.steps,
        findings: Vec::new(),
    })
}

/// Leaves out of parts what a disk counts of all parts that work on it at the same time: the step has it.
fn leave_out_shared(scenario: &Scenario, steps: &mut [StepResult]) {
    for part in steps.iter_mut().filter(|step| scenario.shares_a_disk(&step.id)) {
        part.figures.retain(|figure| !is_counted_at_disks(figure));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Figure, Figures, Outcome};

    #[test]
    fn a_part_has_no_figures_of_a_disk_that_another_part_works_on() {
        let kept = |from: &str| {
            let disk = |name: &str| format!("[[machine.disk]]\nname = \"{name}\"\nsize = \"1GiB\"\n");
            let text = format!(
                "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"64MiB\"\n{}{}\
                 [[step]]\nid = \"p\"\nparallel = [{{ name = \"backup\", stream = {{ from = \"{from}\", size = \"8MiB\" }} }}, \
                 {{ name = \"walk\", stream = {{ from = \"file:b\", size = \"8MiB\" }} }}]\n",
                disk("d"),
                disk("e")
            );
            let scenario = Scenario::parse(&text, "t.toml").unwrap();
            let mut figures = Figures::default();
            for figure in [Figure::Elapsed, Figure::DiskReads, Figure::DiskAwait, Figure::CachedAfter] {
                figures.set(figure, 1.0);
            }
            let result = |id: &str| StepResult {
                id: id.to_owned(),
                kind: "stream".to_owned(),
                title: String::new(),
                started_ns: 0,
                ended_ns: 1,
                outcome: Outcome::Done,
                notes: Vec::new(),
                figures: figures.clone(),
            };
            let mut steps = ["p", "p_backup", "p_walk"].map(result);
            leave_out_shared(&scenario, &mut steps);
            steps.map(|step| step.figures.iter().map(|(figure, _)| figure).collect::<Vec<_>>())
        };
        let all = vec![Figure::Elapsed, Figure::DiskReads, Figure::DiskAwait, Figure::CachedAfter];
        let own = vec![Figure::Elapsed, Figure::CachedAfter];
        assert_eq!(kept("file:a"), [all.clone(), own.clone(), own]);
        assert_eq!(kept("file:a@e"), [all.clone(), all.clone(), all], "each has a disk of its own");
    }
}
