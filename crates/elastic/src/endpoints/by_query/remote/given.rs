//! What a request says of the other server: its address, logins, headers.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue, Reach, Uri, header};
use indices::error::{ElasticError, Result};
use rest::call::Call;
use serde_json::{Map, Value};

/// The servers that may be asked, as of replications: what answers at a private address would tell a user about networks that are closed to him.
pub(super) fn reach(call: &Call) -> Reach {
    let engine = &call.server.engine;
    match call.user.as_ref().is_none_or(|user| engine.is_root(user)) {
        true => Reach::Anywhere,
        false => Reach::Public,
    }
}

pub(super) fn host(host: &str) -> Result<String> {
    let invalid = || {
        ElasticError::illegal(format!(
            "[host] must be of the form [scheme]://[host]:[port](/[pathPrefix])? but was [{host}]"
        ))
    };
    let uri: Uri = host.parse().map_err(|_| invalid())?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    let has_login = uri
        .authority()
        .is_some_and(|authority| authority.as_str().contains('@'));
    if !is_http || uri.port().is_none() || has_login || uri.query().is_some() {
        return Err(invalid());
    }
    Ok(host.trim_end_matches('/').to_owned())
}

/// The headers of all requests, with the login.
pub(super) fn headers(remote: &mut Map<String, Value>) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    let invalid = |name: &str| ElasticError::illegal(format!("[{name}] of [remote] is no header"));
    match remote.shift_remove("headers") {
        None => {}
        Some(Value::Object(given)) => {
            for (name, value) in given {
                let value = value.as_str().and_then(|text| HeaderValue::from_str(text).ok());
                let parsed: Option<HeaderName> = name.parse().ok();
                let (Some(parsed), Some(value)) = (parsed, value) else {
                    return Err(invalid(&name));
                };
                headers.insert(parsed, value);
            }
        }
        Some(_) => return Err(ElasticError::parsing("[headers] of [remote] must be an object")),
    }
    let login = match (
        text(remote, "username")?,
        text(remote, "password")?,
        text(remote, "api_key")?,
    ) {
        (None, None, None) => return Ok(headers),
        (Some(name), Some(password), None) => {
            format!("Basic {}", BASE64_STANDARD.encode(format!("{name}:{password}")))
        }
        (None, None, Some(key)) => format!("ApiKey {key}"),
        _ => {
            return Err(ElasticError::illegal(
                "[remote] wants [username] with [password], or [api_key], or none of them",
            ));
        }
    };
    let mut login = HeaderValue::from_str(&login).map_err(|_| invalid("password"))?;
    login.set_sensitive(true);
    headers.insert(header::AUTHORIZATION, login);
    Ok(headers)
}

pub(super) fn text(object: &mut Map<String, Value>, name: &str) -> Result<Option<String>> {
    match object.shift_remove(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ElasticError::parsing(format!("[{name}] must be a string"))),
    }
}
