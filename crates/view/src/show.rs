//! The tables that `sar` users know, from a recording: one row per sample (or per stretch of time) and entity.
//!
//! A [`Topic`] is a list of columns; a column is a formula over one interval between samples. Rates are of the interval before the row's time.

use pagetide_core::{Column, Kind, Quantity, Recording, Series, Table, Unit};

mod topics;

/// What a table is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Memory, as `sar -r`.
    Memory,
    /// Paging and reclaim, as `sar -B`.
    Paging,
    /// Disks, as `sar -d`.
    Disk,
    /// Run queue and load average, as `sar -q`.
    Load,
    /// CPU time, as `sar -u`.
    Cpu,
    /// Swapping, as `sar -W`.
    Swap,
    /// Pressure stall information.
    Pressure,
    /// Memory zones and their watermarks.
    Zones,
    /// Processes.
    Processes,
    /// Control groups.
    Cgroups,
}

/// A column's heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    /// Its name, as `sar` calls it where `sar` has it.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
}

/// One row: a moment, what it is about, and a cell per heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// When, nanoseconds since 1970-01-01 UTC.
    pub wall_ns: i64,
    /// The disk, zone, process or group; absent for the host.
    pub entity: Option<String>,
    /// The values; absent where the recording has none.
    pub cells: Vec<Option<f64>>,
}

/// A table of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The columns.
    pub headings: Vec<Heading>,
    /// What the entity column is called; absent when there is none.
    pub entity: Option<&'static str>,
    /// The rows, in order of time.
    pub rows: Vec<Row>,
}

/// A stretch of time for one entity: what a column's formula sees.
#[derive(Debug, Clone, Copy)]
struct Interval<'a> {
    recording: &'a Recording,
    table: Table,
    entity: &'a str,
    from: i64,
    to: i64,
}

type Formula = fn(&Interval<'_>) -> Option<f64>;

impl<'a> Interval<'a> {
    fn series(&self, metric: &str) -> Option<Series<'a>> {
        self.recording.series(self.table, self.entity, metric)
    }

    /// The last value within the interval.
    fn gauge(&self, metric: &str) -> Option<f64> {
        self.series(metric)?.last_within(self.from, self.to).map(|value| value as f64)
    }

    /// How much a counter rose over the interval.
    fn rise(&self, metric: &str) -> Option<f64> {
        let series = self.series(metric)?;
        let after = series.last_within(self.from, self.to)?;
        let before = series.at(self.from)?;
        (after >= before).then(|| (after - before) as f64)
    }

    /// A counter's rate per second over the interval, or a stored rate as it is.
    fn rate(&self, metric: &str) -> Option<f64> {
        let series = self.series(metric)?;
        if series.column().kind == Kind::Rate {
            return series.last_within(self.from, self.to).map(|value| value as f64 / 1e3);
        }
        Some(self.rise(metric)? / self.seconds())
    }

    /// The sum of the rates that exist; absent when none does.
    fn rates(&self, metrics: &[&str]) -> Option<f64> {
        let rates: Vec<f64> = metrics.iter().filter_map(|metric| self.rate(metric)).collect();
        (!rates.is_empty()).then(|| rates.iter().sum())
    }

    fn seconds(&self) -> f64 {
        (self.to - self.from) as f64 / 1e9
    }
}

/// The part of `part` in `whole`; absent when the whole is zero.
fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

impl Topic {
    /// All topics, in the order in which help lists them.
    pub const ALL: [Self; 10] = [
        Self::Memory,
        Self::Paging,
        Self::Disk,
        Self::Load,
        Self::Cpu,
        Self::Swap,
        Self::Pressure,
        Self::Zones,
        Self::Processes,
        Self::Cgroups,
    ];

