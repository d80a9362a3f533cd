//! fio: which blocks its jobs access, and in which order with how many in flight.

mod blocks;
mod free_map;
mod job;
mod tausworthe;

pub use blocks::{Blocks, Distribution, Pattern};
pub use job::{Direction, FioPlan, FioThread};
pub use tausworthe::{Purpose, Seeds, Tausworthe};
