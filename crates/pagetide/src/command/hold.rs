//! `pagetide hold`: occupies memory.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use pagetide_core::{Bytes, Error, HoldKind, HoldSpec, Nanos};
use pagetide_lab::hold::{Hold, HoldObserver, Options};
use serde_json::json;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Occupy memory until Enter, a signal or --for ends it, and check RSS to prove that it is resident.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide hold 2GiB                          until Enter or Ctrl-C
  pagetide hold 2GiB --touch 1GiB --for 30s   allocate 2 GiB, make 1 GiB resident
  pagetide hold 500MiB --kind file            as page cache of a mapped file

It refuses to leave less than 1 GiB available, unless --allow-oom is given.")]
pub(crate) struct Arguments {
    /// How much to allocate.
    #[arg(value_parser = Bytes::typed)]
    size: Bytes,
    /// Touch only this much: untouched memory is not resident [default: all].
    #[arg(value_parser = Bytes::typed, long, value_name = "SIZE")]
    touch: Option<Bytes>,
    /// The kind of memory.
    #[arg(long, default_value = "anon")]
    kind: Kind,
    /// Wait this long between allocating and touching, so that several holds can overcommit memory.
    #[arg(value_parser = Nanos::typed, long, value_name = "TIME", default_value = "0s")]
    after: Nanos,
    /// Release the memory after this time.
    #[arg(value_parser = Nanos::typed, long = "for", value_name = "TIME")]
    length: Option<Nanos>,
    /// Go ahead even if less than 1 GiB would stay available. The OOM killer may then kill any process.
    #[arg(long)]
    allow_oom: bool,
    /// Folder for the file of `--kind file`.
    #[arg(long, value_name = "DIR", default_value = "/var/tmp")]
    folder: PathBuf,
}

/// Kinds of memory.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Kind {
    /// Private anonymous memory.
    Anon,
    /// Shared anonymous memory.
    Shared,
    /// Page cache of a mapped file.
    File,
    /// Private anonymous memory that is locked.
    Mlock,
}

impl From<Kind> for HoldKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Anon => Self::Anon,
            Kind::Shared => Self::Shared,
            Kind::File => Self::File,
            Kind::Mlock => Self::Mlock,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let touch = arguments.touch.unwrap_or(arguments.size);
    if touch > arguments.size {
        return Err(Error::input(
            format!("--touch {touch} is more than the size, {}", arguments.size),
            "touch at most as much as is allocated",
        ));
    }
    let interrupt = Interrupt::catch()?;
    let spec = HoldSpec { size: arguments.size, touch: arguments.touch, kind: arguments.kind.into() };
    let options = Options { after: arguments.after, allow_oom: arguments.allow_oom, ..Options::new(&arguments.folder) };
    let mut observer =
        Observer { interrupt: interrupt.clone(), of: touch, began: Instant::now(), said: Instant::now() };
    let hold = Hold::occupy(&spec, &options, &mut observer)?;
    let resident = hold.resident();
    if json {
        output::print_json(&json!({
            "asked_bytes": touch.get(), "resident_bytes": resident.get(),
            "kind": HoldKind::from(arguments.kind), "populate_ns": hold.took().get(),
        }))?;
    } else {
        output::print(&format!("holding {resident} resident of {touch} requested, touched in {}\n", hold.took()))?;
    }
    let enter = arguments.length.is_none().then(enter);
    if !json && enter.is_some() && std::io::stdin().is_terminal() {
        output::say("press Enter or Ctrl-C to release it");
    }
    let end = arguments.length.map(|length| Instant::now() + Duration::from_nanos(length.get()));
    loop {
        let entered = enter.as_ref().is_some_and(|enter| enter.load(Ordering::Relaxed));
        if interrupt.came() || entered || end.is_some_and(|end| Instant::now() >= end) {
            break;
        }
        if !hold.held() {
            return Err(Error::system(
                "the holder was killed, most likely by the OOM killer",
                "hold less; `dmesg | tail` shows which process was killed and why",
            ));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(hold);
    if !json {
        output::say("released");
    }
    Ok(Outcome::Done)
}

/// Becomes true when Enter is pressed. Where stdin is closed from the start, only a signal ends the hold.
fn enter() -> Arc<AtomicBool> {
    let pressed = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&pressed);
    // The thread waits for input as long as the process lives; there is nothing to join.
    std::thread::spawn(move || {
        let mut byte = [0];
        while let Ok(1) = std::io::stdin().read(&mut byte) {
            if byte[0] == b'\n' {
                flag.store(true, Ordering::Relaxed);
                return;
            }
        }
    });
    pressed
}

/// Prints progress when touching takes long, and stops it on Ctrl-C.
struct Observer {
    interrupt: Interrupt,
    of: Bytes,
    began: Instant,
    said: Instant,
}

impl HoldObserver for Observer {
    fn touched(&mut self, touched: Bytes) -> bool {
        if self.began.elapsed() > Duration::from_secs(2) && self.said.elapsed() > Duration::from_secs(1) {
            self.said = Instant::now();
            let left = self.began.elapsed().as_secs_f64() * (self.of.as_f64() / touched.as_f64().max(1.0) - 1.0);
            output::say(&format!("{touched} of {} touched, {left:.0} s left", self.of));
        }
        !self.interrupt.came()
    }
}
