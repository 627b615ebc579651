//! Signing in and out by a cookie.

use crate::access::{session_cookie, too_many_requests};
use crate::call::Call;
use crate::error::{Result, WebError};
use crate::limits::{SIGN_IN_PAUSE, SIGN_INS_FAILED_MAX};
use crate::sessions::STAY_TIME_MAX;
use crate::{page, respond};
use auth::User;
use engine::TooManyAttempts;
use http::header::SET_COOKIE;
use http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

/// Bytes of a sign-in.
const BODY_BYTES_MAX: usize = 16 * 1024;

/// `/api/session`: GET says who one is, POST signs in, DELETE out.
pub(crate) async fn session(call: &mut Call) -> Result<Response> {
    match call.request.method.as_str() {
        "GET" | "HEAD" => present(call),
        "POST" => begin(call).await,
        "DELETE" => Ok(end(call)),
        _ => Err(WebError::not_allowed("GET, HEAD, POST, DELETE")),
    }
}

fn present(call: &Call) -> Result<Response> {
    let user = call.signed_in();
    let body = json!({
        "users": call.server.engine.needs_login(),
        "user": user.map_or(Value::Null, |user| described(&user)),
        "page": page::VERSION,
        "version": env!("CARGO_PKG_VERSION"),
        "host": engine::host_name(),
    });
    Ok(respond::json(StatusCode::OK, &body))
}

async fn begin(call: &mut Call) -> Result<Response> {
    let body = call.request.body.read_all(BODY_BYTES_MAX).await?;
    let body: Value = serde_json::from_slice(&body)
        .map_err(|error| WebError::bad_request(format!("the body is not JSON: {error}")))?;
    let (mut name, mut password, mut stays) = (None, None, false);
    for (member, value) in body.as_object().into_iter().flatten() {
        match (member.as_str(), value) {
            ("name", Value::String(text)) => name = Some(text.clone()),
            ("password", Value::String(text)) => password = Some(text.clone()),
            ("stay", Value::Bool(stay)) => stays = *stay,
            _ => {
                return Err(WebError::bad_request(format!(
                    "'{member}' is not known, or of another type: give name and password as texts, and stay as true or false"
                )));
            }
        }
    }
    let (Some(name), Some(password)) = (name, password) else {
        return Err(WebError::bad_request("give name and password"));
    };
    let engine = &call.server.engine;
    check_failures(call, &name)?;
    let user = engine.log_in(&name, &password, call.request.peer).await;
    let user = user.map_err(|too_many| too_many_requests(&too_many))?;
    let refused = || {
        WebError::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "no user has this name and password",
        )
    };
    let user = user.ok_or_else(refused)?;
    let token = call.server.sessions.begin(&user, stays).ok_or_else(|| {
        WebError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "the system has no random numbers",
        )
    })?;
    let mut response = respond::json(StatusCode::OK, &described(&user));
    let life = if stays {
        format!("; Max-Age={}", STAY_TIME_MAX.as_secs())
    } else {
        String::new()
    };
    set(
        &mut response,
        &format!(
            "{}={token}; Path=/; HttpOnly; SameSite=Strict{life}",
            session_cookie(call)
        ),
    );
    Ok(response)
}

/// A form that says when to try again is kinder than one that takes longer and longer to answer.
fn check_failures(call: &Call, name: &str) -> Result<()> {
    let engine = &call.server.engine;
    match engine.failed_logins(name, call.request.peer, SIGN_IN_PAUSE) >= SIGN_INS_FAILED_MAX {
        true => Err(too_many_requests(&TooManyAttempts { wait: SIGN_IN_PAUSE })),
        false => Ok(()),
    }
}

fn end(call: &Call) -> Response {
    if let Some(token) = http::cookie(&call.request.headers, &session_cookie(call)) {
        call.server.sessions.end(token);
    }
    let mut response = respond::json(StatusCode::OK, &json!({"user": null}));
    set(
        &mut response,
        &format!(
            "{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
            session_cookie(call)
        ),
    );
    response
}

fn set(response: &mut Response, cookie: &str) {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
}

fn described(user: &User) -> Value {
    let roles: Vec<_> = user
        .roles
        .iter()
        .map(|role| json!({"role": role.name, "db": role.database}))
        .collect();
    json!({"name": user.name, "database": user.database, "roles": roles})
}
