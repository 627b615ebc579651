//! Users who come with a signed token (RFC 7519): `Authorization: Bearer …`.
//!
//! The settings are CouchDB's (`src/docs/src/api/server/authn.rst`, `src/jwtf`): `[jwt_keys]` has the keys, named `hmac:ID`, `rsa:ID`,
//! `ec:ID`, the first in base64, the others as PEM; `[jwt_auth]` has `required_claims`, `roles_claim_name`, `roles_claim_path`.

use super::Visitor;
use crate::config::Config;
use crate::error::{CouchError, Result};
use crate::user::{Handler, User};
use auth::TokenSignature;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Map, Value as Json};
use value::date::since_1970;

/// Whoever the request's token names.
pub(super) fn user(visitor: &Visitor<'_>) -> Result<Option<User>> {
    let Some(token) = visitor
        .header("authorization")
        .and_then(|text| text.strip_prefix("Bearer "))
    else {
        return Ok(None);
    };
    let config = visitor.config;
    let claims = verified(config, token)?;
    let Some(name) = claims.get("sub").and_then(Json::as_str) else {
        return Err(CouchError::unauthorized("Token missing sub claim."));
    };
    Ok(Some(User::known_elsewhere(
        name.to_owned(),
        roles(config, &claims)?,
        Handler::Jwt,
        visitor.is_local(),
    )))
}

fn malformed() -> CouchError {
    CouchError::bad_request("Malformed authentication token")
}

/// The claims of a token that is signed and valid now.
fn verified(config: &Config, token: &str) -> Result<Map<String, Json>> {
    let parts: Vec<&str> = token.split('.').collect();
    let [header, claims, code] = parts[..] else {
        return Err(malformed());
    };
    let signed = &token[..header.len() + 1 + claims.len()];
    let (header, claims) = (object(header)?, object(claims)?);
    let algorithm = header
        .get("alg")
        .ok_or_else(|| CouchError::bad_request("Missing alg header parameter"))?;
    let algorithm = algorithm_named(algorithm)?;
    check_claims(config, &claims)?;
    let id = header.get("kid").and_then(Json::as_str).unwrap_or("_default");
    let key = config
        .get("jwt_keys", &format!("{}:{id}", algorithm.kind()))
        .ok_or_else(|| CouchError::bad_request("Unknown kid"))?;
    let key = algorithm.key(&key);
    let key = key.ok_or_else(|| CouchError::bad_request("Not a valid key"))?;
    if let Some(curve) = algorithm.curve().filter(|_| !algorithm.takes(&key)) {
        let reason = format!("Not a valid key: one of the curve {curve} is wanted");
        return Err(CouchError::bad_request(reason));
    }
    let code = BASE64_URL_SAFE_NO_PAD.decode(code).map_err(|_| malformed())?;
    if algorithm.is_right(&key, signed.as_bytes(), &code) {
        return Ok(claims);
    }
    let what = match algorithm.kind() {
        "hmac" => "HMAC",
        _ => "signature",
    };
    Err(CouchError::bad_request(format!(
        "Bad {what} in authentication token"
    )))
}

/// The algorithm that a token's header names.
fn algorithm_named(named: &Json) -> Result<TokenSignature> {
    let found = named.as_str().and_then(TokenSignature::named);
    found.ok_or_else(|| {
        let reason = match named.as_str() {
            // CouchDB has it.
            Some("ES512") => "Invalid alg header parameter: ES512 (P-521) is not supported",
            _ => "Invalid alg header parameter",
        };
        CouchError::bad_request(reason)
    })
}

fn object(encoded: &str) -> Result<Map<String, Json>> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(encoded).map_err(|_| malformed())?;
    match serde_json::from_slice(&bytes) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(_) => Err(CouchError::bad_request("Not an object")),
        Err(_) => Err(malformed()),
    }
}

/// Checks the claims that are required: `exp` alone, or a list like `exp, iat, {iss, "https://…"}`.
fn check_claims(config: &Config, claims: &Map<String, Json>) -> Result<()> {
    let required = config.get("jwt_auth", "required_claims");
    for (name, wanted) in required_claims(required.as_deref().unwrap_or("exp")) {
        let missing = || CouchError::bad_request(format!("Missing {name} claim"));
        let invalid = || CouchError::bad_request(format!("Invalid {name} claim"));
        let claim = claims.get(&name).ok_or_else(missing)?;
        match (name.as_str(), wanted) {
            (_, Some(wanted)) if claim.as_str() != Some(&wanted) => return Err(invalid()),
            ("exp", None) if claim.as_f64().ok_or_else(invalid)? <= now_seconds() => {
                return Err(CouchError::unauthorized("exp not in future"));
            }
            ("nbf", None) if claim.as_f64().ok_or_else(invalid)? >= now_seconds() => {
                return Err(CouchError::unauthorized("nbf not in past"));
            }
            ("iat", None) if !claim.is_i64() => return Err(invalid()),
            _ => {}
        }
    }
    Ok(())
}

