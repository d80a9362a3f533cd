//! The answers about a fleet as a page.

use pagetide_core::{LocalClock, Nanos, Quantity, Ratio};
use pagetide_fleet::{Answers, CauseAnswer, CauseFactors, Condition, Factor, HourAnswer, SplitAnswer};
use pagetide_view::{Block, Cell, Page, Table};

/// Problems of one kind, and days, that are listed.
const LISTED: usize = 5;
const DAYS: usize = 14;

/// The page: the answer first, then what it rests on.
pub(super) fn page(answers: &Answers, top: usize) -> Page {
    let mut blocks = Vec::new();
    if !answers.problems.is_empty() {
        blocks.push(Block::Heading("Recordings with problems".to_owned()));
        blocks.push(Block::List(problems(answers)));
    }
    if let Some(split) = &answers.split {
        blocks.push(Block::Heading(format!("By {}", split.by)));
        blocks.push(Block::Table(split_table(split)));
    }
    if !answers.worst.is_empty() {
        blocks.push(Block::Heading("Worst hosts".to_owned()));
        blocks.push(Block::Table(worst(answers, top)));
        blocks.push(Block::Heading("Causes".to_owned()));
        blocks.push(Block::Table(causes(answers)));
    }
    if !answers.forecasts.is_empty() {
        blocks.push(Block::Heading("Forecasts".to_owned()));
        blocks.push(Block::Table(hours(&answers.forecasts, top)));
    }
    if !answers.cannot_tell.is_empty() {
        blocks.push(Block::Heading("Hours that say too little".to_owned()));
        blocks.push(Block::Table(hours(&answers.cannot_tell, top)));
    }
    if !answers.factors.is_empty() {
        blocks.push(Block::Heading("Common factors".to_owned()));
        for factors in &answers.factors {
            blocks.push(Block::Paragraph(heading(factors)));
            if !factors.factors.is_empty() {
                blocks.push(Block::Table(factor_table(factors)));
            }
        }
    }
    if answers.causes.iter().any(|cause| cause.days.len() > 1) {
        blocks.push(Block::Heading("Causes by day (UTC)".to_owned()));
        blocks.push(Block::Table(days(&answers.causes)));
    }
    let lead = answers.problems.iter().map(|problem| problem.recordings.len()).sum::<usize>();
    let lead = (lead > 0)
        .then(|| format!("{}: see below.", count(lead as u64, "recording has problems", "recordings have problems")));
    let labels = (answers.unused_labels > 0)
        .then(|| format!("The labels name {} without a recording.", count(answers.unused_labels, "host", "hosts")));
    let headline = headline(answers);
    Page {
        title: "Fleet".to_owned(),
        lead: lead.into_iter().chain(labels).collect(),
        outcome: outcome(answers, !headline.is_empty()),
        headline,
        blocks,
        ..Page::default()
    }
}

fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn time(ns: i64) -> String {
    Quantity::nanos(Nanos::new(u64::try_from(ns).unwrap_or(0))).to_string()
}

fn percent(part: u64, whole: u64) -> String {
    Ratio::of(part as f64, whole as f64).map_or_else(|| "-".to_owned(), |ratio| ratio.to_string())
}

/// What the hosts that are affected most often have in common.
fn headline(answers: &Answers) -> String {
    let named = answers.factors.iter().find_map(|factors| Some((factors, factors.factors.first()?)));
    named.map_or(String::new(), |(factors, factor)| format!("{}: {}.", capital(&cause(factors)), statement(factor)))
}

/// How many hosts are affected, and whether a common factor is reported.
fn outcome(answers: &Answers, named: bool) -> String {
    let hosts = count(answers.hosts, "host", "hosts");
    let hours = count(answers.hours, "hour", "hours");
    if answers.hosts == 0 {
        return format!("{} and no hour with a verdict.", count(answers.recordings, "recording", "recordings"));
    }
    let affected = answers.worst.len() as u64;
    let mut rest = vec![format!("{} had no problem", count(answers.healthy_hours, "hour", "hours"))];
    if answers.forecast_hours > 0 {
        let hours = count(answers.forecast_hours, "hour has a forecast", "hours have a forecast");
        rest.push(format!("{hours} of an incident to come"));
    }
    if answers.cannot_tell_hours > 0 {
        rest.push(count(answers.cannot_tell_hours, "hour says too little", "hours say too little"));
    }
    if answers.out_of_range > 0 {
        let many = count(answers.out_of_range, "recording has", "recordings have");
        rest.push(format!("{many} no sample in the range"));
    }
    let text =
        format!("{affected} of {hosts} had incidents, in {} of {hours}; {}.", answers.incident_hours, rest.join("; "));
    if affected > 0 && !named { text + " No attribute explains which hosts are affected." } else { text }
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().into_iter().flat_map(char::to_uppercase).collect::<String>() + rest.as_str()
}