    /// The topic's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Paging => "paging",
            Self::Disk => "disk",
            Self::Load => "load",
            Self::Cpu => "cpu",
            Self::Swap => "swap",
            Self::Pressure => "pressure",
            Self::Zones => "zones",
            Self::Processes => "processes",
            Self::Cgroups => "cgroups",
        }
    }

    /// The table whose rows it shows.
    pub const fn table(self) -> Table {
        match self {
            Self::Memory | Self::Paging | Self::Load | Self::Cpu | Self::Swap | Self::Pressure => Table::Host,
            Self::Disk => Table::Disk,
            Self::Zones => Table::Zone,
            Self::Processes => Table::Process,
            Self::Cgroups => Table::Cgroup,
        }
    }

    const fn entity(self) -> Option<&'static str> {
        match self.table() {
            Table::Host => None,
            Table::Disk => Some("device"),
            Table::Zone => Some("zone"),
            Table::Process => Some("process"),
            Table::Cgroup => Some("group"),
        }
    }
}

/// The table of `topic` over a recording, one row per sample, or per `every_ns` when given, for rows whose wall clock lies
/// in `from_wall..=to_wall`. Counters have no rate before the second sample, so it is the first row; averages that another
/// tool printed have one at the first sample, and then that is the first row.
pub fn show(recording: &Recording, topic: Topic, range: (i64, i64), every_ns: Option<i64>) -> Shown {
    let columns = topics::columns(topic);
    let table = topic.table();
    let mut rows = Vec::new();
    let stamps = recording.stamps();
    let entities: Vec<(&str, &str)> = recording.entities(table).collect();
    let Some(first) = stamps.first() else {
        return Shown { headings: headings(columns), entity: topic.entity(), rows };
    };
    let mut before = first.boot_ns;
    for (at, stamp) in stamps.iter().enumerate() {
        let last = at + 1 == stamps.len();
        if at == 0 {
            let Some(begun) = stored_from(recording, table, &entities, before) else { continue };
            before = begun;
        }
        let (from, to) = (before, stamp.boot_ns);
        if every_ns.is_some_and(|every| to - from < every && !last) {
            continue;
        }
        before = to;
        if !(range.0..=range.1).contains(&stamp.wall_ns) || to <= from {
            continue;
        }
        for (name, label) in &entities {
            let interval = Interval { recording, table, entity: name, from, to };
            let cells: Vec<Option<f64>> = columns.iter().map(|(_, formula)| formula(&interval)).collect();
            if cells.iter().any(Option::is_some) {
                let entity = topic.entity().map(|_| label_of(table, name, label));
                rows.push(Row { wall_ns: stamp.wall_ns, entity, cells });
            }
        }
    }
    Shown { headings: headings(columns), entity: topic.entity(), rows }
}

/// When the interval of the stored rates at the first sample began; absent when the recording begins with none.
fn stored_from(recording: &Recording, table: Table, entities: &[(&str, &str)], first: i64) -> Option<i64> {
    let columns =
        entities.iter().flat_map(|(name, _)| recording.columns(table, name).map(move |column| (*name, column)));
    let stored = columns.filter(|(_, (column, begins, _))| column.kind == Kind::Rate && *begins == 0);
    let began = |(entity, (column, ..)): (&str, (&Column, usize, _))| {
        let rates = recording.series(table, entity, &column.name)?.rates();
        rates.first().filter(|(_, to, _)| *to == first).map(|(from, ..)| *from)
    };
    stored.filter_map(began).min()
}

fn headings(columns: &[(Heading, Formula)]) -> Vec<Heading> {
    columns.iter().map(|(heading, _)| *heading).collect()
}

/// What a person reads for an entity: of a process its command and id.
fn label_of(table: Table, name: &str, label: &str) -> String {
    match (table, name.split_once('@')) {
        (Table::Process, Some((pid, _))) => format!("{label}[{pid}]"),
        _ => name.to_owned(),
    }
}

