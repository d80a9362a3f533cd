//! Drawing a report: as text on stdout, as one HTML file.

use crate::output::{self, Content};
use crate::recordings;
use clap::builder::{PathBufValueParser, TypedValueParser};
use pagetide_core::{Error, Report, RunResult, Scenario};
use pagetide_view::Page;
use pagetide_view::text::Style;
use std::path::{Path, PathBuf};

/// The scenario that a run's folder holds, not scaled; absent when the folder has lost it.
pub(crate) fn scenario_file(folder: &Path) -> Result<Option<Scenario>, Error> {
    let file = folder.join("scenario.toml").display().to_string();
    let text = recordings::file_of(folder, "scenario.toml", Scenario::LARGEST_FILE)?;
    text.map(|text| Scenario::parse(&String::from_utf8_lossy(&text), &file)).transpose()
}

/// The same at the run's scale.
pub(crate) fn scenario(folder: &Path, run: &RunResult) -> Result<Option<Scenario>, Error> {
    Ok(scenario_file(folder)?.map(|scenario| scenario.scaled(run.scale)))
}

/// Reads an option that names a file to write. Elsewhere `-` is stdout, which already has the text.
pub(crate) fn new_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_str() {
        Some("-") => Err("this is written to a file, not to stdout; ./- is a file of that name"),
        _ => Ok(path),
    })
}

/// Prints a report to stdout.
pub(crate) fn print_text(report: &Report) -> Result<(), Error> {
    print_page(&pagetide_view::page(report))
}

/// Writes a report as one self-contained HTML file.
pub(crate) fn write_html(report: &Report, file: &Path) -> Result<(), Error> {
    write_page(&pagetide_view::page(report), file)
}

/// Prints a page to stdout.
pub(crate) fn print_page(page: &Page) -> Result<(), Error> {
    let style = Style { colour: output::colour(), width: output::width() };
    let mut text = Vec::new();
    pagetide_view::text::draw(page, style, &mut text)
        .map_err(|error| Error::system(format!("cannot draw the report: {error}"), ""))?;
    output::stream(Content::Coloured, |out| out.write_all(&text))
}

/// Writes a page as one self-contained HTML file.
pub(crate) fn write_page(page: &Page, file: &Path) -> Result<(), Error> {
    write_file(file, &html_of(page)?)
}

/// Writes a file that the user named, and follows no other user's link.
pub(crate) fn write_file(file: &Path, content: &[u8]) -> Result<(), Error> {
    pagetide_dir::write_file(file, content)
        .map_err(|error| Error::unwritable(file, &error, "name a new file in a writable folder"))
}

/// Refuses a file whose folder cannot be written to, before what takes minutes is computed for it.
pub(crate) fn expect_writable(file: &Path) -> Result<(), Error> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK)
        .map_err(|error| Error::unwritable(folder, &error.into(), "name a new file in a writable folder"))
}

/// A page as one self-contained HTML file.
pub(crate) fn html_of(page: &Page) -> Result<Vec<u8>, Error> {
    let mut html = Vec::new();
    pagetide_view::html::draw(page, &mut html)
        .map_err(|error| Error::system(format!("cannot draw the report: {error}"), ""))?;
    Ok(html)
}
