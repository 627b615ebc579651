//! Objects: GET, HEAD, PUT, POST, DELETE.

use super::call::Call;
use super::headers;
use super::multipart;
use super::respond::{add, empty, not_allowed, text};
use crate::buckets::{BucketProperties, Quorum, existing, writable};
use crate::clock::Clock;
use crate::error::{Result, RiakError};
use crate::keys::new_key;
use crate::names::Bucket;
use crate::object::large::{self, Piece, body_of};
use crate::object::{self, Condition, Object, Put, Sibling};
use crate::pb::refuse_datatype;
use auth::Action;
use http::{
    Method, Precondition, Response, StatusCode, accepts_type, percent_encode_bytes, read_precondition,
};
use std::time::{Duration, Instant, SystemTime};

const VCLOCK: &str = "x-riak-vclock";

/// `/buckets/B/keys/K`.
pub(crate) async fn run(call: &Call, bucket: &Bucket, key: &[u8]) -> Result<Response> {
    match call.method {
        Method::GET | Method::HEAD => get(call, bucket, key).await,
        Method::PUT | Method::POST => put(call, bucket, key, false).await,
        Method::DELETE => delete(call, bucket, key).await,
        _ => Ok(not_allowed("GET, HEAD, PUT, POST, DELETE")),
    }
}

/// An object under a key that the server makes.
pub(crate) async fn post(call: &Call, bucket: &Bucket) -> Result<Response> {
    let key = new_key()?;
    let mut response = put(call, bucket, &key, true).await?;
    let place = match bucket.is_default_type() {
        true => format!(
            "/buckets/{}/keys/{}",
            percent_encode_bytes(&bucket.name),
            percent_encode_bytes(&key)
        ),
        false => {
            let (kind, name) = (
                percent_encode_bytes(&bucket.kind),
                percent_encode_bytes(&bucket.name),
            );
            format!("/types/{kind}/buckets/{name}/keys/{}", percent_encode_bytes(&key))
        }
    };
    let place = match call.path.first().is_some_and(|first| first == b"riak") {
        true => format!(
            "/riak/{}/{}",
            percent_encode_bytes(&bucket.name),
            percent_encode_bytes(&key)
        ),
        false => place,
    };
    add(&mut response, "location", place.as_bytes());
    Ok(response)
}

async fn get(call: &Call, bucket: &Bucket, key: &[u8]) -> Result<Response> {
    let properties = call.server.bucket_properties(bucket).await?;
    check_quorums(call, &properties)?;
    let Some(collection) = existing(&call.server, &call.access, bucket, Action::Find)? else {
        return Ok(not_found(None));
    };
    let begun = Instant::now();
    let object = Object::read(&collection, key).await?;
    call.server
        .stats
        .got(begun, object.siblings.len(), object.bytes());
    if !object.exists() {
        return Ok(not_found(object.is_deleted().then(|| object.clock())));
    }
    let mut response = match call.parameter("vtag") {
        Some(vtag) => match object.siblings.iter().find(|sibling| sibling.vtag() == vtag) {
            Some(sibling) => one(call, bucket, sibling).await?,
            None => return Ok(not_found(None)),
        },
        None => shown(call, bucket, &object).await?,
    };
    add(&mut response, VCLOCK, object.clock().to_text().as_bytes());
    Ok(response)
}

fn not_found(deleted: Option<Clock>) -> Response {
    let mut response = text(StatusCode::NOT_FOUND, "not found\n");
    if let Some(clock) = deleted {
        add(&mut response, VCLOCK, clock.to_text().as_bytes());
        add(&mut response, "x-riak-deleted", b"true");
    }
    response
}

/// The object: its one value, or its siblings in the form that the client takes.
async fn shown(call: &Call, bucket: &Bucket, object: &Object) -> Result<Response> {
    match object.siblings.as_slice() {
        [sibling] => one(call, bucket, sibling).await,
        _ if call
            .header("accept")
            .is_some_and(|accept| accept.contains("multipart/mixed")) =>
        {
            multipart::siblings(call, bucket, object).await
        }
        siblings => {
            let tags: Vec<String> = siblings.iter().map(|sibling| sibling.vtag() + "\n").collect();
            Ok(text(
                StatusCode::MULTIPLE_CHOICES,
                format!("Siblings:\n{}", tags.concat()),
            ))
        }
    }
}

