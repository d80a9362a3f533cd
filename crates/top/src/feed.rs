//! The threads that load and diagnose, so that a slow disk never keeps a key waiting.

use crate::app::Growth;
use pagetide_core::{Diagnosis, Error, LazyRecording, Recording, Selection, Source};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::Builder;
use std::time::Duration;

/// A source that threads may share.
pub(crate) type SharedSource = Arc<dyn Source + Send + Sync>;

/// Finds out something about a group or a process, by its recorded name; nothing when it is gone.
pub type Ask<Answer> = Box<dyn Fn(&str) -> Option<Answer> + Send>;

/// What only the live host knows, and no recording.
pub struct ThisHost {
    /// Gives the ids of the processes that a group has now, by the group's recorded name; nothing when it is gone.
    pub members: Ask<Vec<u32>>,
    /// Gives the command line of a process, by its recorded name; nothing if it has ended or has none.
    pub command_line: Ask<String>,
}

impl std::fmt::Debug for ThisHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ThisHost").finish_non_exhaustive()
    }
}

/// Time between two looks of the rules at a source that grows.
const LOOK_INTERVAL: Duration = Duration::from_nanos(pagetide_diagnose::LOOK_INTERVAL.get());

/// What is to be loaded.
#[derive(Debug)]
pub(crate) enum Request {
    /// Values.
    Block(Selection),
    /// Times and marks.
    Times(Selection),
    /// The processes of a group.
    Members(String),
    /// The command line of a process.
    CommandLine(String),
}

/// What was loaded.
#[derive(Debug)]
pub(crate) enum Answer {
    Block(Result<Recording, Error>),
    Times(Result<Recording, Error>),
    Members(String, Option<Vec<u32>>),
    CommandLine(String, Option<String>),
    Diagnosis(Result<Diagnosis, Error>),
}

/// The threads. They end when this is dropped, or with the process.
#[derive(Debug)]
pub(crate) struct Feed {
    requests: Sender<Request>,
    answers: Receiver<Answer>,
    /// Requests that are not answered yet: of blocks, of times, of members, of command lines.
    pub(crate) waits: [bool; 4],
    /// The diagnosing thread ends with it.
    _alive: Sender<()>,
}

impl Feed {
    pub(crate) fn start(source: &SharedSource, growth: Growth, host: Option<ThisHost>) -> Result<Self, Error> {
        let (requests, requested) = channel();
        let (answered, answers) = channel();
        let (alive, until) = channel();
        let (loading, diagnosing) = (Arc::clone(source), Arc::clone(source));
        let answered_too = answered.clone();
        spawn("load", move || load(&*loading, host.as_ref(), &requested, &answered))?;
        spawn("diagnose", move || diagnose(&*diagnosing, growth, &answered_too, &until))?;
        Ok(Self { requests, answers, waits: [false; 4], _alive: alive })
    }

    /// Requests something unless the same kind is being loaded.
    pub(crate) fn request(&mut self, request: Request) {
        let waits = match request {
            Request::Block(_) => &mut self.waits[0],
            Request::Times(_) => &mut self.waits[1],
            Request::Members(_) => &mut self.waits[2],
            Request::CommandLine(_) => &mut self.waits[3],
        };
        if !std::mem::replace(waits, true) {
            // The thread lives as long as this.
            let _ = self.requests.send(request);
        }
    }

    /// What was loaded since the last call; nothing when nothing was.
    pub(crate) fn answer(&mut self) -> Option<Answer> {
        let answer = match self.answers.try_recv() {
            Ok(answer) => answer,
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => return None,
        };
        match answer {
            Answer::Block(_) => self.waits[0] = false,
            Answer::Times(_) => self.waits[1] = false,
            Answer::Members(..) => self.waits[2] = false,
            Answer::CommandLine(..) => self.waits[3] = false,
            Answer::Diagnosis(_) => {}
        }
        Some(answer)
    }
}

fn load(source: &dyn Source, host: Option<&ThisHost>, requested: &Receiver<Request>, answered: &Sender<Answer>) {
    while let Ok(request) = requested.recv() {
        let answer = match request {
            Request::Block(selection) => Answer::Block(source.load(&selection)),
            Request::Times(selection) => Answer::Times(source.times(&selection)),
            Request::Members(group) => {
                let pids = host.and_then(|host| (host.members)(&group));
                Answer::Members(group, pids)
            }
            Request::CommandLine(process) => {
                let words = host.and_then(|host| (host.command_line)(&process));
                Answer::CommandLine(process, words)
            }
        };
        if answered.send(answer).is_err() {
            return;
        }
    }
}

/// Has the rules look: once at a recording that has ended, again and again at the end of one that grows.
fn diagnose(source: &dyn Source, growth: Growth, answered: &Sender<Answer>, until: &Receiver<()>) {
    // The first samples of this process's own recorder are too few to say anything.
    let first = if growth == Growth::Window { LOOK_INTERVAL / 3 } else { Duration::ZERO };
    if until.recv_timeout(first) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    loop {
        let (samples, diagnosis) =
            look(source, growth).map_or_else(|error| (0, Err(error)), |(samples, it)| (samples, Ok(it)));
        if answered.send(Answer::Diagnosis(diagnosis)).is_err() || growth == Growth::Still {
            return;
        }
        // What it says of too few samples is soon wrong.
        let pause = if samples < pagetide_diagnose::LEAST_SAMPLES { LOOK_INTERVAL / 5 } else { LOOK_INTERVAL };
        if until.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

/// What the rules say, and of how many samples.
fn look(source: &dyn Source, growth: Growth) -> Result<(usize, Diagnosis), Error> {
    let end = match growth {
        Growth::Grows => source.times(&Selection::default())?.stamps().last().map(|stamp| stamp.wall_ns),
        Growth::Still | Growth::Window => None,
    };
    let back = i64::try_from(pagetide_diagnose::LOOK_BACK.get()).unwrap_or(i64::MAX);
    let mut recording = LazyRecording::open(source, end.map(|end| end.saturating_sub(back)), None)?;
    let diagnosis = pagetide_diagnose::diagnose_lazy(&mut recording, &[])?;
    Ok((recording.recording().stamps().len(), diagnosis))
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let spawned = Builder::new().name(name.to_owned()).spawn(run);
    spawned.map(drop).map_err(|error| {
        Error::system(format!("cannot start the thread {name}: {error}"), "raise the limit on processes: ulimit -u")
    })
}
