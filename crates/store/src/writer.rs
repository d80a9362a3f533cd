//! Takes samples and writes them to a recording's folder.

use crate::files::{self, Files, Output, System};
use crate::layout::{Folder, SegmentName};
use crate::log::{self, Encoder, Start};
use crate::{FORMAT_VERSION, refuse};
use pagetide_core::{Manifest, Mark, Refusal, Sample, Schema, Sink, Stamp};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes a recording. Give it samples as a [`Sink`].
#[derive(Debug)]
pub struct Writer {
    folder: Folder,
    files: Arc<dyn Files>,
    manifest: Manifest,
    open: Option<OpenLog>,
    next_segment: u64,
    next_sample: u64,
}

/// The log that is being written.
#[derive(Debug)]
struct OpenLog {
    path: PathBuf,
    file: Box<dyn Output>,
    length: u64,
    encoder: Encoder,
    buffer: Vec<u8>,
}

impl Writer {
    /// Starts a recording in `folder`, which is made when it is not there.
    ///
    /// # Errors
    ///
    /// When the folder holds a recording already or cannot be written.
    pub fn create(folder: &Path) -> Result<Self, Refusal> {
        Self::create_on(folder, Arc::new(System))
    }

    pub(crate) fn create_on(path: &Path, files: Arc<dyn Files>) -> Result<Self, Refusal> {
        let folder = Folder::new(path);
        if folder.manifest().exists() {
            return Err(Refusal::input(
                format!("{}: holds a recording already", path.display()),
                "use another folder, or remove this one",
            ));
        }
        files.make_folder(&folder.open()).map_err(|error| refuse::io("make the folder", &folder.open(), &error))?;
        Ok(Self { folder, files, manifest: Manifest::default(), open: None, next_segment: 1, next_sample: 0 })
    }

    fn write_manifest(&mut self, manifest: &Manifest) -> Result<(), Refusal> {
        self.manifest = Manifest { schema_version: FORMAT_VERSION, ..manifest.clone() };
        let mut text = serde_json::to_vec_pretty(&self.manifest).unwrap_or_default();
        text.push(b'\n');
        let path = self.folder.manifest();
        files::replace(&*self.files, &path, &text).map_err(|error| refuse::io("write the manifest", &path, &error))
    }

    /// The open log; a new one when there is none.
    fn log(&mut self, stamp: Stamp) -> Result<&mut OpenLog, Refusal> {
        if self.open.is_none() {
            let path = self.folder.log(&SegmentName::new(self.next_segment, stamp.wall_ns));
            let start = Start { first_sample: self.next_sample, manifest: self.manifest.clone() };
            let log = OpenLog::create(&*self.files, &path, &start)
                .map_err(|error| refuse::io("start a segment", &path, &error))?;
            self.next_segment += 1;
            self.open = Some(log);
        }
        self.open.as_mut().ok_or_else(|| Refusal::system("no open segment", ""))
    }
}

impl OpenLog {
    fn create(files: &dyn Files, path: &Path, start: &Start) -> io::Result<Self> {
        let mut buffer = log::header().to_vec();
        Encoder::start(&mut buffer, 0, start);
        let mut log =
            Self { path: path.to_owned(), file: files.create(path)?, length: 0, encoder: Encoder::new(), buffer };
        match log.append() {
            Ok(()) => Ok(log),
            Err(error) => {
                // Nothing is in it. If it cannot be removed either, readers skip it.
                let _ = files.remove(path);
                Err(error)
            }
        }
    }

    /// Writes what is in the buffer behind what is valid. After an error the next call writes at the same place.
    fn append(&mut self) -> io::Result<()> {
        if let Err(error) = self.file.write_at(&self.buffer, self.length) {
            // A torn record ends the log for every reader, so leaving it is safe; cutting it is tidy.
            let _ = self.file.cut(self.length);
            return Err(error);
        }
        self.length += self.buffer.len() as u64;
        Ok(())
    }
}

impl Sink for Writer {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Refusal> {
        self.write_manifest(manifest)
    }

    fn sample(&mut self, schema: &Schema, sample: &Sample) -> Result<(), Refusal> {
        let log = self.log(sample.stamp)?;
        log.buffer.clear();
        if !log.encoder.sample(&mut log.buffer, log.length, schema, sample) {
            log.encoder.forget();
            let what = format!("{}: a sample of more than 64 MiB was left out", log.path.display());
            return Err(Refusal::system(what, "record fewer processes"));
        }
        if let Err(error) = log.append() {
            log.encoder.forget();
            return Err(refuse::io("write a sample", &log.path, &error));
        }
        self.next_sample += 1;
        Ok(())
    }

    fn mark(&mut self, mark: &Mark) -> Result<(), Refusal> {
        let log = self.log(mark.stamp)?;
        log.buffer.clear();
        Encoder::mark(&mut log.buffer, log.length, mark);
        log.append().map_err(|error| refuse::io("write a mark", &log.path, &error))
    }

    fn finish(&mut self, manifest: &Manifest) -> Result<(), Refusal> {
        if let Some(mut log) = self.open.take() {
            log.file.sync().map_err(|error| refuse::io("finish the segment", &log.path, &error))?;
        }
        self.write_manifest(manifest)
    }
}
