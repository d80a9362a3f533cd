//! Who did it and who suffers: processes, control groups, newcomers, streams and their victims.

pub(crate) mod commits;
pub(crate) mod group;
pub(crate) mod io_limit;
pub(crate) mod job;
pub(crate) mod kernel_log;
pub(crate) mod newcomer;
pub(crate) mod one_thread;
pub(crate) mod process;
pub(crate) mod served;
pub(crate) mod stream;
pub(crate) mod successor;
pub(crate) mod tmpfs;
pub(crate) mod victim;
pub(crate) mod wait_channel;
