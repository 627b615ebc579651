//! What is looked at before a document is written: the validations of design documents and the room in its partition.
//!
//! Reference: `src/couch/src/couch_db.erl` (`validate_doc_update`). A design document is itself checked instead; local documents are
//! not. The functions are given the document as the client found it; an edit that names another revision than the present one
//! is refused as a conflict when it is written, so what they looked at is what is replaced.

use crate::config::Config;
use crate::database::Database;
use crate::design::{Design, Designs};
use crate::error::{CouchError, Result};
use crate::limits::PARTITION_BYTES_MAX;
use crate::{ids, json, outgoing};
use engine::{Edit, EditOrigin, RevisionedSnapshot, partition_of};
use http::StatusCode;
use std::fmt::Write as _;
use std::sync::Arc;
use value::{Document, ValueRef};

/// The validations of one database, for the edits of one request.
pub(crate) struct EditCheck<'a> {
    known: &'a Designs,
    /// The design documents that have a validation.
    designs: Vec<Arc<Design>>,
    snapshot: RevisionedSnapshot,
    user: String,
    security: String,
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
        let body = serde_json::from_str(&new_document(edit));
        let body = body.map_err(|error| CouchError::bad_request(error.to_string()))?;
        self.known.check(id, &body).await
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

    /// The document that is to be replaced, as JSON text; `null` for none.
    async fn present(&self, edit: &Edit) -> Result<String> {
        let id = edit.document.as_raw().get("_id").unwrap_or(ValueRef::Null);
        let mut out = String::new();
        if let Some(record) = self.snapshot.document(id).await? {
            outgoing::write(
                record.document.as_raw(),
                &record.revision(),
                false,
                None,
                &mut out,
            );
        } else if let Some((revision, body)) = self.snapshot.deletion(id).await? {
            let bare = value::DocumentBuf::from(&value::doc! {"_id": id.to_value()});
            let body = body.unwrap_or(bare);
            outgoing::write(body.as_raw(), &revision, true, None, &mut out);
        } else {
            out.push_str("null");
        }
        Ok(out)
    }
}

/// The setting of how full a partition may be; what is not above 0 stands for no limit.
fn partition_bytes_max(config: &Config, database: &Database) -> Option<u64> {
    let set = config.number("couchdb", "max_partition_size");
    let most = u64::try_from(set.unwrap_or(PARTITION_BYTES_MAX)).ok();
    most.filter(|most| *most > 0 && database.collection.is_partitioned())
}

/// The document as it is to be, as JSON text.
fn new_document(edit: &Edit) -> String {
    let raw = edit.document.as_raw();
    let mut out = String::from(r#"{"_id":"#);
    json::write_string(&ids::text(raw.get("_id").unwrap_or(ValueRef::Null)), &mut out);
    match &edit.origin {
        EditOrigin::After(None) => {}
        // Writing to a String cannot fail.
        EditOrigin::After(Some(parent)) => drop(write!(out, r#","_rev":"{parent}""#)),
        EditOrigin::Given(path) => {
            for newest in path.revisions().take(1) {
                let _ = write!(out, r#","_rev":"{newest}""#);
            }
            outgoing::write_path(path.generation, path.hashes.iter(), &mut out);
        }
    }
    json::write_fields(raw, |name| name != "_id", &mut out);
    out.push_str(if edit.deleted { r#","_deleted":true}"# } else { "}" });
    out
}
