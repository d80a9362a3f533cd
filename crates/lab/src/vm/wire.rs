//! The guest's messages to the backend, and their format: frames over a virtio serial port.
//!
//! A frame is the length of its body (u32, little endian), the body's CRC-32, and the body: one [`Message`] as JSON. The port loses nothing
//! while both ends live, so a wrong checksum means that something else wrote to it, and ends the run.

use pagetide_core::{
    BackendRun, DeviceChange, EntityId, Error, ErrorKind, Manifest, Mark, Nanos, Sample, Scenario, SchemaGrowth, Stamp,
    Table,
};
use serde::{Deserialize, Serialize};

/// The guest's job, a file in its initramfs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Job {
    /// The scaled scenario; `None` for a probe, which only reports that it has booted.
    pub scenario: Option<Scenario>,
    /// The seed of the run.
    pub seed: u64,
    /// Time between samples.
    pub interval: Nanos,
    /// Whether to record as a flight recorder does.
    pub as_host: bool,
    /// The path of each module, in load order.
    pub modules: Vec<String>,
    /// Commands that run alongside the steps, each as its words.
    pub alongside: Vec<Vec<String>>,
    /// Whether to wait until they end by themselves.
    pub alongside_to_end: bool,
}

/// A message of a guest.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Message {
    /// It has booted, this long after its kernel started.
    Up { uptime: Nanos },
    /// A heartbeat.
    Alive,
    /// The recording begins.
    Begin(Box<Manifest>),
    /// The schema has more columns and entities from now on.
    Grow(SchemaGrowth),
    /// A sample.
    Sample(PlainSample),
    /// A mark.
    Mark(Box<Mark>),
    /// The recording ends.
    Finish(Box<Manifest>),
    /// As `Progress::step`.
    Step { number: usize, of: usize, id: String, title: String },
    /// As `Progress::update`.
    Update { fraction: Option<f64>, left: Option<Nanos>, note: String },
    /// As `Progress::step_done`.
    StepDone { note: String },
    /// As `Progress::say`.
    Say { line: String },
    /// The preparation is over: from now on the disks have the scenario's limits. The VM itself adds `vm_latency` to a request, which is subtracted
    /// from the latency of the disk.
    StartDisks { vm_latency: Nanos },
    /// A disk changes to this.
    Device(DeviceChange),
    /// A file for the run folder, such as fio's own result.
    File { name: String, text: String },
    /// A part of a file that a command alongside the steps has left, in order: its path below their folder, and bytes in hexadecimal.
    Part { path: String, hex: String },
    /// All steps are done.
    End(Box<BackendRun>),
    /// The guest cannot continue.
    Refused { system: bool, what: String, hint: String },
}

/// A sample in a message: the rows of each table.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlainSample {
    stamp: Stamp,
    tables: Vec<(Table, Vec<Row>)>,
}

/// A row of a table: its entity and its values.
type Row = (EntityId, Vec<Option<i64>>);

impl From<&Sample> for PlainSample {
    fn from(sample: &Sample) -> Self {
        let tables = sample.tables().map(|rows| {
            let rows_of = rows.rows().map(|(entity, values)| (entity, values.to_vec())).collect();
            (rows.table(), rows_of)
        });
        Self { stamp: sample.stamp, tables: tables.collect() }
    }
}

impl PlainSample {
    /// Copies it into `sample`.
    pub(super) fn fill(&self, sample: &mut Sample) {
        sample.clear();
        sample.stamp = self.stamp;
        for (table, rows) in &self.tables {
            for (entity, values) in rows {
                sample.row(*table, *entity, values.len())[..values.len()].copy_from_slice(values);
            }
        }
    }
}

impl From<Error> for Message {
    fn from(error: Error) -> Self {
        Self::Refused { system: error.kind != ErrorKind::Input, what: error.what, hint: error.hint }
    }
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|half| char::from(DIGITS[usize::from(half)])).collect()
}

/// Parses hexadecimal digits.
pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
    if rest.is_empty() { bytes } else { None }
}

/// A message as a frame.
pub(super) fn frame(message: &Message) -> Result<Vec<u8>, String> {
    let body = serde_json::to_vec(message).map_err(|error| error.to_string())?;
    let length =
        u32::try_from(body.len()).ok().filter(|length| *length <= MAX_MESSAGE_BYTES).ok_or("too large a message")?;
    let mut frame = Vec::with_capacity(8 + body.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    frame.extend_from_slice(&body);
    Ok(frame)
}

/// Largest message. Samples take some kilobytes, fio's results some hundred.
const MAX_MESSAGE_BYTES: u32 = 64 << 20;

/// Splits a stream of bytes into frames.
#[derive(Debug, Default)]
pub(super) struct Frames {
    waiting: Vec<u8>,
}

impl Frames {
    /// Adds bytes that have arrived.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
    }

    /// The next complete message, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<Message>, String> {
        let Some((head, rest)) = self.waiting.split_at_checked(8) else { return Ok(None) };
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (length, checksum) = (word(0), word(4));
        if length > MAX_MESSAGE_BYTES {
            return Err(format!("a message of {length} bytes is too large"));
        }
        let Some(body) = rest.get(..length as usize) else { return Ok(None) };
        if crc32fast::hash(body) != checksum {
            return Err("a message has a wrong checksum".to_owned());
        }
        let message = serde_json::from_slice(body).map_err(|error| format!("cannot read a message: {error}"))?;
        self.waiting.drain(..8 + length as usize);
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Entity, Schema, SchemaCursor};

    #[test]
    fn samples_and_schema_arrive_unchanged_in_pieces_of_any_size() {
        let mut schema = Schema::default();
        let (mut sent_schema, mut wire) = (SchemaCursor::default(), Vec::new());
        let mut sent = Vec::new();
        for at in 0..4u32 {
            schema.column(Table::Disk, &format!("c{at}"));
            schema.push_entity(Table::Disk, Entity::new(format!("d{at}"), "d"));
            let mut sample = Sample::default();
            sample.stamp = Stamp { wall_ns: 1, mono_ns: 2, boot_ns: i64::from(at) };
            sample.row(Table::Disk, EntityId(at), at as usize + 1)[at as usize] = Some(-5);
            let mut growth = SchemaGrowth::default();
            sent_schema.collect(&schema, &mut growth);
            wire.extend(frame(&Message::Grow(growth)).unwrap());
            wire.extend(frame(&Message::Sample(PlainSample::from(&sample))).unwrap());
            sent.push((schema.clone(), sample));
        }
        for size in [1, 7, 4096] {
            let (mut frames, mut schema, mut got) = (Frames::default(), Schema::default(), Vec::new());
            for piece in wire.chunks(size) {
                frames.feed(piece);
                while let Some(message) = frames.next().unwrap() {
                    match message {
                        Message::Grow(mut growth) => growth.apply(&mut schema),
                        Message::Sample(plain) => {
                            let mut sample = Sample::default();
                            plain.fill(&mut sample);
                            got.push((schema.clone(), sample));
                        }
                        other => panic!("{other:?}"),
                    }
                }
            }
            assert_eq!(got, sent);
        }
    }

    #[test]
    fn damaged_frames_are_errors() {
        let mut bytes = frame(&Message::Alive).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        let mut frames = Frames::default();
        frames.feed(&bytes);
        assert!(frames.next().unwrap_err().contains("checksum"));
        let mut frames = Frames::default();
        frames.feed(b"Kernel panic - not syncing");
        assert!(frames.next().is_err());
    }
}
