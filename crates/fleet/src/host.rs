//! What the rows of one host say together.

use crate::row::{Row, Text};
use std::collections::{BTreeMap, BTreeSet};

/// One host over the whole range.
#[derive(Debug, Clone, Default)]
pub(crate) struct Host {
    pub(crate) name: Text,
    pub(crate) hours: Vec<Hour>,
}

/// One hour of a host.
#[derive(Debug, Clone)]
pub(crate) struct Hour {
    pub(crate) begin: i64,
    /// The cause, when the hour has an incident.
    pub(crate) cause: Option<Text>,
    /// What is to come, when the hour has a forecast.
    pub(crate) forecast: Option<Option<Text>>,
    pub(crate) incident: bool,
    pub(crate) healthy: bool,
    pub(crate) harm_ns: i64,
    pub(crate) program: Option<Text>,
    pub(crate) facts: usize,
}

/// What a host is in a stretch of time: each attribute with its value.
pub(crate) type Attributes = BTreeMap<Text, Text>;

/// The attributes of rows, each combination once.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    known: Vec<Attributes>,
    numbers: BTreeMap<Attributes, usize>,
    /// The texts that the last row's attributes were made of: rows of one recording have the same.
    last: Option<(Row, usize)>,
}

impl Facts {
    pub(crate) fn get(&self, number: usize) -> &Attributes {
        &self.known[number]
    }

    /// The number of a row's attributes, with the labels of its host.
    fn number(&mut self, row: &Row, labels: Option<&BTreeMap<Text, Text>>) -> usize {
        let own = Row {
            host: row.host.clone(),
            kernel: row.kernel.clone(),
            cpus: row.cpus,
            memory_bytes: row.memory_bytes,
            disk_models: row.disk_models.clone(),
            disk_classes: row.disk_classes.clone(),
            filesystems: row.filesystems.clone(),
            swap_bytes: row.swap_bytes,
            lru: row.lru.clone(),
            sysctls: row.sysctls.clone(),
            labels: row.labels.clone(),
            ..Row::default()
        };
        if let Some((_, number)) = self.last.as_ref().filter(|(last, _)| *last == own) {
            return *number;
        }
        let mut attributes = attributes(&own);
        // A label is what people call it: it comes before what the recording says.
        attributes.extend(labels.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
        let next = self.known.len();
        let number = *self.numbers.entry(attributes.clone()).or_insert(next);
        if number == next {
            self.known.push(attributes);
        }
        self.last = Some((own, number));
        number
    }
}

/// What a row says of its host, as attributes with few values each.
fn attributes(row: &Row) -> Attributes {
    let mut attributes = Attributes::new();
    let mut set = |name: &str, value: Option<Text>| {
        if let Some(value) = value {
            attributes.insert(name.into(), value);
        }
    };
    set("kernel", row.kernel.clone());
    // Updates of one kernel series share their defaults.
    let series = |kernel: &Text| kernel.splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
    set("kernel series", row.kernel.as_ref().map(series).map(Into::into));
    set("cpus", row.cpus.map(|cpus| cpus.to_string().into()));
    set("memory", row.memory_bytes.map(memory));
    set("disk model", row.disk_models.clone());
    set("disk class", row.disk_classes.clone());
    set("file systems", row.filesystems.clone());
    set("swap", row.swap_bytes.map(|bytes| if bytes > 0 { "yes".into() } else { "no".into() }));
    set("lru", row.lru.clone());
    for json in [&row.sysctls, &row.labels] {
        let known: Option<BTreeMap<String, String>> = json.as_deref().and_then(|json| serde_json::from_str(json).ok());
        for (name, value) in known.into_iter().flatten() {
            set(&name, Some(value.into()));
        }
    }
    attributes
}

/// Memory as the size of its modules: hosts that are equal have kernels that reserve differing amounts.
fn memory(bytes: i64) -> Text {
    let mib = bytes as f64 / f64::from(1 << 20);
    // The next power of two, or one and a half times one.
    let power = 2_f64.powf(mib.max(1.0).log2().ceil());
    let size = if mib <= power * 0.75 { power * 0.75 } else { power };
    let gib = size / 1024.0;
    if gib >= 1.0 { format!("{gib} GiB").into() } else { format!("{size} MiB").into() }
}

/// The hosts of rows that have a verdict, by name, with the attributes that occur.
pub(crate) fn hosts(rows: &[&Row], labels: &BTreeMap<Text, BTreeMap<Text, Text>>) -> (Vec<Host>, Facts) {
    let (mut hosts, mut facts): (BTreeMap<Text, Host>, Facts) = (BTreeMap::new(), Facts::default());
    for row in rows {
        let (Some(begin), Some(verdict)) = (row.hour_ns, row.verdict.as_deref()) else { continue };
        let name = row.host.clone().unwrap_or_else(|| "unknown".into());
        let number = facts.number(row, labels.get(&name));
        let incident = verdict == "incident";
        let host = hosts.entry(name.clone()).or_insert_with(|| Host { name, hours: Vec::new() });
        host.hours.push(Hour {
            begin,
            cause: row.cause.clone().filter(|_| incident),
            forecast: (verdict == "forecast").then(|| row.cause.clone()),
            incident,
            healthy: verdict == "healthy",
            harm_ns: row.harm_ns.filter(|_| incident).unwrap_or(0),
            program: row.program.clone(),
            facts: number,
        });
    }
    let mut hosts: Vec<Host> = hosts.into_values().collect();
    hosts.iter_mut().for_each(|host| host.hours.sort_by_key(|hour| hour.begin));
    (hosts, facts)
}

impl Host {
    pub(crate) fn harm_ns(&self) -> i64 {
        self.hours.iter().fold(0, |sum, hour| sum.saturating_add(hour.harm_ns))
    }

    pub(crate) fn incident_hours(&self) -> usize {
        self.hours.iter().filter(|hour| hour.incident).count()
    }

    /// The causes of its incidents.
    pub(crate) fn causes(&self) -> BTreeSet<&Text> {
        self.hours.iter().filter_map(|hour| hour.cause.as_ref()).collect()
    }

    /// Its attributes: those of the hours that `counts` picks, else of its last hour. A value that changed is that of the last such hour.
    pub(crate) fn attributes<'a>(&self, facts: &'a Facts, counts: impl Fn(&Hour) -> bool) -> Option<&'a Attributes> {
        let hour = self.hours.iter().rev().find(|hour| counts(hour)).or(self.hours.last())?;
        Some(facts.get(hour.facts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_named_by_its_modules() {
        let mib = |mib: i64| memory(mib << 20).to_string();
        assert_eq!(
            [983, 1024, 3930, 15_990, 64_210, 96_000, 400].map(mib),
            ["1 GiB", "1 GiB", "4 GiB", "16 GiB", "64 GiB", "96 GiB", "512 MiB"]
        );
    }

    #[test]
    fn labels_come_before_what_the_recording_says() {
        let row = Row {
            host: Some("a".into()),
            hour_ns: Some(0),
            verdict: Some("healthy".into()),
            kernel: Some("6.1.0-13-amd64".into()),
            ..Row::default()
        };
        let labels = BTreeMap::from([(
            "a".into(),
            BTreeMap::from([("kernel".into(), "lts".into()), ("site".into(), "x".into())]),
        )]);
        let (hosts, facts) = hosts(&[&row], &labels);
        let attributes = hosts[0].attributes(&facts, |_| true).unwrap();
        let text = |name: &str| attributes[name].to_string();
        assert_eq!([text("kernel"), text("kernel series"), text("site")], ["lts", "6.1", "x"]);
    }
}
