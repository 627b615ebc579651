//! Asking a server that speaks Riak's HTTP.

use crate::http_server::split_login;
use anyhow::{Context, Error, Result, anyhow, bail};
use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{
    Body, Client, ClientRequest, ClientResponse, HeaderMap, HeaderValue, Method, Reach, StatusCode, Uri,
};
use std::fmt;
use std::time::Duration;

/// How long an answer may take to begin.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(120);
/// The bytes of one answer that is not a listing.
const ANSWER_BYTES_MAX: usize = 256 << 20;
/// How often a server is asked that is busy or cannot be reached.
const TRIES: u32 = 6;
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// A server that gave no answer, however often it was asked.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unreachable(String);

/// A server that speaks Riak's HTTP.
#[derive(Debug)]
pub(super) struct Server {
    client: Client,
    base: String,
    authorization: Option<HeaderValue>,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

/// A whole answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The error for an answer that was not expected.
    pub(super) fn unexpected(&self, what: &str) -> Error {
        let text = String::from_utf8_lossy(&self.body);
        anyhow!("{what}: {} {}", self.status, text.trim())
    }
}

impl Server {
    /// A server by its address, which may hold a name and a password: `http://NAME:PASSWORD@HOST:8098`.
    pub(super) fn new(address: &str) -> Result<Server> {
        let (scheme, rest) = address
            .split_once("://")
            .filter(|(scheme, _)| ["http", "https"].contains(scheme))
            .with_context(|| format!("'{address}' is not of the form http://HOST:PORT"))?;
        let (authorization, host) = split_login(rest.trim_end_matches('/')).map_err(Error::msg)?;
        Ok(Server {
            client: Client::new(Reach::Anywhere),
            base: format!("{scheme}://{host}"),
            authorization,
        })
    }

    /// Makes sure that it is there.
    pub(super) async fn ping(&self) -> Result<()> {
        let answer = self.get("/ping", HeaderMap::new()).await?;
        match answer.status {
            StatusCode::OK => Ok(()),
            _ => Err(answer.unexpected(&format!("{self} does not answer /ping"))),
        }
    }

    pub(super) async fn get(&self, path: &str, headers: HeaderMap) -> Result<Answer> {
        self.ask_again(Method::GET, path, headers, Bytes::new()).await
    }

    /// Sends a request that may be sent twice, again if the server is busy or the connection broke.
    pub(super) async fn ask_again(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Answer> {
        let mut wait = FIRST_WAIT;
        for _ in 1..TRIES {
            match self
                .ask(method.clone(), path, headers.clone(), body.clone())
                .await
            {
                Ok(answer) if answer.status != StatusCode::SERVICE_UNAVAILABLE => return Ok(answer),
                Ok(_) => {}
                Err(error) if error.is::<Unreachable>() => {}
                Err(error) => return Err(error),
            }
            tokio::time::sleep(wait).await;
            wait *= 2;
        }
        self.ask(method, path, headers, body).await
    }

    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Answer> {
        let mut response = self.send(method, path, headers, body).await?;
        let body = response.body.read_all(ANSWER_BYTES_MAX).await;
        Ok(Answer {
            status: response.status,
            headers: response.headers,
            body: body.map_err(|error| Unreachable(format!("{self}{path}: {error}")))?,
        })
    }

    /// An answer whose body is still to be read.
    pub(super) async fn stream(&self, path: &str) -> Result<ClientResponse> {
        let response = self
            .send(Method::GET, path, HeaderMap::new(), Bytes::new())
            .await?;
        match response.status {
            StatusCode::OK => Ok(response),
            status => bail!("{self}{path}: {status}"),
        }
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<ClientResponse> {
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        let uri: Uri = format!("{}{path}", self.base)
            .parse()
            .with_context(|| format!("{}{path} is no address", self.base))?;
        let request = ClientRequest {
            method,
            uri,
            headers,
            body: Body::from(body),
        };
        let answered = self.client.send(request, ANSWER_TIME_MAX).await;
        answered.map_err(|error| Unreachable(format!("{self}: {error}")).into())
    }
}
