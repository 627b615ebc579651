//! One document: reading, writing, deleting, copying (`src/chttpd/src/chttpd_db.erl`, `db_doc_req`).

pub(crate) mod attachment;
mod copy;
mod form;
mod get;
mod multipart;
mod options;
mod public;
mod put;
mod ranges;
mod room;
mod write;

pub(crate) use copy::destination;
pub(crate) use get::{opened, write_revision};
pub(crate) use multipart::{related, send};
pub(crate) use options::{OpenRevisions, ReadOptions, revisions};
pub(crate) use put::{named_revision, post};
pub(crate) use write::Put;

use crate::call::Call;
use access::error::{CouchError, Result};
use http::{Method, Response};

/// `/{db}/{id}`.
pub(crate) async fn run(call: &mut Call, id: &str) -> Result<Response> {
    match call.method.as_str() {
        "GET" | "HEAD" => get::run(call, id).await,
        // Boxed, so that what reads a document is small.
        "PUT" => Box::pin(put::run(call, id)).await,
        "DELETE" => Box::pin(put::delete(call, id)).await,
        "COPY" => Box::pin(copy::run(call, id)).await,
        _ if call.method == Method::POST => Box::pin(form::run(call, id)).await,
        _ => Err(CouchError::method_not_allowed("DELETE,GET,HEAD,POST,PUT,COPY")),
    }
}
