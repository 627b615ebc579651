//! Which path is answered by what. Endpoints are boxed: a request that could hold the state of any would be as large as the
//! largest.

use super::call::Call;
use super::respond::text;
use super::{buckets, index, links, mapred, objects, root, typed};
use crate::error::{Result, RiakError};
use crate::index::Query;
use crate::limits::VALUE_BYTES_MAX;
use crate::missing;
use http::{BodyError, Response, StatusCode};

pub(crate) async fn run(call: &Call) -> Result<Response> {
    let path: Vec<&[u8]> = call.path.iter().map(Vec::as_slice).collect();
    if call.has_large() && !takes_large(&path) {
        return Err(BodyError::TooLarge {
            limit_bytes: VALUE_BYTES_MAX,
        }
        .into());
    }
    match path.as_slice() {
        [] => Ok(root::resources(call)),
        [b"ping"] => Ok(root::ping(call)),
        [b"stats"] => root::stats(call),
        [b"riak"] => Box::pin(buckets::list(call, None)).await,
        [b"riak", bucket] => Box::pin(buckets::old(call, &call.bucket(None, bucket)?)).await,
        [b"riak", bucket, key] => Box::pin(objects::run(call, &call.bucket(None, bucket)?, key)).await,
        [b"riak", bucket, key, steps @ ..] => {
            Box::pin(links::walk(call, &call.bucket(None, bucket)?, key, steps.len())).await
        }
        [b"mapred"] => Box::pin(mapred::run(call)).await,
        [b"types", kind, b"props"] => Box::pin(buckets::type_properties(call, kind)).await,
        [b"types", kind, b"buckets", rest @ ..] => of_type(call, Some(kind), rest).await,
        [b"buckets", rest @ ..] => of_type(call, None, rest).await,
        [first, ..] => {
            missing::of_path(first).map_or_else(|| Ok(not_found()), |what| Err(RiakError::unsupported(what)))
        }
    }
}

/// Whether a body of any length is taken: objects may be so large.
fn takes_large(path: &[&[u8]]) -> bool {
    let of_type = |rest: &[&[u8]]| matches!(rest, [_, b"keys"] | [_, b"keys", _]);
    match path {
        [b"riak", _] | [b"riak", _, _] => true,
        [b"types", _, b"buckets", rest @ ..] | [b"buckets", rest @ ..] => of_type(rest),
        _ => false,
    }
}

/// What belongs to a bucket type.
async fn of_type(call: &Call, kind: Option<&[u8]>, path: &[&[u8]]) -> Result<Response> {
    let [bucket, rest @ ..] = path else {
        return buckets::list(call, kind).await;
    };
    let bucket = call.bucket(kind, bucket)?;
    match rest {
        [b"props"] => Box::pin(buckets::properties(call, &bucket)).await,
        [b"keys"] => Box::pin(buckets::keys(call, &bucket)).await,
        [b"keys", key] => Box::pin(objects::run(call, &bucket, key)).await,
        [b"keys", key, b"preflist"] => Box::pin(buckets::preflist(call, &bucket, key)).await,
        [b"keys", key, steps @ ..] => Box::pin(links::walk(call, &bucket, key, steps.len())).await,
        [b"datatypes"] => Box::pin(typed::run(call, &bucket, None)).await,
        [b"datatypes", key] => Box::pin(typed::run(call, &bucket, Some(key))).await,
        // Types have data types of their own.
        [b"counters", key] if kind.is_none() => Box::pin(typed::counter(call, &bucket, key)).await,
        [b"index", index, terms @ ..] => match index_query(index, terms) {
            Some(query) => Box::pin(index::query(call, &bucket, query)).await,
            None => Ok(not_found()),
        },
        _ => Ok(not_found()),
    }
}

/// What the end of a path asks of an index.
fn index_query(index: &[u8], terms: &[&[u8]]) -> Option<Query> {
    match (index, terms) {
        (b"$bucket" | b"$key", []) => Some(Query::of_all()),
        (_, [term]) => Some(Query::of(index, term, None)),
        (_, [low, high]) => Some(Query::of(index, low, Some(high))),
        _ => None,
    }
}

fn not_found() -> Response {
    text(StatusCode::NOT_FOUND, "not found\n")
}
