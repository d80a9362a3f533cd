//! The TOML as it stands in the file, and the checks that turn it into a [`super::Scenario`].

use super::load::{
    CopySpec, DdSpec, GroupSpec, GrowSpec, NamesSpec, RawLoads, RawPart, SpinSpec, StreamSpec, WalkSpec,
};
use super::name;
use super::{
    Action, BTreeMap, BTreeSet, Bytes, Claim, Deserialize, DeviceChange, Error, Figure, Figures, FileSystem, FioJob,
    HoldSpec, Machine, Nanos, Quantity, Step, SwapSpec, suggest,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    id: String,
    title: String,
    source: String,
    #[serde(default)]
    about: String,
    machine: Machine,
    #[serde(rename = "step")]
    steps: Vec<toml::Spanned<RawStep>>,
    #[serde(default, rename = "claim")]
    claims: Vec<toml::Spanned<Claim>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStep {
    id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    drop_caches: bool,
    fio: Option<toml::Table>,
    hold: Option<HoldSpec>,
    release: Option<String>,
    sleep: Option<Nanos>,
    sysctl: Option<BTreeMap<String, i64>>,
    #[serde(default)]
    snapshot: bool,
    stream: Option<StreamSpec>,
    dd: Option<DdSpec>,
    copy: Option<CopySpec>,
    map_and_walk: Option<WalkSpec>,
    grow: Option<GrowSpec>,
    spin: Option<SpinSpec>,
    names: Option<NamesSpec>,
    device: Option<DeviceChange>,
    parallel: Option<Vec<RawPart>>,
    swap: Option<Areas>,
    cgroup: Option<GroupSpec>,
    #[serde(default)]
    published: BTreeMap<String, toml::Value>,
}

/// The swap of a step: one area or a list of them.
#[derive(Debug)]
struct Areas(Vec<SwapSpec>);

impl<'de> Deserialize<'de> for Areas {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let value = toml::Value::deserialize(deserializer)?;
        let values = if let toml::Value::Array(values) = value { values } else { vec![value] };
        let areas = values.into_iter().map(|value| {
            SwapSpec::deserialize(value).map_err(|error: toml::de::Error| D::Error::custom(error.message()))
        });
        areas.filter(|area| !matches!(area, Ok(SwapSpec::None))).collect::<Result<_, _>>().map(Areas)
    }
}

impl<'de> Deserialize<'de> for SwapSpec {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Area {
            size: Option<Bytes>,
            disk: Option<String>,
            zram: Option<Bytes>,
            algorithm: Option<String>,
        }
        use serde::de::Error as _;
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) if text == "none" => Ok(Self::None),
            toml::Value::Table(table) => {
                let area: Area =
                    table.try_into().map_err(|error: toml::de::Error| D::Error::custom(error.message()))?;
                match area {
                    Area { size: Some(size), disk: Some(disk), zram: None, algorithm: None } => {
                        Ok(Self::Disk { size, disk })
                    }
                    Area { size: None, disk: None, zram: Some(size), algorithm } => Ok(Self::Zram { size, algorithm }),
                    _ => Err(D::Error::custom("swap is { size, disk } or { zram, algorithm }")),
                }
            }
            _ => Err(D::Error::custom("swap is \"none\", { size = \"4GiB\", disk = \"data\" } or { zram = \"2GiB\" }")),
        }
    }
}

/// The line of a byte offset, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// One line for an error of the TOML reader, with a suggestion where a name is unknown.
pub(super) fn error(text: &str, name: &str, error: &toml::de::Error) -> Error {
    let place = error.span().map_or_else(|| name.to_owned(), |span| format!("{name}:{}", line_of(text, span.start)));
    unknown_name(&place, error.message())
}

/// Rewords serde's list of expected names as a suggestion.
fn unknown_name(place: &str, message: &str) -> Error {
    let message = message.lines().next().unwrap_or_default();
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match words.split_first() {
        Some((unknown, known)) if message.starts_with("unknown ") && !known.is_empty() => Error::input(
            format!("{place}: `{unknown}` is not known here{}", suggest::hint(unknown, known.iter().copied())),
            format!("known here: {}", known.join(", ")),
        ),
        _ => Error::input(format!("{place}: {message}"), ""),
    }
}

