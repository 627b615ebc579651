//! Objects: GET, HEAD, PUT, POST, DELETE.

use super::call::Call;
use super::headers;
use super::multipart;
use super::respond::{add, empty, not_allowed, text};
use crate::buckets::{
    BucketProperties, Purpose, Quorum, Quorums, check_nodes, existing, turn_to_answer, writable,
};
use crate::clock::Clock;
use crate::content::Content;
use crate::error::{Result, RiakError};
use crate::keys::new_key;
use crate::names::Bucket;
use crate::object::large::{self, Piece, body_of};
use crate::object::{self, Condition, Deleted, Object, Put, Sibling};
use crate::pb::refuse_datatype;
use auth::Action;
use http::header::{IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE};
use http::{
    Method, Precondition, Response, StatusCode, accepts_type, percent_encode_bytes, preferred_type,
    read_precondition,
};
use std::pin::pin;
use std::time::{Instant, SystemTime};

const VCLOCK: &str = "X-Riak-Vclock";
/// The clock that an object has if it was not changed since its writer read it.
const IF_NOT_MODIFIED: &str = "X-Riak-If-Not-Modified";

/// The values of `sync_on_write`. All writes are flushed before they are answered, so they make no difference.
const SYNCS: [&str; 4] = ["default", "backend", "one", "all"];

/// The forms of siblings: their vtags, or each of them as a part.
const LIST: &str = "text/plain";
const PARTS: &str = "multipart/mixed";

/// `/buckets/B/keys/K`.
pub(crate) async fn run(call: &Call, bucket: &Bucket, key: &[u8]) -> Result<Response> {
    let deadline = call.deadline()?;
    match call.method {
        Method::GET | Method::HEAD => deadline.run(pin!(get(call, bucket, key))).await,
        // A file that was begun is ended.
        Method::PUT | Method::POST if call.has_large() => put(call, bucket, key, false).await,
        Method::PUT | Method::POST => deadline.run(pin!(put(call, bucket, key, false))).await,
        Method::DELETE => deadline.run(pin!(delete(call, bucket, key))).await,
        _ => Ok(not_allowed("GET, HEAD, PUT, POST, DELETE")),
    }
}

/// An object under a key that the server makes.
pub(crate) async fn post(call: &Call, bucket: &Bucket) -> Result<Response> {
    let key = new_key()?;
    let mut response = put(call, bucket, &key, true).await?;
    add(&mut response, "location", place(call, bucket, &key).as_bytes());
    Ok(response)
}

/// The path of an object, in the form in which the request named its bucket (`format_uri` in Riak's sources).
pub(super) fn place(call: &Call, bucket: &Bucket, key: &[u8]) -> String {
    let (name, key) = (percent_encode_bytes(&bucket.name), percent_encode_bytes(key));
    if call.is_old() {
        format!("/riak/{name}/{key}")
    } else if call.names_type() {
        let kind = percent_encode_bytes(&bucket.kind);
        format!("/types/{kind}/buckets/{name}/keys/{key}")
    } else {
        format!("/buckets/{name}/keys/{key}")
    }
}

