//! The loads that commands are: what a step of the lab does in their place.

mod command_load;
mod compute;
mod depth;
mod faults;
mod flushes;
mod group_memory;
mod growth;
mod host_shape;
mod kills;
mod kind;
mod lookups;
mod of_command;
mod of_host;
mod parts;
mod place;
mod reads;
mod refaults;
mod seen;
mod shared_memory;
mod writes;

pub(crate) use command_load::CommandLoad;
pub(crate) use depth::{book_bursts, book_depth};
pub(crate) use flushes::book_flushes;
pub(crate) use group_memory::group_memory;
pub(crate) use kind::Kind;
pub(crate) use of_host::all;
pub(crate) use place::disk_of;

#[cfg(test)]
mod tests;
