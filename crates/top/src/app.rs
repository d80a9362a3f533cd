//! All that the terminal UI knows, and what keys change.

use crate::entries::{self, Entry, Order, Row};
use crate::findings;
use crate::host::{self, Host};
use crate::prompt::{Prompt, Purpose, Typed};
use crate::targets::{Target, Targets};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use pagetide_core::{Actor, Diagnosis, LocalClock, Recording, RecordingBuilder, Selection, Stamp, Table, printable};
use pagetide_view::show::{Heading, Topic};
use std::collections::BTreeSet;
use std::time::Duration;

/// The headings of a pane.
fn headings(pane: Pane) -> Vec<Heading> {
    pane.topic().map(entries::headings).unwrap_or_default()
}

/// Whether a row of a pane is of a culprit or a victim.
fn is_actor(entry: &Entry, actor: &Actor, pane: Pane) -> bool {
    match (pane, actor) {
        (Pane::Processes, Actor::Process { command, pid } | Actor::KernelThread { command, pid }) => match pid {
            Some(pid) => entry.path.split('@').next() == Some(pid.to_string().as_str()),
            None => entry.name.rsplit_once('[').is_some_and(|(name, _)| name == printable(command)),
        },
        (Pane::Groups, Actor::Group { path }) => entry.path == printable(path),
        (Pane::Disks, Actor::Disk { name }) => entry.path == printable(name),
        _ => false,
    }
}

/// The columns by which a letter sorts, the first that the pane has.
const SORT_LETTERS: [(char, &[&str]); 7] = [
    ('C', &["cpu", "cpus"]),
    ('M', &["rss", "current"]),
    ('L', &["lost", "io-some%"]),
    ('R', &["read/s", "refault/s"]),
    ('W', &["write/s", "writeback"]),
    ('F', &["majflt/s"]),
    ('U', &["util"]),
];

/// How a source changes while it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// Not at all: a recording that has ended.
    Still,
    /// A recorder appends samples.
    Grows,
    /// New samples come, and the oldest go.
    Window,
}

/// What the lower part shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// Processes.
    Processes,
    /// Control groups, as a tree.
    Groups,
    /// Disks.
    Disks,
    /// Memory zones with their watermarks.
    Zones,
    /// What the rules found.
    Findings,
}

impl Pane {
    /// All of them, in the order of their number keys.
    pub const ALL: [Self; 5] = [Self::Processes, Self::Groups, Self::Disks, Self::Zones, Self::Findings];

    /// Its title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Groups => "groups",
            Self::Disks => "disks",
            Self::Zones => "zones",
            Self::Findings => "findings",
        }
    }

    /// The table that it shows; absent for findings.
    pub(crate) const fn topic(self) -> Option<Topic> {
        match self {
            Self::Processes => Some(Topic::Processes),
            Self::Groups => Some(Topic::Cgroups),
            Self::Disks => Some(Topic::Disk),
            Self::Zones => Some(Topic::Zones),
            Self::Findings => None,
        }
    }

    /// The column by which its rows are sorted at first.
    const fn first_column(self) -> &'static str {
        match self {
            Self::Processes => "rss",
            Self::Groups => "current",
            Self::Disks => "util",
            Self::Zones | Self::Findings => "",
        }
    }
}

/// The state of a pane.
#[derive(Debug, Clone)]
pub(crate) struct PaneState {
    pub(crate) order: Order,
    /// The recorded name of the selected row; the first row when it is not there.
    pub(crate) selected: Option<String>,
    /// Lines scrolled, in the pane of findings.
    pub(crate) scroll: usize,
}

/// Samples that were loaded around the moment shown.
#[derive(Debug)]
struct Block {
    recording: Recording,
    /// Which samples, by their place in the times.
    first: Stamp,
    last: Stamp,
}

