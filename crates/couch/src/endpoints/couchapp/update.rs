//! `_update`: a function makes a document of a request (`src/chttpd/src/chttpd_show.erl`, `send_doc_update_response`).

use super::answer::Answer;
use super::{Seen, text_of};
use crate::call::Call;
use crate::endpoints::document::Put;
use crate::incoming::Incoming;
use crate::script_request::{self, BodySeen};
use access::database::Database;
use access::error::{CouchError, Result};
use http::{HeaderName, Response, StatusCode, percent_encode};
use serde_json::Value as Json;
use serde_json::value::RawValue;

const NEW_REVISION: HeaderName = HeaderName::from_static("x-couch-update-newrev");
const ID: HeaderName = HeaderName::from_static("x-couch-id");

/// `/{db}/_design/{design}/_update/{name}`, and after it the id of a document.
pub(crate) async fn run(call: &mut Call, design: &str, rest: &[&str]) -> Result<Response> {
    let Some((name, id)) = rest.split_first() else {
        return Err(CouchError::new(
            StatusCode::NOT_FOUND,
            "update_error",
            "Invalid path.",
        ));
    };
    let database = call.database()?;
    let design = call.server.designs.named(&database, design).await?;
    design.require("updates", name)?;
    let id = (!id.is_empty()).then(|| id.join("/"));
    let document = match &id {
        Some(id) => Seen::open(&call.server.config, &database, id).await?,
        None => None,
    };
    let body = BodySeen::Bytes(call.bytes().await?);
    let request = script_request::object(call, &database, id.as_deref(), body).await?;
    let made = design
        .functions()?
        .update(name, text_of(document.as_ref()), &request)
        .await?;
    // The document as the function wrote it: the order of its members counts, and its numbers are not to be read twice.
    let (document, answer): (Box<RawValue>, Json) = serde_json::from_str(&made)
        .map_err(|_| CouchError::new(StatusCode::INTERNAL_SERVER_ERROR, "render_error", made.clone()))?;
    let (status, written) = match document.get() {
        "null" => (StatusCode::OK, None),
        document => {
            let written = write(call, &database, document).await?;
            (StatusCode::CREATED, Some(written))
        }
    };
    let mut answer = Answer::read(&answer, status)?;
    if let Some((id, revision)) = written {
        answer.set(NEW_REVISION, &revision);
        answer.set(ID, &percent_encode(&id));
    }
    Ok(answer.respond(&call.server.config))
}

/// Writes the document; its id and its revision.
async fn write(call: &Call, database: &Database, document: &str) -> Result<(String, String)> {
    let mut document = Incoming::whole(document.as_bytes())?;
    let Some(id) = document.id.take() else {
        return Err(CouchError::illegal_docid("Document id must not be empty"));
    };
    let revision = Put::new(call, database, &id).write(document).await?;
    Ok((id, revision.to_string()))
}
