//! The terminal: events in, screens out.

use crate::app::{App, Growth};
use crate::draw::draw;
use crate::feed::{Answer, Feed, Request, SharedSource, ThisHost};
use crossterm::event::{self, Event};
use crossterm::execute;
use crossterm::style::Print;
use pagetide_core::{Error, LocalClock, Selection};
use std::io;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What is shown, and how.
pub struct Options {
    /// What is shown, for people.
    pub title: String,
    /// How the source changes.
    pub growth: Growth,
    /// Time between two looks at a source that grows.
    pub every: Duration,
    /// The clock of the times shown.
    pub clock: LocalClock,
    /// Whether clicks and the wheel are for the program; the terminal's own selection then needs Shift.
    pub mouse: bool,
    /// What the live host knows besides its samples; absent for another source.
    pub host: Option<ThisHost>,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("title", &self.title).field("growth", &self.growth).finish_non_exhaustive()
    }
}

/// The longest wait for a key, so that what was loaded shows soon.
const TICK: Duration = Duration::from_millis(100);

/// Shows a source on the terminal of this process until the user quits or `stopped` says so.
///
/// # Errors
/// When the source has no samples and will get none, or cannot be read at the start, or the terminal refuses.
pub fn run(source: SharedSource, options: Options, stopped: &dyn Fn() -> bool) -> Result<(), Error> {
    let times = source.times(&Selection::default())?;
    if times.stamps().is_empty() && options.growth == Growth::Still {
        return Err(Error::input("the recording has no samples", "record for at least two intervals"));
    }
    let Options { title, growth, every, clock, mouse, host } = options;
    let mut app = App::new(title, times, growth, clock);
    if host.is_some() {
        app = app.of_this_host();
    }
    let mut feed = Feed::start(&source, growth, host)?;
    let mut terminal = ratatui::try_init().map_err(|error| refused(&error))?;
    let mouse = mouse.then(Mouse::taken);
    let shown = show(&mut app, &mut feed, &mut terminal, every, stopped);
    drop(mouse);
    if ratatui::try_restore().is_err() {
        // The terminal was closed. Dropped, ratatui would print that it cannot show the cursor there, which panics.
        std::mem::forget(terminal);
    }
    shown.map_err(|error| refused(&error))
}

/// Reports clicks and the wheel, but not moves: each would cost bytes on a slow line.
struct Mouse;

impl Mouse {
    /// xterm's mode 1000 (clicks and wheel) with coordinates of mode 1006. A terminal without them ignores it.
    fn taken() -> Self {
        let _ = execute!(io::stdout(), Print("\x1b[?1000h\x1b[?1006h"));
        Self
    }
}

impl Drop for Mouse {
    fn drop(&mut self) {
        // The terminal may be closed.
        let _ = execute!(io::stdout(), Print("\x1b[?1006l\x1b[?1000l"));
    }
}

fn refused(error: &io::Error) -> Error {
    Error::system(format!("the terminal refuses: {error}"), "run it on a terminal; `pagetide show` prints tables")
}

fn show(
    app: &mut App,
    feed: &mut Feed,
    terminal: &mut ratatui::DefaultTerminal,
    every: Duration,
    stopped: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut looked = Instant::now();
    let mut changed = true;
    while !app.quits() && !stopped() {
        while let Some(answer) = feed.answer() {
            changed = true;
            take(app, answer);
        }
        if looked.elapsed() >= every
            && let Some(later) = app.later()
        {
            looked = Instant::now();
            feed.request(Request::Times(later));
        }
        if let Some(wanted) = app.wanted() {
            feed.request(Request::Block(wanted));
        }
        if let Some(group) = app.wanted_members() {
            feed.request(Request::Members(group.to_owned()));
        }
        if let Some(process) = app.wanted_command_line() {
            feed.request(Request::CommandLine(process.to_owned()));
        }
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        changed |= app.at_time(i64::try_from(wall.as_nanos()).unwrap_or(i64::MAX), every);
        if std::mem::take(&mut changed) {
            terminal.draw(|frame| draw(app, frame))?;
        }
        // What was asked for a moment ago is here soon.
        let wait = if feed.waits == [false; 4] { TICK } else { TICK / 5 };
        if event::poll(wait)? {
            match event::read()? {
                Event::Key(key) => app.press(key),
                Event::Mouse(event) => app.point(event),
                Event::Resize(..) => {}
                _ => continue,
            }
            changed = true;
        }
    }
    Ok(())
}

fn take(app: &mut App, answer: Answer) {
    match answer {
        Answer::Block(Ok(recording)) => app.loaded(recording),
        Answer::Times(Ok(times)) => app.grown(times),
        Answer::Members(group, pids) => app.members(&group, pids),
        Answer::CommandLine(process, words) => app.command_line(process, words),
        Answer::Diagnosis(Ok(diagnosis)) => app.diagnosed(diagnosis),
        Answer::Block(Err(error)) | Answer::Times(Err(error)) | Answer::Diagnosis(Err(error)) => {
            app.show_note(error.to_string());
        }
    }
}
