//! `/_session`: logging in and out by cookie.

use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::json::write_string;
use crate::{login, respond};
use http::{HeaderValue, Method, Response, StatusCode, header, query_pairs};
use value::Value;

/// A cookie that logs nobody in.
const LOGGED_OUT: &str = "AuthSession=; Version=1; Path=/; HttpOnly";

/// `/_session`.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    match call.method {
        Method::GET | Method::HEAD => show(call),
        Method::POST => log_in(call).await,
        Method::DELETE => {
            let mut response = respond::ok_true(StatusCode::OK);
            set_cookie(&mut response, LOGGED_OUT);
            Ok(response)
        }
        _ => Err(CouchError::method_not_allowed("GET,HEAD,POST,DELETE")),
    }
}

fn show(call: &Call) -> Result<Response> {
    if call.user.name.is_none() && call.query.is_true("basic") {
        return Err(CouchError::unauthorized("Please login."));
    }
    let mut text = String::from(r#"{"ok":true,"userCtx":{"name":"#);
    match &call.user.name {
        Some(name) => write_string(name, &mut text),
        None => text.push_str("null"),
    }
    text.push_str(r#","roles":"#);
    write_roles(&call.user.roles, &mut text);
    text.push_str(r#"},"info":{"authentication_handlers":["cookie","default"]"#);
    if let Some(handler) = call.user.handler {
        text.push_str(&format!(r#","authenticated":"{handler}""#));
    }
    text.push_str("}}");
    Ok(respond::ok(text))
}

fn write_roles(roles: &[String], out: &mut String) {
    out.push('[');
    for (position, role) in roles.iter().enumerate() {
        out.push_str(if position > 0 { "," } else { "" });
        write_string(role, out);
    }
    out.push(']');
}

async fn log_in(call: &mut Call) -> Result<Response> {
    let (name, password) = credentials(call).await?;
    let account = match login::by_password(call, &name, &password).await {
        Ok(account) => account,
        Err(error) => {
            let mut response = respond::error(&error);
            set_cookie(&mut response, LOGGED_OUT);
            return Ok(response);
        }
    };
    let mut text = String::from(r#"{"ok":true,"name":"#);
    write_string(&account.name, &mut text);
    text.push_str(r#","roles":"#);
    write_roles(&login::roles(&account), &mut text);
    text.push('}');
    let mut response = respond::ok(text);
    set_cookie(&mut response, &call.server.logins.cookie(&account));
    Ok(response)
}

async fn credentials(call: &mut Call) -> Result<(String, String)> {
    let kind = call.header("content-type").unwrap_or_default().to_owned();
    let (mut name, mut password) = (None, String::new());
    if kind.starts_with("application/json") {
        let body = call.json_object().await?;
        let text = |field: &str| match body.get(field) {
            Some(Value::String(text)) => Some(text.clone()),
            _ => None,
        };
        name = text("name").or_else(|| text("username"));
        password = text("password").unwrap_or_default();
    } else if kind.starts_with("application/x-www-form-urlencoded") {
        let bytes = call.bytes().await?;
        let form = std::str::from_utf8(&bytes).map_err(|_| CouchError::bad_request("invalid form"))?;
        for pair in query_pairs(form) {
            let (field, text) = pair.ok_or_else(|| CouchError::bad_request("invalid form"))?;
            match field.as_ref() {
                "name" | "username" => name = Some(text.into_owned()),
                "password" => password = text.into_owned(),
                _ => {}
            }
        }
    } else {
        return Err(CouchError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "bad_content_type",
            "Content-Type must be 'application/x-www-form-urlencoded' or 'application/json'",
        ));
    }
    let name = name.ok_or_else(|| CouchError::bad_request("request body must contain a username"))?;
    Ok((name, password))
}

fn set_cookie(response: &mut Response, cookie: &str) {
    // Names with characters that no header can have cannot log in by cookie.
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
}