/// What is computed for the moment shown.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    pub(crate) host: Host,
    pub(crate) disks: Vec<Row>,
    /// Of the present pane, before they are sorted and filtered.
    pub(crate) entries: Vec<Entry>,
    /// Of the present pane.
    pub(crate) rows: Vec<Row>,
    /// Whether it is of the moment, and not of one shown before that stays until samples are loaded.
    pub(crate) current: bool,
}

/// Samples before the moment shown that are loaded with it, and behind it: steps in time need no load for a while.
const LOADED_SAMPLES: usize = 30;
/// Intervals without a sample after which a source that should grow is said to be silent.
const MISSED_INTERVALS: u32 = 3;
/// Samples before it that are needed at least, for rates of what is not in every sample.
const RATE_SAMPLES: usize = 2;

/// A group whose processes are shown.
#[derive(Debug)]
pub(crate) struct ZoomedGroup {
    pub(crate) path: String,
    /// The ids of its processes; absent until they are known.
    members: Option<BTreeSet<u32>>,
    /// Whether they are of the newest sample.
    current: bool,
}

/// All that the terminal UI knows.
#[derive(Debug)]
pub struct App {
    pub(crate) clock: LocalClock,
    pub(crate) growth: Growth,
    /// Whether the host itself can be asked: which processes a group has now, and what a process was started with.
    is_this_host: bool,
    /// The command line of a process, by its recorded name, as it was asked for last.
    command_line: Option<(String, Option<String>)>,
    /// The pane of processes shows only those of this group.
    pub(crate) group: Option<ZoomedGroup>,
    /// What is shown, for people: a host's name, and where its samples come from.
    pub(crate) title: String,
    /// Times and marks of the source, and no values.
    pub(crate) times: Recording,
    /// The sample that is shown.
    pub(crate) at: usize,
    /// Whether the newest sample is shown as it comes.
    pub(crate) follows: bool,
    /// How old the newest sample is, where the next ones should have come.
    pub(crate) silent: Option<Duration>,
    block: Option<Block>,
    pub(crate) shown: Shown,
    pub(crate) diagnosis: Option<Diagnosis>,
    pub(crate) pane: Pane,
    panes: [PaneState; Pane::ALL.len()],
    pub(crate) prompt: Option<Prompt>,
    pub(crate) searched: String,
    pub(crate) help: bool,
    /// A message shown until the next key.
    pub(crate) note: Option<String>,
    pub(crate) quit: bool,
    /// Rows of the pane that the screen has room for, for whole pages.
    pub(crate) page: usize,
    /// What a click means, as it was drawn last.
    pub(crate) targets: Targets,
}

impl App {
    /// Shows a source whose times are these: the first sample of a recording that has ended, the last of one that grows.
    pub fn new(title: String, times: Recording, growth: Growth, clock: LocalClock) -> Self {
        let follows = growth != Growth::Still;
        let panes = Pane::ALL.map(|pane| PaneState {
            order: Order {
                column: headings(pane).iter().position(|heading| heading.name == pane.first_column()),
                ascending: false,
                filter: String::new(),
                folded: BTreeSet::new(),
                zoom: None,
            },
            selected: None,
            scroll: 0,
        });
        // A rate needs a sample before.
        let last = times.stamps().len().saturating_sub(1);
        let at = if follows { last } else { last.min(1) };
        Self {
            clock,
            growth,
            is_this_host: false,
            command_line: None,
            group: None,
            title,
            times,
            at,
            follows,
            silent: None,
            block: None,
            shown: Shown::default(),
            diagnosis: None,
            pane: Pane::Processes,
            panes,
            prompt: None,
            searched: String::new(),
            help: false,
            note: None,
            quit: false,
            page: 10,
            targets: Targets::default(),
        }
    }

    /// The same where [`Self::wanted_members`] and [`Self::wanted_command_line`] are answered: the source is this host.
    #[must_use]
    pub fn of_this_host(mut self) -> Self {
        self.is_this_host = true;
        self
    }

