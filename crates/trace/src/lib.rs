//! Page-cache events by tracepoints: who evicts whom, and how much memory would help.
//!
//! A [`Session`] traces this host: a [`Tracer`] attaches to the [`Tracepoint`]s, samples pages in the kernel ([`Sampling`]) and gives
//! [`Event`]s in order of time; an [`Analysis`] turns them into a [`Summary`]: the eviction matrix, [`Misses`] by ghost rank, reclaim and
//! throttled time. The analysis is pure: tests and a simulator feed it as the kernel does. docs/TRACE.md says how it works.
//!
//! `sys` has the only `unsafe` code: `perf_event_open(2)` and its rings, `bpf(2)`, `open_by_handle_at(2)`.

mod actor;
mod analysis;
mod assembler;
mod attachment;
mod btf;
mod clock;
mod cpu;
mod curve;
mod decode;
mod event;
mod eviction;
mod fenwick;
mod filter;
mod format;
mod frame_reuse;
mod ghost;
mod helper;
mod host;
mod missing;
mod name;
mod options;
mod order;
mod policy;
mod program;
mod reclaim;
mod replay;
mod sampling;
mod session;
mod summary;
mod sys;
mod tables;
mod tasks;
mod tracefs;
mod tracepoint;
mod tracer;

pub use actor::{Actor, Group, Identity, Processes};
pub use analysis::{Analysis, Domain, ThrottledTime};
pub use clock::monotonic_ns;
pub use curve::{Misses, Point, SAMPLED_MISSES_MIN};
pub use decode::Decoder;
pub use event::{Event, File, Frames, Kind, Page, Range, Scope};
pub use eviction::{Evicted, Mechanism, Pair, Victim};
pub use format::{Field, Format};
pub use helper::serve as serve_helper;
pub use host::{HostProcesses, kswapd, memory};
pub use missing::Missing;
pub use name::{file_names, unnamed};
pub use options::{Method, Options};
pub use order::Order;
pub use policy::Policy;
pub use reclaim::ReclaimTime;
pub use replay::{PARTS, POLICIES, PlaceMemory, Replayed};
pub use sampling::{Sampling, sampled_frames};
pub use session::Session;
pub use summary::{Coverage, EvictionKey, MissKey, ReclaimWork, Summary};
pub use tables::{Names, TABLES, TableWriter, WARMING_PARTS, read_tables};
pub use tasks::{TaskIterator, TaskRow};
pub use tracefs::Tracefs;
pub use tracepoint::Tracepoint;
pub use tracer::{Totals, Tracer};
