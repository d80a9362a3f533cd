//! The host's numbers as Prometheus reads them: its text format 0.0.4, names by its conventions.
//!
//! They are read when they are asked for, by a sampler of their own: what a scrape costs is paid by the scrape alone,
//! and it neither disturbs the recording nor depends on it. Processes are left out; each would be series of its own.

use crate::containers::Containers;
use crate::naming::NamedSchema;
use crate::status::Status;
use pagetide_core::derived::{self, Term};
use pagetide_core::{Column, Entity, Kind, RuleId, Sample, Schema, Table, TableSample, Unit, metric};
use pagetide_kernel::{Root, Sampler, Watch, cgroup};
use std::collections::BTreeSet;
use std::fmt::{Display, Write};
use std::time::{Duration, Instant};

/// The format's media type.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Writes a page of metrics at each scrape.
#[derive(Debug)]
pub(crate) struct Scraper {
    /// Whose metrics these are.
    root: Root,
    /// Absent before the first scrape.
    reading: Option<Reading>,
}

/// The rules whose findings last, as `pagetide diagnose --watch` told.
#[derive(Debug)]
pub(crate) struct ActiveIncidents {
    pub(crate) rules: BTreeSet<RuleId>,
    pub(crate) told: Instant,
}

/// A watcher that has told nothing for so long no longer runs: what it told last is not shown any more.
const STALE: Duration = Duration::from_secs(300);

/// What is kept from one scrape to the next.
#[derive(Debug)]
struct Reading {
    sampler: Sampler,
    schema: Schema,
    named: NamedSchema,
    sample: Sample,
}

/// Control groups that have come since the reading began, beyond which it begins anew without those that are gone.
const MOST_GROUPS: usize = 4096;

impl Reading {
    fn new(root: &Root) -> Option<Self> {
        // A tree of files from elsewhere may lack the mounts, and so say nothing of control groups.
        let cgroups = cgroup::trees(root).unwrap_or_default();
        let sampler = Sampler::new(root, Watch { cgroups, ..Watch::default() }).ok()?;
        let named = NamedSchema::new(Containers::new(root.clone()));
        Some(Self { sampler, schema: Schema::default(), named, sample: Sample::default() })
    }

    fn is_stale(&self) -> bool {
        let there = self.sample.table(Table::Cgroup).map_or(0, |rows| rows.rows().count());
        let known = self.schema.entities(Table::Cgroup).len();
        known > MOST_GROUPS && known > 2 * there
    }
}

impl Scraper {
    /// Scrapes the host whose kernel files are below `root`.
    pub(crate) fn new(root: Root) -> Self {
        Self { root, reading: None }
    }

    /// All metrics, of the recorder and of the host; of control groups their number, and with `names` each.
    pub(crate) fn page(
        &mut self,
        status: &Status,
        started_wall_ns: i64,
        incidents: Option<&ActiveIncidents>,
        names: bool,
    ) -> String {
        let mut text = String::new();
        recorder(&mut text, status, started_wall_ns);
        if let Some(incidents) = incidents.filter(|incidents| incidents.told.elapsed() < STALE) {
            active(&mut text, incidents);
        }
        if self.reading.as_ref().is_none_or(Reading::is_stale) {
            self.reading = Reading::new(&self.root);
        }
        let complete = self.reading.as_mut().is_some_and(|reading| {
            reading.sample.clear();
            let complete = reading.sampler.sample(&mut reading.schema, &mut reading.sample).is_ok();
            let schema = if names { reading.named.follow(&reading.schema) } else { &reading.schema };
            host(&mut text, schema, &reading.sample, names);
            derived(&mut text, &reading.schema, &reading.sample);
            complete
        });
        let meaning = "1 if all kernel files could be read, else 0";
        single(&mut text, "pagetide_scrape_complete", "gauge", meaning, u8::from(complete));
        text
    }
}

