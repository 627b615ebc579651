//! Names and passwords: the `Authorization` header's basic scheme, and forms that log in.

use super::{Handler, User, account};
use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::limits::PASSWORDS_REMEMBERED_MAX;
use crate::users;
use auth::{Credentials, Decoy, Mechanism};
use hmac::{Hmac, Mac};
use http::basic_credentials;
use parking_lot::Mutex;
use sha2::Sha256;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use subtle::ConstantTimeEq;

/// Whoever the request's basic credentials name; `_` with the password `_` is somebody who logged out.
pub(super) async fn user(call: &Call) -> Result<Option<User>> {
    let Some(given) = basic_credentials(&call.headers) else {
        return Ok(None);
    };
    let given =
        given.map_err(|_| CouchError::bad_request("Authorization header has invalid base64 value"))?;
    if given.name == "_" && given.password == "_" {
        return Ok(None);
    }
    let account = by_password(call, &given.name, &given.password).await?;
    Ok(Some(User::of(&account, Handler::Default, call.user.is_local)))
}

/// The account of a name and password.
pub(crate) async fn by_password(call: &Call, name: &str, password: &str) -> Result<Arc<auth::User>> {
    let account = checked_password(call, name, password).await?;
    users::check_usable(&call.server, name).await?;
    Ok(account)
}

async fn checked_password(call: &Call, name: &str, password: &str) -> Result<Arc<auth::User>> {
    let wrong = || CouchError::unauthorized("Name or password is incorrect.");
    let logins = &call.server.passwords;
    let account = account(&call.server.engine, name);
    let known = account.as_ref().and_then(|account| {
        let mechanisms = Mechanism::ALL.iter().rev();
        mechanisms
            .filter_map(|&mechanism| Some((mechanism, account.credentials_for(mechanism)?.clone())))
            .next()
    });
    let is_known = known.is_some();
    if !is_known && let Some(adopted) = users::adopt(&call.server, name, password).await? {
        return Ok(adopted);
    }
    // Where there is no such user, the same work is done, so that the time tells nothing.
    let (mechanism, kept) = known.unwrap_or_else(|| {
        let mechanism = Mechanism::ScramSha256;
        (mechanism, logins.decoy.credentials(mechanism, "admin", name))
    });
    let memory = logins.digest(&[name.as_bytes(), password.as_bytes(), &kept.stored_key]);
    if is_known && logins.remembered.lock().contains(&memory) {
        count(&logins.fast);
        return account.ok_or_else(wrong);
    }
    let (name, password) = (name.to_owned(), password.to_owned());
    count(&logins.slow);
    let derived = tokio::task::spawn_blocking(move || {
        let derived = Credentials::derive(mechanism, &name, &password, kept.salt.clone(), kept.iterations);
        derived.is_ok_and(|derived| derived.stored_key.ct_eq(&kept.stored_key).into())
    });
    let is_right = derived.await.unwrap_or(false);
    match account.filter(|_| is_known && is_right) {
        Some(account) => {
            logins.remember(memory);
            count(&logins.fast);
            Ok(account)
        }
        None => Err(wrong()),
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

/// The passwords that were found right, so that not every request needs to hash one.
#[derive(Debug)]
pub(crate) struct Passwords {
    key: [u8; 32],
    decoy: Decoy,
    /// Digests of names and passwords.
    remembered: Mutex<HashSet<[u8; 32]>>,
    /// Passwords that were told by their digest.
    fast: AtomicU64,
    /// Passwords that were hashed.
    slow: AtomicU64,
}

impl Passwords {
    /// With a key of its own; none where there is no randomness.
    pub(crate) fn new() -> Option<Passwords> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).ok()?;
        Some(Passwords {
            key,
            decoy: Decoy::new().ok()?,
            remembered: Mutex::default(),
            fast: AtomicU64::new(0),
            slow: AtomicU64::new(0),
        })
    }

    /// How many passwords were told by their digest, and how many were hashed.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.fast.load(Relaxed), self.slow.load(Relaxed))
    }

    fn digest(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&self.key)
            .expect("HMAC takes keys of every length (RFC 2104)");
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    fn remember(&self, memory: [u8; 32]) {
        let mut remembered = self.remembered.lock();
        if remembered.len() >= PASSWORDS_REMEMBERED_MAX {
            remembered.clear();
        }
        remembered.insert(memory);
    }
}