fn problems(answers: &Answers) -> Vec<String> {
    let mut lines = Vec::new();
    for problem in &answers.problems {
        let recordings = count(problem.recordings.len() as u64, "recording", "recordings");
        lines.push(format!("{}: {recordings}", problem.problem));
        lines.extend(problem.recordings.iter().take(LISTED).map(|one| {
            let text =
                one.text.strip_prefix(&*one.recording).and_then(|text| text.strip_prefix(": ")).unwrap_or(&one.text);
            format!("{}: {text}", one.recording)
        }));
        if problem.recordings.len() > LISTED {
            lines.push(format!("… {} more (--json lists them)", problem.recordings.len() - LISTED));
        }
    }
    lines
}

fn worst(answers: &Answers, top: usize) -> Table {
    let mut table = Table::new()
        .left("host")
        .right("time lost")
        .right("incident hours")
        .right("hours")
        .left("cause")
        .left("program")
        .left("worst hour (UTC)");
    for host in answers.worst.iter().take(top) {
        let text = |text: &Option<pagetide_fleet::Text>| Cell::from(text.as_deref().unwrap_or("-"));
        table.row([
            Cell::from(&*host.host),
            time(host.harm_ns).into(),
            host.incident_hours.to_string().into(),
            host.hours.to_string().into(),
            text(&host.cause),
            text(&host.program),
            Cell::from(LocalClock::utc().date_time(host.worst_hour_ns).chars().take(16).collect::<String>()),
        ]);
    }
    if answers.worst.len() > top {
        table.note = format!("{} more hosts had incidents (--top, --json).", answers.worst.len() - top);
    }
    table
}

/// Hours with what is to come after them.
fn hours(all: &[HourAnswer], top: usize) -> Table {
    let mut table = Table::new().left("host").left("hour (UTC)").left("cause").left("program");
    let text = |text: &Option<pagetide_fleet::Text>| Cell::from(text.as_deref().unwrap_or("-"));
    for one in all.iter().take(top) {
        table.row([
            Cell::from(&*one.host),
            Cell::from(LocalClock::utc().date_time(one.hour_ns).chars().take(16).collect::<String>()),
            text(&one.cause),
            text(&one.program),
        ]);
    }
    if all.len() > top {
        table.note = format!("{} more (--top, --json).", all.len() - top);
    }
    table
}

fn causes(answers: &Answers) -> Table {
    let mut table = Table::new().left("cause").right("hosts").right("hours").right("time lost");
    for cause in &answers.causes {
        table.row([
            Cell::from(&*cause.cause),
            cause.hosts.to_string().into(),
            cause.hours.to_string().into(),
            time(cause.harm_ns).into(),
        ]);
    }
    table.note = "Time lost: time that tasks waited for IO, memory and CPUs in incidents, beyond the baseline. `pagetide explain CAUSE` explains a cause.".to_owned();
    table
}

/// Number of hosts with each cause, by day, for the last days.
fn days(causes: &[CauseAnswer]) -> Table {
    let mut all: Vec<i64> = causes.iter().flat_map(|cause| cause.days.iter().map(|day| day.day_ns)).collect();
    all.sort_unstable();
    all.dedup();
    let shown = &all[all.len().saturating_sub(DAYS)..];
    let mut table = Table::new().left("hosts with");
    for day in shown {
        table = table.right(&LocalClock::utc().date_time(*day).chars().skip(5).take(5).collect::<String>());
    }
    for cause in causes {
        let of_day = |day: &i64| cause.days.iter().find(|one| one.day_ns == *day);
        let cell = |day: &i64| Cell::from(of_day(day).map_or_else(|| "0".to_owned(), |day| day.hosts.to_string()));
        table.row(std::iter::once(Cell::from(&*cause.cause)).chain(shown.iter().map(cell)));
    }
    if all.len() > DAYS {
        table.note = format!("The last {DAYS} of {} days (--json has all).", all.len());
    }
    table
}

fn cause(factors: &CauseFactors) -> String {
    factors.cause.as_deref().unwrap_or("incidents of any cause").to_owned()
}

fn heading(factors: &CauseFactors) -> String {
    let explained = if factors.factors.is_empty() { " No attribute explains which." } else { "" };
    format!("{}: {} of {} hosts affected.{explained}", capital(&cause(factors)), factors.affected, factors.hosts)
}

fn condition(condition: &Condition) -> String {
    format!("{} {}", condition.attribute, condition.value)
}

