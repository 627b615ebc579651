//! Writing and deleting a document.

use crate::call::Call;
use crate::database::Database;
use crate::design::EditCheck;
use crate::endpoints::uuids;
use crate::error::{CouchError, Result};
use crate::incoming::{Incoming, parse_revision};
use crate::limits::DOCUMENT_BYTES_MAX;
use crate::{attachments, ids, names, respond, users};
use engine::{Edit, EditOrigin, EditOutcome, Revision};
use http::{Response, StatusCode};
use value::Value;

/// `PUT /{db}/{id}`.
pub(crate) async fn run(call: &mut Call, id: &str) -> Result<Response> {
    let database = Database::of(call)?;
    let bytes = call.bytes().await?;
    let mut document = Incoming::whole(&bytes)?;
    document.revision = named_revision(call, document.revision.as_ref())?;
    write(call, &database, id, document).await
}

/// `POST /{db}`.
pub(crate) async fn post(call: &mut Call) -> Result<Response> {
    let database = Database::of(call)?;
    call.check_is_json()?;
    let bytes = call.bytes().await?;
    let mut document = Incoming::whole(&bytes)?;
    let id = document.id.take().unwrap_or_else(|| uuids::next(call));
    write(call, &database, &id, document).await
}

/// `DELETE /{db}/{id}`.
pub(crate) async fn delete(call: &mut Call, id: &str) -> Result<Response> {
    let database = Database::of(call)?;
    let snapshot = database.snapshot().await?;
    let key = ids::resolve(&snapshot, id).await?;
    if snapshot.document(key.as_ref()).await?.is_none() {
        let deleted = snapshot.deletion(key.as_ref()).await?.is_some();
        return Err(CouchError::not_found(if deleted { "deleted" } else { "missing" }));
    }
    drop(snapshot);
    let document = Incoming::deletion(named_revision(call, None)?);
    write(call, &database, id, document).await
}

/// The revision that the body, the query and `If-Match` name, which must be one.
pub(super) fn named_revision(call: &Call, in_body: Option<&Revision>) -> Result<Option<Revision>> {
    let in_query = call.query.get("rev").map(parse_revision).transpose()?;
    if let (Some(body), Some(query)) = (in_body, &in_query)
        && body != query
    {
        return Err(CouchError::bad_request(
            "Document rev from request body and query string have different values",
        ));
    }
    let named = in_body.cloned().or(in_query);
    let in_header = call
        .header("if-match")
        .map(|tag| parse_revision(tag.trim_matches('"')))
        .transpose()?;
    match (&named, in_header) {
        (Some(named), Some(header)) if *named != header => Err(CouchError::bad_request(
            "Document rev and etag have different values",
        )),
        (_, header) => Ok(named.or(header)),
    }
}

/// Writes a document and tells its revision.
pub(super) async fn write(
    call: &Call,
    database: &Database,
    id: &str,
    document: Incoming,
) -> Result<Response> {
    database.require_write(call, id)?;
    let mut document = document;
    let user = match database.name == names::USERS {
        true => users::prepare(id, &mut document)?,
        false => None,
    };
    let key = database.id(id).await?;
    let deleted = document.deleted;
    let given = call.query.get("new_edits") == Some("false");
    take_attachments(database, id, &mut document, given).await?;
    let edit = edit(key, &document, given)?;
    if let Some(refusal) = EditCheck::begin(call, database).await?.refusal(&edit).await {
        return Err(refusal);
    }
    let journaled = call.is_journaled();
    let outcome = database.collection.edit(vec![edit], journaled).await?.pop();
    let revision = match outcome {
        Some(EditOutcome::Written(revision)) => revision,
        Some(EditOutcome::Refused(error)) => return Err(error.into()),
        Some(EditOutcome::Conflict) | None => return Err(CouchError::conflict()),
    };
    if let Some(user) = user {
        users::apply(&call.server.engine, user).await?;
    }
    let mut text = String::from(r#"{"ok":true,"id":"#);
    crate::json::write_string(id, &mut text);
    if call.query.get("batch") == Some("ok") {
        text.push('}');
        return Ok(respond::json(StatusCode::ACCEPTED, text));
    }
    text.push_str(&format!(r#","rev":"{revision}"}}"#));
    let status = if deleted {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    let mut response = respond::json(status, text);
    respond::tag(&mut response, &format!("\"{revision}\""));
    if !deleted {
        respond::location(&mut response, &call.url(&[&database.name, id]));
    }
    Ok(response)
}

/// The edit that a document asks for.
pub(crate) fn edit(id: Value, document: &Incoming, given: bool) -> Result<Edit> {
    let body = document.document(id.as_ref());
    if body.bytes().len() > DOCUMENT_BYTES_MAX {
        return Err(CouchError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "document_too_large",
            ids::text(id.as_ref()),
        ));
    }
    let origin = match (given, document.given()) {
        (true, Some(path)) => EditOrigin::Given(path),
        (true, None) => {
            return Err(CouchError::bad_request(
                "When `new_edits: false`, the document needs `_rev` or `_revisions` specified",
            ));
        }
        (false, _) => EditOrigin::After(document.revision.clone()),
    };
    Ok(Edit {
        hashed: document.hashed(id.as_ref()),
        document: body,
        deleted: document.deleted,
        origin,
    })
}

/// Stores the attachments that a document brings, and finds those that it names by stubs.
pub(crate) async fn take_attachments(
    database: &Database,
    id: &str,
    document: &mut Incoming,
    given: bool,
) -> Result<()> {
    if let Some(brought) = document.brought() {
        let parent = document.revision.as_ref().filter(|_| !given);
        let generation = document.generation(given);
        let kept = attachments::merge(database, id, brought, parent, generation, given).await?;
        document.kept = Some(kept);
    }
    Ok(())
}