    /// The process whose row somebody selected, by its recorded name.
    fn selected_process(&self) -> Option<&str> {
        self.state().selected.as_deref().filter(|_| self.pane == Pane::Processes)
    }

    /// The process, by its recorded name, whose command line is to be found out; absent when it is known.
    pub fn wanted_command_line(&self) -> Option<&str> {
        let known = self.command_line.as_ref().map(|(process, _)| process.as_str());
        self.selected_process().filter(|process| self.is_this_host && known != Some(process))
    }

    /// Takes the command line of a process; absent if it has ended or has none.
    pub fn command_line(&mut self, process: String, words: Option<String>) {
        self.command_line = Some((process, words));
    }

    /// The command line of the selected process: from this host, or as recorded.
    pub(crate) fn selected_command_line(&self) -> Option<&str> {
        let selected = self.selected_process()?;
        match &self.command_line {
            Some((process, words)) if process == selected => words.as_deref(),
            _ => self.block.as_ref()?.recording.command_line(selected),
        }
    }

    /// The group, by its recorded name, whose processes are to be found out; absent when they are known.
    pub fn wanted_members(&self) -> Option<&str> {
        self.group.as_ref().filter(|group| !group.current).map(|group| group.path.as_str())
    }

    /// Takes the ids of the processes that a group has now; absent when it is gone.
    pub fn members(&mut self, path: &str, members: Option<Vec<u32>>) {
        let Some(group) = self.group.as_mut().filter(|group| group.path == path) else { return };
        group.current = true;
        match members {
            Some(members) => group.members = Some(members.into_iter().collect()),
            None => {
                self.note = Some(format!("the group {path} is gone"));
                self.group = None;
            }
        }
        self.arrange();
    }

    /// Whether the user wants to leave.
    pub fn quits(&self) -> bool {
        self.quit
    }

    pub(crate) fn state(&self) -> &PaneState {
        &self.panes[self.pane as usize]
    }

    fn state_mut(&mut self) -> &mut PaneState {
        &mut self.panes[self.pane as usize]
    }

    /// The headings of the present pane.
    pub(crate) fn headings(&self) -> Vec<Heading> {
        headings(self.pane)
    }

