//! Users whom a proxy in front of this server knows: it says who they are in headers.
//!
//! Reference: `proxy_auth_user` in `src/couch/src/couch_httpd_auth.erl`. With the setting `proxy_use_secret`, a header has to hold the
//! HMAC of the name under the server's secret, by SHA-256 or SHA-1, in hexadecimal digits.

use super::Visitor;
use super::cookie::secret;
use crate::user::{Handler, User};
use hmac::{Hmac, Mac};
use sha1::Sha1;
use sha2::Sha256;
use value::unhex;

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
        if !is_signed(secret(config)?.as_bytes(), name, token) {
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

fn is_signed(secret: &[u8], name: &str, token: &str) -> bool {
    let Some(token) = unhex(token) else {
        return false;
    };
    let by_sha256 =
        || Hmac::<Sha256>::new_from_slice(secret).map(|mac| mac.chain_update(name).verify_slice(&token));
    let by_sha1 =
        || Hmac::<Sha1>::new_from_slice(secret).map(|mac| mac.chain_update(name).verify_slice(&token));
    let checked = match token.len() {
        20 => by_sha1(),
        _ => by_sha256(),
    };
    matches!(checked, Ok(Ok(())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_believed_with_its_code_alone() {
        let mut mac = Hmac::<Sha1>::new_from_slice(b"secret").unwrap();
        mac.update(b"anna");
        let token = value::hex(&mac.finalize().into_bytes());
        assert!(is_signed(b"secret", "anna", &token));
        assert!(!is_signed(b"secret", "bert", &token));
        assert!(!is_signed(b"secret", "anna", ""));
        assert!(!is_signed(b"secret", "anna", "xyz"));
    }
}
