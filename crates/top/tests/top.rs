//! Keys in, screens out.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pagetide_core::{
    Cause, Conclusion, Confidence, Diagnosis, Disk, Entity, EntityId, Error, Finding, LocalClock, Manifest, Nanos,
    Recording, RecordingBuilder, RuleId, Sample, Schema, Selection, Source, Span, Stamp, Table,
};
use pagetide_top::{App, Growth, draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const SECOND: i64 = 1_000_000_000;
/// 2026-11-21 12:00 UTC.
const NOON: i64 = 1_795_262_400 * SECOND;
const MIB: i64 = 1 << 20;

/// A host of 1 GiB with two disks, processes and groups, some of them hostile, sampled each second.
struct Made {
    manifest: Manifest,
    schema: Schema,
    samples: Vec<Sample>,
}

impl Made {
    fn new(samples: i64, groups: usize) -> Self {
        let manifest = Manifest {
            host: "web-3".into(),
            page_size: pagetide_core::Bytes::new(4096),
            interval: Nanos::new(1_000_000_000),
            disks: vec![Disk { name: "vda".into(), ..Disk::default() }],
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
        for (disk, requests) in [("vda", 100), ("vdb", 2)] {
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
                vec![("rss", rss * MIB / 4096), ("utime", second * 10), ("stime", 0), ("majflt", second * rss)]
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
                .collect()
        });
        self.add(Table::Zone, "node0/Normal", "node0/Normal", |_| {
            vec![("free", 100 * 256), ("min", 2 * 256), ("low", 3 * 256), ("high", 40 * 256), ("managed", 1000 * 256)]
        });
    }

    fn add(&mut self, table: Table, name: &str, label: &str, values: impl Fn(i64) -> Vec<(&'static str, i64)>) {
        let entity: EntityId = self.schema.push_entity(table, Entity { name: name.into(), label: label.into() });
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

fn diagnosis() -> Diagnosis {
    let finding = |rule: RuleId, from: i64, to: i64, statement: &str| Finding {
        rule,
        statement: statement.into(),
        origins: vec!["disk:vda".into()],
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
        summary: "backup reads 65.8 MiB/s from vda. For it reclaim frees \x1b[31mother pages.".into(),
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
struct Screen {
    app: App,
    source: Made,
    terminal: Terminal<TestBackend>,
}

impl Screen {
    fn new(source: Made, growth: Growth, (width, height): (u16, u16)) -> Self {
        let times = source.times(&Selection::default()).unwrap();
        let app = App::new("web-3  rec".into(), times, growth, LocalClock::utc());
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut screen = Self { app, source, terminal };
        screen.settle();
        screen
    }

    fn settle(&mut self) {
        while let Some(wanted) = self.app.wanted() {
            self.app.loaded(self.source.load(&wanted).unwrap());
        }
        self.terminal.draw(|frame| draw(&mut self.app, frame)).unwrap();
    }

    fn press(&mut self, keys: &str) {
        keys.chars().for_each(|key| self.key(KeyCode::Char(key)));
    }

    fn key(&mut self, code: KeyCode) {
        self.app.press(KeyEvent::new(code, KeyModifiers::NONE));
        self.settle();
    }

    fn text(&self) -> String {
        let buffer = self.terminal.backend().buffer();
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..buffer.area.height).map(row).collect::<Vec<_>>().join("\n")
    }

    fn has(&self, text: &str) -> bool {
        self.text().contains(text)
    }
}

fn replay() -> Screen {
    Screen::new(Made::new(60, 0), Growth::Still, (80, 24))
}

#[test]
fn a_moment_fits_80_by_24() {
    let mut screen = replay();
    screen.app.diagnosed(diagnosis());
    screen.settle();
    insta::assert_snapshot!(screen.text());
}

#[test]
fn arrows_move_in_time_and_slash_goes_to_findings() {
    let mut screen = replay();
    assert!(screen.has("12:00:01 UTC  sample 2 of 60"), "the first sample that has rates");
    screen.press("/");
    assert!(screen.has("the diagnosis still runs"));
    screen.app.diagnosed(diagnosis());
    screen.press("/");
    assert!(screen.has("12:00:11 UTC") && screen.has("stream-floods-cache begins here"), "{}", screen.text());
    assert!(screen.has("* cause: stream-floods-cache"));
    screen.press("/");
    assert!(screen.has("12:00:21 UTC") && screen.has("* swap-in-use"), "{}", screen.text());
    screen.press("/");
    assert!(screen.has("12:00:11 UTC"), "from the last on to the first");
    screen.press("\\");
    assert!(screen.has("12:00:21 UTC"));
    screen.key(KeyCode::Left);
    assert!(screen.has("12:00:20 UTC"));
    screen.press("]");
    assert!(screen.has("12:00:59 UTC"), "no further than the end");
    screen.press("[");
    assert!(screen.has("12:00:00 UTC"));
    screen.press("g");
    screen.press("12:00:30");
    screen.key(KeyCode::Enter);
    assert!(screen.has("12:00:30 UTC"));
    screen.press("gsoon");
    screen.key(KeyCode::Enter);
    assert!(screen.has("`soon` is not a time"), "{}", screen.text());
}

#[test]
fn rows_are_sorted_filtered_and_searched() {
    let mut screen = replay();
    let order = |screen: &Screen| {
        let text = screen.text();
        let mut places: Vec<(usize, &str)> =
            ["postgres[", "<img", "esc", "txt"].map(|name| (text.find(name).unwrap_or(usize::MAX), name)).to_vec();
        places.sort_unstable();
        places.into_iter().filter(|place| place.0 < usize::MAX).map(|place| place.1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order(&screen), "postgres[ <img esc txt");
    screen.press("r");
    assert_eq!(order(&screen), "txt esc <img postgres[");
    screen.press("<<");
    assert!(screen.has("*name"), "{}", screen.text());
    screen.press("r>>>>");
    assert!(screen.has("*majflt/s"), "{}", screen.text());
    screen.press("fpost");
    screen.key(KeyCode::Enter);
    assert_eq!(order(&screen), "postgres[");
    assert!(screen.has("with \"post\""));
    screen.key(KeyCode::Esc);
    assert_eq!(order(&screen), "postgres[ <img esc txt");
    screen.press("sesc");
    screen.key(KeyCode::Enter);
    assert!(!screen.app.quits());
    screen.press("snobody");
    screen.key(KeyCode::Enter);
    assert!(screen.has("no name has nobody"));
}

#[test]
fn groups_fold_and_zoom() {
    let mut screen = replay();
    screen.press("2");
    assert!(screen.has("  /db.service") && screen.has("/user.slice"), "{}", screen.text());
    screen.key(KeyCode::Enter);
    assert!(screen.has("/system.slice (+2)") && !screen.has("/db.service"));
    screen.key(KeyCode::Enter);
    screen.press("z");
    assert!(screen.has("/db.service") && !screen.has("/user.slice"), "{}", screen.text());
    screen.key(KeyCode::Esc);
    assert!(screen.has("/user.slice"));
}

#[test]
fn a_group_zooms_to_its_processes() {
    let mut screen = replay();
    screen.press("2z");
    assert!(screen.has("a recording does not hold which processes a group has"), "{}", screen.text());
    let mut screen = Screen::new(Made::new(30, 0), Growth::Grows, (80, 24));
    screen.app = screen.app.with_members();
    screen.press("2z");
    assert!(screen.has("1 PROCESSES") && screen.has("of /system.slice, 0"), "{}", screen.text());
    assert_eq!(screen.app.wanted_members(), Some("/system.slice"));
    screen.app.members("/user.slice", Some(vec![101]));
    assert_eq!(screen.app.wanted_members(), Some("/system.slice"), "an answer for a group of before");
    screen.app.members("/system.slice", Some(vec![4, 100, 102]));
    screen.settle();
    assert!(screen.has("postgres[100]") && screen.has("[102]") && !screen.has("<img"), "{}", screen.text());
    assert_eq!(screen.app.wanted_members(), None);
    screen.source = Made::new(32, 0);
    let later = screen.app.later().unwrap();
    screen.app.grown(screen.source.times(&later).unwrap());
    screen.settle();
    assert_eq!(screen.app.wanted_members(), Some("/system.slice"), "processes come and go");
    screen.app.members("/system.slice", None);
    screen.settle();
    assert!(screen.has("the group /system.slice is gone") && screen.has("<img"), "{}", screen.text());
    screen.press("2");
    assert!(!screen.has("/user.slice"), "the pane of groups still shows one");
    screen.key(KeyCode::Esc);
    assert!(screen.has("/user.slice"));
}

#[test]
fn another_pane_opens_before_its_samples_are_loaded() {
    let mut screen = Screen::new(Made::new(30, 0), Growth::Grows, (120, 40));
    let later = screen.app.later().unwrap();
    screen.app.grown(Made::new(40, 0).times(&later).unwrap());
    for pane in "23451".chars() {
        screen.app.press(KeyEvent::new(KeyCode::Char(pane), KeyModifiers::NONE));
        screen.terminal.draw(|frame| draw(&mut screen.app, frame)).unwrap();
    }
    assert!(screen.has("loading"), "{}", screen.text());
}

#[test]
fn every_pane_and_the_help_are_drawn() {
    let mut screen = replay();
    screen.app.diagnosed(diagnosis());
    screen.press("5");
    insta::assert_snapshot!("findings", screen.text());
    screen.press("?");
    insta::assert_snapshot!("help", screen.text());
    screen.press("x");
    for (pane, name) in [("1", "PROCESSES"), ("2", "GROUPS"), ("3", "DISKS"), ("4", "ZONES")] {
        screen.press(pane);
        assert!(screen.has(name));
    }
    screen.press("q");
    assert!(screen.app.quits());
}

#[test]
fn what_grows_is_followed_until_the_user_looks_back() {
    let mut screen = Screen::new(Made::new(30, 0), Growth::Grows, (120, 40));
    assert!(screen.has("12:00:29 UTC  live"), "{}", screen.text());
    let more = |screen: &mut Screen, samples: i64| {
        screen.source = Made::new(samples, 0);
        let later = screen.app.later().unwrap();
        screen.app.grown(screen.source.times(&later).unwrap());
        screen.settle();
    };
    more(&mut screen, 32);
    assert!(screen.has("12:00:31 UTC  live"), "{}", screen.text());
    screen.key(KeyCode::Left);
    more(&mut screen, 35);
    assert!(screen.has("12:00:30 UTC  paused, 4 samples back"), "{}", screen.text());
    screen.press(" ");
    assert!(screen.has("12:00:34 UTC  live"));
}

#[test]
fn the_oldest_samples_of_a_window_go() {
    let mut screen = Screen::new(Made::new(30, 0), Growth::Window, (80, 24));
    screen.key(KeyCode::Home);
    assert!(screen.has("12:00:00 UTC  paused"));
    screen.source.samples.drain(..10);
    screen.app.grown(screen.source.times(&Selection::default()).unwrap());
    screen.settle();
    assert!(screen.has("12:00:10 UTC  paused, 19 samples back"), "{}", screen.text());
    let empty = Made::new(0, 0);
    let mut screen = Screen::new(empty, Growth::Window, (80, 24));
    screen.press("/\\[]gf ");
    screen.source = Made::new(3, 0);
    screen.app.grown(screen.source.times(&Selection::default()).unwrap());
    screen.settle();
    assert!(screen.has("12:00:02 UTC  live"), "{}", screen.text());
}

#[test]
fn hostile_names_and_many_groups_only_show() {
    let mut screen = Screen::new(Made::new(3, 10_000), Growth::Still, (80, 24));
    let text = screen.text();
    assert!(text.contains(r"\x1b[2Jesc\x07[102]") && text.contains(r"\u{202e}txt.exe"), "{text}");
    assert!(!text.contains('\x1b') && !text.contains('\u{202e}'));
    screen.press("2");
    assert!(screen.has("10004 by current"), "{}", screen.text());
    screen.key(KeyCode::PageDown);
}

#[test]
fn any_size_of_the_screen_is_drawn() {
    for (width, height) in [(1, 1), (39, 24), (40, 16), (80, 15), (200, 60), (500, 20)] {
        let mut screen = Screen::new(Made::new(3, 0), Growth::Still, (width, height));
        screen.app.diagnosed(diagnosis());
        for pane in ["1", "2", "3", "4", "5", "?", "x", "f"] {
            screen.press(pane);
        }
    }
    let screen = Screen::new(Made::new(3, 0), Growth::Still, (39, 24));
    assert!(screen.has("39 x 24 is too small"));
}
