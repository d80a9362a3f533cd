//! A program that was built without the feature `tls`: no certificate can be given.

use pagetide_core::Error;
use std::convert::Infallible;
use tokio::net::TcpStream;

/// A certificate with its key: there is none in this program.
#[derive(Debug, Clone)]
pub struct Tls(Infallible);

impl Tls {
    /// From the content of two PEM files.
    ///
    /// # Errors
    /// Always: this program cannot encrypt.
    pub fn new(_: &[u8], _: &[u8]) -> Result<Self, Error> {
        Err(Error::input(
            "this pagetide was built without TLS",
            "install the package, which has it, or build with `cargo build --release -p pagetide`",
        ))
    }

    /// Agrees on keys with a client.
    pub(crate) async fn accept(&self, _: TcpStream) -> std::io::Result<TcpStream> {
        match self.0 {}
    }
}
