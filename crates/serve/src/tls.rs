//! The certificate of the server, for connections of the network.

use pagetide_core::Error;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

/// A certificate with its key. Connections use TLS 1.3, which every current browser supports.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl Tls {
    /// From the content of two PEM files: the certificate, followed by those that signed it, and its key.
    ///
    /// # Errors
    /// One of them is missing or of another kind, or the key is of another certificate.
    pub fn new(certificates: &[u8], key: &[u8]) -> Result<Self, Error> {
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(certificates)
            .collect::<Result<_, _>>()
            .map_err(|error| bad_certificate(&error))?;
        if certificates.is_empty() {
            return Err(bad_certificate(&pem::Error::NoItemsFound));
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| bad_key(&error))?;
        let refused = |error: rustls::Error| {
            let hint = match error {
                rustls::Error::InconsistentKeys(_) => "name the key that belongs to the certificate",
                _ => "the certificate must be X.509 version 3, and the key RSA, ECDSA or Ed25519",
            };
            Error::input(format!("cannot use the certificate and its key: {error}"), hint)
        };
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(refused)?
            .with_no_client_auth()
            .with_single_cert(certificates, key)
            .map_err(refused)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    /// Agrees on keys with a client.
    pub(crate) async fn accept(&self, stream: TcpStream) -> std::io::Result<TlsStream<TcpStream>> {
        self.0.accept(stream).await
    }
}

fn bad_certificate(error: &pem::Error) -> Error {
    Error::input(
        format!("no certificate in the file of --tls-cert: {error}"),
        "name a PEM file that begins with -----BEGIN CERTIFICATE-----",
    )
}

fn bad_key(error: &pem::Error) -> Error {
    Error::input(
        format!("no key in the file of --tls-key: {error}"),
        "name a PEM file with -----BEGIN PRIVATE KEY-----; `openssl pkey -in KEY -out PLAIN` decrypts an encrypted one",
    )
}
