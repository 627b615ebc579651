//! Connections through TLS to servers that speak something other than HTTP.

use crate::client::{broken, connector};
use crate::{ClientError, Reach, Trust};
use hyper::Uri;
use hyper_rustls::MaybeHttpsStream;
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::time::Duration;
use tokio::net::TcpStream;
use tower_service::Service;

/// How long connecting and the handshake may take together.
const TIME_MAX: Duration = Duration::from_secs(20);

/// A connection whose other end has shown who it is.
pub type SecureConnection = TokioIo<MaybeHttpsStream<TokioIo<TcpStream>>>;

/// Connects to `host:port`, whose certificate must be for that host.
pub async fn connect_secure(address: &str, trust: Trust) -> Result<SecureConnection, ClientError> {
    let uri: Uri = Uri::builder()
        .scheme("https")
        .authority(address)
        .path_and_query("/")
        .build()?;
    let mut connector = connector(Reach::Anywhere, trust);
    let connecting = async {
        poll_fn(|context| connector.poll_ready(context)).await?;
        connector.call(uri).await
    };
    match tokio::time::timeout(TIME_MAX, connecting).await {
        Ok(Ok(stream)) => Ok(TokioIo::new(stream)),
        Ok(Err(error)) => Err(broken(&*error)),
        Err(_) => Err(ClientError::Late(TIME_MAX)),
    }
}
