//! Writing and deleting a document.

use crate::attachments::{Following, Merge, Settings};
use crate::call::Call;
use crate::database::Database;
use crate::edit_check::EditCheck;
use crate::error::{CouchError, Result};
use crate::incoming::{Incoming, parse_revision};
use crate::limits::DOCUMENT_BYTES_MAX;
use crate::{attachments, ids, respond, users};
use engine::{Edit, EditOrigin, EditOutcome, Revision};
use http::{Body, RequestBody, Response, StatusCode};
use value::Value;

/// `PUT /{db}/{id}`.
pub(crate) async fn run(call: &mut Call, id: &str) -> Result<Response> {
    let database = call.database_of_document()?;
    if let Some(content_type) = related_type(call) {
        return with_parts(call, &database, id, &content_type).await;
    }
    let bytes = call.bytes().await?;
    let mut document = Incoming::whole(&bytes)?;
    document.revision = named_revision(call, document.revision.as_ref())?;
    write(call, &database, id, document, None).await
}

/// The media type, where attachments follow the document.
fn related_type(call: &Call) -> Option<String> {
    let content_type = call.header("content-type")?;
    let is_related = content_type.starts_with("multipart/related;");
    is_related.then(|| content_type.to_owned())
}

/// Writes a document whose attachments follow it.
async fn with_parts(call: &mut Call, database: &Database, id: &str, content_type: &str) -> Result<Response> {
    database.require_write(id)?;
    let body = std::mem::replace(&mut call.body, RequestBody::from(Body::empty()));
    let (bytes, mut following) = Following::begin(body, content_type).await?;
    let mut document = Incoming::whole(&bytes)?;
    document.revision = named_revision(call, document.revision.as_ref())?;
    let response = write(call, database, id, document, Some(&mut following)).await?;
    // The document is written: what stands behind its attachments concerns nobody.
    drop(following.end().await);
    Ok(response)
}

/// What is told of a document that was written.
enum Told {
    /// Its revision.
    Written(Revision),
    /// Nothing yet: it may be written later (`batch=ok`), or not at all.
    Accepted,
}

/// `POST /{db}`.
pub(crate) async fn post(call: &mut Call) -> Result<Response> {
    let database = call.database_of_document()?;
    call.check_is_json()?;
    let bytes = call.bytes().await?;
    let mut document = Incoming::whole(&bytes)?;
    let id = document.id.take().unwrap_or_else(|| call.new_id());
    let mut response = match put(call, &database, &id, document, None).await? {
        Told::Accepted => return Ok(accepted(&id)),
        Told::Written(revision) => written(StatusCode::CREATED, &id, &revision),
    };
    respond::location(&mut response, &call.url(&[&database.name, &id]));
    Ok(response)
}

/// `DELETE /{db}/{id}`.
pub(crate) async fn delete(call: &mut Call, id: &str) -> Result<Response> {
    let database = call.database_of_document()?;
    database.check_placed(id)?;
    database.require_read(id)?;
    let snapshot = database.snapshot().await?;
    let key = ids::resolve(&snapshot, id).await?;
    if snapshot.document(key.as_ref()).await?.is_none() {
        let deleted = snapshot.deletion(key.as_ref()).await?.is_some();
        return Err(CouchError::not_found(if deleted { "deleted" } else { "missing" }));
    }
    drop(snapshot);
    let document = Incoming::deletion(named_revision(call, None)?);
    match put(call, &database, id, document, None).await? {
        Told::Accepted => Ok(accepted(id)),
        Told::Written(revision) => {
            let mut response = written(StatusCode::OK, id, &revision);
            respond::tag(&mut response, &format!("\"{revision}\""));
            Ok(response)
        }
    }
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

/// Writes a document, with the attachments that follow it if any do, and tells its revision and where it is.
pub(super) async fn write(
    call: &Call,
    database: &Database,
    id: &str,
    document: Incoming,
    following: Option<&mut Following>,
) -> Result<Response> {
    let status = match document.deleted {
        true => StatusCode::OK,
        false => StatusCode::CREATED,
    };
    let revision = match put(call, database, id, document, following).await? {
        Told::Accepted => return Ok(accepted(id)),
        Told::Written(revision) => revision,
    };
    let mut response = written(status, id, &revision);
    respond::tag(&mut response, &format!("\"{revision}\""));
    respond::location(&mut response, &call.url(&[&database.name, id]));
    Ok(response)
}

fn written(status: StatusCode, id: &str, revision: &Revision) -> Response {
    let mut text = String::from(r#"{"ok":true,"id":"#);
    crate::json::write_string(id, &mut text);
    text.push_str(&format!(r#","rev":"{revision}"}}"#));
    respond::json(status, text)
}

fn accepted(id: &str) -> Response {
    let mut text = String::from(r#"{"ok":true,"id":"#);
    crate::json::write_string(id, &mut text);
    text.push('}');
    respond::json(StatusCode::ACCEPTED, text)
}

/// Writes a document. With `batch=ok` the client does not want to know what becomes of it.
async fn put(
    call: &Call,
    database: &Database,
    id: &str,
    mut document: Incoming,
    following: Option<&mut Following>,
) -> Result<Told> {
    let is_batch = call.query.get("batch") == Some("ok");
    let committed = commit(call, database, id, &mut document, following).await;
    if committed.is_err() {
        for file in &document.made {
            // What cannot be removed now is removed when the database is compacted.
            drop(database.files().delete(file).await);
        }
    }
    match committed {
        Ok(_) if is_batch => Ok(Told::Accepted),
        Ok(revision) => Ok(Told::Written(revision)),
        Err(error) if is_batch && error.status == StatusCode::CONFLICT => {
            tracing::debug!(
                id,
                database = database.name,
                "a document of a batch was not written: {error}"
            );
            Ok(Told::Accepted)
        }
        Err(error) => Err(error),
    }
}

async fn commit(
    call: &Call,
    database: &Database,
    id: &str,
    document: &mut Incoming,
    following: Option<&mut Following>,
) -> Result<Revision> {
    database.check_id(id)?;
    database.require_write(id)?;
    let user = match database.is_users {
        true => users::prepare(&call.server.config, database, id, document).await?,
        false => None,
    };
    let key = database.id(id).await?;
    let given = call.query.get("new_edits") == Some("false");
    take_attachments(call, database, id, document, given, following).await?;
    let edit = edit(key, document, given)?;
    if let Some(refusal) = EditCheck::begin(&call.server.designs, &call.server.config, database)
        .await?
        .refusal(&edit)
        .await
    {
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
    Ok(revision)
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
        document: body,
        deleted: document.deleted,
        origin,
    })
}

/// Stores the attachments that a document brings, and finds those that it names by stubs.
pub(crate) async fn take_attachments(
    call: &Call,
    database: &Database,
    id: &str,
    document: &mut Incoming,
    given: bool,
    following: Option<&mut Following>,
) -> Result<()> {
    let Some(brought) = document.brought() else {
        return Ok(());
    };
    let merge = Merge {
        database,
        settings: Settings::of(&call.server.config),
        id,
        ancestors: document.ancestors(given),
        generation: document.generation(given),
        given,
        following,
    };
    let mut made = Vec::new();
    let kept = attachments::merge(merge, brought, &mut made).await;
    document.made = made;
    document.kept = Some(kept?);
    Ok(())
}
