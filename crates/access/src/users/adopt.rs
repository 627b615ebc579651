//! Users whose document came from another store, by replication: it has the key of a password and not the password.
//!
//! Whoever logs in with the right password for the first time becomes a user of this store. The keys are those of
//! `src/couch/src/couch_httpd_auth.erl` (`authenticate_int`): PBKDF2, or the older SHA-1 of password and salt.

use super::derived::Function;
use super::{UserChange, apply, check, check_reserved, check_usable, ending, stored};
use crate::config::Config;
use crate::error::{CouchError, Result};
use crate::{ids, user};
use engine::Engine;
use sha1::{Digest, Sha1};
use std::sync::Arc;
use subtle::ConstantTimeEq;
use value::{Document, Value, hex};

/// More rounds are not done for a document that anybody may have written.
const ITERATIONS_MAX: u32 = 2_000_000;
/// The rounds where a document does not say (CouchDB's default).
const ITERATIONS_DEFAULT: u32 = 10_000;

/// What a document knows of a password.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// With its rounds; none for the plain hash.
    pub(super) function: Option<(Function, u32)>,
    pub(super) salt: String,
    key: String,
}

/// Makes the user of this name, if a document knows this password of it.
pub(crate) async fn adopt(
    engine: &Engine,
    config: &Config,
    name: &str,
    password: &str,
) -> Result<Option<Arc<auth::User>>> {
    let Some(users) = stored(engine, config)? else {
        return Ok(None);
    };
    let id = format!("{}{name}", ids::USER);
    let found = users
        .snapshot()
        .await?
        .document(Value::from(id.as_str()).as_ref())
        .await?;
    let Some(fields) = found.map(|record| record.document.to_document()) else {
        return Ok(None);
    };
    let is_strict = false;
    let (Ok((name, roles)), Some(kept)) = (check(&id, &fields, is_strict), Kept::read(&fields)) else {
        return Ok(None);
    };
    if check_reserved(&name, &roles).is_err() {
        return Ok(None);
    }
    check_usable(engine, config, &name).await?;
    let rounds = |setting| config.number("chttpd_auth", setting);
    kept.check_rounds(rounds("min_iterations"), rounds("max_iterations"))?;
    let given = password.to_owned();
    let verified = tokio::task::spawn_blocking(move || kept.is_of(&given)).await;
    if !verified.unwrap_or(false) {
        return Ok(None);
    }
    let change = UserChange {
        name: name.clone(),
        password: Some(password.to_owned()),
        known: None,
        made: None,
        roles,
    };
    let database = config.users_database();
    apply(engine, &database, change, &fields).await?;
    // A change of the setting meanwhile may have looked for accounts of this database before this one was there.
    if config.users_database() != database {
        ending::end(engine, &name).await?;
    }
    Ok(user::account(engine, &name))
}

impl Kept {
    pub(super) fn read(fields: &Document) -> Option<Kept> {
        let text = |name: &str| fields.get(name).and_then(|value| value.as_ref().as_str());
        let number = |name: &str| match fields.get(name) {
            Some(Value::Int32(number)) => u32::try_from(*number).ok(),
            Some(Value::Int64(number)) => u32::try_from(*number).ok(),
            Some(_) => None,
            None => Some(ITERATIONS_DEFAULT),
        };
        let salt = text("salt").unwrap_or_default().to_owned();
        match text("password_scheme").unwrap_or("simple") {
            "pbkdf2" => {
                let function = Function::named(text("pbkdf2_prf").unwrap_or("sha"))?;
                let iterations = number("iterations").filter(|count| (1..=ITERATIONS_MAX).contains(count))?;
                Some(Kept {
                    function: Some((function, iterations)),
                    salt,
                    key: text("derived_key")?.to_owned(),
                })
            }
            "simple" => Some(Kept {
                function: None,
                salt,
                key: text("password_sha")?.to_owned(),
            }),
            _ => None,
        }
    }