async fn get(call: &Call, bucket: &Bucket, key: &[u8]) -> Result<Response> {
    let properties = call.server.bucket_properties(bucket).await?;
    check_options(call, &properties, Purpose::Read)?;
    let Some(collection) = existing(&call.server, &call.access, bucket, Action::Find)? else {
        return Ok(not_found(None));
    };
    let begun = Instant::now();
    let _turn = turn_to_answer(&collection).await?;
    let object = Object::read(&collection, key).await?;
    call.server
        .stats
        .got(begun, object.siblings.len(), object.bytes());
    if !object.exists() {
        return Ok(not_found(object.deletion(&call.server)));
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
    if let [sibling] = object.siblings.as_slice() {
        return one(call, bucket, sibling).await;
    }
    let form = preferred_type(&call.headers, &[LIST, PARTS]);
    // What was written is answered even to a client that takes no form of it.
    if form.is_none() && reads(call) {
        return Ok(empty(StatusCode::NOT_ACCEPTABLE));
    }
    let tag = format!("\"{}\"", object.tag());
    let modified = object.modified();
    let mut response = match condition(call, &tag, modified) {
        Precondition::NotModified => empty(StatusCode::NOT_MODIFIED),
        Precondition::Failed => return Ok(empty(StatusCode::PRECONDITION_FAILED)),
        Precondition::Holds if form == Some(PARTS) => multipart::siblings(call, bucket, object).await?,
        Precondition::Holds => {
            let siblings = object.siblings.iter();
            let tags: Vec<String> = siblings.map(|sibling| sibling.vtag() + "\n").collect();
            text(
                StatusCode::MULTIPLE_CHOICES,
                format!("Siblings:\n{}", tags.concat()),
            )
        }
    };
    add(&mut response, "etag", tag.as_bytes());
    add(
        &mut response,
        "last-modified",
        http::http_date(modified).as_bytes(),
    );
    Ok(response)
}

async fn one(call: &Call, bucket: &Bucket, sibling: &Sibling) -> Result<Response> {
    let content = &sibling.content;
    if !is_accepted(call, content) {
        return Ok(empty(StatusCode::NOT_ACCEPTABLE));
    }
    let vtag = sibling.vtag();
    let mut response = match condition(call, &format!("\"{vtag}\""), sibling.modified()) {
        Precondition::Holds => {
            let value = Piece::of(&call.server, &bucket.namespace(), content).await?;
            Response::new(body_of(vec![value]))
        }
        Precondition::NotModified => empty(StatusCode::NOT_MODIFIED),
        Precondition::Failed => return Ok(empty(StatusCode::PRECONDITION_FAILED)),
    };
    headers::write(call, &mut response, bucket, content, &vtag);
    Ok(response)
}

/// Whether the client takes what a value is.
fn is_accepted(call: &Call, content: &Content) -> bool {
    let kind = content.media_type();
    kind.is_empty() || call.header("accept").is_none() || accepts_type(&call.headers, &kind)
}

fn reads(call: &Call) -> bool {
    call.is(&[Method::GET, Method::HEAD])
}

/// What the conditions of a request that reads come to; those of one that writes were asked before.
fn condition(call: &Call, tag: &str, modified: SystemTime) -> Precondition {
    match reads(call) {
        true => read_precondition(&call.headers, tag, modified),
        false => Precondition::Holds,
    }
}

async fn put(call: &Call, bucket: &Bucket, key: &[u8], is_made: bool) -> Result<Response> {
    let properties = call.server.bucket_properties(bucket).await?;
    check_options(call, &properties, Purpose::Write)?;
    refuse_datatype(&properties)?;
    let mut content = headers::read(call, bucket)?;
    if !is_accepted(call, &content) {
        return Ok(empty(StatusCode::NOT_ACCEPTABLE));
    }
    let returns_body = call.is_true("returnbody");
    let context = given_clock(call, VCLOCK)?.unwrap_or_default();
    let condition = asked(call, given_clock(call, IF_NOT_MODIFIED)?);
    let collection = writable(&call.server, &call.access, bucket, Action::Insert).await?;
    let namespace = bucket.namespace();
    call.access.require(Action::Update, &namespace)?;
    if let Some((first, rest)) = call.take_large() {
        let stored = large::store(&call.server, &namespace, key, first, Some(rest));
        // Boxed, since few values are large, and writing a file takes most of the state.
        content.large = Some(Box::pin(stored).await?);
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

/// What the request's conditions ask of the object that it changes.
fn asked(call: &Call, clock: Option<Clock>) -> Condition {
    let conditions = [IF_MATCH, IF_NONE_MATCH, IF_MODIFIED_SINCE, IF_UNMODIFIED_SINCE];
    let has_headers = conditions.iter().any(|name| call.headers.contains_key(name));
    match has_headers || clock.is_some() {
        true => Condition::Asked {
            headers: Box::new(call.headers.clone()),
            clock,
        },
        false => Condition::Nothing,
    }
}

async fn delete(call: &Call, bucket: &Bucket, key: &[u8]) -> Result<Response> {
    let properties = call.server.bucket_properties(bucket).await?;
    let context = given_clock(call, VCLOCK)?;
    let has_clock = context.is_some();
    check_options(call, &properties, Purpose::Delete { has_clock })?;
    let Some(collection) = existing(&call.server, &call.access, bucket, Action::Remove)? else {
        return Ok(not_found(None));
    };
    match object::delete(
        &call.server,
        (&collection, &bucket.namespace()),
        key,
        context.as_ref(),
        &asked(call, None),
    )
    .await?
    {
        Deleted::Now => Ok(empty(StatusCode::NO_CONTENT)),
        Deleted::Before(clock) => Ok(not_found(clock)),
    }
}

fn given_clock(call: &Call, header: &str) -> Result<Option<Clock>> {
    let invalid = || RiakError::bad(format!("{header} is none that was given here"));
    let given = call.header(header);
    given
        .map(|text| Clock::from_text(text).ok_or_else(invalid))
        .transpose()
}

/// Refuses options of objects that no store meets.
fn check_options(call: &Call, properties: &BucketProperties, purpose: Purpose) -> Result<()> {
    check_quorums(call, properties, purpose)?;
    let sync = call.parameter("sync_on_write").map(str::to_ascii_lowercase);
    if sync.is_some_and(|sync| !SYNCS.contains(&sync.as_str())) {
        let words = SYNCS.join(",");
        return Err(RiakError::bad(format!(
            "sync_on_write query parameter must be one of the following words: [{words}]"
        )));
    }
    match call.flag("asis")? {
        Some(true) => Err(RiakError::unsupported("the option asis")),
        _ => Ok(()),
    }
}

/// Refuses quorums that are none, and numbers of copies that an object does not have.
pub(crate) fn check_quorums(call: &Call, properties: &BucketProperties, purpose: Purpose) -> Result<()> {
    let quorums = Quorums {
        r: quorum(call, "r")?,
        pr: quorum(call, "pr")?,
        w: quorum(call, "w")?,
        dw: quorum(call, "dw")?,
        pw: quorum(call, "pw")?,
        rw: quorum(call, "rw")?,
    };
    quorums.check(purpose, properties.copies())?;
    check_nodes(quorum(call, "node_confirms")?, purpose, properties)?;
    // One store has every copy, so these make no difference.
    for name in ["basic_quorum", "notfound_ok"] {
        call.flag(name)?;
    }
    Ok(())
}

fn quorum(call: &Call, name: &str) -> Result<Option<Quorum>> {
    let Some(given) = call.parameter(name) else {
        return Ok(None);
    };
    let wanted = "query parameter must be an integer or one of the following words: 'one', 'quorum' or 'all'";
    let quorum = match given {
        // As the storage does it by itself.
        "backend" => Some(Quorum::Default),
        given => Quorum::parse(given),
    };
    let quorum = quorum.ok_or_else(|| RiakError::bad(format!("{name} {wanted}")))?;
    Ok(Some(quorum))
}
