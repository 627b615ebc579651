//! The attachments that a document brings, and those that it keeps of the revision before.

use super::{Attachment, TYPE_DEFAULT, check_name, store};
use crate::database::Database;
use crate::error::{CouchError, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::{Revision, RevisionedSnapshot};
use http::StatusCode;
use value::{Document, Value};

/// Keeps what the document brings in full and finds what it names by stubs. `generation` is that of the new revision,
/// `parent` the revision that it follows; none where it follows the present one or was made by another store, which is `given`.
pub(crate) async fn merge(
    database: &Database,
    id: &str,
    brought: &Document,
    parent: Option<&Revision>,
    generation: u64,
    given: bool,
) -> Result<Vec<Attachment>> {
    let generation = i64::try_from(generation).unwrap_or(i64::MAX);
    let mut present = None;
    let mut all = Vec::with_capacity(brought.len());
    for (name, properties) in brought.iter() {
        check_name(name)?;
        let Value::Document(properties) = properties else {
            return Err(CouchError::doc_validation("attachments must be JSON objects"));
        };
        if properties.get("stub") == Some(&Value::Bool(true)) {
            if present.is_none() {
                present = Some(attachments_of(database, id, parent).await?);
            }
            let known = present.iter().flatten().find(|known| known.name == name);
            all.push(known.cloned().ok_or_else(|| missing_stub(id, name))?);
        } else {
            let mut attachment = inline(database, id, name, properties, generation).await?;
            if given {
                attachment.revpos = given_revpos(properties, generation);
            }
            all.push(attachment);
        }
    }
    Ok(all)
}

fn missing_stub(id: &str, name: &str) -> CouchError {
    CouchError::new(
        StatusCode::PRECONDITION_FAILED,
        "missing_stub",
        format!("Invalid attachment stub in {id} for {name}"),
    )
}

async fn inline(
    database: &Database,
    id: &str,
    name: &str,
    properties: &Document,
    generation: i64,
) -> Result<Attachment> {
    let invalid = || CouchError::bad_request(format!("Invalid attachment data for {name}"));
    if properties.get("follows") == Some(&Value::Bool(true)) {
        return Err(CouchError::bad_request(format!(
            "the bytes of the attachment {name} do not follow: send the document as multipart/related"
        )));
    }
    let Some(Value::String(data)) = properties.get("data") else {
        return Err(invalid());
    };
    let bytes = BASE64_STANDARD.decode(data).map_err(|_| invalid())?;
    let content_type = match properties.get("content_type") {
        Some(Value::String(content_type)) => content_type.as_str(),
        _ => TYPE_DEFAULT,
    };
    let entry = store(&database.files(), id, name, content_type, &bytes).await?;
    Ok(Attachment::of(name, content_type, generation, &entry))
}

/// The generation in which another store got the attachment.
fn given_revpos(properties: &Document, generation: i64) -> i64 {
    match properties.get("revpos") {
        Some(Value::Int32(revpos)) if *revpos > 0 => i64::from(*revpos).min(generation),
        _ => generation,
    }
}

/// The attachments of the revision that a new one follows; where none is named, of the winner, and of all leaves.
async fn attachments_of(database: &Database, id: &str, parent: Option<&Revision>) -> Result<Vec<Attachment>> {
    let snapshot: RevisionedSnapshot = database.snapshot().await?;
    let key = crate::ids::resolve(&snapshot, id).await?;
    let Some(history) = snapshot.history(key.as_ref()).await? else {
        return Ok(Vec::new());
    };
    let named = parent.and_then(|parent| history.tree.find(parent));
    let places = named.map_or_else(|| history.tree.leaves(), |place| vec![place]);
    let mut all = Vec::new();
    for place in places {
        if let Some(body) = snapshot.body(&history, place).await? {
            all.extend(Attachment::all(body.as_raw()));
        }
    }
    Ok(all)
}