fn conditions(conditions: &[Condition]) -> String {
    conditions.iter().map(condition).collect::<Vec<_>>().join(" and ")
}

fn number(ratio: f64) -> String {
    if ratio >= 100.0 { format!("{ratio:.0}") } else { format!("{ratio:.1}") }
}

/// How much more often hosts with a factor are affected. Where no other host is, the ratio has no upper end.
fn times(factor: &Factor) -> String {
    if factor.other_affected == 0 {
        format!("at least {}", number(factor.risk_ratio_low))
    } else {
        number(factor.risk_ratio)
    }
}

/// What a factor says, in one sentence.
fn statement(factor: &Factor) -> String {
    format!(
        "{} of {} hosts with {} are affected ({}), and {} of {} others ({}): {} times as often",
        factor.affected,
        factor.hosts,
        conditions(&factor.conditions),
        percent(factor.affected, factor.hosts),
        factor.other_affected,
        factor.other_hosts,
        percent(factor.other_affected, factor.other_hosts),
        times(factor),
    )
}

fn factor_table(factors: &CauseFactors) -> Table {
    let mut table = Table::new()
        .left("hosts with")
        .right("affected")
        .right("other hosts\naffected")
        .right("times as\noften")
        .left("95 % interval")
        .right("p, corrected");
    let of = |part: u64, whole: u64| format!("{part} of {whole} ({})", percent(part, whole));
    let mut notes = Vec::new();
    for factor in &factors.factors {
        let upper = if factor.other_affected == 0 { "no limit".to_owned() } else { number(factor.risk_ratio_high) };
        table.row([
            Cell::from(conditions(&factor.conditions)),
            of(factor.affected, factor.hosts).into(),
            of(factor.other_affected, factor.other_hosts).into(),
            times(factor).into(),
            format!("{} to {upper}", number(factor.risk_ratio_low)).into(),
            format!("{:.1e}", factor.p_corrected).into(),
        ]);
        let name = conditions(&factor.conditions);
        if !factor.same_hosts.is_empty() {
            let others: Vec<String> = factor.same_hosts.iter().map(|one| conditions(one)).collect();
            notes.push(format!(
                "The hosts with {name} are exactly those with {}: this fleet cannot tell them apart.",
                others.join(", ")
            ));
        }
        if !factor.follows.is_empty() {
            let follows: Vec<String> = factor.follows.iter().map(condition).collect();
            notes.push(format!("Also over-represented, but explained by {name}: {}.", follows.join(", ")));
        }
    }
    table.note = notes.join(" ");
    table
}

fn split_table(split: &SplitAnswer) -> Table {
    let mut table = Table::new()
        .left(&split.by)
        .right("hosts")
        .right("hours")
        .right("hours with\nincidents")
        .right("time lost\nper hour")
        .right("difference")
        .left("95 % interval")
        .left("which means");
    let signed = |ns: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "ns of an hour")]
        let size = time(ns.abs() as i64);
        format!("{}{size}", if ns < 0.0 { "-" } else { "+" })
    };
    let base = split.sides.first().map_or("", |side| &side.name);
    for (at, side) in split.sides.iter().enumerate() {
        #[expect(clippy::cast_possible_truncation, reason = "ns of an hour")]
        let lost = side.harm_ns_per_hour as i64;
        let (difference, interval, meaning) = match &side.effect {
            None if at == 0 => (String::new(), String::new(), "compared with this".to_owned()),
            None => ("-".to_owned(), "-".to_owned(), "too few hosts".to_owned()),
            Some(effect) => {
                let meaning = if effect.low > 0.0 {
                    "worse"
                } else if effect.high < 0.0 {
                    "better"
                } else {
                    "no difference shown"
                };
                let how = if effect.paired_hosts > 0 {
                    format!("{meaning} (the same {} hosts)", effect.paired_hosts)
                } else {
                    format!("{meaning} (other hosts)")
                };
                (signed(effect.harm_ns_per_hour), format!("{} to {}", signed(effect.low), signed(effect.high)), how)
            }
        };
        table.row([
            Cell::from(&*side.name),
            side.hosts.to_string().into(),
            side.hours.to_string().into(),
            Ratio::new(side.incident_share).map_or_else(String::new, |share| share.to_string()).into(),
            time(lost).into(),
            difference.into(),
            interval.into(),
            meaning.into(),
        ]);
    }
    table.note = format!("Compared with {base}: a host counts once; hosts on both sides are compared with themselves.");
    if split.left_out > 0 {
        table.note += &format!(" {} rarer values are left out.", split.left_out);
    }
    table
}
