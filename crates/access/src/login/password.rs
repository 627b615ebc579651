//! Names and passwords: the `Authorization` header's basic scheme, and forms that log in.

use super::totp::Totp;
use super::{Visitor, lockout};
use crate::error::{CouchError, Result};
use crate::user::{Handler, User, account};
use crate::users;
use auth::Mechanism;
use http::{StatusCode, basic_credentials};
use std::sync::Arc;
use value::date::since_1970;

/// The user whom the request's basic credentials name; `_` with the password `_` is somebody who logged out.
pub(super) async fn user(visitor: &Visitor<'_>) -> Result<Option<User>> {
    let Some(given) = basic_credentials(visitor.headers) else {
        return Ok(None);
    };
    let given =
        given.map_err(|_| CouchError::bad_request("Authorization header has invalid base64 value"))?;
    if given.name == "_" && given.password == "_" {
        return Ok(None);
    }
    let account = by_password(visitor, &given.name, &given.password, None).await?;
    Ok(Some(User::of(
        visitor.engine,
        &account,
        Handler::Default,
        visitor.is_local(),
    )))
}

/// The account of a name and password, with a one-time password where the user needs one.
pub async fn by_password(
    visitor: &Visitor<'_>,
    name: &str,
    password: &str,
    token: Option<&str>,
) -> Result<Arc<auth::User>> {
    lockout::check(visitor, name)?;
    // An error of the document is reported only after the password was right.
    let document = users::check_usable(visitor.engine, visitor.config, name).await;
    let fields = document.as_ref().ok().and_then(Option::as_ref);
    let totp = fields.and_then(|record| Totp::of(&record.document.to_document()));
    let is_right_now = totp.map(|totp| totp.is_right(token, since_1970().as_secs()));
    let account = checked_password(visitor, name, password, is_right_now).await?;
    if let Some(document) = document? {
        users::upgrade_soon(visitor, name, password, &document)?;
    }
    Ok(account)
}

/// The account of a name and password; where a one-time password is needed, `token` says whether it was right.
async fn checked_password(
    visitor: &Visitor<'_>,
    name: &str,
    password: &str,
    token: Option<bool>,
) -> Result<Arc<auth::User>> {
    let Visitor {
        engine,
        config,
        logins,
        ..
    } = *visitor;
    let account = account(engine, name);
    let known = account.as_ref().and_then(|account| {
        let mechanisms = Mechanism::ALL.iter().rev();
        mechanisms
            .filter_map(|&mechanism| Some((mechanism, account.credentials_for(mechanism)?.clone())))
            .next()
    });
    let from = visitor.peer;
    // Guesses of one-time passwords are counted, though the password may be known.
    let is_known = token.is_none() && logins.passwords.is_known(known.as_ref(), name, password);
    if !is_known {
        let begun = engine.begin_login(name, from).await;
        begun.map_err(|too_many| {
            let seconds = too_many.wait.as_secs() + 1;
            let reason = format!("Too many logins have failed; try again in {seconds} s.");
            CouchError::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", reason)
        })?;
    }
    let adopted = match known {
        Some(_) => None,
        None => users::adopt(engine, config, name, password).await?,
    };
    let is_password = adopted.is_some() || logins.passwords.is_right(known, name, password).await;
    let is_right = is_password && token != Some(false);
    if !is_known {
        engine.end_login(name, from, is_right);
    }
    let account = adopted.or(account).filter(|_| is_right);
    account.ok_or_else(|| CouchError::unauthorized("Name or password is incorrect."))
}
