//! Asking other servers: connections that are kept for the next request, TLS by rustls.

use crate::reach::{Reach, Resolver};
use crate::{Body, RequestBody, ResponseBody};
use hyper::{HeaderMap, Method, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::error::Error;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a connection may take to be made.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(15);
/// How long a connection is kept without a request.
const IDLE_TIME_MAX: Duration = Duration::from_secs(30);
/// The connections to one server that are kept without a request.
const IDLE_CONNECTIONS_MAX: usize = 20;

/// Why a server gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The request cannot be one.
    #[error("the request has no valid form: {0}")]
    Invalid(#[from] hyper::http::Error),
    /// The server cannot be reached, or the connection broke.
    #[error("{0}")]
    Connection(String),
    /// A file holds no authorities.
    #[error("{} holds no authorities to trust: {}", .0.display(), .1)]
    Authorities(PathBuf, String),
    /// This client may not ask a server at this address.
    #[error("{0} is a private address")]
    Private(IpAddr),
    /// There was no answer in time.
    #[error("no answer within {} seconds", .0.as_secs())]
    Late(Duration),
}

/// A request to another server.
#[derive(Debug)]
pub struct ClientRequest {
    /// GET, PUT, or any other word.
    pub method: Method,
    /// The whole address.
    pub uri: Uri,
    /// The headers; those that the connection needs are added.
    pub headers: HeaderMap,
    /// What is sent after the head, piece by piece.
    pub body: Body,
}

/// A server's answer: its head has arrived, its body is still to be read.
#[derive(Debug)]
pub struct ClientResponse {
    /// The status, whatever it is: no status is an error here.
    pub status: StatusCode,
    /// All headers that came.
    pub headers: HeaderMap,
    /// What follows the head, read piece by piece.
    pub body: ResponseBody,
}

/// Asks servers. Cheap to clone; clones share connections.
#[derive(Clone, Debug)]
pub struct Client {
    inner: hyper_util::client::legacy::Client<HttpsConnector<HttpConnector<Resolver>>, Body>,
    reach: Reach,
}

/// Which authorities a client trusts to say who a server behind TLS is.
#[derive(Clone, Debug)]
pub enum Trust {
    /// Those that the system trusts, or those of the file that the variable `SSL_CERT_FILE` names.
    System,
    /// These alone, as DER.
    Authorities(Vec<CertificateDer<'static>>),
    /// None: only plain HTTP works.
    Nobody,
}

impl Trust {
    /// The authorities in a file of PEM form.
    pub fn of_file(path: &Path) -> Result<Trust, ClientError> {
        let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        match read {
            Ok(certificates) if !certificates.is_empty() => Ok(Trust::Authorities(certificates)),
            Ok(_) => Err(ClientError::Authorities(
                path.to_owned(),
                "it holds no certificate".to_owned(),
            )),
            Err(error) => Err(ClientError::Authorities(path.to_owned(), error.to_string())),
        }
    }
}

impl Client {
    /// A client that trusts whom the system trusts. If that is nobody, plain HTTP still works, and every TLS server is
    /// refused.
    pub fn new(reach: Reach) -> Client {
        Client::trusting(reach, Trust::System)
    }

    /// A client that trusts these authorities.
    pub fn trusting(reach: Reach, trust: Trust) -> Client {
        let connector = connector(reach, trust);
        let inner = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIME_MAX)
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .build(connector);
        Client { inner, reach }
    }

    /// Sends a request and waits for the head of the answer, at most this long.
    pub async fn send(
        &self,
        request: ClientRequest,
        time_max: Duration,
    ) -> Result<ClientResponse, ClientError> {
        // An address that needs no name to be resolved.
        let host = request.uri.host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = host.parse::<IpAddr>()
            && !self.reach.allows(address)
        {
            return Err(ClientError::Private(address));
        }
        let mut made = hyper::Request::builder()
            .method(request.method)
            .uri(request.uri)
            .body(request.body)?;
        *made.headers_mut() = request.headers;
        let answered = tokio::time::timeout(time_max, self.inner.request(made)).await;
        let answered = answered.map_err(|_| ClientError::Late(time_max))?;
        let (head, body) = answered.map_err(|error| broken(&error))?.into_parts();
        Ok(ClientResponse {
            status: head.status,
            headers: head.headers,
            body: RequestBody::new(body),
        })
    }
}

/// Makes connections, through TLS if an address says `https`.
pub(crate) fn connector(reach: Reach, trust: Trust) -> HttpsConnector<HttpConnector<Resolver>> {
    let mut connector = HttpConnector::new_with_resolver(Resolver::new(reach));
    connector.enforce_http(false);
    connector.set_connect_timeout(Some(CONNECT_TIME_MAX));
    connector.set_nodelay(true);
    let builder = match trust {
        Trust::System => match HttpsConnectorBuilder::new().with_native_roots() {
            Ok(with_roots) => with_roots,
            Err(error) => {
                tracing::warn!(%error, "no certificates to trust: servers behind TLS cannot be asked");
                HttpsConnectorBuilder::new().with_tls_config(trusting(Vec::new()))
            }
        },
        Trust::Authorities(certificates) => {
            HttpsConnectorBuilder::new().with_tls_config(trusting(certificates))
        }
        Trust::Nobody => HttpsConnectorBuilder::new().with_tls_config(trusting(Vec::new())),
    };
    builder.https_or_http().enable_http1().wrap_connector(connector)
}

fn trusting(certificates: Vec<CertificateDer<'static>>) -> rustls::ClientConfig {
    let mut roots = rustls::RootCertStore::empty();
    let (_, unusable) = roots.add_parsable_certificates(certificates);
    if unusable > 0 {
        tracing::warn!(unusable, "certificates that cannot be used are not trusted");
    }
    rustls::ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

/// The messages of the error and its causes, of which the last says most.
pub(crate) fn broken(error: &dyn Error) -> ClientError {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    ClientError::Connection(text)
}