impl Scenario {
    pub(super) fn check(self, text: &str, name: &str) -> Result<super::Scenario, Error> {
        name::check("a scenario's id", &self.id, name)?;
        self.machine.disks.iter().try_for_each(|disk| name::check("the name of a disk", &disk.name, name))?;
        name::check_sysctls(self.machine.sysctl.keys(), name)?;
        if self.machine.disks.is_empty() {
            return Err(Error::input(format!("{name}: the machine has no disk"), "add a [[machine.disk]]"));
        }
        if self.machine.disks[0].filesystem == FileSystem::None {
            return Err(Error::input(
                format!("{name}: the first disk has no file system"),
                "files go to the first disk: name one with a file system first",
            ));
        }
        let mut steps: Vec<Step> = Vec::new();
        for raw in self.steps {
            let place = format!("{name}:{}", line_of(text, raw.span().start));
            let step = raw.into_inner().check(&place, &steps)?;
            if steps.iter().any(|before| before.id == step.id) {
                return Err(Error::input(
                    format!("{place}: a step `{}` exists already", step.id),
                    "give it another id",
                ));
            }
            steps.push(step);
        }
        if steps.is_empty() {
            return Err(Error::input(format!("{name}: no steps"), "add a [[step]]"));
        }
        let names: Vec<&str> = steps.iter().map(|step| step.id.as_str()).collect();
        for step in &steps {
            super::load::places(step, &self.machine, &format!("{name}: step `{}`", step.id))?;
            let Action::Parallel(parts) = &step.action else { continue };
            let mut ids: Vec<String> = parts.iter().map(|part| format!("{}_{}", step.id, part.name)).collect();
            ids.sort_unstable();
            let twice = ids.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| &pair[0]);
            if let Some(id) = twice.or_else(|| ids.iter().find(|id| names.contains(&id.as_str()))) {
                return Err(Error::input(
                    format!("{name}: there are two results `{id}`"),
                    "give the part another name",
                ));
            }
        }
        let mut claims: Vec<Claim> = Vec::new();
        for raw in self.claims {
            let place = format!("{name}:{}", line_of(text, raw.span().start));
            let claim = raw.into_inner();
            if claims.iter().any(|before| before.id == claim.id) {
                return Err(Error::input(
                    format!("{place}: a claim `{}` exists already", claim.id),
                    "give it another id",
                ));
            }
            claims.push(claim);
        }
        Ok(super::Scenario {
            id: self.id,
            title: self.title,
            source: self.source,
            about: self.about.trim().to_owned(),
            machine: self.machine,
            steps,
            claims,
        })
    }
}

impl RawStep {
    fn check(self, place: &str, before: &[Step]) -> Result<Step, Error> {
        let identifier = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !self.id.starts_with(|c: char| c.is_ascii_alphabetic()) || !self.id.chars().all(identifier) {
            return Err(Error::input(
                format!("{place}: `{}` cannot be a step's id", self.id),
                "use a letter, then letters, digits and _",
            ));
        }
        name::check_sysctls(self.sysctl.iter().flat_map(BTreeMap::keys), place)?;
        let published = published_figures(&self.published, place)?;
        let mut actions = Vec::new();
        if let Some(table) = self.fio {
            actions.push(Action::Fio(fio_job(table, place, before)?));
        }
        actions.extend(self.hold.map(Action::Hold));
        if let Some(id) = self.release {
            let holds: BTreeSet<&str> = before
                .iter()
                .filter(|step| matches!(step.action, Action::Hold(_)))
                .map(|step| step.id.as_str())
                .collect();
            if !holds.contains(id.as_str()) {
                return Err(Error::input(
                    format!("{place}: no hold `{id}` before this step{}", suggest::hint(&id, holds)),
                    "release = the id of a hold step",
                ));
            }
            actions.push(Action::Release(id));
        }
        actions.extend(self.sleep.map(Action::Sleep));
        actions.extend(self.sysctl.map(Action::Sysctl));
        if self.snapshot {
            actions.push(Action::Snapshot);
        }
        let loads = RawLoads {
            stream: self.stream,
            dd: self.dd,
            copy: self.copy,
            map_and_walk: self.map_and_walk,
            grow: self.grow,
            spin: self.spin,
            names: self.names,
        };
        actions.extend(loads.check(place)?.into_iter().map(Action::Load));
        if let Some(parts) = self.parallel {
            let parts = parts.into_iter().map(|part| part.check(place)).collect::<Result<Vec<_>, _>>()?;
            if parts.iter().all(|part| part.background) {
                return Err(Error::input(
                    format!("{place}: step `{}` has no part that ends it", self.id),
                    "a background part only goes on until the others have ended",
                ));
            }
            actions.push(Action::Parallel(parts));
        }
        actions.extend(self.device.map(Action::Device));
        actions.extend(self.swap.map(|areas| Action::Swap(areas.0)));
        if actions.is_empty() && self.drop_caches {
            actions.push(Action::DropCaches);
        }
        let count = actions.len();
        let Some(action) = actions.pop().filter(|_| count == 1) else {
            return Err(Error::input(
                format!("{place}: step `{}` does {count} things", self.id),
                "a step does one: fio, hold, release, drop_caches, sleep, sysctl, snapshot, stream, dd, copy, map_and_walk, grow, spin, names, parallel, device or swap",
            ));
        };
        if self.cgroup.is_some() && !matches!(action, Action::Fio(_) | Action::Load(_)) {
            return Err(Error::input(
                format!("{place}: a {} step has no process for a control group", action.kind()),
                "give cgroup to a fio step, a load, or a part",
            ));
        }
        let title = if self.title.is_empty() { describe(&action) } else { self.title };
        Ok(Step { id: self.id, title, drop_caches: self.drop_caches, action, cgroup: self.cgroup, published })
    }
}

