//! Databases that users have for themselves, where `[couch_peruser] enable` says so (`src/couch_peruser/src/couch_peruser.erl`).
//!
//! A follower reads the changes of the database of users. With the document of a user comes the database, whose security object names
//! the user; once the document is deleted, the user is named there no more, or the database is dropped.

use crate::endpoints::database;
use crate::server::Server;
use access::config::Config;
use access::error::Result;
use access::{ids, names, security};
use engine::{ChangeKind, Order, RevisionedCollection, Sequence};
use json::Reader;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use value::{Document, Value, ValueRef};

const SECTION: &str = "couch_peruser";

/// What the names of such databases begin with where the settings do not say.
const PREFIX_DEFAULT: &str = "userdb-";

/// How often the settings are looked at.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// The changes that are read at once.
const PAGE_CHANGES: usize = 200;

/// What the settings want.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    /// The database of users.
    users: String,
    /// What the names of the databases begin with.
    prefix: String,
    /// Whether a database goes with its user.
    is_dropped: bool,
}

impl Wanted {
    /// `None` where users have no databases.
    fn of(config: &Config) -> Option<Wanted> {
        let prefix = config.get(SECTION, "database_prefix");
        config.is_on(SECTION, "enable").then(|| Wanted {
            users: config.users_database(),
            prefix: prefix.unwrap_or_else(|| PREFIX_DEFAULT.to_owned()),
            is_dropped: config.is_on(SECTION, "delete_dbs"),
        })
    }

    /// The database of a user: the bytes of the name in hexadecimal digits.
    fn database(&self, user: &str) -> String {
        let mut name = self.prefix.clone();
        for byte in user.bytes() {
            // Writing to a String cannot fail.
            let _ = write!(name, "{byte:x}");
        }
        name
    }
}

/// Follows the database of users until the server stops.
pub(crate) async fn follow(server: Arc<Server>) {
    let mut stop = server.stop.clone();
    loop {
        if let Some(wanted) = Wanted::of(&server.config)
            && let Err(error) = follow_users(&server, &wanted).await
        {
            tracing::error!(%error, "the database of users cannot be followed");
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_INTERVAL) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// Does so until it is dropped or the settings want something else.
async fn follow_users(server: &Server, wanted: &Wanted) -> Result<()> {
    names::check(&wanted.prefix)?;
    let Some(users) = server.engine.revisioned(&names::namespace(&wanted.users))? else {
        return Ok(());
    };
    let mut position = Sequence::START;
    while Wanted::of(&server.config).as_ref() == Some(wanted) {
        if let Some(next) = page(server, wanted, &users, &position).await? {
            position = next;
            continue;
        }
        tokio::select! {
            has_changed = users.changed_after(&position) => {
                if !has_changed {
                    break;
                }
            }
            () = tokio::time::sleep(LOOK_INTERVAL) => {}
        }
    }
    Ok(())
}

/// Looks at the next changes; `None` if there are none.
async fn page(
    server: &Server,
    wanted: &Wanted,
    users: &RevisionedCollection,
    position: &Sequence,
) -> Result<Option<Sequence>> {
    let snapshot = users.snapshot().await?;
    let changes = snapshot.changes(position, Order::Forward, PAGE_CHANGES).await?;
    let Some(last) = changes.last() else {
        return Ok(Some(snapshot.head()).filter(|head| head > position));
    };
    drop(snapshot);
    for change in &changes {
        let (id, is_there) = match &change.kind {
            ChangeKind::Put(record) => (record.document.as_raw().get("_id"), true),
            ChangeKind::Deleted { id, .. } => (Some(id.as_ref()), false),
        };
        let Some(ValueRef::String(id)) = id else {
            continue;
        };
        let Some(user) = ids::name_of_user(id) else {
            continue;
        };
        let done = match is_there {
            true => give(server, wanted, user).await,
            false => take(server, wanted, user).await,
        };
        // It is tried again when the document changes, or the server starts: other users must not wait for that.
        if let Err(error) = done {
            tracing::error!(%error, user, "the database of a user could not be brought into line");
        }
    }
    Ok(Some(last.sequence.clone()))
}

/// Makes the database of a user where it is not there, and names the user in its security object.
async fn give(server: &Server, wanted: &Wanted, user: &str) -> Result<()> {
    let name = wanted.database(user);
    let namespace = names::namespace(&name);
    if server.engine.revisioned(&namespace)?.is_none() {
        database::make(server, &name, false).await?;
    }
    match server.engine.revisioned(&namespace)? {
        Some(collection) => name_user(&collection, user, true).await,
        None => Ok(()),
    }
}

/// Drops the database of a user who is gone, or leaves it to its other members.
async fn take(server: &Server, wanted: &Wanted, user: &str) -> Result<()> {
    let name = wanted.database(user);
    let Some(collection) = server.engine.revisioned(&names::namespace(&name))? else {
        return Ok(());
    };
    match wanted.is_dropped {
        true => database::remove(&server.engine, &name).await.map(|_| ()),
        false => name_user(&collection, user, false).await,
    }
}

/// Names a user as administrator and member of a database, or no longer.
async fn name_user(collection: &RevisionedCollection, user: &str, is_named: bool) -> Result<()> {
    let before = match collection.security() {
        Some(security) => security,
        None => unset()?,
    };
    let after = with_user(&before, user, is_named);
    if after != before {
        collection.set_security(after).await?;
    }
    Ok(())
}

/// The security object of a database that was given none.
fn unset() -> Result<Document> {
    Ok(match Reader::whole(security::DEFAULT.as_bytes())? {
        Value::Document(security) => security,
        _ => Document::new(),
    })
}

/// The security object that names a user or not, and is the same otherwise.
fn with_user(security: &Document, user: &str, is_named: bool) -> Document {
    let mut security = security.clone();
    for group in ["admins", "members"] {
        let mut members = match security.get(group) {
            Some(Value::Document(members)) => members.clone(),
            _ => Document::new(),
        };
        let mut listed = match members.get("names") {
            Some(Value::Array(listed)) => listed.clone(),
            _ => Vec::new(),
        };
        let user = Value::from(user);
        match listed.contains(&user) {
            present if present == is_named => continue,
            true => listed.retain(|name| *name != user),
            false => listed.insert(0, user),
        }
        members.set("names", listed);
        security.set(group, members);
    }
    security
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Document {
        match Reader::whole(text.as_bytes()) {
            Ok(Value::Document(document)) => document,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_name_becomes_hexadecimal_digits() {
        let wanted = Wanted {
            users: "_users".to_owned(),
            prefix: "userdb-".to_owned(),
            is_dropped: false,
        };
        assert_eq!(wanted.database("jan"), "userdb-6a616e");
        assert_eq!(wanted.database("é"), "userdb-c3a9");
    }

    #[test]
    fn a_user_is_named_once_beside_what_is_there() {
        let named = with_user(&object(security::DEFAULT), "jan", true);
        assert_eq!(
            named,
            object(
                r#"{"members": {"roles": ["_admin"], "names": ["jan"]}, "admins": {"roles": ["_admin"], "names": ["jan"]}}"#
            )
        );
        assert_eq!(with_user(&named, "jan", true), named);
        let both = with_user(&named, "ann", true);
        assert_eq!(with_user(&both, "ann", false), named);
        assert_eq!(with_user(&both, "bob", false), both);
    }
}
