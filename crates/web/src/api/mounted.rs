//! Other protocols under this server's own address, so that the page may ask them.

use crate::call::Call;
use crate::error::{Result, WebError};
use crate::mounts::Requests;
use http::{Body, Request, RequestBody, Response, Uri};
use std::sync::Arc;

/// `/api/couch/…`: what CouchDB's protocol answers at `/…`.
pub(crate) async fn couch(call: &mut Call, path: &str) -> Result<Response> {
    let mounted = call.server.mounts.couch.clone();
    forward(call, mounted, &format!("/{path}")).await
}

/// `/api/elastic/…`: what Elasticsearch's protocol answers at `/…`.
pub(crate) async fn elastic(call: &mut Call, path: &str) -> Result<Response> {
    let mounted = call.server.mounts.elastic.clone();
    forward(call, mounted, &format!("/{path}")).await
}

/// `GET /api/tail`: what comes into a collection.
pub(crate) async fn tail(call: &mut Call) -> Result<Response> {
    call.only_reads()?;
    let mounted = call.server.mounts.tail.clone();
    forward(call, mounted, "/").await
}

async fn forward(call: &mut Call, mounted: Option<Arc<dyn Requests>>, path: &str) -> Result<Response> {
    let user = call.user().await?;
    let mounted = mounted.ok_or_else(|| WebError::not_found("this protocol is not served here"))?;
    let request = &mut call.request;
    let target = match request.query() {
        "" => path.to_owned(),
        query => format!("{path}?{query}"),
    };
    let uri: Uri = target
        .parse()
        .map_err(|_| WebError::bad_request("the path cannot be read"))?;
    let body = std::mem::replace(&mut request.body, RequestBody::from(Body::empty()));
    let request = Request {
        method: request.method.clone(),
        uri,
        headers: request.headers.clone(),
        body,
        peer: request.peer,
        asker: request.asker.clone(),
        certified: None,
    };
    Ok(mounted.answer(user, request).await)
}
