//! The readers and the sampler on files: whole trees of them, and damaged ones.

mod archive;
mod cgroups;
mod machines;
mod readers;
mod survey;
mod trees;

#[path = "../support/groups.rs"]
mod groups;
#[path = "../support/processes.rs"]
mod processes;
