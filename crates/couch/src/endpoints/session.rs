//! `/_session`: logging in and out by cookie.

use crate::call::Call;
use crate::respond;
use access::error::{CouchError, Result};
use access::login::Cookies;
use access::{login, user};
use http::{Method, Response, StatusCode, query_pairs};
use json::write_string;
use serde_json::json;
use value::Value;

/// `/_session`.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    match call.method {
        Method::GET | Method::HEAD => show(call),
        Method::POST => log_in(call).await,
        Method::DELETE => {
            let mut response = respond::ok_true(StatusCode::OK);
            respond::cookie(&mut response, &Cookies::configured(&call.server.config).log_out());
            redirect(call, "next", &mut response)?;
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
    text.push_str(&json!(call.user.name).to_string());
    text.push_str(r#","roles":"#);
    text.push_str(&json!(call.user.roles).to_string());
    text.push_str(r#"},"info":{"authentication_handlers":"#);
    let handlers = login::handlers(&call.server.config).into_iter();
    let handlers: Vec<&str> = handlers.map(user::Handler::name).collect();
    text.push_str(&json!(handlers).to_string());
    if let Some(handler) = call.user.handler {
        text.push_str(&format!(r#","authenticated":"{handler}""#));
    }
    if let Some(users) = call.server.config.get("chttpd_auth", "authentication_db") {
        text.push_str(r#","authentication_db":"#);
        write_string(&users, &mut text);
    }
    text.push_str("}}");
    Ok(respond::ok(text))
}

async fn log_in(call: &mut Call) -> Result<Response> {
    let Credentials {
        name,
        password,
        token,
    } = credentials(call).await?;
    let account = match login::by_password(&call.visitor(), &name, &password, token.as_deref()).await {
        Ok(account) => account,
        Err(error) => {
            let mut response = respond::error(&error);
            respond::cookie(&mut response, &Cookies::configured(&call.server.config).log_out());
            redirect(call, "fail", &mut response)?;
            return Ok(response);
        }
    };
    let mut text = String::from(r#"{"ok":true,"name":"#);
    write_string(&account.name, &mut text);
    text.push_str(r#","roles":"#);
    text.push_str(&json!(user::roles(&call.server.engine, &account)).to_string());
    text.push('}');
    let mut response = respond::ok(text);
    // The secret of cookies has to be there after a restart.
    call.server.config.keep_secret(&call.server.engine).await?;
    respond::cookie(
        &mut response,
        &Cookies::configured(&call.server.config).log_in(&account),
    );
    redirect(call, "next", &mut response)?;
    Ok(response)
}

/// Sends a page on to where a parameter of the query says.
fn redirect(call: &Call, parameter: &str, response: &mut Response) -> Result<()> {
    let Some(path) = call.query.get(parameter) else {
        return Ok(());
    };
    if !path.starts_with('/') {
        return Err(CouchError::bad_request("path must begin with a /."));
    }
    *response.status_mut() = StatusCode::FOUND;
    respond::location(response, &format!("{}{path}", call.url(&[])));
    Ok(())
}

/// The form of a login.
struct Credentials {
    name: String,
    password: String,
    /// A one-time password.
    token: Option<String>,
}

async fn credentials(call: &mut Call) -> Result<Credentials> {
    let kind = call.header("content-type").unwrap_or_default().to_owned();
    let (mut name, mut username, mut password, mut token) = (None, None, None, None);
    if kind.starts_with("application/json") {
        let body = call.json_object().await?;
        let text = |field: &str| match body.get(field) {
            Some(Value::String(text)) => Some(text.clone()),
            _ => None,
        };
        (name, username) = (text("name"), text("username"));
        (password, token) = (text("password"), text("token"));
    } else if kind.starts_with("application/x-www-form-urlencoded") {
        let bytes = call.bytes().await?;
        let form = std::str::from_utf8(&bytes).map_err(|_| CouchError::bad_request("invalid form"))?;
        for pair in query_pairs(form) {
            let (field, text) = pair.ok_or_else(|| CouchError::bad_request("invalid form"))?;
            let field = match field.as_ref() {
                "name" => &mut name,
                "username" => &mut username,
                "password" => &mut password,
                "token" => &mut token,
                _ => continue,
            };
            field.get_or_insert_with(|| text.into_owned());
        }
    } else {
        return Err(CouchError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "bad_content_type",
            "Content-Type must be 'application/x-www-form-urlencoded' or 'application/json'",
        ));
    }
    if name.is_some() && username.is_some() && name != username {
        return Err(CouchError::bad_request(
            "request body contains different usernames",
        ));
    }
    let name = name.or(username);
    let name = name.ok_or_else(|| CouchError::bad_request("request body must contain a username"))?;
    Ok(Credentials {
        name,
        password: password.unwrap_or_default(),
        token,
    })
}
