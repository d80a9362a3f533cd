//! The system calls that rustix lacks: `perf_event_open`, its ring, `bpf`, `open_by_handle_at`. The only `unsafe` of this crate.

pub(crate) mod bpf;
pub(crate) mod handle;
pub(crate) mod perf;
pub(crate) mod ring;
