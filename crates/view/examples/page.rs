//! Writes the page of the made-up run, as the tests draw it: `cargo run -p pagetide-view --example page -- OUT.html [live]`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a program, and not the crate")]

use std::io::Write;

#[path = "../tests/view/report.rs"]
mod report;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().ok_or("usage: page OUT.html [live|day]")?;
    let report = match arguments.next().as_deref() {
        Some("live") => report::live(),
        Some("day") => report::day(),
        _ => report::report(),
    };
    let page = pagetide_view::page(&report);
    let style = pagetide_view::text::Style { colour: false, width: 80 };
    pagetide_view::text::draw(&page, style, &mut std::io::stdout().lock())?;
    let mut file = std::io::BufWriter::new(std::fs::File::create(out)?);
    pagetide_view::html::draw(&page, &mut file)?;
    Ok(file.flush()?)
}