/// The names in a list of claims, with the values that some of them must have.
fn required_claims(text: &str) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c == '{' || c.is_ascii_lowercase()) {
        rest = &rest[start..];
        if let Some(pair) = rest.strip_prefix('{') {
            let end = pair.find('}').unwrap_or(pair.len());
            if let Some((name, value)) = pair[..end].split_once(',') {
                let value = value.trim().trim_matches('"').to_owned();
                found.push((name.trim().to_owned(), Some(value)));
            }
            rest = &pair[end..];
        } else {
            let end = rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len());
            found.push((rest[..end].to_owned(), None));
            rest = &rest[end..];
        }
    }
    found
}

fn now_seconds() -> f64 {
    since_1970().as_secs_f64()
}

/// The roles that a token gives: an array of texts, or a text with commas.
fn roles(config: &Config, claims: &Map<String, Json>) -> Result<Vec<String>> {
    let malformed = || CouchError::bad_request("Malformed token");
    let found = match config.get("jwt_auth", "roles_claim_path") {
        Some(path) => {
            let mut steps = path_steps(&path).into_iter();
            let first = steps.next().unwrap_or_default();
            let first = claims.get(&first).ok_or_else(|| missing_key(&first))?;
            Some(steps.try_fold(first, |found, step| inner(found, &step))?)
        }
        None => {
            let name = config.get("jwt_auth", "roles_claim_name");
            claims.get(name.as_deref().unwrap_or("_couchdb.roles"))
        }
    };
    match found {
        None => Ok(Vec::new()),
        Some(Json::Array(roles)) => {
            let roles = roles.iter().map(|role| role.as_str().map(str::to_owned));
            roles.collect::<Option<_>>().ok_or_else(malformed)
        }
        Some(Json::String(roles)) => {
            let roles = roles.split(',').map(str::trim).filter(|role| !role.is_empty());
            Ok(roles.map(str::to_owned).collect())
        }
        Some(_) => Err(malformed()),
    }
}

/// A member of a claim (`src/couch/src/couch_util.erl`, `get_nested_json_value`).
fn inner<'c>(claim: &'c Json, name: &str) -> Result<&'c Json> {
    match claim {
        Json::Object(members) => members.get(name).ok_or_else(|| missing_key(name)),
        _ => Err(CouchError::not_found("json_mismatch")),
    }
}

fn missing_key(name: &str) -> CouchError {
    CouchError::not_found(format!("missing json key: {name}"))
}

/// The steps of a path with dots; a dot after a backslash is part of a name.
fn path_steps(path: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut characters = path.chars().peekable();
    while let Some(c) = characters.next() {
        let is_escaped = c == '\\' && characters.peek() == Some(&'.');
        match (c, steps.last_mut()) {
            ('.', _) => steps.push(String::new()),
            (_, Some(step)) => step.push(if is_escaped { '.' } else { c }),
            (_, None) => {}
        }
        if is_escaped {
            characters.next();
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_claims_are_names_and_pairs() {
        let claims = required_claims(r#"exp, {iss, "https://a.example"}"#);
        let pair = ("iss".to_owned(), Some("https://a.example".to_owned()));
        assert_eq!(claims, [("exp".to_owned(), None), pair]);
    }

    #[test]
    fn an_algorithm_that_is_missing_here_is_named() {
        let refused = algorithm_named(&Json::from("ES512")).unwrap_err();
        assert!(refused.reason.contains("ES512"), "{}", refused.reason);
        assert!(algorithm_named(&Json::from("none")).is_err());
        assert_eq!(
            algorithm_named(&Json::from("ES256")).unwrap(),
            TokenSignature::Es256
        );
    }

    #[test]
    fn a_dot_behind_a_backslash_is_part_of_a_name() {
        assert_eq!(path_steps(r"a.b\.c"), ["a", "b.c"]);
    }
}
