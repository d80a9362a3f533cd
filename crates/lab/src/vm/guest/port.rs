//! The guest's end of the virtio serial port.

use super::wait::wait_for;
use crate::vm::wire::{Message, PlainSample, frame};
use pagetide_core::{Error, Manifest, Mark, Sample, Schema, SchemaCursor, SchemaGrowth, Sink};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Time between two heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// The port; clones share it.
#[derive(Debug, Clone)]
pub(super) struct Port {
    file: Arc<Mutex<File>>,
}

impl Port {
    /// Opens the port by its name (`drivers/char/virtio_console.c`).
    pub(super) fn open() -> Result<Self, Error> {
        let device = wait_for(|| {
            fs::read_dir("/sys/class/virtio-ports").ok()?.flatten().find_map(|entry| {
                let name = fs::read_to_string(entry.path().join("name")).ok()?;
                (name.trim() == crate::vm::qemu::PORT).then(|| entry.file_name())
            })
        });
        let device =
            device.ok_or_else(|| Error::system("the guest has no virtio serial port", "use Debian's kernel"))?;
        let path = std::path::Path::new("/dev").join(device);
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(|error| Error::system(format!("{}: {error}", path.display()), ""))?;
        Ok(Self { file: Arc::new(Mutex::new(file)) })
    }

    /// Sends a message.
    pub(super) fn send(&self, message: &Message) -> Result<(), Error> {
        let bytes = frame(message).map_err(|why| Error::system(format!("cannot send: {why}"), ""))?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&bytes).map_err(|error| Error::system(format!("the port is closed: {error}"), ""))
    }

    /// Sends a heartbeat every second from now on.
    pub(super) fn keep_alive(&self) {
        let port = self.clone();
        let beat = move || {
            while port.send(&Message::Alive).is_ok() {
                std::thread::sleep(HEARTBEAT);
            }
        };
        // If the thread does not start, the monitor reports a hang.
        let _ = std::thread::Builder::new().name("pagetide-alive".into()).spawn(beat);
    }

    /// Waits until everything was sent: a write to the port returns once the host has it.
    pub(super) fn drain(&self) -> Result<(), Error> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.flush().map_err(|error| Error::system(format!("the port is closed: {error}"), ""))
    }

    /// A sink that sends the recording.
    pub(super) fn sink(&self) -> PortSink {
        PortSink { port: self.clone(), sent: SchemaCursor::default() }
    }
}

/// Sends a recording.
#[derive(Debug)]
pub(super) struct PortSink {
    port: Port,
    sent: SchemaCursor,
}

impl Sink for PortSink {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.port.send(&Message::Begin(Box::new(manifest.clone())))
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Error> {
        let mut growth = SchemaGrowth::default();
        self.sent.collect(schema, &mut growth);
        if !growth.is_empty() {
            self.port.send(&Message::Grow(growth))?;
        }
        self.port.send(&Message::Sample(PlainSample::from(sample)))
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        self.port.send(&Message::Mark(Box::new(mark.clone())))
    }

    fn finish(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.port.send(&Message::Finish(Box::new(manifest.clone())))
    }
}
