//! A database, as far as a user may use it.

use crate::config::Config;
use crate::error::{CouchError, Result};
use crate::security::{self, Permission};
use crate::sequence::Sequences;
use crate::user::User;
use crate::{ids, names};
use engine::files::Files;
use engine::{
    DocumentPosition, Engine, Namespace, Order, PageLimit, Record, RevisionedCollection, RevisionedSnapshot,
};
use std::ops::Bound;
use value::{Value, ValueRef};

/// One database, in the hands of a user who may use it.
#[derive(Clone, Debug)]
pub struct Database {
    /// Its name as CouchDB shows it.
    pub name: String,
    /// The documents.
    pub collection: RevisionedCollection,
    /// How positions among its changes are shown.
    pub sequences: Sequences,
    /// Who uses it.
    pub user: User,
    /// What the user may do with it.
    pub permission: Permission,
    /// Whether its documents are users.
    pub is_users: bool,
    namespace: Namespace,
    engine: Engine,
}

impl Database {
    /// The database of this name, as a user may use it: all of it, or only some of its documents.
    pub fn open(engine: &Engine, config: &Config, user: &User, name: &str) -> Result<Database> {
        let namespace = names::namespace(name);
        let found = match namespace.is_shown_everywhere() {
            true => engine.revisioned(&namespace)?,
            false => None,
        };
        let Some(collection) = found else {
            names::check(name)?;
            return Err(CouchError::no_database());
        };
        let is_users = name == config.users_database();
        let permission = match security::permission(user, &namespace, collection.security().as_ref()) {
            // Each document there is checked by itself.
            permission if is_users && permission < Permission::Administer => Permission::Own,
            permission => permission,
        };
        if permission == Permission::Nothing {
            return Err(security::refusal(user));
        }
        Ok(Database {
            name: name.to_owned(),
            sequences: Sequences::of(&collection),
            is_users,
            collection,
            permission,
            user: user.clone(),
            namespace,
            engine: engine.clone(),
        })
    }

    /// Refuses a user who may not read this document.
    pub fn require_read(&self, id: &str) -> Result<()> {
        match self.permission {
            Permission::Own => security::check_readable(&self.user, id),
            _ => Ok(()),
        }
    }

    /// Refuses a user who may not write this document. What may be written of users is checked with the document.
    pub fn require_write(&self, id: &str) -> Result<()> {
        if id.starts_with(ids::DESIGN) {
            return self.require_admin();
        }
        match self.permission {
            Permission::Own | Permission::Write | Permission::Administer => Ok(()),
            Permission::Nothing | Permission::Read => Err(security::refusal(&self.user)),
        }
    }

    /// Whether the user is shown no documents but the own ones: those of replications hold passwords of other servers
    /// (`src/couch_replicator/src/couch_replicator_docs.erl`, `after_doc_read`).
    pub fn hides_others(&self) -> bool {
        let is_restricted = self.permission < Permission::Administer && names::is_replicator(&self.name);
        is_restricted && !security::may_find(&self.user, &self.namespace)
    }

    /// Refuses a user to whom documents of others are not shown.
    pub fn require_all(&self) -> Result<()> {
        match self.hides_others() {
            true => Err(CouchError::unauthorized("You are not a server admin.")),
            false => Ok(()),
        }
    }

    /// Refuses a user who is shown no documents of others to look at this one: each of its revisions must be the user's own.
    pub async fn require_own(&self, snapshot: &RevisionedSnapshot, id: ValueRef<'_>) -> Result<()> {
        if id.as_str().is_some_and(|id| id.starts_with(ids::DESIGN)) {
            return Ok(());
        }
        let Some(history) = snapshot.history(id).await? else {
            return Ok(());
        };
        // Whom a proxy or a token names may have the name of another user.
        let name = self.user.name.as_deref();
        let name = name.filter(|_| !self.user.has_name_of_another(&self.engine));
        for (at, node) in history.tree.nodes().iter().enumerate() {
            let Some(body) = snapshot.body(&history, at).await? else {
                continue;
            };
            let owner = body.as_raw().get("owner").map(ValueRef::to_value);
            let is_own = match &owner {
                // Deletions have none.
                None => node.deleted,
                Some(owner) => name.is_some() && owner.as_str() == name,
            };
            if !is_own {
                let reason = "A replication is shown to its owner and to administrators alone.";
                return Err(CouchError::forbidden(reason));
            }
        }
        Ok(())
    }

    /// Refuses an id that no document of the database can have.
    pub fn check_id(&self, id: &str) -> Result<()> {
        ids::check(id)?;
        match self.collection.is_partitioned() {
            true => ids::check_partitioned(id),
            false => Ok(()),
        }
    }

    /// Refuses to look for an id that names no partition where it must.
    pub fn check_placed(&self, id: &str) -> Result<()> {
        match self.collection.is_partitioned() {
            true => ids::check_placed(id),
            false => Ok(()),
        }
    }

    /// Refuses a user who may not change the database as a whole.
    pub fn require_admin(&self) -> Result<()> {
        match self.permission >= Permission::Administer {
            true => Ok(()),
            false => Err(security::admin_refusal(&self.user)),
        }
    }

    /// The files that its attachments are kept as.
    pub fn files(&self) -> Files {
        self.engine.files(names::attachments(&self.namespace))
    }

    /// The database as it is now.
    pub async fn snapshot(&self) -> Result<RevisionedSnapshot> {
        Ok(self.collection.snapshot().await?)
    }

    /// The same with nothing that a crash could take back, for answers with a sequence from which clients go on later.
    pub async fn durable_snapshot(&self) -> Result<RevisionedSnapshot> {
        Ok(self.collection.durable_snapshot().await?)
    }

    /// Either, for an answer that tells a sequence or not.
    pub async fn snapshot_for(&self, tells_sequence: bool) -> Result<RevisionedSnapshot> {
        match tells_sequence {
            true => self.durable_snapshot().await,
            false => self.snapshot().await,
        }
    }

    /// Shows each document as it is now, in the order of their `_id`s, a page of them in memory at a time.
    pub async fn each_document(&self, show: &mut (dyn FnMut(&Record) + Send)) -> Result<()> {
        let snapshot = self.snapshot().await?;
        let mut after: Option<DocumentPosition> = None;
        loop {
            let all = (Bound::Unbounded, Bound::Unbounded);
            let page = snapshot.documents(all, after.as_ref(), Order::Forward, PageLimit::default());
            let (records, next) = page.await?;
            records.iter().for_each(&mut *show);
            after = match next {
                Some(next) => Some(next),
                None => return Ok(()),
            };
        }
    }

    /// The `_id` that a text means.
    pub async fn id(&self, text: &str) -> Result<Value> {
        match ids::is_ambiguous(text) {
            true => ids::resolve(&self.snapshot().await?, text).await,
            false => Ok(Value::from(text)),
        }
    }
}
