//! A made-up host, and the terminal UI that shows it on a screen that tests read.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pagetide_core::{
    Actor, Cause, Conclusion, Confidence, Diagnosis, Disk, Entity, EntityId, Error, Finding, LocalClock, Manifest,
    Nanos, Recording, RecordingBuilder, RuleId, Sample, Schema, Selection, Source, Span, Stamp, Table,
};
use pagetide_top::{App, Growth, draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const SECOND: i64 = 1_000_000_000;
/// 2026-11-21 12:00 UTC.
const NOON: i64 = 1_795_262_400 * SECOND;
const MIB: i64 = 1 << 20;

/// A host of 1 GiB with two disks, processes and groups, some of them hostile, sampled each second.
pub(crate) struct Made {
    manifest: Manifest,
    schema: Schema,
    pub(crate) samples: Vec<Sample>,
}

impl Made {
    pub(crate) fn new(samples: i64, groups: usize) -> Self {
        let manifest = Manifest {
            host: "web-3".into(),
            page_size: pagetide_core::Bytes::new(4096),
            interval: Nanos::new(1_000_000_000),
            disks: vec![Disk { name: "vda".into(), ..Disk::default() }],
            users: [(70, "postgres".to_owned())].into(),
            ..Manifest::default()
        };
        let mut made = Self { manifest, schema: Schema::default(), samples: Vec::new() };
        for second in 0..samples {
            let stamp = Stamp { wall_ns: NOON + second * SECOND, mono_ns: second * SECOND, boot_ns: second * SECOND };
            let mut sample = Sample::default();
            sample.stamp = stamp;
            made.samples.push(sample);
        }
        made.host();
        for (disk, requests) in [("vda", 100), ("vdb", 2), ("sdc", 0), ("loop0", 500)] {
            made.add(Table::Disk, disk, disk, |second| {
                let done = second * requests;
                [("reads", done), ("writes", 0), ("read_sectors", done * 16), ("write_sectors", 0), ("io_ms", done * 5)]
                    .into_iter()
                    .chain([("read_ms", done * 4), ("write_ms", 0), ("weighted_io_ms", done * 4)])
                    .collect()
            });
        }
        for (at, (name, rss)) in
            [("postgres", 400), ("<img onerror=x>", 20), ("\x1b[2Jesc\x07", 10), ("\u{202e}txt.exe", 5)]
                .into_iter()
                .enumerate()
        {
            made.add(Table::Process, &format!("{}@7", 100 + at), name, |second| {
                let uid = if at == 0 { 70 } else { 4711 };
                vec![("rss", rss * MIB / 4096), ("utime", second * 10), ("stime", 0), ("majflt", second * rss)]
                    .into_iter()
                    .chain([
                        ("uid", uid),
                        ("state", i64::from(b'D')),
                        ("rchar", second * MIB),
                        ("read_bytes", second * MIB / 4),
                    ])
                    .chain([("blkio_delay_total", second * SECOND / 4)])
                    .collect()
            });
        }
        for (cpu, busy) in [("0", 100), ("1", 37), ("2", 2)] {
            made.add(Table::Cpu, cpu, cpu, |second| {
                vec![
                    ("cpu_user", second * busy),
                    ("cpu_idle", second * (100 - busy)),
                    ("cpu_system", 0),
                    ("cpu_nice", 0),
                ]
            });
        }
        let names = ["/system.slice", "/system.slice/db.service", "/system.slice/web.service", "/user.slice"];
        let many = (0..groups).map(|nth| format!("/user.slice/{nth}"));
        for (nth, name) in names.into_iter().map(str::to_owned).chain(many).enumerate() {
            let size = i64::try_from(100 - nth % 100).unwrap() * MIB;
            made.add(Table::Cgroup, &name, &name, |_| vec![("current", size), ("anon", size / 2), ("file", size / 4)]);
        }
        made
    }

    /// The same with so many processes that are larger than the culprit of [`diagnosis`].
    pub(crate) fn with_workers(mut self, workers: usize) -> Self {
        for at in 0..workers {
            self.process(1000 + at, "worker", 500 - i64::try_from(at).unwrap());
        }
        self.process(99, "backup", 1);
        self
    }

    fn process(&mut self, id: usize, name: &str, mib: i64) {
        self.add(Table::Process, &format!("{id}@8"), name, |second| {
            vec![("rss", mib * MIB / 4096), ("utime", second), ("stime", 0), ("state", i64::from(b'S'))]
        });
    }

    fn host(&mut self) {
        self.add(Table::Host, "", "", |second| {
            let cache = if second < 10 { 500 } else { 200 };
            [("MemTotal", 1000), ("MemFree", 100), ("MemAvailable", 550), ("AnonPages", 300), ("Shmem", 10)]
                .into_iter()
                .chain([("Cached", cache), ("Buffers", 10), ("Dirty", 20), ("Writeback", 0), ("SwapTotal", 0)])
                .map(|(name, mib)| (name, mib * MIB))
                .chain([("nr_dirty", 20 * 256), ("nr_writeback", 0), ("nr_dirty_threshold", 100 * 256)])
                .chain([("nr_dirty_background_threshold", 50 * 256), ("pgscan_kswapd", second * 1000)])
                .chain([("pgsteal_kswapd", second * 900), ("pgscan_direct", 0), ("load1", 1250)])
                .chain([("cpu_user", second * 139), ("cpu_nice", 0), ("cpu_system", 0)])
                .chain([("cpu_iowait", second * 50), ("cpu_idle", second * 81)])
                .collect()
        });
        self.add(Table::Zone, "node0/Normal", "node0/Normal", |_| {
            vec![("free", 100 * 256), ("min", 2 * 256), ("low", 3 * 256), ("high", 40 * 256), ("managed", 1000 * 256)]
        });
    }

    fn add(&mut self, table: Table, name: &str, label: &str, values: impl Fn(i64) -> Vec<(&'static str, i64)>) {
        let entity: EntityId = self.schema.push_entity(table, Entity::new(name, label));
        for (metric, _) in values(0) {
            self.schema.column(table, metric);
        }
        let width = self.schema.columns(table).len();
        for sample in &mut self.samples {
            let second = sample.stamp.boot_ns / SECOND;
            let row = sample.row(table, entity, width);
            for (metric, value) in values(second) {
                let column = self.schema.find_column(table, metric).unwrap();
                row[column.0 as usize] = Some(value);
            }
        }
    }
}

impl Source for Made {
    fn load(&self, selection: &Selection) -> Result<Recording, Error> {
        let range = selection.from_wall_ns.unwrap_or(i64::MIN)..=selection.to_wall_ns.unwrap_or(i64::MAX);
        let mut builder = RecordingBuilder::new(self.manifest.clone());
        for sample in self.samples.iter().filter(|sample| range.contains(&sample.stamp.wall_ns)) {
            builder.selected(selection, &self.schema, sample);
        }
        Ok(builder.finish())
    }
}

pub(crate) fn diagnosis() -> Diagnosis {
    let finding = |rule: RuleId, from: i64, to: i64, statement: &str| Finding {
        rule,
        statement: statement.into(),
        origins: [Actor::disk("vda"), Actor::command("backup")].into(),
        step: None,
        range: Span::new(from * SECOND, to * SECOND),
        confidence: Confidence::new(0.95),
        evidence: Vec::new(),
        contradictions: Vec::new(),
        advice: Vec::new(),
    };
    let cause = finding(RuleId::StreamFloodsCache, 10, 30, "backup reads 65.8 MiB/s from vda.");
    Diagnosis {
        verdict: Conclusion::Incident,
        summary: "backup reads 65.8 MiB/s from vda. Reclaim evicts \x1b[31mother pages.".into(),
        cause: Some(Cause {
            rule: cause.rule,
            origins: cause.origins.clone(),
            onset_ns: 10 * SECOND,
            end_ns: 30 * SECOND,
            resolution_ns: SECOND,
            grade: pagetide_core::Grade::of(cause.confidence),
            observed: pagetide_core::HitRate::default(),
            confidence: cause.confidence,
        }),
        findings: vec![cause, finding(RuleId::SwapInUse, 20, 25, "Swap holds 10 MiB.")],
        ..Diagnosis::default()
    }
}

/// The terminal UI on a screen that tests read.
pub(crate) struct Screen {
    pub(crate) app: App,
    pub(crate) source: Made,
    pub(crate) terminal: Terminal<TestBackend>,
}

impl Screen {
    pub(crate) fn new(source: Made, growth: Growth, (width, height): (u16, u16)) -> Self {
        let times = source.times(&Selection::default()).unwrap();
        let app = App::new("web-3  rec".into(), times, growth, LocalClock::utc());
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut screen = Self { app, source, terminal };
        screen.settle();
        screen
    }

    pub(crate) fn settle(&mut self) {
        while let Some(wanted) = self.app.wanted() {
            self.app.loaded(self.source.load(&wanted).unwrap());
        }
        self.draw();
    }

    /// Loads once what is wanted, which may be gone.
    pub(crate) fn load(&mut self) {
        if let Some(wanted) = self.app.wanted() {
            self.app.loaded(self.source.load(&wanted).unwrap());
        }
    }

    pub(crate) fn draw(&mut self) {
        self.terminal.draw(|frame| draw(&mut self.app, frame)).unwrap();
    }

    /// The source is this host.
    pub(crate) fn know_members(&mut self) {
        let times = self.source.times(&Selection::default()).unwrap();
        let app = App::new(String::new(), times, Growth::Window, LocalClock::utc());
        self.app = std::mem::replace(&mut self.app, app).of_this_host();
    }

    pub(crate) fn press(&mut self, keys: &str) {
        keys.chars().for_each(|key| self.key(KeyCode::Char(key)));
    }

    pub(crate) fn key(&mut self, code: KeyCode) {
        self.app.press(KeyEvent::new(code, KeyModifiers::NONE));
        self.settle();
    }

    pub(crate) fn text(&self) -> String {
        let buffer = self.terminal.backend().buffer();
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..buffer.area.height).map(row).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn has(&self, text: &str) -> bool {
        self.text().contains(text)
    }
}
