//! Copying a document (`COPY`, with the header `Destination`).

use super::{Put, named_revision};
use crate::attachments::{Attachment, MEMBER};
use crate::call::{Call, decode_part};
use crate::incoming::{Incoming, parse_revision};
use crate::query::Query;
use access::error::{CouchError, Result};
use access::ids;
use engine::Revision;
use http::{Response, StatusCode};

/// `COPY /{db}/{id}`.
pub(crate) async fn run(call: &mut Call, id: &str) -> Result<Response> {
    let database = call.database()?;
    let (target, target_revision) = destination(call)?;
    database.check_placed(id)?;
    database.check_id(&target)?;
    let snapshot = database.snapshot().await?;
    let key = ids::resolve(&snapshot, id).await?;
    if database.hides_others() {
        database.require_own(&snapshot, key.as_ref()).await?;
    }
    let history = snapshot
        .history(key.as_ref())
        .await?
        .ok_or_else(CouchError::missing)?;
    let at = match named_revision(call, None)? {
        Some(revision) => history.tree.find(&revision).ok_or_else(CouchError::missing)?,
        None if history.is_deleted() => return Err(CouchError::not_found("deleted")),
        None => history.winner,
    };
    let body = snapshot
        .body(&history, at)
        .await?
        .ok_or_else(CouchError::missing)?;
    let mut copy = Incoming::of_body(body.as_raw(), MEMBER);
    // Files are never changed, so two documents may name one.
    copy.kept = Some(Attachment::all(body.as_raw()));
    copy.revision = target_revision;
    copy.deleted = history.tree.nodes()[at].deleted;
    let put = Put::new(call, &database, &target);
    put.answer_with(StatusCode::CREATED, copy).await
}

/// The id that a document is copied to, and the revision that is to be replaced there.
pub(crate) fn destination(call: &Call) -> Result<(String, Option<Revision>)> {
    let destination = call
        .header("destination")
        .ok_or_else(|| CouchError::bad_request("Destination header is mandatory for COPY."))?;
    let (target, query) = destination.split_once('?').unwrap_or((destination, ""));
    if ["http://", "https://"]
        .iter()
        .any(|scheme| target.starts_with(scheme))
    {
        return Err(CouchError::bad_request("Destination URL must be relative."));
    }
    let target = decode_part(&call.server.config, target)?;
    let revision = Query::parse(query)?.get("rev").map(parse_revision).transpose()?;
    Ok((target, revision))
}
