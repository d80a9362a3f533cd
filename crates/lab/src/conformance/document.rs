//! The comparison as a document: `docs/CONFORMANCE.md`, and as JSON.

use super::misses::reason;
use super::{Conformance, JudgedFigure, Order, Verdict, orders};
use pagetide_core::{Quantity, Unit};
use serde_json::{Value, json};
use std::fmt::Write;

/// The document.
pub fn markdown(all: &[Conformance]) -> String {
    format!("{HEAD}{}", tables(all))
}

/// The comparisons alone: a line for each, then what is beyond its band, then every figure.
pub fn tables(all: &[Conformance]) -> String {
    let mut text = String::from(SUMMARY);
    let all_orders: Vec<Vec<Order>> = all.iter().map(orders).collect();
    for (one, orders) in all.iter().zip(&all_orders) {
        let kernel = one.references.first().map_or("", |reference| reference.result.kernel.as_str());
        let counted = one.figures.iter().filter(|figure| figure.counts).count();
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {} | {kernel} | {} | {counted} | {} | {} | {} of {} | {} of {} |",
            one.name(),
            one.references.len(),
            percent(one.median()),
            percent(one.worst()),
            one.misses().count(),
            one.figures.len(),
            orders.iter().filter(|order| !order.kept).count(),
            orders.len(),
        );
    }
    misses(&mut text, all);
    other_orders(&mut text, all.iter().zip(&all_orders));
    for one in all {
        scenario(&mut text, one);
    }
    text
}

const SUMMARY: &str = "\
| scenario | kernel | runs | figures | median error | worst | beyond their band | orders the other way |
|---|---|---|---|---|---|---|---|
";

/// The figures beyond their band, with the mechanism behind each.
fn misses(text: &mut String, all: &[Conformance]) {
    if !all.iter().any(Conformance::has_misses) {
        return;
    }
    text.push_str("\n## Beyond their band\n\n| scenario | step | figure | error | why |\n|---|---|---|---|---|\n");
    for one in all {
        for miss in one.misses() {
            let (name, figure) = (one.name(), miss.figure.name());
            let why = why(&name, miss).unwrap_or("not known");
            let _ = writeln!(text, "| {name} | {} | {figure} | {} | {why} |", miss.step, percent(miss.error()));
        }
    }
}

/// Why a figure is beyond its band: what is known of it, or what another run of the model has shown.
fn why<'a>(comparison: &str, miss: &'a JudgedFigure) -> Option<&'a str> {
    reason(comparison, &miss.step, miss.figure.name()).or(miss.shown.as_deref())
}

/// Orders of two settings that the model turns round.
fn other_orders<'a>(text: &mut String, all: impl Iterator<Item = (&'a Conformance, &'a Vec<Order>)>) {
    let all = all.flat_map(|(one, orders)| orders.iter().map(|order| (one.name(), order)));
    let other: Vec<_> = all.filter(|(_, order)| !order.kept).collect();
    if other.is_empty() {
        return;
    }
    text.push_str("\n## Orders the other way\n\n| scenario | figure | more | less | beyond its band, see above |\n|---|---|---|---|---|\n");
    for (name, order) in other {
        let beyond = order.beyond.as_deref().unwrap_or("neither");
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {name} | {} | {} | {} | {beyond} |", order.figure.name(), order.more, order.less);
    }
}

const HEAD: &str = "# Conformance of the model

How far `--on sim` and `pagetide plan` are from real kernels. `UPDATE_DOCS=1 cargo test -p pagetide-lab --test conformance` writes this
page from the stored runs in `fixtures/conformance`; `pagetide lab conformance` prints it.

Medians over the seeds of each side are compared. The model runs the seeds of the stored runs and three more. A count is within its
band when it is within 10 %, or within three standard deviations of the kernel's own runs. The time of a step that waits for its disk
80 % of its time is within its band at 20 %; other times depend on the emulated CPU and are not compared. A count below 1 % of the
step's page traffic is small: it is judged by the noise and that 1 %, and is left out of median and worst. A step that a time limit
ended does as many requests in the model as it did on the kernel, and a transfer beside which others work takes the same time. CPU times
are calibrated by steps that did no disk IO. Two steps of one kind that differ in a figure by more than 10 % and more than the band of either, in every
run on the kernel, have an order: the model must have the same. The runs on 6.12 with MGLRU were made on a host with load 25 to 35: their times say little,
and steps whose time was over before their first request are left out.

