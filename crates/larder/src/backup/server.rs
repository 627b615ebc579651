//! The files of a running server, read by HTTP.

use anyhow::{Context, Result, bail};
use backup::{Error, Source, SourceFile};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{
    Body, Client, ClientRequest, ClientResponse, HeaderMap, HeaderValue, Method, Reach, StatusCode, Uri,
};
use serde::Deserialize;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How long the server may take to answer: it may have to wait for writes before it begins.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(120);

/// Bytes of an answer that is not part of a file.
const ANSWER_BYTES_MAX: usize = 256 << 20;

/// `http[s]://[user:password@]host[:port]`: a server's own HTTP.
#[derive(Clone)]
pub struct HttpServer {
    base: String,
    authorization: Option<HeaderValue>,
}

impl FromStr for HttpServer {
    type Err = String;

    fn from_str(text: &str) -> Result<HttpServer, String> {
        let form = "a server's HTTP is named as http://[user:password@]host:port";
        let (scheme, rest) = text.split_once("://").ok_or(form)?;
        let rest = rest.trim_end_matches('/');
        let (login, host) = match rest.rsplit_once('@') {
            Some((login, host)) => (Some(login), host),
            None => (None, rest),
        };
        if !["http", "https"].contains(&scheme) || host.is_empty() || host.contains('/') {
            return Err(form.to_owned());
        }
        let authorization = login.map(|login| {
            let login = http::percent_decode(login).ok_or("an escape that is not %HH in UTF-8")?;
            let value = format!("Basic {}", BASE64_STANDARD.encode(login.as_bytes()));
            HeaderValue::from_str(&value).map_err(|error| error.to_string())
        });
        Ok(HttpServer {
            base: format!("{scheme}://{host}"),
            authorization: authorization.transpose()?,
        })
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.base)
    }
}

/// A backup that a server has begun.
#[derive(Debug)]
pub struct ServerBackup {
    server: HttpServer,
    client: Client,
    begun: Begun,
}

#[derive(Debug, Deserialize)]
struct Begun {
    id: String,
    began_ms: u64,
    files: Vec<SourceFile>,
}

impl ServerBackup {
    /// Lets a server begin a backup.
    pub async fn begin(server: &HttpServer) -> Result<ServerBackup> {
        let client = Client::new(Reach::Anywhere);
        let asked = server.ask(&client, Method::POST, "/backups").await;
        let body = asked.with_context(|| format!("{server:?} began no backup"))?;
        Ok(ServerBackup {
            server: server.clone(),
            client,
            begun: serde_json::from_slice(&body).context("the server's answer is not understood")?,
        })
    }

    /// When it began, in milliseconds since 1970.
    pub fn began_ms(&self) -> u64 {
        self.begun.began_ms
    }

    /// Lets the server forget it.
    pub async fn end(self) -> Result<()> {
        let path = format!("/backups/{}", self.begun.id);
        self.server.ask(&self.client, Method::DELETE, &path).await?;
        Ok(())
    }
}

impl Source for ServerBackup {
    fn files(&self) -> &[SourceFile] {
        &self.begun.files
    }

    async fn read(&self, path: &str, offset: u64, bytes: usize) -> Result<Bytes, Error> {
        let name = http::percent_encode(path);
        let path = format!(
            "/backups/{}?path={name}&offset={offset}&bytes={bytes}",
            self.begun.id
        );
        let read = self.server.ask(&self.client, Method::GET, &path).await;
        let read = read.map_err(|error| Error::Source(format!("{error:#}")))?;
        if read.len() != bytes {
            let what = format!("{} bytes of {name} came instead of {bytes}", read.len());
            return Err(Error::Source(what));
        }
        Ok(read)
    }
}

impl HttpServer {
    /// The body of an answer that tells success.
    async fn ask(&self, client: &Client, method: Method, path: &str) -> Result<Bytes> {
        let uri: Uri = format!("{}{path}", self.base).parse()?;
        let mut headers = HeaderMap::new();
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        let body = Body::empty();
        let request = ClientRequest {
            method,
            uri,
            headers,
            body,
        };
        let ClientResponse { status, mut body, .. } = client.send(request, ANSWER_TIME_MAX).await?;
        let body = body.read_all(ANSWER_BYTES_MAX).await?;
        if !status.is_success() {
            bail!("{}", reason(status, &body));
        }
        Ok(body)
    }
}

fn reason(status: StatusCode, body: &[u8]) -> String {
    let said: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let said = said.as_ref().and_then(|said| said.get("reason")?.as_str());
    format!("{status}: {}", said.unwrap_or("no reason was given"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_with_or_without_a_user() {
        let server: HttpServer = "http://ann:p%40ss@[::1]:7070/".parse().unwrap();
        assert_eq!(server.base, "http://[::1]:7070");
        assert_eq!(server.authorization.unwrap(), "Basic YW5uOnBAc3M=");
        let server: HttpServer = "https://db.example".parse().unwrap();
        assert!(server.authorization.is_none());
        for wrong in ["db.example:7070", "mongodb://db", "http://", "http://db/path"] {
            assert!(wrong.parse::<HttpServer>().is_err(), "{wrong}");
        }
    }
}
