//! `pagetide plan`: what would change it, by a model, at many settings.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::runs::RunsDisplay;
use crate::{output, recordings, reports};
use pagetide_core::{Error, MeasuredPoint, Origin, Plan, Scale, Selection, VariedSetting, suggest};
use pagetide_kernel::Root;
use pagetide_lab::plan::{self, CheckedPlan, MANY_RUNS, Observed, ObservedMachine, PlanRequest, RecordedFigure};
use pagetide_lab::sim::ModelOptions;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Sweep a setting of a scenario on a model of the kernel, and print the curve, its knee, and the cheapest value that meets a goal.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide plan --list                                            plans shipped with pagetide
  pagetide plan database-memory                                   one of them
  pagetide plan second-read --vary memory=1GiB..4GiB --show fresh.iops
  pagetide plan buffered-read --scale 1/8 --vary memory=1GiB..8GiB/15 --goal 'A2.iops >= 20000'
  pagetide plan buffered-write --scale 1/16 --vary vm.dirty_ratio=5,10,20,40 --show A9.clat_p99 --html plan.html
  pagetide plan second-read --host --vary memory=8GiB..32GiB      on a machine like this host
  pagetide plan --from REC                                        the recorded work, with half to twice the memory
  pagetide plan --from REC --vary vm.swappiness=0,60,100

A model of the kernel computes the numbers. docs/CONFORMANCE.md shows how far it is from real kernels.
Exit code 1: no setting meets the goal. An interrupted plan prints the points computed so far (130).")]
pub(crate) struct Arguments {
    /// A shipped plan, the id of a shipped scenario, or the path of a scenario's TOML file.
    #[arg(required_unless_present_any = ["list", "from", "host"])]
    plan: Option<String>,
    /// List the shipped plans with their questions.
    #[arg(long)]
    list: bool,
    /// Plan for a machine like this host: its memory, held memory, swap, settings and busiest disk.
    #[arg(long, conflicts_with_all = ["list", "from"])]
    host: bool,
    /// Plan for the machine of this recording and, if no plan or scenario is named, for the work it recorded.
    #[arg(long, value_name = "REC", conflicts_with = "list")]
    from: Option<PathBuf>,
    /// Vary a setting: `memory=1GiB..8GiB`, `memory=1GiB..8GiB/15`, `vm.swappiness=0,1,60`. The first one is the x axis.
    #[arg(long, value_name = "KEY=VALUES")]
    vary: Vec<String>,
    /// The figure to plan for [default: IOPS of the last fio step].
    #[arg(long, value_name = "STEP.FIGURE")]
    show: Option<String>,
    /// A goal: an expression over figures, such as `A2.iops >= 20000`.
    #[arg(long, value_name = "EXPRESSION")]
    goal: Option<String>,
    /// Seeds per point.
    #[arg(long, default_value_t = 5, value_name = "NUMBER")]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// Scale memory, files, holds and swap by this factor, such as 1/8 [default: 1, or the shipped plan's].
    #[arg(long, value_name = "FRACTION")]
    scale: Option<Scale>,
    /// Change the scenario before it is scaled, as `lab run` does.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Run only these steps, and earlier steps that set the machine.
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    steps: Vec<String>,
    /// Show a real run of the same scenario and scale next to the model.
    #[arg(long, value_name = "RUN")]
    measured: Vec<PathBuf>,
    /// Also write the plan as a page to this file.
    #[arg(long, value_name = "FILE", value_parser = reports::new_file())]
    html: Option<PathBuf>,
    /// Also write all points as CSV to this file.
    #[arg(long, value_name = "FILE", value_parser = reports::new_file())]
    csv: Option<PathBuf>,
    /// Allow more than 10 000 runs.
    #[arg(long)]
    yes: bool,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    if arguments.list {
        return list(json);
    }
    if arguments.host && arguments.plan.is_none() {
        return Err(Error::input(
            "--host describes the machine, not the work on it",
            "name a scenario: pagetide plan second-read --host --vary memory=8GiB..32GiB",
        ));
    }
    let interrupt = Interrupt::catch()?;
    let (mut request, question, explanation) = request(arguments)?;
    let observed = observed(arguments, &request)?;
    if let Some(observed) = &observed {
        adopt(observed, &mut request);
    }
    let checked = request.check()?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if checked.runs() > MANY_RUNS && !arguments.yes {
        let shown = RunsDisplay::new(interrupt, "");
        let time = checked.forecast(cores, &shown)?;
        return Err(Error::input(
            format!("the plan has {} runs and takes {} on {cores} cores", checked.runs(), in_words(time)),
            "give --yes to run them all, or vary fewer settings",
        ));
    }
    let shown = RunsDisplay::new(interrupt, "");
    let mut plan = checked.run(cores, &shown)?;
    drop(shown);
    let left = || format!("interrupted: {} of {} points were computed", plan.points.len(), plan.planned);
    let interrupted = (plan.points.len() < plan.planned).then(|| Error { what: left(), ..Error::interrupted() });
    if plan.points.is_empty()
        && let Some(error) = interrupted
    {
        return Err(error);
    }
    (plan.question, plan.explanation) = (question, explanation);
    add_measured(arguments, &checked, &mut plan)?;
    if let Some(observed) = observed {
        plan.measured.extend(observed.recorded.and_then(|figure| recorded(figure, &plan)));
        plan.guesses = observed.guesses;
    }
    let page = pagetide_view::plan(&plan);
    if let Some(file) = &arguments.html {
        reports::write_page(&page, file)?;
        output::say(&format!("wrote {}", file.display()));
    }
    if let Some(file) = &arguments.csv {
        reports::write_file(file, csv(&plan).as_bytes())?;
        output::say(&format!("wrote {}", file.display()));
    }
    if json {
        output::print_json(&plan)?;
    } else {
        reports::print_page(&page)?;
    }
    let missed = plan.goal.is_some() && plan.cheapest().is_none();
    interrupted.map_or(Ok(if missed { Outcome::Failed } else { Outcome::Done }), Err)
}

