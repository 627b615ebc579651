//! What is looked at before a document is written: the validations of design documents and the room in its partition.
//!
//! Reference: `src/couch/src/couch_db.erl` (`validate_doc_update`). A design document is itself checked instead; local documents are
//! not. The functions are given the document as clients see it, and the revision that it follows; an edit that follows no leaf
//! is refused as a conflict when it is written, so what they looked at is what is replaced.

use crate::design::{Design, Designs};
use crate::limits::PARTITION_BYTES_MAX;
use crate::outgoing::{Shown, ShownHistory};
use crate::{json, outgoing};
use access::config::Config;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use engine::{Edit, EditOrigin, Revision, RevisionPath, RevisionedSnapshot, partition_of};
use http::StatusCode;
use serde_json::{Map, Value as Json};
use std::sync::Arc;
use value::{Document, DocumentBuf, ValueRef};

/// The validations of one database, for the edits of one request.
pub(crate) struct EditCheck<'a> {
    known: &'a Designs,
    /// The design documents that have a validation.
    designs: Vec<Arc<Design>>,
    snapshot: RevisionedSnapshot,
    user: String,
    security: String,
    /// How many revisions are shown of the document that is replaced.
    revisions_shown: Option<usize>,
    is_partitioned: bool,
    /// The bytes past which a partition is full; `None` if there are no partitions or no limit.
    partition_bytes_max: Option<u64>,
}

impl<'a> EditCheck<'a> {
    /// Finds the validations.
    pub(crate) async fn begin(
        known: &'a Designs,
        config: &Config,
        database: &Database,
    ) -> Result<EditCheck<'a>> {
        let mut designs = known.all(database).await?;
        designs.retain(|design| design.body.contains_key("validate_doc_update"));
        let mut security = String::new();
        let properties: Document = database.collection.security().unwrap_or_default();
        json::write(ValueRef::Document((&properties).into()), &mut security);
        let user = &database.user;
        Ok(EditCheck {
            known,
            designs,
            snapshot: database.snapshot().await?,
            user: serde_json::json!({"db": database.name, "name": user.name, "roles": user.roles})
                .to_string(),
            security,
            revisions_shown: config.revisions_shown(),
            is_partitioned: database.collection.is_partitioned(),
            partition_bytes_max: partition_bytes_max(config, database),
        })
    }

    /// Why an edit is refused, if it is.
    pub(crate) async fn refusal(&self, edit: &Edit) -> Option<CouchError> {
        let id = edit
            .document
            .as_raw()
            .get("_id")
            .map(ids::text)
            .unwrap_or_default();
        let checked = match id.starts_with(ids::DESIGN) {
            true => self.check_design(&id, edit).await,
            false => match self.check_room(&id, edit).await {
                Ok(()) => self.validate(edit).await,
                refused => refused,
            },
        };
        checked.err()
    }

    async fn check_design(&self, id: &str, edit: &Edit) -> Result<()> {
        if edit.deleted {
            return Ok(());
        }
        let body = serde_json::from_str::<Map<String, Json>>(&new_document(edit));
        let body = body.map_err(|error| CouchError::bad_request(error.to_string()))?;
        self.known.check(id, &body).await?;
        let options = body.get("options");
        let wanted = options.and_then(|options| options.get("partitioned"));
        match wanted == Some(&Json::Bool(true)) && !self.is_partitioned {
            true => Err(CouchError::new(
                StatusCode::BAD_REQUEST,
                "invalid_design_doc",
                "partitioned option cannot be true in a non-partitioned database.",
            )),
            false => Ok(()),
        }
    }

    /// Refuses what would let a full partition grow, but not what another store has taken (`couch_db_updater:is_overflowed`).
    async fn check_room(&self, id: &str, edit: &Edit) -> Result<()> {
        let is_given = matches!(edit.origin, EditOrigin::Given(_));
        let may_grow = !edit.deleted && !is_given;
        let (Some(most), Some(partition), true) = (self.partition_bytes_max, partition_of(id), may_grow)
        else {
            return Ok(());
        };
        if self.snapshot.partition(partition).await?.data_bytes < most {
            return Ok(());
        }
        let present = self.snapshot.document(ValueRef::String(id)).await?;
        let present_bytes = present.map_or(0, |record| record.document.bytes().len());
        match edit.document.bytes().len() <= present_bytes {
            true => Ok(()),
            false => Err(CouchError::new(
                StatusCode::FORBIDDEN,
                "partition_overflow",
                format!("Partition limit exceeded due to update on '{id}'"),
            )),
        }
    }

    async fn validate(&self, edit: &Edit) -> Result<()> {
        if self.designs.is_empty() {
            return Ok(());
        }
        let (new, present) = (new_document(edit), self.present(edit).await?);
        for design in &self.designs {
            design
                .validate(&new, &present, &self.user, &self.security)
                .await?;
        }
        Ok(())
    }

    /// The document that is to be replaced, as JSON text: of the revisions that the edit follows the newest that is kept; `null`
    /// for none.
    async fn present(&self, edit: &Edit) -> Result<String> {
        let id = edit.document.as_raw().get("_id").unwrap_or(ValueRef::Null);
        let mut out = String::new();
        let Some(history) = self.snapshot.history(id).await? else {
            return Ok("null".to_owned());
        };
        for at in followed(edit).iter().filter_map(|one| history.tree.find(one)) {
            let node = &history.tree.nodes()[at];
            let body = match self.snapshot.body(&history, at).await? {
                None if node.deleted => DocumentBuf::from(&value::doc! {"_id": id.to_value()}),
                None => continue,
                Some(body) => body,
            };
            let shown = Shown {
                revs: self.revisions_shown,
                ..Shown::default()
            };
            let more = ShownHistory {
                history: &history,
                at,
                shown,
            };
            outgoing::write(body.as_raw(), &node.revision, node.deleted, Some(more), &mut out);
            return Ok(out);
        }
        Ok("null".to_owned())
    }
}

/// The revisions that an edit follows, the newest first.
fn followed(edit: &Edit) -> Vec<Revision> {
    match &edit.origin {
        EditOrigin::After(parent) => parent.iter().cloned().collect(),
        EditOrigin::Given(path) => path.revisions().skip(1).collect(),
    }
}

/// The setting of how full a partition may be; what is not above 0 stands for no limit.
fn partition_bytes_max(config: &Config, database: &Database) -> Option<u64> {
    let set = config.number("couchdb", "max_partition_size");
    let most = u64::try_from(set.unwrap_or(PARTITION_BYTES_MAX)).ok();
    most.filter(|most| *most > 0 && database.collection.is_partitioned())
}

/// The document as it is to be, as JSON text, with the revisions that it names.
fn new_document(edit: &Edit) -> String {
    let path = match &edit.origin {
        EditOrigin::After(parent) => parent.clone().map(RevisionPath::of),
        EditOrigin::Given(path) => Some(path.clone()),
    };
    let mut out = String::new();
    outgoing::write_new(edit.document.as_raw(), path.as_ref(), edit.deleted, &mut out);
    out
}