async fn one(call: &Call, bucket: &Bucket, sibling: &Sibling) -> Result<Response> {
    let content = &sibling.content;
    let kind = content.media_type();
    if !kind.is_empty() && call.header("accept").is_some() && !accepts_type(&call.headers, &kind) {
        return Ok(empty(StatusCode::NOT_ACCEPTABLE));
    }
    let vtag = sibling.vtag();
    // A time that nobody knows may be now.
    let modified = content.modified_ms.map(Duration::from_millis);
    let modified = modified.map_or_else(SystemTime::now, |modified| SystemTime::UNIX_EPOCH + modified);
    let condition = match call.is(&[Method::GET, Method::HEAD]) {
        true => read_precondition(&call.headers, &format!("\"{vtag}\""), modified),
        false => Precondition::Holds,
    };
    let mut response = match condition {
        Precondition::Holds => {
            let value = Piece::of(&call.server, &bucket.namespace(), content).await?;
            Response::new(body_of(vec![value]))
        }
        Precondition::NotModified => empty(StatusCode::NOT_MODIFIED),
        Precondition::Failed => return Ok(empty(StatusCode::PRECONDITION_FAILED)),
    };
    headers::write(&mut response, bucket, content, &vtag);
    Ok(response)
}

async fn put(call: &Call, bucket: &Bucket, key: &[u8], is_made: bool) -> Result<Response> {
    let properties = call.server.bucket_properties(bucket).await?;
    check_quorums(call, &properties)?;
    refuse_datatype(&properties)?;
    let mut content = headers::read(call)?;
    let returns_body = call.flag("returnbody")?;
    let context = given_clock(call)?.unwrap_or_default();
    let collection = writable(&call.server, &call.access, bucket, Action::Insert).await?;
    call.access.require(Action::Update, &bucket.namespace())?;
    let condition = condition(call, &collection, key).await?;
    let namespace = bucket.namespace();
    if let Some((first, rest)) = call.take_large() {
        content.large = Some(large::store(&call.server, &namespace, key, first, Some(rest)).await?);
    }
    let put = Put {
        content,
        context,
        condition,
        keeps_siblings: properties.keeps_siblings(),
    };
    let object = object::put(&call.server, (&collection, &namespace), key, put).await?;
    if !returns_body {
        return Ok(empty(match is_made {
            true => StatusCode::CREATED,
            false => StatusCode::NO_CONTENT,
        }));
    }
    let mut response = shown(call, bucket, &object).await?;
    if is_made && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::CREATED;
    }
    add(&mut response, VCLOCK, object.clock().to_text().as_bytes());
    Ok(response)
}

/// What the request's conditions ask of the object.
async fn condition(call: &Call, collection: &engine::RevisionedCollection, key: &[u8]) -> Result<Condition> {
    let tags = |header: &str| -> Vec<String> {
        let tags = header
            .split(',')
            .map(|tag| tag.trim().trim_start_matches("W/").trim_matches('"'));
        tags.map(str::to_owned).collect()
    };
    if let Some(header) = call.header("if-match") {
        return Ok(Condition::Tagged(tags(header)));
    }
    if let Some(header) = call.header("if-none-match") {
        if header.trim() == "*" {
            return Ok(Condition::Missing);
        }
        let object = Object::read(collection, key).await?;
        let tags = tags(header);
        if object
            .siblings
            .iter()
            .any(|sibling| tags.contains(&sibling.vtag()))
        {
            return Err(RiakError::precondition("412 Precondition Failed"));
        }
    }
    if let Some(since) = call.header("if-unmodified-since").and_then(http::parse_http_date) {
        let object = Object::read(collection, key).await?;
        let limit = since + Duration::from_secs(1);
        let is_newer = |sibling: &Sibling| {
            let modified = sibling.content.modified_ms.map(Duration::from_millis);
            modified.is_some_and(|modified| SystemTime::UNIX_EPOCH + modified >= limit)
        };
        if object.siblings.iter().any(is_newer) {
            return Err(RiakError::precondition("412 Precondition Failed"));
        }
    }
    Ok(Condition::Nothing)
}

async fn delete(call: &Call, bucket: &Bucket, key: &[u8]) -> Result<Response> {
    let properties = call.server.bucket_properties(bucket).await?;
    check_quorums(call, &properties)?;
    let context = given_clock(call)?;
    let Some(collection) = existing(&call.server, &call.access, bucket, Action::Remove)? else {
        return Ok(not_found(None));
    };
    match object::delete(
        &call.server,
        (&collection, &bucket.namespace()),
        key,
        context.as_ref(),
    )
    .await?
    {
        true => Ok(empty(StatusCode::NO_CONTENT)),
        false => Ok(not_found(None)),
    }
}

fn given_clock(call: &Call) -> Result<Option<Clock>> {
    let invalid = || RiakError::bad("X-Riak-Vclock is none that was given here");
    let given = call.header(VCLOCK);
    given
        .map(|text| Clock::from_text(text).ok_or_else(invalid))
        .transpose()
}

pub(crate) fn check_quorums(call: &Call, properties: &BucketProperties) -> Result<()> {
    for name in ["r", "w", "dw", "rw", "pr", "pw"] {
        let Some(given) = call.parameter(name) else {
            continue;
        };
        let wanted =
            "query parameter must be an integer or one of the following words: 'one', 'quorum' or 'all'";
        let quorum = Quorum::parse(given).ok_or_else(|| RiakError::bad(format!("{name} {wanted}")))?;
        quorum.check(properties.copies())?;
    }
    Ok(())
}
