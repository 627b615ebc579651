//! Writing and deleting a document.

use super::write::{Put, written};
use crate::attachments::Following;
use crate::call::Call;
use crate::incoming::{Incoming, parse_revision};
use crate::respond;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use engine::Revision;
use http::{Response, StatusCode};

/// `PUT /{db}/{id}`.
pub(crate) async fn run(call: &mut Call, id: &str) -> Result<Response> {
    let database = call.database_of_document()?;
    database.require_write(id)?;
    ids::check(id)?;
    if let Some(content_type) = related_type(call) {
        return with_parts(call, &database, id, &content_type).await;
    }
    let bytes = call.given_bytes().await?;
    let mut document = Incoming::whole(&bytes)?;
    document.revision = named_revision(call, document.revision.as_ref())?;
    let put = Put::replicated(call, &database, id);
    put.answer_whole(document).await
}

/// The media type, where attachments follow the document.
fn related_type(call: &Call) -> Option<String> {
    let content_type = call.header("content-type")?;
    let is_related = content_type.starts_with("multipart/related;");
    is_related.then(|| content_type.to_owned())
}

/// Writes a document whose attachments follow it.
async fn with_parts(call: &mut Call, database: &Database, id: &str, content_type: &str) -> Result<Response> {
    let body = call.take_body()?;
    let (bytes, mut following) = Following::begin(body, content_type, call.server.engine.memory()).await?;
    let mut document = Incoming::whole(&bytes)?;
    document.revision = named_revision(call, document.revision.as_ref())?;
    let put = Put::replicated(call, database, id).followed_by(&mut following);
    let response = put.answer(document).await?;
    // The document is written: what stands after its attachments concerns nobody.
    drop(following.end().await);
    Ok(response)
}

/// `POST /{db}`.
pub(crate) async fn post(call: &mut Call) -> Result<Response> {
    let database = call.database_of_document()?;
    call.check_is_json()?;
    let bytes = call.given_bytes().await?;
    let mut document = Incoming::whole(&bytes)?;
    let id = document.id.take().unwrap_or_else(|| {
        // A document that gets its id here replaces none, whatever revision it names.
        (document.revision, document.revisions) = (None, None);
        call.new_id()
    });
    let put = Put::new(call, &database, &id);
    if call.is_batch() {
        return put.accept(document).await;
    }
    let revision = put.write(document).await?;
    let mut response = written(StatusCode::CREATED, &id, &revision);
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
    let revision = Put::new(call, &database, id).write(document).await?;
    let mut response = written(StatusCode::OK, id, &revision);
    respond::tag(&mut response, &format!("\"{revision}\""));
    Ok(response)
}

/// The revision that the body, the query and `If-Match` name, which must be one.
pub(crate) fn named_revision(call: &Call, in_body: Option<&Revision>) -> Result<Option<Revision>> {
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