/// The figures of a `published` table.
pub(super) fn published_figures(table: &BTreeMap<String, toml::Value>, place: &str) -> Result<Figures, Error> {
    let mut figures = Figures::default();
    for (name, value) in table {
        let figure = Figure::by_name(name).ok_or_else(|| {
            let known = Figure::ALL.iter().map(|figure| figure.name());
            Error::input(
                format!("{place}: `{name}` is not a figure{}", suggest::hint(name, known.clone())),
                format!("figures: {}", known.collect::<Vec<_>>().join(", ")),
            )
        })?;
        figures.set(
            figure,
            published_value(figure, value)
                .map_err(|why| Error::input(format!("{place}: published {name}: {why}"), ""))?,
        );
    }
    Ok(figures)
}

/// A published number in the figure's own unit.
fn published_value(figure: Figure, value: &toml::Value) -> Result<f64, String> {
    let unit = figure.unit();
    let (wanted, factor) = unit.base();
    match value {
        toml::Value::Integer(number) if wanted == crate::Dimension::default() || unit == crate::Unit::PerSecond => {
            Ok(*number as f64)
        }
        toml::Value::Float(number) if wanted == crate::Dimension::default() || unit == crate::Unit::PerSecond => {
            Ok(*number)
        }
        toml::Value::String(text) => {
            let quantity = Quantity::parse(text).map_err(|error| error.to_string())?;
            let (dimension, from) = quantity.unit.base();
            if dimension == wanted && quantity.unit != crate::Unit::Count {
                Ok(quantity.value * from / factor)
            } else {
                Err(format!("`{text}` has the wrong unit"))
            }
        }
        other => Err(format!("`{other}` has no unit: write it as text with one, such as \"448ms\" or \"2GiB\"")),
    }
}

/// Reads a fio table, with `same_as` filled in from the earlier step it names.
fn fio_job(mut table: toml::Table, place: &str, before: &[Step]) -> Result<FioJob, Error> {
    if let Some(same) = table.remove("same_as") {
        let id = same.as_str().unwrap_or_default();
        let job = before.iter().find_map(|step| match &step.action {
            Action::Fio(job) if step.id == id => Some(job),
            _ => None,
        });
        let Some(job) = job else {
            let ids = before.iter().filter(|step| matches!(step.action, Action::Fio(_))).map(|step| step.id.as_str());
            return Err(Error::input(
                format!("{place}: no fio step `{id}` before this one{}", suggest::hint(id, ids)),
                "same_as = the id of an earlier fio step",
            ));
        };
        let inherited = toml::Table::try_from(job).map_err(|error| Error::input(format!("{place}: {error}"), ""))?;
        for (key, value) in inherited {
            table.entry(key).or_insert(value);
        }
    }
    let job: FioJob = table.try_into().map_err(|error: toml::de::Error| unknown_name(place, error.message()))?;
    const KINDS: [&str; 6] = ["read", "write", "randread", "randwrite", "rw", "randrw"];
    if !KINDS.contains(&job.rw.as_str()) {
        return Err(Error::input(
            format!("{place}: rw = \"{}\" is not known{}", job.rw, suggest::hint(&job.rw, KINDS)),
            format!("one of {}", KINDS.join(", ")),
        ));
    }
    if job.bs == Bytes::ZERO || job.size < job.bs {
        return Err(Error::input(format!("{place}: size is smaller than bs"), "give a size of one block or more"));
    }
    if let Some(file) = &job.file {
        name::check("the name of a file", file, place)?;
    }
    Ok(job)
}

