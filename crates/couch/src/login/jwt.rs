//! Users who come with a signed token (RFC 7519): `Authorization: Bearer …`.
//!
//! The settings are CouchDB's (`src/docs/src/api/server/authn.rst`, `src/jwtf`): `[jwt_keys]` has the keys, named `hmac:ID`, `rsa:ID`,
//! `ec:ID`, the first in base64, the others as PEM; `[jwt_auth]` has `required_claims`, `roles_claim_name`, `roles_claim_path`.

use crate::call::Call;
use crate::config::Config;
use crate::error::{CouchError, Result};
use crate::user::{Handler, User};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac};
use ring::signature::{self, UnparsedPublicKey, VerificationAlgorithm};
use serde_json::{Map, Value as Json};
use sha2::{Sha256, Sha384, Sha512};
use value::date::since_1970;

/// Whoever the request's token names.
pub(super) fn user(call: &Call) -> Result<Option<User>> {
    let Some(token) = call
        .header("authorization")
        .and_then(|text| text.strip_prefix("Bearer "))
    else {
        return Ok(None);
    };
    let config = &call.server.config;
    let claims = verified(config, token)?;
    let Some(name) = claims.get("sub").and_then(Json::as_str) else {
        return Err(CouchError::unauthorized("Token missing sub claim."));
    };
    Ok(Some(User::known_elsewhere(
        name.to_owned(),
        roles(config, &claims)?,
        Handler::Jwt,
        call.user.is_local,
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
    let algorithm = algorithm.as_str().and_then(Algorithm::named);
    let algorithm = algorithm.ok_or_else(|| CouchError::bad_request("Invalid alg header parameter"))?;
    check_claims(config, &claims)?;
    let id = header.get("kid").and_then(Json::as_str).unwrap_or("_default");
    let key = algorithm.key(config, id)?;
    let code = BASE64_URL_SAFE_NO_PAD.decode(code).map_err(|_| malformed())?;
    algorithm.verify(&key, signed.as_bytes(), &code)?;
    Ok(claims)
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

/// How a token is signed (RFC 7518, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    Hs256,
    Hs384,
    Hs512,
    Rs256,
    Rs384,
    Rs512,
    Es256,
    Es384,
}

impl Algorithm {
    fn named(name: &str) -> Option<Algorithm> {
        Some(match name {
            "HS256" => Algorithm::Hs256,
            "HS384" => Algorithm::Hs384,
            "HS512" => Algorithm::Hs512,
            "RS256" => Algorithm::Rs256,
            "RS384" => Algorithm::Rs384,
            "RS512" => Algorithm::Rs512,
            "ES256" => Algorithm::Es256,
            "ES384" => Algorithm::Es384,
            _ => return None,
        })
    }

    /// The key of this id: a secret, or what a PEM's public key consists of.
    fn key(self, config: &Config, id: &str) -> Result<Vec<u8>> {
        let kind = match self {
            Algorithm::Hs256 | Algorithm::Hs384 | Algorithm::Hs512 => "hmac",
            Algorithm::Rs256 | Algorithm::Rs384 | Algorithm::Rs512 => "rsa",
            Algorithm::Es256 | Algorithm::Es384 => "ec",
        };
        let text = config
            .get("jwt_keys", &format!("{kind}:{id}"))
            .ok_or_else(|| CouchError::bad_request("Unknown kid"))?;
        let key = match kind {
            "hmac" => BASE64_STANDARD.decode(text.trim()).ok(),
            _ => public_key(&text),
        };
        key.ok_or_else(|| CouchError::bad_request("Not a valid key"))
    }

    fn verify(self, key: &[u8], message: &[u8], code: &[u8]) -> Result<()> {
        let by: &'static dyn VerificationAlgorithm = match self {
            Algorithm::Hs256 => return by_secret(Hmac::<Sha256>::new_from_slice(key), message, code),
            Algorithm::Hs384 => return by_secret(Hmac::<Sha384>::new_from_slice(key), message, code),
            Algorithm::Hs512 => return by_secret(Hmac::<Sha512>::new_from_slice(key), message, code),
            Algorithm::Rs256 => &signature::RSA_PKCS1_2048_8192_SHA256,
            Algorithm::Rs384 => &signature::RSA_PKCS1_2048_8192_SHA384,
            Algorithm::Rs512 => &signature::RSA_PKCS1_2048_8192_SHA512,
            Algorithm::Es256 => &signature::ECDSA_P256_SHA256_FIXED,
            Algorithm::Es384 => &signature::ECDSA_P384_SHA384_FIXED,
        };
        let verified = UnparsedPublicKey::new(by, key).verify(message, code);
        verified.map_err(|_| CouchError::bad_request("Bad signature in authentication token"))
    }
}

fn by_secret<M: Mac, E>(mac: Result<M, E>, message: &[u8], code: &[u8]) -> Result<()> {
    let verified = mac.is_ok_and(|mac| mac.chain_update(message).verify_slice(code).is_ok());
    match verified {
        true => Ok(()),
        false => Err(CouchError::bad_request("Bad HMAC in authentication token")),
    }
}

/// The key itself of a PEM text (`SubjectPublicKeyInfo`, RFC 5280, section 4.1: an algorithm, then a bit string with the key). Line
/// ends may be written as `\n`, as settings have them.
fn public_key(pem: &str) -> Option<Vec<u8>> {
    let text = pem.replace("\\n", "\n");
    let lines = text.lines().map(str::trim);
    let encoded: String = lines.filter(|line| !line.starts_with("-----")).collect();
    let der = BASE64_STANDARD.decode(encoded).ok()?;
    let (0x30, info, _) = element(&der)? else {
        return None;
    };
    let (0x30, _, rest) = element(info)? else {
        return None;
    };
    let (0x03, bits, _) = element(rest)? else {
        return None;
    };
    // All bits of the last byte are used.
    bits.strip_prefix(&[0]).map(<[u8]>::to_vec)
}

/// The tag and the content of the first element of DER (X.690, section 8.1), and what follows it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let length = bytes
                .iter()
                .fold(0, |length, &byte| length << 8 | usize::from(byte));
            (length, rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
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
    fn a_dot_behind_a_backslash_is_part_of_a_name() {
        assert_eq!(path_steps(r"a.b\.c"), ["a", "b.c"]);
    }

    #[test]
    fn another_secret_signs_otherwise() {
        let code = Hmac::<Sha256>::new_from_slice(b"one")
            .unwrap()
            .chain_update(b"text")
            .finalize()
            .into_bytes();
        assert!(Algorithm::Hs256.verify(b"one", b"text", &code).is_ok());
        assert!(Algorithm::Hs256.verify(b"two", b"text", &code).is_err());
    }
}
