//! Queries of secondary indexes.

use super::connection::Connection;
use super::frame::code;
use super::messages::{GetResp, IndexBodyResp, IndexObject, IndexReq, IndexResp, Pair};
use super::objects::{contents, has_large};
use crate::buckets::existing;
use crate::error::{Result, RiakError};
use crate::index::{self, FoundKey, Query};
use crate::names::Bucket;
use crate::object::Object;
use auth::Action;
use engine::RevisionedCollection;
use http::StatusCode;
use memory::Holder;
use std::pin::pin;

/// The value of `qtype` that asks for a range.
const RANGE: i32 = 1;
/// The memory of objects that are sent, as a multiple of their bytes: a value is copied into each of the messages that lie in each other.
const NESTED_FACTOR: usize = 4;

pub(crate) async fn query(connection: &mut Connection, request: IndexReq) -> Result<()> {
    let bucket = Bucket::new(request.kind.as_deref(), &request.bucket)?;
    let returns_objects = request.return_body.unwrap_or(false);
    if request.cover_context.is_some() {
        return Err(RiakError::unsupported("a coverage context"));
    }
    let is_streamed = request.stream.unwrap_or(false);
    let missing = |what: &str| RiakError::bad(format!("{what} is missing from the index query"));
    let (low, high) = match request.qtype == Some(RANGE) {
        // There is one term, the bucket, so it need not be said.
        _ if request.index == index::BUCKET => (Vec::new(), None),
        true => (
            request.range_min.ok_or_else(|| missing("range_min"))?,
            Some(request.range_max.ok_or_else(|| missing("range_max"))?),
        ),
        false => (
            request
                .key
                .ok_or_else(|| RiakError::bad("Invalid equality query undefined"))?,
            None,
        ),
    };
    let query = Query {
        returns_terms: request.return_terms.unwrap_or(false),
        max_results: request.max_results.map(|count| count as usize),
        continuation: request
            .continuation
            .filter(|continuation| !continuation.is_empty()),
        pattern: request
            .term_regex
            .map(|pattern| String::from_utf8_lossy(&pattern).into_owned()),
        ..Query::of(&request.index, &low, high.as_deref())
    };
    query.check()?;
    let deadline = connection.server.read_deadline(request.timeout);
    if returns_objects {
        return deadline
            .run(pin!(send_objects(connection, &bucket, query, is_streamed)))
            .await;
    }
    deadline
        .run(pin!(send(connection, &bucket, query, is_streamed)))
        .await
}

async fn send(connection: &mut Connection, bucket: &Bucket, query: Query, is_streamed: bool) -> Result<()> {
    let mut answer = IndexResp::default();
    if let Some(collection) = existing(&connection.server, connection.granted()?, bucket, Action::Find)? {
        let mut run = query.run(&collection).await?;
        loop {
            let found = run.next().await?;
            if found.is_empty() {
                break;
            }
            add(&mut answer, found, run.tells_terms);
            if is_streamed {
                connection
                    .send(code::INDEX_RESP, &std::mem::take(&mut answer))
                    .await?;
            }
        }
        answer.continuation = run.continuation().map(String::into_bytes);
    }
    answer.done = is_streamed.then_some(true);
    connection.put(code::INDEX_RESP, &answer);
    Ok(())
}

/// Sends the objects themselves, which is for indexes of keys alone (`return_body`). Those that are gone meanwhile are left out.
async fn send_objects(
    connection: &mut Connection,
    bucket: &Bucket,
    query: Query,
    is_streamed: bool,
) -> Result<()> {
    if !query.is_by_key() {
        return Err(RiakError::bad(
            "For return_body=true index must be one of [<<\"$key\">>,<<\"$bucket\">>]",
        ));
    }
    let mut answer = IndexBodyResp::default();
    let mut room = connection.server.engine.memory().share(Holder::Answers);
    let mut bytes = 0;
    if let Some(collection) = existing(&connection.server, connection.granted()?, bucket, Action::Find)? {
        let mut run = query.run(&collection).await?;
        loop {
            let found = run.next().await?;
            if found.is_empty() {
                break;
            }
            for (_, key) in found {
                let Some(object) = index_object(&collection, key).await? else {
                    continue;
                };
                let contents = object.object.content.iter();
                bytes += contents.map(|content| content.value.len()).sum::<usize>() + object.key.len();
                answer.objects.push(object);
                let held = room.set(bytes.saturating_mul(NESTED_FACTOR));
                held.map_err(|full| RiakError::new(StatusCode::SERVICE_UNAVAILABLE, full.to_string()))?;
                if is_streamed {
                    let message = std::mem::take(&mut answer);
                    connection.send(code::INDEX_BODY_RESP, &message).await?;
                    bytes = 0;
                }
            }
        }
        answer.continuation = run.continuation().map(String::into_bytes);
    }
    answer.done = is_streamed.then_some(true);
    connection.put(code::INDEX_BODY_RESP, &answer);
    Ok(())
}

/// The object of a key as a message has it; `None` if there is none.
async fn index_object(collection: &RevisionedCollection, key: Vec<u8>) -> Result<Option<IndexObject>> {
    let object = Object::read(collection, &key).await?;
    if has_large(&object) {
        let shown = String::from_utf8_lossy(&key);
        return Err(RiakError::bad(format!(
            "too_large: the value of \"{shown}\" is a file; get it by itself"
        )));
    }
    let shown = GetResp {
        content: contents(&object, false),
        vclock: Some(object.clock().encode()),
        unchanged: None,
    };
    Ok(object.exists().then_some(IndexObject { key, object: shown }))
}

fn add(answer: &mut IndexResp, found: Vec<FoundKey>, returns_terms: bool) {
    for (term, key) in found {
        match returns_terms {
            true => answer.results.push(Pair {
                key: term,
                value: Some(key),
            }),
            false => answer.keys.push(key),
        }
    }
}