/// A few words for a step that has no title.
fn describe(action: &Action) -> String {
    match action {
        Action::Fio(job) => format!("fio {} {}", job.rw, job.size),
        Action::Hold(hold) => format!("hold {}", hold.size),
        Action::Release(id) => format!("release {id}"),
        Action::DropCaches => "drop caches".to_owned(),
        Action::Sleep(time) => format!("sleep {time}"),
        Action::Sysctl(settings) => {
            settings.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        }
        Action::Snapshot => "snapshot".to_owned(),
        Action::Load(load) => load.describe(),
        Action::Parallel(parts) => parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join(" beside "),
        Action::Device(change) => format!("change disk {}", change.disk),
        Action::Swap(swaps) if swaps.is_empty() => "swap off".to_owned(),
        Action::Swap(_) => "swap on".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n[[machine.disk]]\nname = \"data\"\nsize = \"1GiB\"\n";

    fn parse(rest: &str) -> Result<super::super::Scenario, Error> {
        super::super::Scenario::parse(&format!("{HEAD}{rest}"), "t.toml")
    }

    #[test]
    fn a_step_inherits_and_overrides() {
        let scenario = parse(
            "[[step]]\nid = \"A1\"\nfio = { rw = \"randread\", bs = \"8k\", size = \"2GiB\", invalidate = false }\n\
             published = { iops = 2609, elapsed = \"100.465s\" }\n\
             [[step]]\nid = \"A2\"\nfio = { same_as = \"A1\", norandommap = true }\n",
        )
        .unwrap();
        assert_eq!(scenario.steps[0].published.get(Figure::Elapsed), Some(100.465e9));
        let Action::Fio(job) = &scenario.steps[1].action else { panic!("not fio") };
        assert!(job.norandommap && job.invalidate == Some(false) && job.size == Bytes::new(2 << 30));
        let scaled = scenario.scaled(super::super::Scale::new(1, 8).unwrap());
        let Action::Fio(job) = &scaled.steps[1].action else { panic!("not fio") };
        assert_eq!(job.size, Bytes::new(256 << 20));
        assert_eq!(job.bs, Bytes::new(8192), "block sizes are not scaled");
        assert_eq!(scaled.machine.memory, Bytes::new(128 << 20));
    }

    #[test]
    fn wrong_input_names_the_line_and_the_mend() {
        let check = |rest: &str, line: &str, words: &[&str]| {
            let message = parse(rest).unwrap_err().to_string();
            assert!(message.starts_with(line), "{message}");
            assert!(words.iter().all(|word| message.contains(word)), "{message}");
            assert!(!message.contains('\n'), "{message}");
        };
        check("[[step]]\nid = \"A\"\nslep = \"1s\"\n", "t.toml:12:", &["slep", "did you mean `sleep`?"]);
        check("[[step]]\nid = \"A\"\nsleep = 5\n", "t.toml:12:", &["no unit", "ms"]);
        check(
            "[[step]]\nid = \"A\"\nfio = { rw = \"randread\", bs = \"8k\", sise = \"1GiB\" }\n",
            "t.toml:10:",
            &["`size`?"],
        );
        check(
            "[[step]]\nid = \"A\"\nfio = { rw = \"randraed\", bs = \"8k\", size = \"1GiB\" }\n",
            "t.toml:10:",
            &["`randread`?"],
        );
        check(
            "[[step]]\nid = \"A\"\nfio = { rw = \"read\", bs = \"8k\", size = 4096 }\n",
            "t.toml:10:",
            &["`4096` has no unit", "MiB"],
        );
        check(
            "filesystem = \"ext3\"\n[[step]]\nid = \"A\"\nsleep = \"1s\"\n",
            "t.toml:10:",
            &["ext3", "did you mean `ext4`?", "xfs"],
        );
        check("[[step]]\nid = \"A\"\nrelease = \"B\"\n", "t.toml:10:", &["no hold `B`"]);
        check("[[step]]\nid = \"A\"\n", "t.toml:10:", &["does 0 things"]);
        check("[[step]]\nid = \"A-1\"\nsleep = \"1s\"\n", "t.toml:10:", &["step's id"]);
        check("[[step]]\nid = \"A\"\nsleep = \"1s\"\npublished = { iosp = 3 }\n", "t.toml:10:", &["`iops`?"]);
        check("[[step]]\nid = \"A\"\nsleep = \"1s\"\npublished = { elapsed = 3 }\n", "t.toml:10:", &["no unit"]);
        check(
            "[[step]]\nid = \"A\"\nsleep = \"1s\"\n[[step]]\nid = \"A\"\nsleep = \"1s\"\n",
            "t.toml:13:",
            &["exists already"],
        );
    }

    #[test]
    fn a_scenario_survives_as_json() {
        for swap in [
            "\"none\"",
            "{ size = \"4GiB\", disk = \"data\" }",
            "{ zram = \"2GiB\", algorithm = \"zstd\" }",
            "{ zram = \"1GiB\" }",
        ] {
            let text = format!(
                "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\nswap = {swap}\n\
                 time_dilation = 10\nlru = \"mglru\"\nhuge_pages = \"never\"\n[[machine.disk]]\nname = \"data\"\nsize = \"1GiB\"\n\
                 filesystem = \"xfs\"\nread_ahead = \"128KiB\"\n\
                 [[step]]\nid = \"A1\"\nfio = {{ rw = \"randread\", bs = \"8k\", size = \"2GiB\" }}\n\
                 published = {{ iops = 2609 }}\n[[claim]]\nid = \"c\"\ntext = \"c\"\ncheck = \"A1.iops > 1\"\n"
            );
            let scenario = super::super::Scenario::parse(&text, "t.toml").unwrap();
            let json = serde_json::to_string(&scenario).unwrap();
            assert_eq!(serde_json::from_str::<super::super::Scenario>(&json).unwrap(), scenario);
        }
    }

    #[test]
    fn a_dilated_machine_has_disks_that_take_longer() {
        let disk = "iops = 3000\nbandwidth = \"125MB/s\"\nlatency = \"370us\"\n";
        let head = HEAD.replace("cpus = 1", "cpus = 1\ntime_dilation = 10");
        let step = "[[step]]\nid = \"A1\"\ndevice = { disk = \"data\", latency = \"2ms\" }\n";
        let scenario = super::super::Scenario::parse(&format!("{head}{disk}{step}"), "t.toml").unwrap();
        let slower = scenario.dilated(scenario.machine.time_dilation.unwrap());
        let slow = &slower.machine.disks[0];
        assert_eq!((slow.iops, slow.size), (Some(300), scenario.machine.disks[0].size));
        assert_eq!(slow.bandwidth.unwrap().get(), 12_500_000);
        assert_eq!(slow.latency.unwrap().get(), 3_700_000);
        let Action::Device(change) = &slower.steps[0].action else { panic!("{slower:?}") };
        assert_eq!(change.latency.unwrap().get(), 20_000_000);
        let never = head.replace("time_dilation = 10", "time_dilation = 0");
        let error = super::super::Scenario::parse(&format!("{never}{disk}{step}"), "t.toml").unwrap_err();
        assert!(error.to_string().contains("nonzero"), "{error}");
    }

    #[test]
    fn scales_are_fractions() {
        use super::super::Scale;
        assert_eq!("1/8".parse(), Ok(Scale::new(1, 8).unwrap()));
        assert_eq!("1".parse(), Ok(Scale::FULL));
        for bad in ["0", "1/0", "-1", "x", "0.5", "1/2/3", ""] {
            assert!(bad.parse::<Scale>().is_err(), "{bad}");
        }
    }
}
