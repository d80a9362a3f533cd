//! Seals segments in the background, one after the other.

use crate::files::Files;
use crate::layout::{self, Folder, OPEN};
use crate::pyramid;
use crate::retention::Keep;
use crate::seal::seal;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

/// What a sealer works on.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    pub(crate) files: Arc<dyn Files>,
    pub(crate) folder: Folder,
    pub(crate) keep: Keep,
}

/// Seals finished segments while the writer continues.
#[derive(Debug)]
pub(crate) struct Sealer {
    work: Work,
    thread: Option<(Sender<Order>, JoinHandle<()>)>,
}

/// An order to seal every log but the one that is being written.
#[derive(Debug)]
struct Order {
    writing: Option<u64>,
    now_wall_ns: i64,
}

/// The sealing thread's stack, in bytes. With all memory locked, the default of 2 MiB would be resident.
const STACK: usize = 512 << 10;

impl Sealer {
    pub(crate) fn new(work: Work) -> Self {
        Self { work, thread: None }
    }

    /// Seals every log but segment `writing`, soon.
    pub(crate) fn request(&mut self, writing: Option<u64>, now_wall_ns: i64) {
        if self.thread.is_none() {
            let (orders, received) = channel();
            let work = self.work.clone();
            let run = move || work.run(&received);
            // Without a thread the logs stay until the recording ends; nothing is lost.
            self.thread =
                Builder::new().name("seal".into()).stack_size(STACK).spawn(run).ok().map(|thread| (orders, thread));
        }
        if let Some((orders, _)) = &self.thread {
            // If the thread has ended, the logs stay, too.
            let _ = orders.send(Order { writing, now_wall_ns });
        }
    }

    /// Waits for the thread, then seals what is left.
    ///
    /// # Errors
    ///
    /// What failed and where. The log of that segment stays, and readers read it instead.
    pub(crate) fn finish(&mut self, now_wall_ns: i64) -> Result<(), (PathBuf, io::Error)> {
        self.stop();
        self.work.seal_all(&Order { writing: None, now_wall_ns })
    }

    fn stop(&mut self) {
        if let Some((orders, thread)) = self.thread.take() {
            drop(orders);
            let _ = thread.join();
        }
    }
}

impl Drop for Sealer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Work {
    fn run(&self, orders: &Receiver<Order>) {
        while let Ok(order) = orders.recv() {
            // What fails now (a full disk) is tried again with the next segment and at the end, which reports it.
            let _ = self.seal_all(&order);
        }
    }

    fn seal_all(&self, order: &Order) -> Result<(), (PathBuf, io::Error)> {
        let mut outcome = Ok(());
        let logs = self.folder.logs().map_err(|error| (self.folder.full(Path::new(OPEN)), error))?;
        for name in logs.iter().filter(|name| order.writing.is_none_or(|writing| name.number < writing)) {
            match seal(&*self.files, &self.folder, name) {
                // Nothing is lost: readers compute the buckets of a missing file.
                Ok(()) => drop(pyramid::after_seal(&*self.files, &self.folder, name)),
                Err(error) => outcome = outcome.and(Err((self.folder.full(&layout::log(name)), error))),
            }
        }
        let kept = self.keep.apply(&*self.files, &self.folder, order.now_wall_ns);
        outcome.and(kept.map_err(|error| (self.folder.dir().path().to_owned(), error)))
    }
}
