//! `_show`: a document as something else (`src/chttpd/src/chttpd_show.erl`).

use super::answer::Answer;
use super::{Seen, text_of};
use crate::call::Call;
use crate::respond;
use crate::script_request::{self, BodySeen};
use access::error::{CouchError, Result};
use http::{Response, StatusCode, header, if_none_match};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use value::hex;

/// `/{db}/_design/{design}/_show/{name}`, and after it the id of a document.
pub(crate) async fn run(call: &mut Call, design: &str, rest: &[&str]) -> Result<Response> {
    let Some((name, id)) = rest.split_first() else {
        return Err(CouchError::new(
            StatusCode::NOT_FOUND,
            "show_error",
            "Invalid path.",
        ));
    };
    // A user who may read some documents alone may not read the function, but be shown what it makes of those.
    let database = call.database_of_document()?;
    database.require_all()?;
    let design = call.server.designs.named(&database, design).await?;
    design.require("shows", name)?;
    let id = (!id.is_empty()).then(|| id.join("/"));
    let document = match &id {
        Some(id) => {
            database.require_read(id)?;
            Seen::open(&call.server.config, &database, id).await?
        }
        None => None,
    };
    let tag = entity_tag(call, design.body.get("_rev"), document.as_ref());
    if if_none_match(&call.headers, &tag) {
        return Ok(respond::not_modified(&tag));
    }
    let body = BodySeen::Bytes(call.bytes().await?);
    let request = script_request::object(call, &database, id.as_deref(), body).await?;
    let answer = design
        .functions()?
        .show(name, text_of(document.as_ref()), &request)
        .await?;
    let answer: Json = serde_json::from_str(&answer).unwrap_or_default();
    let mut answer = Answer::read(&answer, StatusCode::OK)?;
    answer.set(header::ETAG, &tag);
    answer.set(header::VARY, "Accept");
    Ok(answer.respond(&call.server.config))
}

/// Another one where the function, the document, or what of the request the answer may depend on is another.
fn entity_tag(call: &Call, design: Option<&Json>, document: Option<&Seen>) -> String {
    let design = design.and_then(Json::as_str).unwrap_or_default();
    let document = document.map(|document| document.revision.to_string());
    let accepted = call.header("accept").unwrap_or_default();
    let of = format!("{design}\n{document:?}\n{accepted}\n{:?}", call.user.roles);
    format!("\"{}\"", hex(&Sha256::digest(of)[..16]))
}