fn recorder(text: &mut String, status: &Status, started_wall_ns: i64) {
    let version = env!("CARGO_PKG_VERSION");
    head(text, "pagetide_build_info", "gauge", "version of the recording pagetide");
    let _ = writeln!(text, "pagetide_build_info{{version=\"{version}\"}} 1");
    let seconds = |ns: u64| ns as f64 / 1e9;
    let mut one = |name: &str, kind: &str, meaning: &str, value: &dyn Display| single(text, name, kind, meaning, value);
    one("pagetide_recorder_samples_total", "counter", "samples taken", &status.samples);
    one(
        "pagetide_recorder_late_samples_total",
        "counter",
        "samples late by more than half an interval",
        &status.late_samples,
    );
    one(
        "pagetide_recorder_missed_samples_total",
        "counter",
        "samples that were due and not taken",
        &status.missed_samples,
    );
    one("pagetide_recorder_lost_samples_total", "counter", "samples lost", &status.lost_samples);
    one("pagetide_recorder_waiting", "gauge", "samples and marks waiting to be written", &status.waiting);
    let refused = u8::from(status.refused.is_some());
    one("pagetide_recorder_write_refused", "gauge", "1 while nothing can be written, else 0", &refused);
    let meaning = "sources that the recorder lacks the right to read";
    one("pagetide_recorder_unreadable_sources", "gauge", meaning, &status.blind.len());
    let interval = seconds(status.interval_ns);
    one("pagetide_recorder_interval_seconds", "gauge", "time between samples, as requested", &interval);
    let age = seconds(status.last_sample_age_ns);
    one("pagetide_recorder_last_sample_age_seconds", "gauge", "time since the last sample", &age);
    one("process_cpu_seconds_total", "counter", "CPU time of the recorder", &seconds(status.cpu_ns));
    one("process_start_time_seconds", "gauge", "start time of the recorder", &(started_wall_ns as f64 / 1e9));
    if let Some(bytes) = status.resident_bytes {
        one("process_resident_memory_bytes", "gauge", "resident memory of the recorder", &bytes);
    }
}

fn active(text: &mut String, incidents: &ActiveIncidents) {
    let meaning = "1 while diagnose --watch sees a finding of this rule, else 0";
    head(text, "pagetide_incident_active", "gauge", meaning);
    for rule in RuleId::ALL {
        let lasts = u8::from(incidents.rules.contains(rule));
        let _ = writeln!(text, "pagetide_incident_active{{rule=\"{rule}\"}} {lasts}");
    }
    let meaning = "time since diagnose --watch last examined the recording";
    single(text, "pagetide_incident_look_age_seconds", "gauge", meaning, incidents.told.elapsed().as_secs_f64());
}

fn head(text: &mut String, name: &str, kind: &str, meaning: &str) {
    let meaning = meaning.replace('\\', "\\\\").replace('\n', "\\n");
    let _ = writeln!(text, "# HELP {name} {meaning}\n# TYPE {name} {kind}");
}

fn single(text: &mut String, name: &str, kind: &str, meaning: &str, value: impl Display) {
    head(text, name, kind, meaning);
    let _ = writeln!(text, "{name} {value}");
}

fn host(text: &mut String, schema: &Schema, sample: &Sample, names: bool) {
    let groups = sample.table(Table::Cgroup).map_or(0, |rows| rows.rows().count());
    single(text, "pagetide_cgroups", "gauge", "control groups with memory or IO statistics that could be read", groups);
    let told = |table| table != Table::Process && (names || table != Table::Cgroup);
    for rows in sample.tables().filter(|rows| told(rows.table())) {
        for (at, column) in schema.columns(rows.table()).iter().enumerate() {
            series(text, schema, rows, at, column);
        }
    }
}

/// The host's derived metrics that one reading gives: those of gauges, and sums of counters as counters. Prometheus has the ratios itself.
fn derived(text: &mut String, schema: &Schema, sample: &Sample) {
    let columns = schema.columns(Table::Host);
    let Some((_, values)) = sample.table(Table::Host).and_then(|rows| rows.rows().next()) else { return };
    let field = |term: Term| {
        let at = columns.iter().position(|column| Some(column.name.as_str()) == term.own())?;
        Some(columns[at].unit.to_base(values.get(at).copied().flatten()? as f64))
    };
    for metric in derived::ALL.iter().filter(|metric| metric.tables.contains(&Table::Host)) {
        let terms = metric.formula.terms();
        let counts = terms.iter().any(|term| matches!(term, Term::Rate(_)));
        // A formula of one counter is that counter, which has its own series.
        if counts && (!metric.formula.is_sum() || terms.len() == 1) {
            continue;
        }
        let unit = match metric.unit {
            Unit::Bytes | Unit::BytesPerSecond => "_bytes",
            Unit::Pages | Unit::PagesPerSecond => "_pages",
            Unit::Ratio => "_ratio",
            _ => "",
        };
        let (end, kind) = if counts { ("_total", "counter") } else { ("", "gauge") };
        if let Some(value) = metric.evaluate(&field) {
            single(text, &format!("pagetide_derived_{}{unit}{end}", metric.name), kind, metric.meaning, value);
        }
    }
}

