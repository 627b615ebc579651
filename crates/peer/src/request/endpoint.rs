//! Where a replication reads or writes: a local database, or an address with credentials and headers
//! (`src/couch_replicator/src/couch_replicator_parse.erl`, `parse_rep_db`).

use super::error::{RequestError, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header, percent_decode};
use serde_json::{Map, Value};

/// One side of a replication.
#[derive(Clone, Debug, PartialEq)]
pub enum Endpoint {
    /// A database of this server.
    Local(String),
    /// A database of another server, or of this one seen from outside.
    Remote {
        /// The address without credentials and without a slash at the end.
        url: String,
        /// Who asks, for people and for the replication's id.
        user: Option<String>,
        /// The headers of every request, credentials among them.
        headers: HeaderMap,
    },
}

impl Endpoint {
    /// Reads a name, an address, or an object with an address.
    pub fn parse(value: Option<&Value>) -> Result<Endpoint> {
        match value {
            Some(Value::String(text)) => Endpoint::from_url(text, &Map::new()),
            Some(Value::Object(object)) => match object.get("url") {
                Some(Value::String(text)) => Endpoint::from_url(text, object),
                _ => Err(invalid_url()),
            },
            None | Some(Value::Null) => Err(RequestError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "bad_rep_doc",
                "Missing replicator database",
            )),
            Some(_) => Err(invalid_url()),
        }
    }

    fn from_url(text: &str, object: &Map<String, Value>) -> Result<Endpoint> {
        if !text.contains("://") {
            return match text.trim_matches('/') {
                "" => Err(invalid_url()),
                name => Ok(Endpoint::Local(decoded(name)?)),
            };
        }
        let (credentials, url) = split_credentials(text)?;
        let mut headers = HeaderMap::new();
        if let Some(Value::Object(given)) = object.get("headers") {
            for (name, value) in given {
                add_header(&mut headers, name, value)?;
            }
        }
        let credentials = basic(object)?.or(credentials);
        let user = credentials.as_ref().map(|(name, _)| name.clone());
        if let Some((name, password)) = credentials {
            let token = BASE64_STANDARD.encode(format!("{name}:{password}"));
            let value = HeaderValue::from_str(&format!("Basic {token}"));
            let mut value = value.map_err(|_| invalid_url())?;
            value.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, value);
        }
        Ok(Endpoint::Remote { url, user, headers })
    }

    /// The endpoint for people: no credentials.
    pub fn name(&self) -> String {
        match self {
            Endpoint::Local(name) => name.clone(),
            Endpoint::Remote { url, .. } => format!("{url}/"),
        }
    }
}

fn invalid_url() -> RequestError {
    let reason = "endpoint has an invalid url";
    RequestError::new(StatusCode::BAD_REQUEST, "invalid_replication", reason)
}

/// A name may come as in a path, with its slash escaped.
fn decoded(name: &str) -> Result<String> {
    let decoded = percent_decode(name).ok_or_else(invalid_url)?;
    Ok(decoded.into_owned())
}

/// Takes the credentials out of an address, whose path ends without a slash then.
fn split_credentials(text: &str) -> Result<(Option<(String, String)>, String)> {
    let (scheme, rest) = text.split_once("://").ok_or_else(invalid_url)?;
    let scheme = scheme.to_ascii_lowercase();
    if scheme != "http" && scheme != "https" {
        return Err(invalid_url());
    }
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (credentials, host) = match authority.rsplit_once('@') {
        Some((credentials, host)) => (Some(credentials), host),
        None => (None, authority),
    };
    let credentials = credentials
        .map(|credentials| {
            let (name, password) = credentials.split_once(':').unwrap_or((credentials, ""));
            Ok::<_, RequestError>((decoded(name)?, decoded(password)?))
        })
        .transpose()?;
    let url = format!("{scheme}://{host}{}", path.trim_end_matches('/'));
    let parsed: Uri = url.parse().map_err(|_| invalid_url())?;
    let has_database = parsed.path().len() > 1 && parsed.query().is_none();
    match parsed.host().is_some_and(|host| !host.is_empty()) && has_database {
        true => Ok((credentials, url)),
        false => Err(invalid_url()),
    }
}

/// The credentials of an `auth` object.
fn basic(object: &Map<String, Value>) -> Result<Option<(String, String)>> {
    let Some(auth) = object.get("auth") else {
        return Ok(None);
    };
    let text = |name: &str| Some(auth.get("basic")?.get(name)?.as_str()?.to_owned());
    match (text("username"), text("password")) {
        (Some(name), Some(password)) => Ok(Some((name, password))),
        _ if auth.as_object().is_some_and(Map::is_empty) => Ok(None),
        _ => Err(RequestError::bad_request(
            "`auth` must be {\"basic\": {\"username\": …, \"password\": …}}",
        )),
    }
}

fn add_header(headers: &mut HeaderMap, name: &str, value: &Value) -> Result<()> {
    let invalid = || RequestError::bad_request(format!("`headers` has no valid header {name:?}"));
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
    let value = value.as_str().and_then(|text| HeaderValue::from_str(text).ok());
    headers.insert(name, value.ok_or_else(invalid)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn credentials_leave_the_address_and_become_a_header() {
        let endpoint = Endpoint::parse(Some(&json!("http://bob:p%40ss@host:5984/db/"))).expect("an endpoint");
        assert_eq!(endpoint.name(), "http://host:5984/db/");
        let Endpoint::Remote { user, headers, .. } = endpoint else {
            panic!("remote");
        };
        assert_eq!(user.as_deref(), Some("bob"));
        let expected = format!("Basic {}", BASE64_STANDARD.encode("bob:p@ss"));
        assert_eq!(headers[header::AUTHORIZATION], expected);
    }

    #[test]
    fn an_auth_object_stands_for_credentials() {
        let value = json!({"url": "https://host/db", "auth": {"basic": {"username": "a", "password": "b"}}});
        let Ok(Endpoint::Remote { user, .. }) = Endpoint::parse(Some(&value)) else {
            panic!("remote");
        };
        assert_eq!(user.as_deref(), Some("a"));
        let other = json!({"url": "https://host/db", "auth": {"oauth": {}}});
        assert!(Endpoint::parse(Some(&other)).is_err());
    }

    #[test]
    fn a_name_is_a_local_database() {
        let endpoint = Endpoint::parse(Some(&json!("fleet%2Freadings"))).expect("an endpoint");
        assert_eq!(endpoint, Endpoint::Local("fleet/readings".to_owned()));
    }

    #[test]
    fn malformed_addresses_are_refused() {
        for wrong in [
            json!("ftp://host/db"),
            json!("http://host"),
            json!("http:///db"),
            json!(1),
            json!({}),
        ] {
            assert!(Endpoint::parse(Some(&wrong)).is_err(), "{wrong}");
        }
    }
}
