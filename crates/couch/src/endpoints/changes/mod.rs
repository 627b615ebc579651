//! `_changes`: what happened to a database, once or as it happens.
//!
//! The parameters and forms are those of `src/chttpd/src/chttpd_db.erl` (`parse_changes_query`, `changes_callback`).

mod databases;
mod feed;
mod filter;
mod options;
mod row;

pub(crate) use databases::run as databases;

use crate::call::Call;
use crate::operation::Reader;
use crate::query::Query;
use crate::stream::Output;
use crate::{respond, stream};
use access::error::{CouchError, Result};
use access::sequence::Sequences;
use engine::Sequence;
use feed::Feed;
use filter::Filter;
use http::{BodyError, HeaderValue, Method, Response, header, if_none_match};
use md5::{Digest, Md5};
use memory::{Budget, Holder, Share};
use options::{ChangesOptions, FeedKind, waits_max};
use std::time::Duration;
use value::{Document, hex};

/// The memory that a filter takes, as a multiple of the body that it came in; short ones are not counted, since there may be thousands.
const FILTER_FACTOR: usize = 4;
const SHORT_FILTER_BYTES: usize = 4 * 1024;

/// `/{db}/_changes`.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    let database = call.database()?;
    let (body, body_bytes) = match call.method {
        Method::GET | Method::HEAD => (Document::new(), 0),
        Method::POST => {
            call.check_is_json()?;
            let bytes = call.bytes().await?;
            (parse_body(&bytes)?, bytes.len())
        }
        _ => return Err(CouchError::method_not_allowed("GET,POST,HEAD")),
    };
    let head = database.durable_snapshot().await?.head();
    let last_event = call.header("last-event-id");
    let (sequences, waits_max) = (database.sequences, waits_max(&call.server.config));
    let options = ChangesOptions::parse(&call.query, last_event, (sequences, head.clone()), waits_max)?;
    let filter = Filter::parse(call, &database, &body).await?;
    let kind = options.kind;
    if kind == FeedKind::Normal {
        let tag = entity_tag(call, &database.sequences.text(&head), &filter);
        if call.method != Method::POST && if_none_match(&call.headers, &tag) {
            return Ok(respond::not_modified(&tag));
        }
        let feed = Feed::new(database, options, filter, &call.server);
        let mut response = stream::respond_with(&call.operation, |mut output| async move {
            let written = feed.write_all(&mut output).await;
            (output, written)
        })
        .await?;
        respond::tag(&mut response, &tag);
        return Ok(response);
    }
    let kept = room(call.server.engine.memory(), body_bytes)?;
    let feed = Feed::new(database, options, filter, &call.server);
    let (sender, mut response) = respond::feed();
    if kind == FeedKind::EventSource {
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/event-stream"),
        );
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    let (operation, reader) = (call.operation.clone(), Reader::of(sender.clone()));
    let output = Output::of_feed(sender.clone(), &operation);
    // Boxed, since each future around it would keep its size more than once.
    let followed = Box::pin(feed.follow(output, sender));
    tokio::spawn(async move {
        operation.follow(reader, followed).await;
        drop(kept);
    });
    Ok(response)
}

/// The memory of a feed's filter, which came in a body of this many bytes. The request ends once its answer begins; the filter stays in use.
fn room(memory: &Budget, body_bytes: usize) -> Result<Share> {
    let mut room = memory.share(Holder::Feeds);
    if body_bytes > SHORT_FILTER_BYTES {
        room.set(body_bytes.saturating_mul(FILTER_FACTOR))
            .map_err(BodyError::from)?;
    }
    Ok(room)
}

/// The entity tag of all changes up to a sequence. Whatever is shown of a change, or decides whether it is shown, is a change of the
/// database itself, but for the user who asks: a filter function is told that.
fn entity_tag(call: &Call, sequence: &str, filter: &Filter) -> String {
    match filter {
        Filter::Function { .. } => {
            let asker = format!("{:?} {:?}", call.user.name, call.user.roles);
            format!("\"{sequence}-{}\"", hex(&Md5::digest(asker)))
        }
        _ => format!("\"{sequence}\""),
    }
}

/// Reads what stands after the question mark and the body of a request for changes, as far as no database is needed for that.
pub fn check_request(query: &Query, body: &[u8]) -> Result<()> {
    let nothing = (Sequences::default(), Sequence::START);
    ChangesOptions::parse(query, None, nothing, Duration::ZERO)?;
    Filter::built_in(query, &parse_body(body)?)?;
    Ok(())
}

fn parse_body(bytes: &[u8]) -> Result<Document> {
    if bytes.is_empty() {
        return Ok(Document::new());
    }
    match json::Reader::whole(bytes)? {
        value::Value::Document(body) => Ok(body),
        _ => Err(CouchError::bad_request("Request body must be a JSON object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_filters_of_feeds_take_memory_as_long_as_they_go_on() {
        let memory = Budget::new(1 << 20);
        let first = room(&memory, 10_000).unwrap();
        let refused = room(&memory, 10_000).unwrap_err();
        assert!(refused.to_string().contains("--memory"), "{refused}");
        assert!(room(&memory, 300).is_ok());
        drop(first);
        assert!(room(&memory, 10_000).is_ok());
    }
}
