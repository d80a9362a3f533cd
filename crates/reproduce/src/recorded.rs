//! What a recording shows of the time before an incident and in it.

mod command;
mod commands;
mod delays;
mod did;
mod family;
mod lives;
mod processes;
mod reclaim;
mod stretch;
mod unseen;

pub(crate) mod change;
pub(crate) mod disk;
pub(crate) mod group;

pub(crate) use command::{Command, Phase};
pub(crate) use commands::{limit_of_held_back, most_active};
pub(crate) use delays::has_delays;
pub(crate) use did::Did;
pub(crate) use lives::Life;
pub(crate) use reclaim::slowdown;
pub(crate) use stretch::{PAGE, Stretch, TICKS, at_onset, rate_of_all, until, whole};
