//! Users whom a proxy in front of this server knows: it says who they are in headers.
//!
//! Reference: `proxy_auth_user` in `src/couch/src/couch_httpd_auth.erl`. With the setting `proxy_use_secret`, a header has to hold the
//! HMAC of the name under the server's secret, by one of the functions that the setting `hash_algorithms` names, in hexadecimal digits.

use super::Visitor;
use super::cookie::secret;
use crate::user::{Handler, User};
use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use value::unhex;

/// The functions where the settings name none.
const FUNCTIONS: &str = "sha256, sha";

/// Whoever the headers name.
pub(super) fn user(visitor: &Visitor<'_>) -> Option<User> {
    let config = visitor.config;
    let header = |setting: &str, default: &str| {
        let name = config.get("chttpd_auth", setting);
        visitor.header(name.as_deref().unwrap_or(default))
    };
    let name = header("x_auth_username", "X-Auth-CouchDB-UserName")?;
    if config.is_on("chttpd_auth", "proxy_use_secret") {
        let token = header("x_auth_token", "X-Auth-CouchDB-Token")?;
        let functions = config.get("chttpd_auth", "hash_algorithms");
        let functions = functions.as_deref().unwrap_or(FUNCTIONS);
        if !is_signed(functions, secret(config)?.as_bytes(), name, token) {
            return None;
        }
    }
    let roles = header("x_auth_roles", "X-Auth-CouchDB-Roles").unwrap_or_default();
    let roles = roles.split(',').map(str::trim).filter(|role| !role.is_empty());
    Some(User::known_elsewhere(
        name.to_owned(),
        roles.map(str::to_owned).collect(),
        Handler::Proxy,
        visitor.is_local(),
    ))
}

/// Whether a token is that of a name, by one of these functions: its length tells by which.
fn is_signed(functions: &str, secret: &[u8], name: &str, token: &str) -> bool {
    let Some(token) = unhex(token) else {
        return false;
    };
    let (function, holds) = match token.len() {
        20 => ("sha", holds::<Hmac<Sha1>>(secret, name, &token)),
        28 => ("sha224", holds::<Hmac<Sha224>>(secret, name, &token)),
        32 => ("sha256", holds::<Hmac<Sha256>>(secret, name, &token)),
        48 => ("sha384", holds::<Hmac<Sha384>>(secret, name, &token)),
        64 => ("sha512", holds::<Hmac<Sha512>>(secret, name, &token)),
        _ => return false,
    };
    holds && functions.split(',').any(|named| named.trim() == function)
}

fn holds<M: Mac + KeyInit>(secret: &[u8], name: &str, token: &[u8]) -> bool {
    let mac = <M as Mac>::new_from_slice(secret);
    mac.is_ok_and(|mac| mac.chain_update(name).verify_slice(token).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_believed_with_its_code_alone() {
        let mut mac = <Hmac<Sha1> as Mac>::new_from_slice(b"secret").unwrap();
        mac.update(b"anna");
        let token = value::hex(&mac.finalize().into_bytes());
        assert!(is_signed(FUNCTIONS, b"secret", "anna", &token));
        assert!(!is_signed("sha256", b"secret", "anna", &token));
        assert!(!is_signed(FUNCTIONS, b"secret", "bert", &token));
        assert!(!is_signed(FUNCTIONS, b"secret", "anna", ""));
        assert!(!is_signed(FUNCTIONS, b"secret", "anna", "xyz"));
    }
}
