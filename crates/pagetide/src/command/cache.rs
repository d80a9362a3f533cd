//! `pagetide cache`: which files are in the page cache.

use super::Outcome;
use crate::output;
use pagetide_core::{Bytes, Error, Pages, Quantity, Ratio};
use pagetide_kernel::{Root, cached, facts};
use pagetide_view::text::Style;
use pagetide_view::{Cell, Table};
use serde::Serialize;
use serde_json::json;
use std::io::{ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};

/// Show how much of each file is in the page cache, dirty, or recently evicted.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  pagetide cache /var/lib/postgresql\n  pagetide cache --top 5 /usr/lib /var/log")]
pub(crate) struct Arguments {
    /// Files, or folders to search for files (links and other file systems are not followed).
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Show only the N files with the most bytes in cache.
    #[arg(long, default_value_t = 20, value_name = "N")]
    top: usize,
}

/// Files between two messages on a terminal.
const SHOWN: usize = 1024;

/// One file's pages in the cache, in bytes; absent where the kernel does not report it.
#[derive(Debug, Clone, Serialize)]
struct File {
    #[serde(serialize_with = "output::path_as_text")]
    path: PathBuf,
    size_bytes: u64,
    cached_bytes: u64,
    dirty_bytes: Option<u64>,
    writeback_bytes: Option<u64>,
    evicted_bytes: Option<u64>,
    recently_evicted_bytes: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let page = facts(&Root::host()).map_err(|error| Error::system(error.to_string(), "is /proc mounted?"))?.page_size;
    let mut files = Vec::new();
    let mut skipped = 0_u64;
    let terminal = std::io::stderr().is_terminal();
    let mut tell = |files: usize, folder: &Path| {
        if terminal {
            output::say_over(&format!("{files} files looked at, in {}", folder.display()));
        }
    };
    for path in &arguments.paths {
        let named = std::fs::symlink_metadata(path)
            .map_err(|error| Error::unreadable(path, &error, "name a file or a folder"))?;
        if named.is_dir() {
            std::fs::read_dir(path)
                .map_err(|error| Error::unreadable(path, &error, "name a folder that can be read"))?;
            walk(path, page, &mut files, &mut skipped, &mut tell);
        } else {
            let looked = look(path, page);
            let name = "name a regular file that can be read";
            files.push(looked.map_err(|error| Error::unreadable(path, &error, name))?);
        }
    }
    if files.len() >= SHOWN && terminal {
        output::say_over("");
    }
    files.sort_by_key(|file| std::cmp::Reverse(file.cached_bytes));
    if json {
        output::print_json(&json!({ "files": files, "unreadable": skipped }))?;
    } else {
        output::print(&text(&files, arguments.top))?;
    }
    if skipped > 0 {
        let what = if skipped == 1 { "1 file or folder".to_owned() } else { format!("{skipped} files or folders") };
        output::say(&format!("{what} could not be read"));
    }
    Ok(Outcome::Done)
}

/// Looks at every regular file below a folder, and counts those that vanish or cannot be read. Tells now and then how many it looked at.
fn walk(folder: &Path, page: Bytes, files: &mut Vec<File>, skipped: &mut u64, tell: &mut dyn FnMut(usize, &Path)) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        *skipped += 1;
        return;
    };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), page, files, skipped, tell),
            Ok(kind) if kind.is_file() => match look(&entry.path(), page) {
                Ok(file) => {
                    files.push(file);
                    if files.len().is_multiple_of(SHOWN) {
                        tell(files.len(), folder);
                    }
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => *skipped += 1,
            },
            _ => {}
        }
    }
}

fn look(path: &Path, page: Bytes) -> std::io::Result<File> {
    let size = std::fs::metadata(path)?.len();
    let in_bytes = |pages: Pages| pages.to_bytes(page).unwrap_or_default().get();
    let pages = cached::pages(path)?;
    let cached_bytes = match &pages {
        Some(pages) => in_bytes(pages.cached),
        None => cached::bytes(path)?.get(),
    };
    Ok(File {
        path: path.to_owned(),
        size_bytes: size,
        cached_bytes,
        dirty_bytes: pages.as_ref().map(|pages| in_bytes(pages.dirty)),
        writeback_bytes: pages.as_ref().map(|pages| in_bytes(pages.writeback)),
        evicted_bytes: pages.as_ref().map(|pages| in_bytes(pages.evicted)),
        recently_evicted_bytes: pages.as_ref().map(|pages| in_bytes(pages.recently_evicted)),
    })
}

fn text(files: &[File], top: usize) -> String {
    let mut table = Table::new().right("cached").right("of the size").right("dirty").right("evicted").left("file");
    let bytes = |value: Option<u64>| Cell::from(value.map(|value| Quantity::bytes(Bytes::new(value))));
    for file in files.iter().take(top) {
        let share = Ratio::of(file.cached_bytes as f64, file.size_bytes as f64).map(|share| share.get().min(1.0));
        table.row([
            bytes(Some(file.cached_bytes)),
            share.map(Quantity::ratio).into(),
            bytes(file.dirty_bytes),
            bytes(file.evicted_bytes),
            file.path.display().to_string().into(),
        ]);
    }
    let total: u64 = files.iter().map(|file| file.cached_bytes).sum();
    let shown = if files.len() > top { format!(", {top} of them shown") } else { String::new() };
    let count = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
    format!(
        "{}{} of {count} in cache{shown}\n",
        table.to_text(Style { colour: output::colour(), width: output::width() }),
        Bytes::new(total)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_walk_tells_how_far_it_is() {
        let folder = tempfile::tempdir().unwrap();
        (0..SHOWN + 7).for_each(|file| std::fs::write(folder.path().join(file.to_string()), "").unwrap());
        let (mut files, mut skipped, mut told) = (Vec::new(), 0, Vec::new());
        walk(folder.path(), Bytes::new(4096), &mut files, &mut skipped, &mut |files, _| told.push(files));
        assert_eq!((files.len(), skipped, told), (SHOWN + 7, 0, vec![SHOWN]));
    }
}
