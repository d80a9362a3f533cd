//! What `reproduce --keep` measured, in a file next to the recording.

use crate::{recordings, reports};
use pagetide_core::{Diagnosis, Document, Error, MeasuredEffects};
use std::path::{Path, PathBuf};

/// The file of a recording: its name with an ending, in the folder that the recording is in.
pub(crate) fn file_of(recording: &Path) -> Result<PathBuf, Error> {
    let whole = recording.canonicalize().map_err(|error| Error::unreadable(recording, &error, "name a recording"))?;
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
    Ok(whole.with_file_name(format!("{name}.reproduction.json")))
}

/// Writes what was measured.
pub(crate) fn write(file: &Path, measured: &MeasuredEffects) -> Result<(), Error> {
    let line = Document::new(measured).to_line().map_err(|error| Error::system(format!("JSON: {error}"), ""))?;
    reports::write_file(file, line.as_bytes())
}

/// What was measured for the incident of a diagnosis; none if it was not kept or belongs to another incident.
pub(crate) fn read(recording: &Path, diagnosis: &Diagnosis) -> Result<Option<MeasuredEffects>, Error> {
    let file = file_of(recording)?;
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return Ok(None) };
    let name = name.to_string_lossy();
    // It has commands for people to run, so a file of another user is not read.
    let Some(text) = recordings::own_file_of(folder, &name, MeasuredEffects::LARGEST_FILE)? else { return Ok(None) };
    let measured: MeasuredEffects = serde_json::from_slice(&text).map_err(|error| {
        Error::input(format!("{}: {error}", file.display()), "remove it, or run `pagetide reproduce --keep` again")
    })?;
    Ok(Some(measured).filter(|measured| measured.is_of(diagnosis)))
}