/// A cell as people read it; `-` where there is no value.
pub fn cell(value: Option<f64>, unit: Unit) -> String {
    value.map_or_else(|| "-".to_owned(), |value| Quantity::new(value, unit).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Entity, Manifest, RecordingBuilder, Sample, Schema};

    fn recording() -> Recording {
        let mut schema = Schema::default();
        let disk = schema.push_entity(Table::Disk, Entity { name: "vda".into(), label: "vda".into() });
        let host = schema.push_entity(Table::Host, Entity { name: String::new(), label: String::new() });
        let names =
            ["reads", "writes", "io_ms", "read_ms", "write_ms", "weighted_io_ms", "read_sectors", "write_sectors"];
        for name in names {
            schema.column(Table::Disk, name);
        }
        schema.column(Table::Host, "MemFree");
        let mut builder = RecordingBuilder::new(Manifest::default());
        for second in 0..5_i64 {
            let mut sample = Sample::default();
            sample.stamp.boot_ns = second * 1_000_000_000;
            sample.stamp.wall_ns = second * 1_000_000_000;
            let row = sample.row(Table::Disk, disk, names.len());
            for (cell, step) in row.iter_mut().zip([100, 0, 500, 50, 0, 1000, 1600, 0]) {
                *cell = Some(second * step);
            }
            sample.row(Table::Host, host, 1)[0] = Some(4096 * second);
            builder.sample(&schema, &sample);
        }
        builder.finish()
    }

    fn column(shown: &Shown, name: &str) -> Vec<Option<f64>> {
        let at = shown.headings.iter().position(|heading| heading.name == name).unwrap();
        shown.rows.iter().map(|row| row.cells[at]).collect()
    }

    #[test]
    fn disks_read_as_in_sar() {
        let shown = show(&recording(), Topic::Disk, (i64::MIN, i64::MAX), None);
        assert_eq!(shown.rows.len(), 4);
        assert_eq!(shown.rows[0].entity.as_deref(), Some("vda"));
        assert_eq!(column(&shown, "tps"), [Some(100.0); 4]);
        assert_eq!(column(&shown, "read/s"), [Some(1600.0 * 512.0); 4]);
        assert_eq!(column(&shown, "await"), [Some(0.5e6); 4], "50 ms over 100 requests, in ns");
        assert_eq!(column(&shown, "util"), [Some(0.5); 4]);
        assert_eq!(column(&shown, "depth"), [Some(1.0); 4]);
    }

    #[test]
    fn rows_thin_out_and_stay_within_the_range() {
        let recording = recording();
        let shown = show(&recording, Topic::Memory, (i64::MIN, i64::MAX), Some(2_000_000_000));
        assert_eq!(column(&shown, "free"), [Some(8192.0), Some(16384.0)]);
        let shown = show(&recording, Topic::Memory, (3_000_000_000, 3_000_000_000), None);
        assert_eq!(shown.rows.len(), 1);
        assert_eq!(column(&shown, "avail"), [None], "absent is absent, not zero");
    }

    #[test]
    fn averages_of_another_tool_have_a_row_at_the_first_sample() {
        let manifest = Manifest { origin: "import".into(), ..Manifest::default() };
        let mut builder = RecordingBuilder::new(manifest);
        let rate = Column { name: "pgpgin".into(), kind: Kind::Rate, unit: Unit::Count };
        for minute in 1..=3_i64 {
            let at = minute * 60_000_000_000;
            builder.stamp(pagetide_core::Stamp { wall_ns: at, mono_ns: at, boot_ns: at });
            builder.value(Table::Host, "", &rate, minute * 1000);
        }
        let recording = builder.finish();
        let all = (i64::MIN, i64::MAX);
        let shown = show(&recording, Topic::Paging, all, None);
        assert_eq!(column(&shown, "pgpgin/s"), [Some(1024.0), Some(2048.0), Some(3072.0)]);
        assert_eq!(shown.rows[0].wall_ns, 60_000_000_000);
        assert!(show(&recording, Topic::Disk, all, None).rows.is_empty());
    }

    #[test]
    fn an_empty_recording_has_no_rows() {
        for topic in Topic::ALL {
            assert!(show(&Recording::default(), topic, (i64::MIN, i64::MAX), None).rows.is_empty());
        }
    }
}
