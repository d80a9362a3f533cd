//! The dashboard and the alert rules of packaging/: every expression is evaluated on two scrapes of a recorder.

use assert_cmd::cargo::CommandCargoExt;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The values of a metric by its labels.
type Series = BTreeMap<String, f64>;
type Scrape = BTreeMap<String, Series>;

fn file(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging").join(name)).unwrap()
}

fn scrape(port: u16) -> Option<Scrape> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let mut scrape = Scrape::new();
    for line in text.lines().filter(|line| line.starts_with("pagetide_")) {
        let (series, value) = line.rsplit_once(' ')?;
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        let value = value.parse().unwrap_or(f64::NAN);
        scrape.entry(name.to_owned()).or_default().insert(labels.trim_end_matches('}').to_owned(), value);
    }
    (!scrape.is_empty()).then(|| with_up(scrape, 1.0))
}

/// What Prometheus itself says of a scrape.
fn with_up(mut scrape: Scrape, up: f64) -> Scrape {
    scrape.insert("up".to_owned(), Series::from([(String::new(), up)]));
    scrape
}

/// The part of PromQL that the files use: metrics with a selector by instance, `rate` over a range, `/`, comparisons with a number, `and`, `or`.
struct Evaluated<'a> {
    before: &'a Scrape,
    after: &'a Scrape,
    seconds: f64,
}

impl Evaluated<'_> {
    /// The values that an expression has, before it is compared: an alert that does not fire has an expression that works, too.
    fn of(&self, expression: &str) -> Result<Vec<f64>, String> {
        for operator in [" and on(instance) ", " and ", " or "] {
            if let Some((one, other)) = expression.split_once(operator) {
                self.of(other)?;
                return self.of(one);
            }
        }
        for operator in [" > ", " == "] {
            if let Some((one, number)) = expression.split_once(operator) {
                number.trim().parse::<f64>().map_err(|_| format!("`{number}` is no number"))?;
                return self.of(one);
            }
        }
        let mut parts = expression.split(" / ").map(|part| self.term(part.trim()));
        let first = parts.next().ok_or("empty")??;
        let rest: Vec<Series> = parts.collect::<Result<_, _>>()?;
        let values = first.into_iter().filter_map(|(labels, value)| {
            rest.iter().try_fold(value, |value, by| by.get(&labels).map(|by| value / by))
        });
        Ok(values.collect())
    }

    fn term(&self, term: &str) -> Result<Series, String> {
        let rated = term.strip_prefix("rate(").and_then(|term| term.strip_suffix(')'));
        let selector = match rated {
            None => term,
            Some(of) => {
                let (selector, range) = of.rsplit_once('[').ok_or("rate without a range")?;
                if !["$__rate_interval]", "5m]"].contains(&range) {
                    return Err(format!("range [{range}"));
                }
                selector
            }
        };
        let name = match selector.split_once('{') {
            Some((name, r#"instance="$instance"}"# | r#"job="pagetide"}"#)) => name,
            Some((_, labels)) => return Err(format!("selector {{{labels}")),
            None => selector,
        };
        let after = self.after.get(name).ok_or_else(|| format!("no metric {name}"))?;
        if rated.is_none() {
            return if name.ends_with("_total") {
                Err(format!("{name} is a counter: rate() is missing"))
            } else {
                Ok(after.clone())
            };
        }
        if !name.ends_with("_total") {
            return Err(format!("{name} is no counter"));
        }
        let before = self.before.get(name).ok_or_else(|| format!("no metric {name} before"))?;
        let rise =
            |(labels, value): (&String, &f64)| Some((labels.clone(), (value - before.get(labels)?) / self.seconds));
        Ok(after.iter().filter_map(rise).collect())
    }
}

fn alerts() -> Vec<String> {
    let lines = file("prometheus-alerts.yml");
    lines.lines().filter_map(|line| line.trim().strip_prefix("expr: ")).map(str::to_owned).collect()
}

#[test]
fn a_recorder_that_is_gone_raises_an_alert() {
    let gone = with_up(Scrape::new(), 0.0);
    let evaluated = Evaluated { before: &gone, after: &gone, seconds: 1.5 };
    let raised: Vec<String> =
        alerts().into_iter().filter(|alert| evaluated.of(alert).is_ok_and(|values| values == [0.0])).collect();
    assert_eq!(raised, [r#"up{job="pagetide"} == 0"#]);
}

#[test]
fn every_expression_of_the_dashboard_and_of_the_alerts_has_values() {
    let folder = tempfile::tempdir().unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut recorder = Command::cargo_bin("pagetide").unwrap();
    recorder.args([
        "record",
        "-o",
        "rec",
        "--for",
        "60s",
        "--interval",
        "500ms",
        "--listen",
        &format!("127.0.0.1:{port}"),
    ]);
    let mut recorder = recorder.current_dir(&folder).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(40);
    let scraped = || loop {
        std::thread::sleep(Duration::from_millis(1500));
        match scrape(port).filter(|scrape| scrape.contains_key("pagetide_disk_reads_total")) {
            Some(scrape) => break Some(scrape),
            None if Instant::now() > end => break None,
            None => {}
        }
    };
    let scrapes = scraped().zip(scraped());
    let _ = recorder.kill();
    let _ = recorder.wait();
    let (before, after) = scrapes.expect("two scrapes");
    let evaluated = Evaluated { before: &before, after: &after, seconds: 1.5 };

    let dashboard: Value = serde_json::from_str(&file("grafana-dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut expressions: Vec<String> = Vec::new();
    for panel in panels {
        assert!(panel["title"].is_string() && panel["fieldConfig"]["defaults"]["unit"].is_string(), "{panel}");
        let targets = panel["targets"].as_array().unwrap();
        expressions.extend(targets.iter().map(|target| target["expr"].as_str().unwrap().to_owned()));
    }
    expressions.extend(alerts());
    assert!(
        panels.len() >= 10 && expressions.len() >= 25,
        "{} panels, {} expressions",
        panels.len(),
        expressions.len()
    );
    let optional = |expression: &str| {
        expression.contains("_psi_") && !after.contains_key("pagetide_host_psi_io_some_seconds_total")
    };
    let wrong: Vec<String> = expressions
        .iter()
        .filter(|expression| !optional(expression))
        .filter_map(|expression| match evaluated.of(expression) {
            Ok(values) if !values.is_empty() => None,
            Ok(_) => Some(format!("{expression}: no value")),
            Err(why) => Some(format!("{expression}: {why}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (broken, why) in [
        ("pagetide_no_such_metric", "no metric"),
        ("pagetide_disk_reads_total", "rate() is missing"),
        ("rate(pagetide_memory_free_bytes[5m])", "no counter"),
    ] {
        assert!(evaluated.of(broken).unwrap_err().contains(why), "{broken}");
    }
}
