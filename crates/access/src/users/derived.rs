//! The key that CouchDB keeps of a password (`src/couch/src/couch_users_db.erl`, `save_doc`; `couch_passwords.erl`, `pbkdf2`).

use crate::config::Config;
use crate::error::{CouchError, Result};
use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use value::{Document, Value, hex};

/// The rounds of a new key where no setting says otherwise; as many as those of the SCRAM credentials.
const ITERATIONS_DEFAULT: u32 = 15_000;
/// More would keep a processor busy for minutes.
const ITERATIONS_MAX: u32 = 10_000_000;

/// The kinds of keys that documents may have; the last is none of CouchDB's.
const SCHEMES: [&str; 4] = ["simple", "pbkdf2", "simple+pbkdf2", "scram"];

/// What stands in a document for its password.
const FIELDS: [&str; 7] = [
    "password_scheme",
    "pbkdf2_prf",
    "salt",
    "iterations",
    "derived_key",
    "password_sha",
    "preserve_salt",
];

/// What is said where the settings for passwords make no sense.
pub(super) fn refused() -> CouchError {
    CouchError::forbidden("Server cannot hash passwords at this time.")
}

/// Refuses what no password could be known by (`src/couch/include/couch_js_functions.hrl`).
pub(super) fn check(fields: &Document) -> Result<()> {
    let is_set = |name: &str| match fields.get(name) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(value) => *value != Value::from(""),
    };
    if is_set("password_sha") && !is_set("salt") {
        return Err(CouchError::forbidden("Users with password_sha must have a salt."));
    }
    let scheme = match fields.get("password_scheme") {
        Some(Value::String(scheme)) if SCHEMES.contains(&scheme.as_str()) => scheme,
        Some(Value::String(scheme)) if !scheme.is_empty() => {
            let reason = format!("Password scheme `{scheme}` not supported.");
            return Err(CouchError::forbidden(reason));
        }
        _ => return Ok(()),
    };
    if scheme != "pbkdf2" {
        return Ok(());
    }
    if !fields.get("iterations").is_some_and(Value::is_number) {
        return Err(CouchError::forbidden("iterations must be a number."));
    }
    match fields.get("derived_key") {
        Some(Value::String(_)) => Ok(()),
        _ => Err(CouchError::forbidden("derived_key must be a string.")),
    }
}

/// How keys are made that are new.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) function: Function,
    pub(super) iterations: u32,
}

impl Wanted {
    /// What the settings say (`password_scheme`, `pbkdf2_prf` and `iterations` of `[chttpd_auth]`); `None` where they make no sense.
    pub(super) fn configured(config: &Config) -> Option<Wanted> {
        let scheme = config.get("chttpd_auth", "password_scheme");
        let function = config.get("chttpd_auth", "pbkdf2_prf");
        let function = Function::named(function.as_deref().unwrap_or("sha256"))?;
        let iterations = config.number("chttpd_auth", "iterations");
        let iterations = iterations.unwrap_or(ITERATIONS_DEFAULT);
        let is_possible = (1..=ITERATIONS_MAX).contains(&iterations);
        (is_possible && scheme.is_none_or(|scheme| scheme == "pbkdf2"))
            .then_some(Wanted { function, iterations })
    }

    /// Puts the key of a password into a user document.
    pub(super) async fn put(self, password: &str, salt: String, fields: &mut Document) -> Result<()> {
        let Wanted { function, iterations } = self;
        let (password, salted) = (password.to_owned(), salt.clone());
        let derived = tokio::task::spawn_blocking(move || function.derive(&password, &salted, iterations));
        let key = derived.await.map_err(|_| refused())?;
        for field in FIELDS {
            fields.remove(field);
        }
        fields.set("password_scheme", "pbkdf2");
        fields.set("pbkdf2_prf", function.name());
        fields.set("salt", salt);
        fields.set("iterations", Value::Int64(i64::from(iterations)));
        fields.set("derived_key", key);
        Ok(())
    }
}

/// Puts the key of a new password into a user document.
pub(super) async fn put(config: &Config, password: &str, fields: &mut Document) -> Result<()> {
    let wanted = Wanted::configured(config).ok_or_else(refused)?;
    let salt = uuid::Uuid::new_v4().simple().to_string();
    wanted.put(password, salt, fields).await
}

/// The hash of which a key is derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Sha,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl Function {
    const ALL: [Function; 5] = [
        Function::Sha,
        Function::Sha224,
        Function::Sha256,
        Function::Sha384,
        Function::Sha512,
    ];

    fn name(self) -> &'static str {
        match self {
            Function::Sha => "sha",
            Function::Sha224 => "sha224",
            Function::Sha256 => "sha256",
            Function::Sha384 => "sha384",
            Function::Sha512 => "sha512",
        }
    }

    pub(super) fn named(name: &str) -> Option<Function> {
        Function::ALL.into_iter().find(|function| function.name() == name)
    }

    /// The key in hexadecimal digits, as long as the hash.
    pub(super) fn derive(self, password: &str, salt: &str, iterations: u32) -> String {
        let (password, salt) = (password.as_bytes(), salt.as_bytes());
        let mut key = [0; 64];
        let length = match self {
            Function::Sha => 20,
            Function::Sha224 => 28,
            Function::Sha256 => 32,
            Function::Sha384 => 48,
            Function::Sha512 => 64,
        };
        let key = &mut key[..length];
        match self {
            Function::Sha => pbkdf2_hmac::<Sha1>(password, salt, iterations, key),
            Function::Sha224 => pbkdf2_hmac::<Sha224>(password, salt, iterations, key),
            Function::Sha256 => pbkdf2_hmac::<Sha256>(password, salt, iterations, key),
            Function::Sha384 => pbkdf2_hmac::<Sha384>(password, salt, iterations, key),
            Function::Sha512 => pbkdf2_hmac::<Sha512>(password, salt, iterations, key),
        }
        hex(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first vector of RFC 6070.
    #[test]
    fn keys_are_those_of_pbkdf2() {
        let key = Function::Sha.derive("password", "salt", 1);
        assert_eq!(key, "0c60c80f961f0e71f3a9b524af6012062fe037a6");
    }
}