Of the model's 19 mechanisms, 12 decide a figure here: switched off, it moves by three bands or more, which a test holds. `kswapd_batch`,
`cache_index`, `readahead`, `device_share`, `expiry` and `shadow_shrinker` move none that far, and without `position_ratio` a throttled write
does not end in a day. Small scenarios of the model alone show that they work, not that they are right.

";

fn scenario(text: &mut String, one: &Conformance) {
    let _ = writeln!(text, "\n## {}\n", one.name());
    for reference in &one.references {
        let result = &reference.result;
        let _ = writeln!(
            text,
            "- Linux {} ({}) at {}, seed {}, {}{}",
            result.kernel,
            if reference.lru == pagetide_core::Lru::Mglru { "MGLRU" } else { "classic LRU" },
            result.scale,
            result.seed,
            reference.date,
            reference.load.map(|(before, after)| format!("; load {before:.1} to {after:.1}")).unwrap_or_default(),
        );
    }
    let origin = if one.cpu.1 { "by its own steps" } else { "by those of other scenarios" };
    let _ = writeln!(text, "- CPU {:.0} times slower than the model's default, calibrated {origin}", one.cpu.0);
    if let Some(memory) = &one.memory {
        let _ = writeln!(
            text,
            "- A machine of {}, of which {} are available and {} free before the first step, as in these runs; {} were taken away after \
             boot",
            memory.total, memory.available, memory.free, memory.taken
        );
    }
    if let Some(why) = &one.refused {
        let _ = writeln!(text, "- Not modelled, and left out with the steps after it: {why}");
    }
    if one.figures.is_empty() {
        return;
    }
    text.push_str(
        "\n| step | figure | kernel | its noise | model | error | band | verdict |\n|---|---|---|---|---|---|---|---|\n",
    );
    for figure in &one.figures {
        let show = |value: f64| Quantity::new(value, unit(figure)).to_string();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            figure.step,
            figure.figure.name(),
            show(figure.truth()),
            percent(figure.noise()),
            figure.modelled().map_or_else(|| "-".to_owned(), show),
            percent(figure.error()),
            percent(figure.band_share()),
            word(figure),
        );
    }
}

fn unit(figure: &JudgedFigure) -> Unit {
    figure.figure.unit()
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

fn word(figure: &JudgedFigure) -> &'static str {
    match figure.verdict {
        Verdict::Exact => "exact",
        Verdict::Within => "within",
        Verdict::Small => "small",
        Verdict::Beyond => "**beyond**",
        Verdict::NotModelled => "not modelled",
    }
}

/// The same as JSON.
pub fn json(all: &[Conformance]) -> Value {
    let figure = |name: &str, figure: &JudgedFigure| {
        json!({
            "step": figure.step,
            "figure": figure.figure.key(),
            "kernel": figure.kernel,
            "model": figure.model,
            "error": figure.error(),
            "noise": figure.noise(),
            "band": figure.band.amount,
            "counts": figure.counts,
            "verdict": word(figure).trim_matches('*'),
            "why": (figure.verdict == Verdict::Beyond).then(|| why(name, figure)).flatten(),
        })
    };
    let scenarios: Vec<Value> = all
        .iter()
        .map(|one| {
            json!({
                "scenario": one.scenario,
                "lru": one.references.first().map(|reference| reference.lru),
                "kernel": one.references.first().map(|reference| reference.result.kernel.clone()),
                "runs": one.references.len(),
                "cpu_factor": one.cpu.0,
                "median_error": one.median(),
                "worst_error": one.worst(),
                "not_modelled": one.refused,
                "figures": one.figures.iter().map(|one_figure| figure(&one.name(), one_figure)).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({ "scenarios": scenarios })
}
