//! Sends the progress of the run to the host.

use super::port::Port;
use crate::vm::wire::Message;
use pagetide_core::{Nanos, Progress};
use std::fs;
use std::path::PathBuf;

/// Sends the progress of the run, and the files that fio leaves.
pub(super) struct GuestProgress<'a> {
    pub(super) port: &'a Port,
    pub(super) results: PathBuf,
}

impl GuestProgress<'_> {
    /// Sends a message. If the port is closed, the host has ended the run, and QEMU ends too.
    fn send(&self, message: &Message) {
        let _ = self.port.send(message);
    }

    /// Sends new files and deletes them: they take memory.
    fn send_files(&self) {
        for entry in fs::read_dir(&self.results).into_iter().flatten().flatten() {
            if let Ok(text) = fs::read_to_string(entry.path()) {
                self.send(&Message::File { name: entry.file_name().to_string_lossy().into_owned(), text });
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Progress for GuestProgress<'_> {
    fn step(&mut self, number: usize, of: usize, id: &str, title: &str) {
        self.send(&Message::Step { number, of, id: id.into(), title: title.into() });
    }

    fn update(&mut self, fraction: Option<f64>, left: Option<Nanos>, note: &str) {
        self.send(&Message::Update { fraction, left, note: note.into() });
    }

    fn step_done(&mut self, note: &str) {
        self.send_files();
        self.send(&Message::StepDone { note: note.into() });
    }

    fn say(&mut self, line: &str) {
        self.send(&Message::Say { line: line.into() });
    }

    /// Never here: the host stops a guest by ending its QEMU.
    fn interrupted(&self) -> bool {
        false
    }
}
