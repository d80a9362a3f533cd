//! Ctrl-C and friends as a flag.

use crate::output;
use pagetide_core::Error;
use pagetide_lab::undo;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says whether the user asked to stop. Cloned freely; all clones are one flag.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Catches SIGINT, SIGTERM and SIGHUP from now on. A second one ends the process at once, and says what stays changed.
    pub(crate) fn catch() -> Result<Self, Error> {
        let flag = Arc::new(AtomicBool::new(false));
        let failed = |error| Error::system(format!("cannot catch signals: {error}"), "run it again");
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(failed)?;
        let set = Arc::clone(&flag);
        let run = move || {
            for _ in signals.forever() {
                if set.swap(true, Ordering::Relaxed) {
                    end();
                }
            }
        };
        std::thread::Builder::new().name("signals".into()).spawn(run).map_err(failed)?;
        Ok(Self(flag))
    }

    /// Whether a signal came.
    pub(crate) fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Ends the process at once.
#[expect(clippy::exit, reason = "the user does not want to wait until the changes are undone")]
fn end() {
    let left = undo::noted_by_this_process();
    if !left.is_empty() {
        output::say(&format!("stopped before undoing: {}", left.join(", ")));
        output::say("  hint: `pagetide undo` restores them");
    }
    std::process::exit(130);
}