    /// The sample that is shown; absent while there is none.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        self.times.stamps().get(self.at).copied()
    }

    /// The part of the source that has to be loaded for the moment shown; absent when it is here.
    pub fn wanted(&self) -> Option<Selection> {
        let stamps = self.times.stamps();
        let stamp = self.stamp()?;
        let needed = stamps[self.at.saturating_sub(RATE_SAMPLES)];
        if self.block.as_ref().is_some_and(|block| block.first <= needed && stamp <= block.last) {
            return None;
        }
        // What is followed moves on; of what is replayed the neighbours are wanted soon.
        let (before, behind) = if self.follows { (RATE_SAMPLES, 0) } else { (LOADED_SAMPLES, LOADED_SAMPLES) };
        let first = stamps[self.at.saturating_sub(before)];
        let last = stamps[(self.at + behind).min(stamps.len() - 1)];
        Some(Selection {
            from_wall_ns: Some(first.wall_ns.min(needed.wall_ns)),
            to_wall_ns: Some(last.wall_ns),
            tables: vec![Table::Host, Table::Zone, Table::Disk, Table::Process, Table::Cgroup, Table::Cpu],
            metrics: host::metrics(),
        })
    }

    /// Takes what was loaded for [`Self::wanted`].
    pub fn loaded(&mut self, recording: Recording) {
        let (Some(first), Some(last)) = (recording.stamps().first(), recording.stamps().last()) else { return };
        self.block = Some(Block { first: *first, last: *last, recording });
        if let Some(group) = &mut self.group {
            group.current = false;
        }
        self.compute();
    }

    /// The part of the source whose times are not known yet; absent when it does not grow.
    pub fn later(&self) -> Option<Selection> {
        match self.growth {
            Growth::Still => None,
            Growth::Grows => Some(Selection {
                from_wall_ns: self.times.stamps().last().map(|stamp| stamp.wall_ns.saturating_add(1)),
                ..Selection::default()
            }),
            Growth::Window => Some(Selection::default()),
        }
    }

    /// Takes the times of [`Self::later`]. The moment shown stays the same unless the newest one is followed.
    pub fn grown(&mut self, times: Recording) {
        let shown = self.stamp();
        if self.growth == Growth::Window {
            self.times = times;
        } else {
            let mut all = RecordingBuilder::from(std::mem::take(&mut self.times));
            all.stamps(times.stamps().iter().copied());
            times.marks.into_iter().for_each(|mark| all.mark(mark));
            self.times = all.finish();
        }
        let stamps = self.times.stamps();
        let same = shown.map_or(0, |shown| stamps.partition_point(|stamp| stamp.boot_ns < shown.boot_ns));
        let last = stamps.len().saturating_sub(1);
        self.at = if self.follows { last } else { same.min(last) };
    }

    /// Takes note of the wall clock, ns since 1970-01-01 UTC, where samples of a source that grows should come. Returns whether that changes the
    /// screen.
    pub fn at_time(&mut self, wall_ns: i64, every: Duration) -> bool {
        let age = self.times.stamps().last().map_or(0, |newest| wall_ns.saturating_sub(newest.wall_ns));
        let age = Duration::from_nanos(u64::try_from(age).unwrap_or(0));
        let interval = Duration::from_nanos(self.times.manifest.interval.get()).max(every);
        let silent = self.growth != Growth::Still && age > MISSED_INTERVALS * interval;
        let age = silent.then_some(Duration::from_secs(age.as_secs()));
        std::mem::replace(&mut self.silent, age) != age
    }

    /// Takes what the rules say.
    pub fn diagnosed(&mut self, diagnosis: Diagnosis) {
        self.diagnosis = Some(diagnosis);
    }

    /// Shows a note, until the next key.
    pub fn show_note(&mut self, note: String) {
        self.note = Some(note);
    }

    /// Computes what is shown from what is loaded.
    fn compute(&mut self) {
        let (Some(block), Some(stamp)) = (&self.block, self.stamp()) else { return };
        if stamp < block.first || stamp > block.last {
            self.shown.current = false;
            return;
        }
        let recording = &block.recording;
        let before = recording.stamps().iter().rev().find(|earlier| earlier.boot_ns < stamp.boot_ns);
        let interval = i64::try_from(recording.manifest.interval.get()).unwrap_or(i64::MAX);
        let from = before.map_or(stamp.boot_ns.saturating_sub(interval), |before| before.boot_ns);
        let entries = self.pane.topic().map(|topic| entries::at(recording, topic, stamp)).unwrap_or_default();
        self.shown = Shown {
            host: Host::over(recording, (from, stamp.boot_ns)),
            disks: self.panes[Pane::Disks as usize]
                .order
                .rows(&entries::at(recording, Topic::Disk, stamp).iter().collect::<Vec<_>>(), false),
            entries,
            rows: Vec::new(),
            current: true,
        };
        self.arrange();
    }

    /// Sorts and filters the rows anew.
    fn arrange(&mut self) {
        let group = self.group.as_ref().filter(|_| self.pane == Pane::Processes);
        let is_member = |entry: &&Entry| {
            group.is_none_or(|group| {
                // The recorded name of a process is its id and the time of its start.
                let pid = entry.path.split('@').next().and_then(|pid| pid.parse().ok());
                pid.is_some_and(|pid| group.members.as_ref().is_some_and(|members| members.contains(&pid)))
            })
        };
        let entries: Vec<&Entry> = self.shown.entries.iter().filter(is_member).collect();
        self.shown.rows = self.state().order.rows(&entries, self.pane == Pane::Groups);
    }

    /// The places of the rows that the findings of the moment name as culprits.
    pub(crate) fn culprits(&self) -> Vec<usize> {
        let (Some(diagnosis), Some(stamp)) = (&self.diagnosis, self.stamp()) else { return Vec::new() };
        let culprits = findings::culprits(diagnosis, stamp.boot_ns);
        let place = |actor: &Actor| self.shown.rows.iter().position(|row| is_actor(&row.entry, actor, self.pane));
        culprits.iter().filter_map(place).collect()
    }

    /// The place of the selected row.
    pub(crate) fn selected(&self) -> usize {
        let selected = self.state().selected.as_deref();
        selected.and_then(|name| self.shown.rows.iter().position(|row| row.entry.path == name)).unwrap_or(0)
    }

    fn select(&mut self, place: usize) {
        let last = self.shown.rows.len().saturating_sub(1);
        self.state_mut().selected = self.shown.rows.get(place.min(last)).map(|row| row.entry.path.clone());
    }

    /// Has the findings scrolled by no more lines than this.
    pub(crate) fn limit_scroll(&mut self, most: usize) {
        let state = self.state_mut();
        state.scroll = state.scroll.min(most);
    }

    /// Moves the selection, or scrolls the findings.
    fn step_rows(&mut self, by: isize) {
        if self.pane == Pane::Findings {
            let state = self.state_mut();
            state.scroll = state.scroll.saturating_add_signed(by);
        } else {
            self.select(self.selected().saturating_add_signed(by));
        }
    }

    /// Shows another sample. The newest one of a source that grows is followed.
    fn go(&mut self, at: usize) {
        let last = self.times.stamps().len().saturating_sub(1);
        self.at = at.min(last);
        self.follows = self.growth != Growth::Still && self.at == last;
        self.compute();
    }

    /// Shows the sample that is this many samples later.
    fn step(&mut self, by: isize) {
        self.go(self.at.saturating_add_signed(by));
    }

    /// Shows the first sample at or behind the moment that is this much later.
    fn skip(&mut self, by_ns: i64) {
        let Some(stamp) = self.stamp() else { return };
        let to = stamp.boot_ns.saturating_add(by_ns);
        let at = self.times.stamps().partition_point(|stamp| stamp.boot_ns < to);
        self.go(at);
    }

    /// Shows the onset of the next finding, or of the one before; from the last on the first.
    fn next_finding(&mut self, forward: bool) {
        let Some(diagnosis) = &self.diagnosis else {
            self.note = Some("the diagnosis is still running".to_owned());
            return;
        };
        let stamps = self.times.stamps();
        // A sample covers the time before it: what begins at an onset shows in the sample after it.
        let last = stamps.len().saturating_sub(1);
        let place = |onset: i64| stamps.partition_point(|stamp| stamp.boot_ns <= onset).min(last);
        let found: Vec<(usize, String)> = findings::by_onset(diagnosis)
            .into_iter()
            .map(|finding| (place(finding.range.from.ns()), finding.rule.to_string()))
            .collect();
        let next = if forward {
            found.iter().find(|finding| finding.0 > self.at).or(found.first())
        } else {
            found.iter().rev().find(|finding| finding.0 < self.at).or(found.last())
        };
        match next.cloned() {
            Some((at, rule)) => {
                self.go(at);
                self.note = Some(format!("{rule} begins here"));
            }
            None => self.note = Some("no findings".to_owned()),
        }
    }

    fn go_to_time(&mut self, text: &str) {
        let walls: Vec<i64> = self.times.stamps().iter().map(|stamp| stamp.wall_ns).collect();
        match self.clock.parse(text.trim(), &walls) {
            Ok(wall) => self.go(walls.partition_point(|at| *at < wall)),
            Err(error) => self.note = Some(format!("{} ({})", error.what, error.hint)),
        }
    }

    /// Selects the next row whose name has the searched text.
    fn search(&mut self) {
        let (rows, from) = (&self.shown.rows, self.selected());
        let places = (from + 1..rows.len()).chain(0..=from.min(rows.len().saturating_sub(1)));
        let found = places.filter(|place| rows.get(*place).is_some_and(|row| row.entry.name.contains(&self.searched)));
        match found.into_iter().next() {
            Some(place) => self.select(place),
            None => self.note = Some(format!("no name contains {}", self.searched)),
        }
    }

    /// Sorts by the next column, or by the one before; the names come before the first.
    fn sort(&mut self, by: isize) {
        let columns = self.headings().len() + 1;
        let order = &mut self.state_mut().order;
        let place = order.column.map_or(0, |column| column + 1);
        let next = (place + columns).saturating_add_signed(by) % columns;
        order.column = next.checked_sub(1);
        self.arrange();
    }

    /// Sorts by the column of a letter, the largest first.
    fn sort_by_letter(&mut self, letter: char) {
        let Some((_, names)) = SORT_LETTERS.iter().find(|(known, _)| *known == letter) else { return };
        let headings = self.headings();
        match names.iter().find_map(|name| headings.iter().position(|heading| heading.name == *name)) {
            Some(column) => {
                let order = &mut self.state_mut().order;
                (order.column, order.ascending) = (Some(column), false);
                self.arrange();
            }
            None => self.note = Some(format!("{} have no column for {letter}", self.pane.title())),
        }
    }

    fn open(&mut self, pane: Pane) {
        // The rows of the pane before have other columns, and samples for new ones may not be loaded yet.
        self.shown.entries.clear();
        self.shown.rows.clear();
        self.pane = pane;
        self.compute();
    }

    /// Hides the members of the selected group, or shows them.
    fn fold(&mut self) {
        let Some(name) = self.shown.rows.get(self.selected()).map(|row| row.entry.path.clone()) else { return };
        let folded = &mut self.state_mut().order.folded;
        if !folded.remove(&name) {
            folded.insert(name.clone());
        }
        self.state_mut().selected = Some(name);
        self.arrange();
    }

    /// Shows only the selected group and what is below it, and where they can be known its processes.
    fn zoom(&mut self) {
        let Some(name) = self.shown.rows.get(self.selected()).map(|row| row.entry.path.clone()) else { return };
        self.state_mut().order.zoom = Some(name.clone());
        if self.is_this_host {
            self.group = Some(ZoomedGroup { path: name, members: None, current: false });
            self.open(Pane::Processes);
        } else {
            self.note = Some("recordings do not store which processes are in a group".to_owned());
            self.arrange();
        }
    }

    /// Takes back the filter and the zoom of the pane.
    fn widen(&mut self) {
        if matches!(self.pane, Pane::Processes | Pane::Groups) {
            self.group = None;
        }
        let order = &mut self.state_mut().order;
        order.zoom = None;
        order.filter.clear();
        self.arrange();
    }

    fn finish_prompt(&mut self, Prompt { purpose, text }: Prompt) {
        match purpose {
            Purpose::Filter => {
                self.state_mut().order.filter = text;
                self.arrange();
            }
            Purpose::Search => {
                self.searched = text;
                self.search();
            }
            Purpose::Time => self.go_to_time(&text),
        }
    }

    /// Does what a click or the wheel means.
    pub fn point(&mut self, event: MouseEvent) {
        const WHEEL: isize = 3;
        match event.kind {
            MouseEventKind::ScrollUp => self.step_rows(-WHEEL),
            MouseEventKind::ScrollDown => self.step_rows(WHEEL),
            MouseEventKind::Down(MouseButton::Left) if self.help => self.help = false,
            MouseEventKind::Down(MouseButton::Left) => match self.targets.at(event.column, event.row) {
                Some(Target::Pane(place)) => self.open(Pane::ALL[place]),
                Some(Target::Heading(column)) => self.sort_by(column),
                Some(Target::Row(place)) => self.select(place),
                None => {}
            },
            _ => {}
        }
    }

    /// Sorts by a column; in the other direction when the rows are sorted by it already.
    fn sort_by(&mut self, column: Option<usize>) {
        let order = &mut self.state_mut().order;
        if order.column == column {
            order.ascending = !order.ascending;
        } else {
            order.column = column;
        }
        self.arrange();
    }

    /// Does what a key means.
    pub fn press(&mut self, key: KeyEvent) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        self.note = None;
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('c') {
            self.quit = true;
        } else if let Some(prompt) = &mut self.prompt {
            match prompt.press(key) {
                Typed::More => {}
                Typed::Done => {
                    if let Some(prompt) = self.prompt.take() {
                        self.finish_prompt(prompt);
                    }
                }
                Typed::Dropped => self.prompt = None,
            }
        } else if self.help {
            self.help = false;
        } else {
            self.command(key);
        }
    }

    fn command(&mut self, key: KeyEvent) {
        const MINUTE: i64 = 60_000_000_000;
        let shift = key.modifiers.contains(KeyModifiers::SHIFT);
        let page = isize::try_from(self.page.max(1)).unwrap_or(1);
        let tables = self.pane != Pane::Findings;
        match key.code {
            KeyCode::Char('q') => self.quit = true,
            KeyCode::Char('?' | 'h') | KeyCode::F(1) => self.help = true,
            KeyCode::Left if shift => self.skip(-MINUTE),
            KeyCode::Right if shift => self.skip(MINUTE),
            KeyCode::Left => self.step(-1),
            KeyCode::Right => self.step(1),
            KeyCode::Char('[') => self.skip(-MINUTE),
            KeyCode::Char(']') => self.skip(MINUTE),
            KeyCode::Home => self.go(0),
            KeyCode::End => self.go(usize::MAX),
            KeyCode::Char(' ') if self.growth != Growth::Still => {
                if self.follows {
                    self.follows = false;
                } else {
                    self.go(usize::MAX);
                }
            }
            KeyCode::Up => self.step_rows(-1),
            KeyCode::Down => self.step_rows(1),
            KeyCode::PageUp => self.step_rows(-page),
            KeyCode::PageDown => self.step_rows(page),
            KeyCode::Char('/') => self.next_finding(true),
            KeyCode::Char('\\') => self.next_finding(false),
            KeyCode::Char('g') => self.prompt = Some(Prompt::new(Purpose::Time, "")),
            KeyCode::Char('f') if tables => {
                self.prompt = Some(Prompt::new(Purpose::Filter, &self.state().order.filter));
            }
            KeyCode::Char('s') if tables => self.prompt = Some(Prompt::new(Purpose::Search, "")),
            KeyCode::Char('n') if tables && !self.searched.is_empty() => self.search(),
            KeyCode::Char('<') => self.sort(-1),
            KeyCode::Char('>') => self.sort(1),
            KeyCode::Char(letter @ ('C' | 'M' | 'L' | 'R' | 'W' | 'F' | 'U')) if tables => self.sort_by_letter(letter),
            KeyCode::Char('r') => {
                let order = &mut self.state_mut().order;
                order.ascending = !order.ascending;
                self.arrange();
            }
            KeyCode::Enter if self.pane == Pane::Groups => self.fold(),
            KeyCode::Char('z') if self.pane == Pane::Groups => self.zoom(),
            KeyCode::Esc => self.widen(),
            KeyCode::Tab => self.open(Pane::ALL[(self.pane as usize + 1) % Pane::ALL.len()]),
            KeyCode::BackTab => self.open(Pane::ALL[(self.pane as usize + Pane::ALL.len() - 1) % Pane::ALL.len()]),
            KeyCode::Char(digit @ '1'..='5') => self.open(Pane::ALL[digit as usize - '1' as usize]),
            _ => {}
        }
    }
}
