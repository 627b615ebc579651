//! A running server's own HTTP, asked by the program's other commands.

use anyhow::{Result, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use clap::Args;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Body, Client, ClientRequest, ClientResponse, HeaderMap, HeaderValue, Method, StatusCode, Uri};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Bytes of an answer that is read whole.
const ANSWER_BYTES_MAX: usize = 256 << 20;

/// Which running server a command asks for its figures.
#[derive(Clone, Debug, Args)]
pub struct StatusServer {
    /// The server's own HTTP, as http[s]://[user:password@]host:port; if users exist, with one who may read the server's status
    /// (role clusterMonitor).
    #[arg(
        long,
        value_name = "URL",
        default_value = "http://127.0.0.1:7070",
        env = "LARDER_HTTP_SERVER",
        hide_env_values = true
    )]
    pub server: HttpServer,
}

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
        let (authorization, host) = split_login(rest.trim_end_matches('/'))?;
        if !["http", "https"].contains(&scheme) || host.is_empty() || host.contains('/') {
            return Err(form.to_owned());
        }
        Ok(HttpServer {
            base: format!("{scheme}://{host}"),
            authorization,
        })
    }
}

/// The header of the login in `user:password@host:port`, if there is one, and the host.
pub fn split_login(text: &str) -> Result<(Option<HeaderValue>, &str), String> {
    let Some((login, host)) = text.rsplit_once('@') else {
        return Ok((None, text));
    };
    let login = http::percent_decode(login).ok_or("the login has an escape that is not %HH in UTF-8")?;
    let value = format!("Basic {}", BASE64_STANDARD.encode(login.as_bytes()));
    let header = HeaderValue::from_str(&value).map_err(|error| error.to_string())?;
    Ok((Some(header), host))
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.base)
    }
}

impl HttpServer {
    /// The body of an answer of success.
    pub async fn ask(
        &self,
        client: &Client,
        method: Method,
        path: &str,
        time_max: Duration,
    ) -> Result<Bytes> {
        let (status, body) = self.answer(client, method, path, time_max).await?;
        if !status.is_success() {
            bail!("{}", reason(status, &body));
        }
        Ok(body)
    }

    /// The answer of success to a posted JSON body.
    pub async fn post(
        &self,
        client: &Client,
        path: &str,
        body: &serde_json::Value,
        time_max: Duration,
    ) -> Result<serde_json::Value> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let sent = Body::from(body.to_string());
        let (status, body) = self
            .send(client, Method::POST, path, headers, sent, time_max)
            .await?;
        if !status.is_success() {
            bail!("{}", reason(status, &body));
        }
        Ok(serde_json::from_slice(&body)?)
    }

    /// Makes sure that Larder's own HTTP is there. At another port the same path may mean something else: what commands say of users
    /// would become a document of Elasticsearch's protocol.
    pub async fn recognize(&self, client: &Client, time_max: Duration) -> Result<()> {
        let (status, body) = self.answer(client, Method::GET, "/health", time_max).await?;
        if !is_health(&body) {
            bail!("{}", self.not_its_own(status, &body));
        }
        Ok(())
    }

    /// The error that another server is there, or another port of Larder's, by its answer to `/health`.
    pub fn not_its_own(&self, status: StatusCode, body: &[u8]) -> String {
        let reason = reason(status, body);
        format!(
            "{self:?} is not Larder's own HTTP, whose port is 7070 where --http-listen says no other: /health was answered with {reason}"
        )
    }

    /// An answer, whatever its status.
    pub async fn answer(
        &self,
        client: &Client,
        method: Method,
        path: &str,
        time_max: Duration,
    ) -> Result<(StatusCode, Bytes)> {
        self.send(client, method, path, HeaderMap::new(), Body::empty(), time_max)
            .await
    }

    async fn send(
        &self,
        client: &Client,
        method: Method,
        path: &str,
        mut headers: HeaderMap,
        body: Body,
        time_max: Duration,
    ) -> Result<(StatusCode, Bytes)> {
        let uri: Uri = format!("{}{path}", self.base).parse()?;
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        let request = ClientRequest {
            method,
            uri,
            headers,
            body,
        };
        let ClientResponse { status, mut body, .. } = client.send(request, time_max).await?;
        Ok((status, body.read_all(ANSWER_BYTES_MAX).await?))
    }
}

/// Whether this is what Larder's own HTTP answers to `/health`, be it well or not.
pub fn is_health(body: &[u8]) -> bool {
    let said: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    said.is_some_and(|said| said.get("status").is_some_and(serde_json::Value::is_string))
}

/// What an answer says that is not one of success.
pub fn reason(status: StatusCode, body: &[u8]) -> String {
    let said: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let said = said
        .as_ref()
        .and_then(|said| said.get("reason").or_else(|| said.get("errmsg"))?.as_str());
    said.map_or_else(|| status.to_string(), |said| format!("{status}: {said}"))
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