fn list(json: bool) -> Result<Outcome, Error> {
    let plans: Vec<(&str, String)> =
        plan::shipped_ids().map(|id| Ok((id, plan::shipped(id)?.question))).collect::<Result<_, Error>>()?;
    if json {
        let rows: Vec<_> =
            plans.iter().map(|(id, question)| serde_json::json!({ "id": id, "question": question })).collect();
        output::print_json(&serde_json::json!({ "plans": rows }))?;
    } else {
        let lines: String = plans.iter().map(|(id, question)| format!("{id:<16} {question}\n")).collect();
        output::print(&lines)?;
    }
    Ok(Outcome::Done)
}

/// The request that the arguments make, with the question and the explanation of a shipped plan.
fn request(arguments: &Arguments) -> Result<(PlanRequest, String, String), Error> {
    let name = arguments.plan.clone().unwrap_or_default();
    let varied = arguments.vary.iter().map(|text| plan::parse_varied(text)).collect::<Result<Vec<_>, _>>()?;
    let shipped = plan::shipped_ids().any(|id| id == name);
    let (mut request, question, explanation) = if shipped {
        let shipped = plan::shipped(&name)?;
        // It explains the numbers of the plan as it is.
        let explanation = if is_as_shipped(arguments) { shipped.explanation.clone() } else { String::new() };
        (shipped.request(arguments.seed)?, shipped.question, explanation)
    } else {
        if varied.is_empty() && arguments.from.is_none() {
            let meant = suggest::hint(&name, plan::shipped_ids());
            let what = format!("nothing to vary, and there is no shipped plan `{name}`{meant}");
            return Err(Error::input(what, "give --vary memory=1GiB..8GiB, or see `pagetide plan --list`"));
        }
        let request = PlanRequest {
            scenario: name,
            text: None,
            scale: Scale::FULL,
            sets: Vec::new(),
            steps: Vec::new(),
            varied: Vec::new(),
            show: None,
            goal: None,
            seeds: arguments.seeds,
            seed: arguments.seed,
            model: ModelOptions::default(),
        };
        (request, String::new(), String::new())
    };
    if !varied.is_empty() {
        request.varied = varied;
    }
    request.seeds = arguments.seeds;
    request.scale = arguments.scale.unwrap_or(request.scale);
    request.sets.extend(arguments.sets.iter().cloned());
    if !arguments.steps.is_empty() {
        request.steps.clone_from(&arguments.steps);
    }
    request.show = arguments.show.clone().or(request.show);
    request.goal = arguments.goal.clone().or(request.goal);
    Ok((request, question, explanation))
}

