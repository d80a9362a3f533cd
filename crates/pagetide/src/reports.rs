//! Drawing a report: as text on stdout, as one HTML file.

use crate::output;
use pagetide_core::{Refusal, Report, RunResult, Scenario};
use pagetide_view::text::Style;
use std::path::Path;

/// The scenario that a run's folder holds, at the run's scale; absent when the folder has lost it.
pub(crate) fn scenario(folder: &Path, run: &RunResult) -> Result<Option<Scenario>, Refusal> {
    let file = folder.join("scenario.toml");
    match std::fs::read_to_string(&file) {
        Ok(text) => {
            Scenario::parse(&text, &file.display().to_string()).map(|scenario| Some(scenario.scaled(run.scale)))
        }
        Err(_) => Ok(None),
    }
}

/// Prints a report to stdout.
pub(crate) fn print_text(report: &Report) -> Result<(), Refusal> {
    let style = Style { colour: output::colour(), width: output::width() };
    let mut text = Vec::new();
    pagetide_view::text::draw(&pagetide_view::page(report), style, &mut text)
        .map_err(|error| Refusal::system(format!("drawing the report: {error}"), ""))?;
    output::print(&String::from_utf8_lossy(&text))
}

/// Writes a report as one self-contained HTML file.
pub(crate) fn write_html(report: &Report, file: &Path) -> Result<(), Refusal> {
    let refused = |error: std::io::Error| {
        Refusal::system(format!("{}: {error}", file.display()), "name a file in a folder that can be written")
    };
    let mut html = Vec::new();
    pagetide_view::html::draw(&pagetide_view::page(report), &mut html).map_err(refused)?;
    std::fs::write(file, html).map_err(refused)
}