    /// Whether this is the key of another password than the one before it, as far as can be told without them: where a key is made
    /// anew of the same password, its salt stays (`couch_password_hasher.erl`).
    pub(super) fn replaces(&self, before: &Kept) -> bool {
        let is_made_alike = self.function == before.function;
        self.salt != before.salt || (is_made_alike && !self.key.eq_ignore_ascii_case(&before.key))
    }

    /// Refuses a key of fewer or more rounds than the settings allow, where they say so.
    fn check_rounds(&self, least: Option<u32>, most: Option<u32>) -> Result<()> {
        let Some((_, iterations)) = self.function else {
            return Ok(());
        };
        let wrong = if least.is_some_and(|least| iterations < least) {
            "low"
        } else if most.is_some_and(|most| iterations > most) {
            "high"
        } else {
            return Ok(());
        };
        Err(CouchError::forbidden(format!(
            "Iteration count is too {wrong} for this server"
        )))
    }

    pub(super) fn is_of(&self, password: &str) -> bool {
        let key = match self.function {
            Some((function, iterations)) => function.derive(password, &self.salt, iterations),
            None => hex(&Sha1::digest(format!("{password}{}", self.salt))),
        };
        key.as_bytes()
            .ct_eq(self.key.to_ascii_lowercase().as_bytes())
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::doc;

    /// The first vector of RFC 6070, and the SHA-1 of `passwordsalt`.
    #[test]
    fn keys_by_pbkdf2_and_by_sha1_are_known() {
        let derived = doc! {
            "password_scheme": "pbkdf2", "iterations": 1, "salt": "salt",
            "derived_key": "0c60c80f961f0e71f3a9b524af6012062fe037a6",
        };
        let hashed = doc! {"salt": "salt", "password_sha": "c88e9c67041a74e0357befdff93f87dde0904214"};
        for fields in [derived, hashed] {
            let kept = Kept::read(&fields).unwrap();
            assert!(kept.is_of("password"));
            assert!(!kept.is_of("passwort"));
        }
    }

    #[test]
    fn another_salt_or_another_key_made_alike_is_of_another_password() {
        let key = |salt: &str, iterations: i32, key: &str| {
            let mut fields = doc! {"password_scheme": "pbkdf2", "salt": salt, "derived_key": key};
            fields.set("iterations", iterations);
            Kept::read(&fields).unwrap()
        };
        let before = key("a", 10, "0f");
        for (after, is_another) in [
            (key("a", 10, "0F"), false),
            (key("a", 20, "1f"), false),
            (key("a", 10, "1f"), true),
            (key("b", 10, "0f"), true),
        ] {
            assert_eq!(after.replaces(&before), is_another, "{after:?}");
        }
    }

    #[test]
    fn a_key_has_as_many_rounds_as_the_settings_want() {
        let fields = doc! {"password_scheme": "pbkdf2", "iterations": 1_000, "derived_key": "00"};
        let kept = Kept::read(&fields).unwrap();
        for (least, most, told) in [
            (None, None, None),
            (Some(1_000), Some(1_000), None),
            (
                Some(1_001),
                None,
                Some("Iteration count is too low for this server"),
            ),
            (
                None,
                Some(999),
                Some("Iteration count is too high for this server"),
            ),
        ] {
            let refused = kept.check_rounds(least, most).err();
            assert_eq!(refused.as_ref().map(|error| &*error.reason), told);
        }
        let hashed = Kept::read(&doc! {"password_sha": "00"}).unwrap();
        assert!(hashed.check_rounds(Some(10), None).is_ok());
    }

    #[test]
    fn documents_without_a_usable_key_know_no_password() {
        let endless = doc! {"password_scheme": "pbkdf2", "iterations": 2_000_000_000, "derived_key": "00"};
        for fields in [doc! {}, doc! {"password_scheme": "bcrypt"}, endless] {
            assert!(Kept::read(&fields).is_none());
        }
    }
}