/// One metric with all its rows, which the format wants together.
fn series(text: &mut String, schema: &Schema, rows: &TableSample, at: usize, column: &Column) {
    let table = rows.table();
    let name = name(table, column);
    let mut begun = false;
    for (id, values) in rows.rows() {
        let Some(value) = values.get(at).copied().flatten() else { continue };
        let Some(entity) = schema.entities(table).get(id.0 as usize) else { continue };
        if !begun {
            let known = metric::find(table, &column.name);
            let meaning = known.map_or_else(
                || "no meaning is known".to_owned(),
                |known| format!("{} ({})", known.meaning, known.file),
            );
            let kind = match column.kind {
                Kind::Counter => "counter",
                Kind::Gauge => "gauge",
                Kind::Rate | Kind::Unknown => "untyped",
            };
            head(text, &name, kind, &meaning);
            begun = true;
        }
        let _ = write!(text, "{name}");
        labels(text, table, entity);
        let _ = match factor(column.unit) {
            None => writeln!(text, " {value}"),
            // A whole number of parts divides to the nearest number; a product with 0.001 would not.
            Some(parts) => writeln!(text, " {}", value as f64 / parts),
        };
    }
}

/// How many of a unit are one of the base unit that Prometheus wants; absent when they are one or need no change.
fn factor(unit: Unit) -> Option<f64> {
    match unit {
        Unit::Nanos => Some(1e9),
        Unit::Micros => Some(1e6),
        Unit::Millis | Unit::Milli => Some(1e3),
        Unit::Ticks => Some(100.0),
        Unit::BasisPoints => Some(1e4),
        Unit::Sectors => Some(1.0 / 512.0),
        _ => None,
    }
}

fn labels(text: &mut String, table: Table, Entity { name: entity, label, .. }: &Entity) {
    let mut pairs = Vec::new();
    match table {
        Table::Host => return,
        Table::Zone => match entity.split_once('/') {
            Some((node, zone)) => pairs.extend([("node", node), ("zone", zone)]),
            None => pairs.push(("zone", entity)),
        },
        Table::Cgroup if label != entity => pairs.extend([("cgroup", entity.as_str()), ("container", label)]),
        Table::CgroupDisk => {
            let (cgroup, disk) = entity.split_once('\t').unwrap_or((entity, label));
            pairs.extend([("cgroup", cgroup), ("disk", disk)]);
        }
        _ => pairs.push((table.name(), entity)),
    }
    for (at, (name, value)) in pairs.into_iter().enumerate() {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let _ = write!(text, "{}{name}=\"{value}\"", if at == 0 { '{' } else { ',' });
    }
    text.push('}');
}

/// The name of a column: `pagetide`, where it is from, the kernel's name in small letters, the base unit, and `total`
/// for what counts up.
fn name(table: Table, column: &Column) -> String {
    let file = metric::find(table, &column.name).map_or("", |known| known.file);
    let mut words = snake(&column.name);
    let prefix = match table {
        Table::Host if file.starts_with("/proc/meminfo") => {
            words = words.strip_prefix("mem_").map(str::to_owned).unwrap_or(words);
            "memory"
        }
        Table::Host if file.starts_with("/proc/vmstat") => "vmstat",
        Table::Host => "host",
        other => other.name(),
    };
    let unit = match column.unit {
        Unit::Nanos | Unit::Micros | Unit::Millis | Unit::Ticks => "seconds",
        Unit::Bytes | Unit::Sectors => "bytes",
        Unit::Pages => "pages",
        Unit::Ratio => "ratio",
        _ => "",
    };
    for own in ["_ms", "_sectors", "_ticks", "_pages"] {
        if !unit.is_empty() && words.ends_with(own) {
            words.truncate(words.len() - own.len());
        }
    }
    if column.kind == Kind::Counter || unit.is_empty() {
        // `total` is the last word of counters and of nothing else.
        words = words.strip_suffix("_total").map(str::to_owned).unwrap_or(words);
    }
    let mut name = format!("pagetide_{prefix}_{words}");
    if !unit.is_empty() && !name.ends_with(unit) {
        name = format!("{name}_{unit}");
    }
    if column.kind == Kind::Counter { name + "_total" } else { name }
}

