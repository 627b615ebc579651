//! TLS by rustls: certificates read from files, read again while running; clients that show certificates of their own.
//!
//! What must hold: a handshake is bounded in time, and its connection holds a place while it lasts; files that cannot be used
//! leave in force what was in force before.

mod certificate;
mod session;

pub use certificate::{CertificateError, Peer, Validity};
pub(crate) use session::Session;

use crate::Stream;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::net::TcpStream;

/// How long a client may take to shake hands.
const HANDSHAKE_TIME_MAX: Duration = Duration::from_secs(10);

/// The files of which TLS is made, all in PEM form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate, and after it those that lead to a known authority.
    pub certificate: PathBuf,
    /// The certificate's private key.
    pub key: PathBuf,
    /// The authorities whose certificates clients may show; without them clients are not asked.
    pub client_authorities: Option<PathBuf>,
    /// Whether clients without a certificate are let in, if authorities are given.
    pub client_optional: bool,
}

/// Why files cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or is not what it should be.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The files do not go together.
    #[error("{} and {} cannot be used together: {reason}", files.certificate.display(), files.key.display())]
    Together {
        /// The files.
        files: Box<TlsFiles>,
        /// What rustls says.
        reason: String,
    },
}

/// What makes plain connections secure. Clones share what is in force.
#[derive(Clone, Debug)]
pub struct Tls(Arc<RwLock<InForce>>);

#[derive(Debug)]
struct InForce {
    config: Arc<ServerConfig>,
    validity: Validity,
}

impl Tls {
    /// TLS by these files.
    pub fn open(files: &TlsFiles) -> Result<Tls, TlsError> {
        Ok(Tls(Arc::new(RwLock::new(InForce::read(files)?))))
    }

    /// Reads the files again, for the connections to come.
    pub fn reload(&self, files: &TlsFiles) -> Result<(), TlsError> {
        let read = InForce::read(files)?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(())
    }

    /// When the server's certificate begins and ends.
    pub fn validity(&self) -> Validity {
        self.0.read().unwrap_or_else(PoisonError::into_inner).validity
    }

    /// Shakes hands with a client, who speaks TLS from here on.
    pub async fn accept(&self, tcp: TcpStream) -> io::Result<Stream> {
        self.accept_within(tcp, HANDSHAKE_TIME_MAX).await
    }

    pub(crate) async fn accept_within(&self, tcp: TcpStream, time_max: Duration) -> io::Result<Stream> {
        let config = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .config
            .clone();
        // Boxed: it is gone when the conversation begins.
        let accepted = tokio::time::timeout(time_max, Box::pin(Session::accept(tcp, config))).await;
        accepted.map_err(|_| io::ErrorKind::TimedOut)?.map(Stream::from)
    }
}

impl InForce {
    fn read(files: &TlsFiles) -> Result<InForce, TlsError> {
        let chain = certificates(&files.certificate)?;
        let key = PrivateKeyDer::from_pem_file(&files.key)
            .map_err(|error| wrong(&files.key, format!("no private key: {error}")))?;
        let first = chain.first().map(|certificate| Validity::of(certificate));
        let validity = first
            .transpose()
            .map_err(|error| wrong(&files.certificate, error))?;
        let validity = validity.ok_or_else(|| wrong(&files.certificate, "no certificate in it"))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(&files.certificate, error))?;
        let builder = match &files.client_authorities {
            None => builder.with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for certificate in certificates(path)? {
                    roots.add(certificate).map_err(|error| wrong(path, error))?;
                }
                let mut verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                if files.client_optional {
                    verifier = verifier.allow_unauthenticated();
                }
                builder.with_client_cert_verifier(verifier.build().map_err(|error| wrong(path, error))?)
            }
        };
        let config = builder.with_single_cert(chain, key);
        let config = config.map_err(|error| TlsError::Together {
            files: Box::new(files.clone()),
            reason: error.to_string(),
        })?;
        Ok(InForce {
            config: Arc::new(config),
            validity,
        })
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let read = read.map_err(|error| wrong(path, format!("no certificates: {error}")))?;
    match read.is_empty() {
        true => Err(wrong(path, "no certificate in it")),
        false => Ok(read),
    }
}

fn wrong(path: &Path, reason: impl ToString) -> TlsError {
    TlsError::File {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}