/// Whether a shipped plan runs on its machine with its work, and shows its figure.
fn is_as_shipped(arguments: &Arguments) -> bool {
    let Arguments { vary, show, scale, sets, steps, host, from, .. } = arguments;
    let is_other = !vary.is_empty() || !sets.is_empty() || !steps.is_empty() || *host;
    !is_other && show.is_none() && scale.is_none() && from.is_none()
}

/// The scenario of what `--host` or `--from` shows; absent without them.
fn observed(arguments: &Arguments, request: &PlanRequest) -> Result<Option<Observed>, Error> {
    let named = !request.scenario.is_empty();
    if arguments.host {
        return Observed::machine_of(&request.scenario, &ObservedMachine::of_host(&Root::host())?).map(Some);
    }
    let Some(path) = &arguments.from else { return Ok(None) };
    let recording = recordings::load(path, &Selection::default())?;
    let observed = if named {
        Observed::machine_of(&request.scenario, &ObservedMachine::of_recording(&recording)?)
    } else {
        Observed::work_of(&recording)
    };
    observed.map(Some).map_err(|error| Error { what: format!("{}: {}", path.display(), error.what), ..error })
}

/// Has the request run what was observed: by default with half to twice the memory, for the figure that was recorded.
fn adopt(observed: &Observed, request: &mut PlanRequest) {
    request.scenario.clone_from(&observed.name);
    request.text = Some(observed.text.clone());
    let Some(recorded) = &observed.recorded else { return };
    request.show.get_or_insert_with(|| recorded.show());
    if request.varied.is_empty() {
        let mib = |quarters: u64| format!("{}MiB", (recorded.memory.get() / 4 * quarters) >> 20);
        let values = (2..=8).map(mib).collect();
        request.varied.push(VariedSetting { key: "memory".to_owned(), values });
    }
}

/// The recorded amount as a point of the plan, if memory is its x axis.
fn recorded(figure: RecordedFigure, plan: &Plan) -> Option<MeasuredPoint> {
    let same = plan.step == figure.step && plan.figure == figure.figure.name() && plan.scale == Scale::FULL;
    let by_memory = plan.varied.first().is_some_and(|setting| setting.key == "memory");
    (same && by_memory).then(|| MeasuredPoint {
        backend: if figure.origin == Origin::Sim { "recording of the model" } else { "recording" }.to_owned(),
        x: figure.memory.as_f64(),
        y: figure.value,
    })
}

fn add_measured(arguments: &Arguments, checked: &CheckedPlan, plan: &mut Plan) -> Result<(), Error> {
    for folder in &arguments.measured {
        let refuse = |why: &str| {
            Error::input(format!("{}: {why}", folder.display()), "name folders that `pagetide lab run` wrote")
        };
        let run = recordings::result(folder)?.ok_or_else(|| refuse("is not a run: it has no result.json"))?;
        if run.backend == pagetide_lab::sim::KIND.name {
            return Err(Error::input(
                format!("{}: the model ran it, so it measured nothing", folder.display()),
                "name runs of a real kernel: `pagetide lab run SCENARIO --on host` or `--on vm`",
            ));
        }
        let scenario = reports::scenario_file(folder)?.ok_or_else(|| refuse("has no scenario.toml"))?;
        let point = checked
            .measured(&run, &scenario)
            .ok_or_else(|| refuse("is of another scenario or scale, or lacks the plan's figure"))?;
        plan.measured.push(point);
    }
    Ok(())
}

/// The points as CSV: a row for each seed of each point.
fn csv(plan: &Plan) -> String {
    let mut text: String = plan.varied.iter().map(|setting| format!("{},", setting.key)).collect();
    text += "value,meets_goal\n";
    for point in &plan.points {
        let settings: String =
            plan.varied.iter().zip(&point.at).map(|(setting, at)| format!("{},", cell(&setting.values[*at]))).collect();
        let goal = point.meets_goal.map_or_else(String::new, |met| met.to_string());
        for value in &point.values {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{settings}{value},{goal}");
        }
    }
    text
}

/// A cell of CSV (RFC 4180): a value with a comma, such as one of swap, is quoted.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

fn in_words(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.0} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_value_with_a_comma_is_one_cell() {
        assert_eq!(super::cell("64MiB"), "64MiB");
        assert_eq!(super::cell(r#"{ size = "1GiB", disk = "d" }"#), r#""{ size = ""1GiB"", disk = ""d"" }""#);
    }
}
