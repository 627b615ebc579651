//! Queries of secondary indexes.

use super::connection::Connection;
use super::frame::code;
use super::messages::{IndexReq, IndexResp, Pair};
use crate::buckets::existing;
use crate::error::{Result, RiakError};
use crate::index::{self, FoundKey, Query};
use crate::names::Bucket;
use auth::Action;
use std::pin::pin;

/// The value of `qtype` that asks for a range.
const RANGE: i32 = 1;

pub(crate) async fn query(connection: &mut Connection, request: IndexReq) -> Result<()> {
    let bucket = Bucket::new(request.kind.as_deref(), &request.bucket)?;
    if request.return_body.unwrap_or(false) {
        return Err(RiakError::unsupported("return_body of an index query"));
    }
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
