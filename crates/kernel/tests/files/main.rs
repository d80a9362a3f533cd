//! The readers and the sampler on files: whole trees of them, and damaged ones.

mod archive;
mod cgroups;
mod machines;
mod parsers;
mod survey;
mod trees;
