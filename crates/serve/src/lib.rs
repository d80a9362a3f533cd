//! The local web server: live samples of this host, recordings, runs, and the page that shows them.
//!
//! [`Server::bind`] opens the address, [`Server::run`] answers until it is told to stop. Every request is a GET and changes nothing:
//! what a request may name is an id of `library`, never a path. `access` decides who may ask at all, `api` has one
//! file for each kind of answer, `live` samples once for all open pages, `embedded` holds the built page. docs/SERVE.md describes the
//! addresses.

mod access;
mod api;
mod embedded;
mod headers;
mod library;
mod live;
#[cfg(not(feature = "tls"))]
mod no_tls;
mod number;
mod pyramids;
mod query;
mod reply;
mod rows;
mod server;
mod shared;
#[cfg(feature = "tls")]
mod tls;
mod watch;
mod work;

#[cfg(not(feature = "tls"))]
pub use no_tls::Tls;
pub use server::{Options, Server};
#[cfg(feature = "tls")]
pub use tls::Tls;
