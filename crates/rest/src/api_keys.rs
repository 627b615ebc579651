//! Keys by which programs ask in place of a user: each has what its user may do, as long as that user is there.
//!
//! Of the secret only a hash is kept. It is random, 128 bits of it, so one round of SHA-256 is enough.

use crate::kept::{self, Family};
use crate::server::Server;
use auth::User;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use http::{Request, StatusCode};
use indices::error::{ElasticError, Result};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Keys of one user that are neither invalidated nor expired.
pub const KEYS_MAX: usize = 100;

/// A key that was made.
pub struct Made {
    /// Its id, which is no secret.
    pub id: String,
    /// Its secret, which only the client has.
    pub secret: String,
    /// What is kept of it.
    pub kept: Value,
}

impl Made {
    /// What clients send.
    pub fn encoded(&self) -> String {
        BASE64_STANDARD.encode(format!("{}:{}", self.id, self.secret))
    }
}

/// Makes a key for a user.
pub fn make(user: &User, name: &str, now_ms: u64, expires_ms: Option<u64>, metadata: &Value) -> Result<Made> {
    let random = |bytes: usize| {
        let mut random = vec![0; bytes];
        getrandom::fill(&mut random)
            .map_err(|error| ElasticError::failed(format!("no random numbers: {error}")))?;
        Ok::<_, ElasticError>(BASE64_URL_SAFE_NO_PAD.encode(random))
    };
    let (id, secret) = (random(15)?, random(16)?);
    let kept = json!({
        "name": name, "hash": hash(&secret), "database": user.database, "username": user.name, "user": value::hex(&user.uuid),
        "creation": now_ms, "expiration": expires_ms, "invalidated": false, "metadata": metadata,
    });
    Ok(Made { id, secret, kept })
}

fn hash(secret: &str) -> String {
    value::hex(&Sha256::digest(secret.as_bytes()))
}

/// Whether a key may still be used.
pub fn is_valid(kept: &Value, now_ms: u64) -> bool {
    let has_expired = kept["expiration"].as_u64().is_some_and(|until| until <= now_ms);
    kept["invalidated"] == json!(false) && !has_expired
}

/// Whether a key is this user's.
pub fn belongs_to(kept: &Value, user: &User) -> bool {
    kept["user"].as_str() == Some(&value::hex(&user.uuid))
}

/// The user for whom a request's key asks; `None` where the request has no key.
pub async fn user(server: &Server, request: &Request) -> Result<Option<Arc<User>>> {
    let header = request
        .header("authorization")
        .and_then(|header| header.split_once(' '));
    let Some((_, encoded)) = header.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("apikey")) else {
        return Ok(None);
    };
    let refused = || {
        let reason =
            "unable to authenticate with the API key: there is none of this id and secret, or it has ended";
        ElasticError::new(StatusCode::UNAUTHORIZED, "security_exception", reason)
    };
    let decoded = BASE64_STANDARD.decode(encoded.trim()).ok();
    let decoded = decoded
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(refused)?;
    let (id, secret) = decoded.split_once(':').ok_or_else(refused)?;
    let kept = kept::one(server, Family::ApiKey, id).await?.ok_or_else(refused)?;
    let known = kept["hash"].as_str().unwrap_or_default();
    let is_known = bool::from(known.as_bytes().ct_eq(hash(secret).as_bytes()));
    if !is_known || !is_valid(&kept, server.engine.now_ms()) {
        return Err(refused());
    }
    let text = |name: &str| kept[name].as_str().unwrap_or_default();
    let user = server.engine.user(text("database"), text("username"));
    user.filter(|user| belongs_to(&kept, user))
        .map(Some)
        .ok_or_else(refused)
}
