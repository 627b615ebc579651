//! Names and passwords: the `Authorization` header's basic scheme, and forms that log in.

use super::{Visitor, lockout};
use crate::error::{CouchError, Result};
use crate::user::{Handler, User, account};
use crate::users;
use auth::Mechanism;
use http::{StatusCode, basic_credentials};
use std::sync::Arc;

/// Whoever the request's basic credentials name; `_` with the password `_` is somebody who logged out.
pub(super) async fn user(visitor: &Visitor<'_>) -> Result<Option<User>> {
    let Some(given) = basic_credentials(visitor.headers) else {
        return Ok(None);
    };
    let given =
        given.map_err(|_| CouchError::bad_request("Authorization header has invalid base64 value"))?;
    if given.name == "_" && given.password == "_" {
        return Ok(None);
    }
    let account = by_password(visitor, &given.name, &given.password).await?;
    Ok(Some(User::of(
        visitor.engine,
        &account,
        Handler::Default,
        visitor.is_local(),
    )))
}

/// The account of a name and password.
pub async fn by_password(visitor: &Visitor<'_>, name: &str, password: &str) -> Result<Arc<auth::User>> {
    let account = checked_password(visitor, name, password).await?;
    let document = users::check_usable(visitor.engine, visitor.config, name).await?;
    if let Some(document) = document {
        users::upgrade_soon(visitor, name, password, &document)?;
    }
    Ok(account)
}

async fn checked_password(visitor: &Visitor<'_>, name: &str, password: &str) -> Result<Arc<auth::User>> {
    lockout::check(visitor, name)?;
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
    let is_known = logins.passwords.is_known(known.as_ref(), name, password);
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
    let is_right = adopted.is_some() || logins.passwords.is_right(known, name, password).await;
    if !is_known {
        engine.end_login(name, from, is_right);
    }
    let account = adopted.or(account).filter(|_| is_right);
    account.ok_or_else(|| CouchError::unauthorized("Name or password is incorrect."))
}
