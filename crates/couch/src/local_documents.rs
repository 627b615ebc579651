//! Documents that are not replicated, such as checkpoints: how they are kept and counted.
//!
//! Their revision is a count, `0-1`, `0-2`, …, and nobody checks it (`src/couch/src/couch_db.erl`, `increment_local_doc_revs`).

use crate::call::Call;
use crate::incoming::Incoming;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use access::security::Permission;
use engine::{Revision, RevisionHash};
use json::{write_fields, write_string};
use std::fmt::Write as _;
use value::{DocumentBuf, RawDocument, Value, ValueRef};

/// The field that holds the count.
pub(crate) const COUNT: &str = "_rev";

/// The document of this name.
pub(crate) async fn present(database: &Database, name: &str) -> Result<DocumentBuf> {
    let document = database.snapshot().await?.local(name).await?;
    document.ok_or_else(CouchError::missing)
}

/// A document that is to be put, or removed.
#[derive(Debug)]
pub(crate) struct LocalEdit {
    name: String,
    /// `None` if it is removed.
    kept: Option<DocumentBuf>,
    /// The revision that it gets.
    pub(crate) revision: Revision,
}

impl LocalEdit {
    /// Does it, and gives the revision.
    pub(crate) async fn write(self, database: &Database, is_journaled: bool) -> Result<Revision> {
        let collection = &database.collection;
        collection.put_local(&self.name, self.kept, is_journaled).await?;
        Ok(self.revision)
    }
}

/// What putting the document of this name comes to, if it may be put.
pub(crate) fn edit(call: &Call, database: &Database, name: &str, document: &Incoming) -> Result<LocalEdit> {
    database.require_write(name)?;
    if database.permission == Permission::Own {
        // Whoever has one document of the users' database has no other there.
        return Err(CouchError::unauthorized("You are not a server admin."));
    }
    let count = match document.deleted {
        true => 0,
        false => next_count(document)?,
    };
    let config = &call.server.config;
    let id = format!("{}{name}", ids::LOCAL);
    config.check_id_length(&id)?;
    let kept = (!document.deleted).then(|| {
        let mut kept = document.document(ValueRef::String(name)).to_document();
        // In place of what a client may have sent as `$_rev`.
        kept.set(COUNT, Value::Int64(i64::try_from(count).unwrap_or(i64::MAX)));
        DocumentBuf::from(&kept)
    });
    if kept
        .as_ref()
        .is_some_and(|kept| kept.bytes().len() > config.document_bytes_max())
    {
        return Err(CouchError::document_too_large(id));
    }
    Ok(LocalEdit {
        name: name.to_owned(),
        kept,
        revision: Revision {
            generation: 0,
            hash: RevisionHash::parse(&count.to_string()),
        },
    })
}

fn next_count(document: &Incoming) -> Result<u64> {
    let Some(revision) = &document.revision else {
        return Ok(1);
    };
    let count = match &revision.hash {
        RevisionHash::Text(text) => text.parse::<u64>().ok(),
        RevisionHash::Digest(_) => None,
    };
    count
        .map(|count| count.saturating_add(1))
        .ok_or_else(|| CouchError::bad_request("Invalid rev format"))
}

fn count(document: RawDocument<'_>) -> i64 {
    match document.get(COUNT) {
        Some(ValueRef::Int64(count)) => count,
        _ => 1,
    }
}

/// Appends a document.
pub(crate) fn write(name: &str, document: RawDocument<'_>, out: &mut String) {
    out.push_str(r#"{"_id":"#);
    write_string(&format!("{}{name}", ids::LOCAL), out);
    // Writing to a String cannot fail.
    let _ = write!(out, r#","_rev":"0-{}""#, count(document));
    write_fields(document, |field| field != "_id" && field != COUNT, out);
    out.push('}');
}

/// Appends its row in a list.
pub(crate) fn write_row(name: &str, document: &DocumentBuf, include_docs: bool, out: &mut String) {
    let id = format!("{}{name}", ids::LOCAL);
    out.push_str(r#"{"id":"#);
    write_string(&id, out);
    out.push_str(r#","key":"#);
    write_string(&id, out);
    let _ = write!(out, r#","value":{{"rev":"0-{}"}}"#, count(document.as_raw()));
    if include_docs {
        out.push_str(r#","doc":"#);
        write(name, document.as_raw(), out);
    }
    out.push('}');
}
