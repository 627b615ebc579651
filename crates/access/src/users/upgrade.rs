//! Keys of passwords that are made anew when their users log in: only then is the password known
//! (`src/couch/src/couch_password_hasher.erl`).

use super::adopt::Kept;
use super::derived::Wanted;
use super::stored;
use crate::error::{CouchError, Result};
use crate::login::Visitor;
use engine::{Edit, EditOrigin, EditOutcome, Record, RevisionedCollection};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use value::DocumentBuf;

/// How long the key of one user stays as it was made. Settings of two servers that replicate their users, and differ, must not
/// keep them busy.
const PAUSE: Duration = Duration::from_secs(5);

/// The users whose key is being made anew, or was a moment ago.
pub(crate) type Upgrades = Arc<Mutex<HashSet<String>>>;

/// Makes the key in a user's document anew, behind the request, where the settings want a stronger one than it has and
/// `[chttpd_auth] upgrade_hash_on_auth` does not say otherwise.
///
/// CouchDB goes by the settings both ways. Here a key never gets fewer rounds, so that users who came from a store with a higher
/// setting are not weakened by logging in.
pub(crate) fn upgrade_soon(visitor: &Visitor<'_>, name: &str, password: &str, record: &Record) -> Result<()> {
    let config = visitor.config;
    let setting = config.get("chttpd_auth", "upgrade_hash_on_auth");
    let kept = Kept::read(&record.document.to_document());
    let (Some(kept), Some(wanted)) = (kept, Wanted::configured(config)) else {
        return Ok(());
    };
    let Some(wanted) = stronger(&kept, wanted).filter(|_| setting.as_deref() != Some("false")) else {
        return Ok(());
    };
    let Some(users) = stored(visitor.engine, config)? else {
        return Ok(());
    };
    let upgrades = &visitor.logins.upgrades;
    if !upgrades.lock().insert(name.to_owned()) {
        return Ok(());
    }
    let (name, password, record) = (name.to_owned(), password.to_owned(), record.clone());
    let upgrades = upgrades.clone();
    tokio::spawn(async move {
        match upgrade(&users, &record, kept, wanted, &password).await {
            Ok(()) => tracing::info!(user = name, "the key of a password was made anew"),
            Err(error) => tracing::debug!(user = name, %error, "the key of a password stays as it was"),
        }
        drop(users);
        tokio::time::sleep(PAUSE).await;
        upgrades.lock().remove(&name);
    });
    Ok(())
}

/// How a key is made anew; `None` where it is as strong already.
fn stronger(kept: &Kept, wanted: Wanted) -> Option<Wanted> {
    let Some((function, iterations)) = kept.function else {
        return Some(wanted);
    };
    let is_older = function != wanted.function || iterations < wanted.iterations;
    is_older.then(|| Wanted {
        function: wanted.function,
        iterations: wanted.iterations.max(iterations),
    })
}

/// Writes the document with its new key. Where somebody else has written it meanwhile, theirs stays; so does a key of another
/// password, which was changed in another store.
async fn upgrade(
    users: &RevisionedCollection,
    record: &Record,
    kept: Kept,
    wanted: Wanted,
    password: &str,
) -> Result<()> {
    let (salt, given) = (kept.salt.clone(), password.to_owned());
    let verified = tokio::task::spawn_blocking(move || kept.is_of(&given)).await;
    if !verified.unwrap_or(false) {
        return Err(CouchError::forbidden("The key is of another password."));
    }
    let mut fields = record.document.to_document();
    wanted.put(password, salt, &mut fields).await?;
    let edit = Edit {
        document: DocumentBuf::from(&fields),
        deleted: false,
        origin: EditOrigin::After(Some(record.revision())),
    };
    let outcome = users.edit(vec![edit], true).await?.pop();
    match outcome {
        Some(EditOutcome::Written(_)) => Ok(()),
        Some(EditOutcome::Refused(error)) => Err(error.into()),
        Some(EditOutcome::Conflict) | None => Err(CouchError::conflict()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::users::derived::Function;
    use value::doc;

    #[test]
    fn a_key_gets_the_function_of_the_settings_and_never_fewer_rounds() {
        let wanted = Wanted {
            function: Function::Sha256,
            iterations: 1_000,
        };
        let found = |fields| {
            let stronger = stronger(&Kept::read(&fields).unwrap(), wanted)?;
            assert_eq!(stronger.function, Function::Sha256);
            Some(stronger.iterations)
        };
        let key = |function: &str, iterations: i32| {
            let mut fields = doc! {"password_scheme": "pbkdf2", "pbkdf2_prf": function, "derived_key": "00"};
            fields.set("iterations", iterations);
            fields
        };
        assert_eq!(found(key("sha256", 1_000)), None);
        assert_eq!(found(key("sha256", 20_000)), None);
        assert_eq!(found(key("sha256", 10)), Some(1_000));
        assert_eq!(found(key("sha", 10)), Some(1_000));
        assert_eq!(found(key("sha512", 20_000)), Some(20_000));
        assert_eq!(found(doc! {"password_sha": "00"}), Some(1_000));
    }
}