/// `MemFree` as `mem_free`, `Active(anon)` as `active_anon`.
fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut words = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(at + 1);
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || (before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
            });
        let plain = letter.is_ascii_alphanumeric();
        if (begins || !plain) && !words.is_empty() && !words.ends_with('_') {
            words.push('_');
        }
        if plain {
            words.push(letter.to_ascii_lowercase());
        }
    }
    words.truncate(words.trim_end_matches('_').len());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Entity;
    use std::collections::BTreeSet;

    fn column(table: Table, name: &str) -> Column {
        let known = metric::find(table, name).unwrap();
        Column { name: name.to_owned(), kind: known.kind, unit: known.unit }
    }

    #[test]
    fn names_follow_the_conventions() {
        for (table, kernel, prometheus) in [
            (Table::Host, "MemFree", "pagetide_memory_free_bytes"),
            (Table::Host, "MemTotal", "pagetide_memory_total_bytes"),
            (Table::Host, "Active(anon)", "pagetide_memory_active_anon_bytes"),
            (Table::Host, "SReclaimable", "pagetide_memory_s_reclaimable_bytes"),
            (Table::Host, "pgmajfault", "pagetide_vmstat_pgmajfault_total"),
            (Table::Host, "cpu_iowait", "pagetide_host_cpu_iowait_seconds_total"),
            (Table::Host, "load1", "pagetide_host_load1"),
            (Table::Host, "tasks_total", "pagetide_host_tasks"),
            (Table::Host, "psi_io_full", "pagetide_host_psi_io_full_seconds_total"),
            (Table::Disk, "reads", "pagetide_disk_reads_total"),
            (Table::Disk, "read_sectors", "pagetide_disk_read_bytes_total"),
            (Table::Disk, "weighted_io_ms", "pagetide_disk_weighted_io_seconds_total"),
            (Table::Disk, "in_flight", "pagetide_disk_in_flight"),
            (Table::Zone, "low", "pagetide_zone_low_pages"),
            (Table::Cgroup, "io_rbytes", "pagetide_cgroup_io_rbytes_total"),
        ] {
            assert_eq!(name(table, &column(table, kernel)), prometheus);
        }
    }

    #[test]
    fn every_metric_has_a_valid_name_of_its_own() {
        let mut names = BTreeSet::new();
        for table in Table::ALL {
            for metric in metric::all(table) {
                let name = name(table, &column(table, metric.name));
                assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'));
                assert!(!name.contains("__") && !name.ends_with('_'), "{name}");
                assert_eq!(name.ends_with("_total"), metric.kind == Kind::Counter, "{name}");
                assert!(names.insert(name.clone()), "{name} is there twice");
            }
        }
    }

    #[test]
    fn derived_metrics_are_gauges_and_sums_of_counters() {
        let mut schema = Schema::default();
        let host = schema.push_entity(Table::Host, Entity::new("", ""));
        let fields =
            [("MemTotal", 100), ("MemAvailable", 30), ("pgscan_anon", 5), ("pgscan_file", 7), ("pgscan_kswapd", 4)];
        for (name, _) in fields {
            schema.column(Table::Host, name);
        }
        let mut sample = Sample::default();
        let row = sample.row(Table::Host, host, fields.len());
        row.iter_mut().zip(fields).for_each(|(cell, (_, value))| *cell = Some(value));
        let mut text = String::new();
        derived(&mut text, &schema, &sample);
        let values: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            values,
            [
                "pagetide_derived_used_bytes 70",
                "pagetide_derived_used_share_ratio 0.7",
                "pagetide_derived_scanned_pages_total 12",
                "pagetide_derived_scanned_for_host_pages_total 4",
            ]
        );
    }

    #[test]
    fn values_are_in_base_units_and_labels_are_escaped() {
        let mut schema = Schema::default();
        let disk = schema.push_entity(Table::Disk, Entity::new("a\"b\\c", ""));
        let zone = schema.push_entity(Table::Zone, Entity::new("node0/DMA32", ""));
        schema.column(Table::Disk, "read_ms");
        schema.column(Table::Disk, "read_sectors");
        schema.column(Table::Zone, "never_heard_of");
        let group = Entity::new("/g", "shop/web/app");
        let group = schema.push_entity(Table::Cgroup, group);
        schema.column(Table::Cgroup, "current");
        let mut sample = Sample::default();
        sample.row(Table::Cgroup, group, 1)[0] = Some(9);
        sample.row(Table::Disk, disk, 2).copy_from_slice(&[Some(1234), Some(3)]);
        sample.row(Table::Zone, zone, 1)[0] = Some(7);
        let mut text = String::new();
        host(&mut text, &schema, &sample, true);
        let values: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            values,
            [
                "pagetide_cgroups 1",
                r#"pagetide_cgroup_current_bytes{cgroup="/g",container="shop/web/app"} 9"#,
                r#"pagetide_disk_read_seconds_total{disk="a\"b\\c"} 1.234"#,
                r#"pagetide_disk_read_bytes_total{disk="a\"b\\c"} 1536"#,
                r#"pagetide_zone_never_heard_of{node="node0",zone="DMA32"} 7"#,
            ]
        );
        assert!(text.contains("# TYPE pagetide_zone_never_heard_of untyped\n"));
    }
}
