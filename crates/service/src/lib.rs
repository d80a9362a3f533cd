//! The recorder as a daemon: it records into a folder until a signal, a time or a command's end, and answers while it does.
//!
//! [`Service::start`] starts the recorder, a control socket in the recording's folder, a Prometheus endpoint if one is asked for, and
//! the command to record. [`Service::wait`] waits for the end and reports to systemd meanwhile. [`query`] asks a running recorder for
//! its [`Status`]. Recording never waits for any of the endpoints.

mod child;
mod clean_pages;
mod command_waits;
mod containers;
mod control;
mod endpoints;
mod http;
mod kernel_log;
mod listen;
mod naming;
mod notify;
mod prometheus;
mod responder;
mod sealing;
mod service;
mod settings;
mod signals;
mod status;

pub use child::CommandIo;
pub use command_waits::CommandWaits;
pub use control::{publish, query};
pub use listen::{Address, Listener};
pub use service::{Options, Recorded, Service};
pub use status::Status;
