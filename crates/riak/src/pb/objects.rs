//! Objects: get, put, delete.

use super::connection::Connection;
use super::frame::code;
use super::messages::{self, DelReq, GetReq, GetResp, Pair, PutReq, PutResp};
use super::{large, pipelined};
use crate::buckets::{
    BucketProperties, Purpose, Quorum, Quorums, check_nodes, existing, turn_to_answer, writable,
};
use crate::clock::Clock;
use crate::content::{Content, Link};
use crate::deadline::Deadline;
use crate::error::{Result, RiakError};
use crate::keys::new_key;
use crate::limits::VALUE_BYTES_MAX;
use crate::names::{Bucket, check_key};
use crate::object::large as object_large;
use crate::object::{self, Condition, Object, Put, Sibling};
use auth::Action;
use engine::{Namespace, RevisionedCollection};
use http::StatusCode;
use std::iter;
use std::pin::pin;
use std::time::Instant;

pub(crate) async fn get(connection: &mut Connection, request: GetReq) -> Result<()> {
    let bucket = Bucket::new(request.kind.as_deref(), &request.bucket)?;
    check_key(&request.key)?;
    let properties = connection.server.bucket_properties(&bucket).await?;
    check_quorums(&properties, &[request.r, request.pr], request.n_val)?;
    check_confirms(request.node_confirms, Purpose::Read, &properties)?;
    let Some(collection) = existing(&connection.server, connection.granted()?, &bucket, Action::Find)? else {
        connection.put_empty(code::GET_RESP);
        return Ok(());
    };
    let begun = Instant::now();
    let _turn = turn_to_answer(&collection).await?;
    let read = Object::read(&collection, &request.key);
    let object = Deadline::of(request.timeout).run(pin!(read)).await?;
    connection
        .server
        .stats
        .got(begun, object.siblings.len(), object.bytes());
    let clock = object.clock();
    let is_head = request.head.unwrap_or(false);
    let mut answer = GetResp::default();
    if object.exists() {
        let seen = request.if_modified.as_deref().map(clock_of).transpose()?;
        if seen.is_some_and(|seen| seen == clock) {
            answer.unchanged = Some(true);
        } else {
            answer.vclock = Some(clock.encode());
            if !is_head && has_large(&object) {
                let contents = large_contents(&object);
                return large::send(connection, code::GET_RESP, &bucket.namespace(), contents, &answer).await;
            }
            answer.content = contents(&object, is_head);
        }
    } else if request.deletedvclock.unwrap_or(false) {
        answer.vclock = object.deletion(&connection.server).map(|clock| clock.encode());
    }
    connection.put(code::GET_RESP, &answer);
    Ok(())
}

pub(crate) async fn put(connection: &mut Connection, request: PutReq) -> Result<()> {
    let server = connection.server.clone();
    let bucket = Bucket::new(request.kind.as_deref(), &request.bucket)?;
    let properties = server.bucket_properties(&bucket).await?;
    check_put(&request, &properties)?;
    let access = connection.granted()?;
    let collection = writable(&server, access, &bucket, Action::Insert).await?;
    let namespace = bucket.namespace();
    access.require(Action::Update, &namespace)?;
    let place = Place {
        properties: &properties,
        collection: &collection,
        namespace: &namespace,
    };
    let following = pipelined::following_puts(connection, &request);
    match following.is_empty() {
        true => put_alone(connection, place, request).await,
        false => put_together(connection, place, iter::once(request).chain(following)).await,
    }
}

/// Where puts go.
#[derive(Clone, Copy)]
struct Place<'p> {
    properties: &'p BucketProperties,
    collection: &'p RevisionedCollection,
    namespace: &'p Namespace,
}

/// Refuses what cannot be put into a bucket with these properties.
fn check_put(request: &PutReq, properties: &BucketProperties) -> Result<()> {
    request.key.as_deref().map_or(Ok(()), check_key)?;
    check_quorums(properties, &[request.w, request.dw, request.pw], request.n_val)?;
    check_confirms(request.node_confirms, Purpose::Write, properties)?;
    refuse_datatype(properties)?;
    match request.asis.unwrap_or(false) {
        true => Err(RiakError::unsupported("the option asis")),
        false => Ok(()),
    }
}

/// A put as it is written: its key, the same where it was made, and the rest.
fn read_put(request: PutReq, properties: &BucketProperties) -> Result<(Vec<u8>, Option<Vec<u8>>, Put)> {
    let made = match &request.key {
        Some(_) => None,
        None => Some(new_key()?),
    };
    let key = request.key.or(made.clone()).unwrap_or_default();
    let condition = match (request.if_none_match, request.if_not_modified) {
        (Some(true), _) => Condition::Missing,
        (_, Some(true)) => Condition::Unchanged,
        _ => Condition::Nothing,
    };
    let put = Put {
        content: read_content(request.content),
        context: clock_of(request.vclock.as_deref().unwrap_or_default())?,
        condition,
        keeps_siblings: properties.keeps_siblings(),
    };
    Ok((key, made, put))
}

async fn put_alone(connection: &mut Connection, place: Place<'_>, request: PutReq) -> Result<()> {
    let server = connection.server.clone();
    let timeout = request.timeout;
    let returns_head = request.return_head.unwrap_or(false);
    let returns = request.return_body.unwrap_or(false) || returns_head;
    let (key, made, mut put) = read_put(request, place.properties)?;
    if put.content.value.len() > VALUE_BYTES_MAX {
        let value = std::mem::take(&mut put.content.value);
        let stored = object_large::store(&server, place.namespace, &key, value, None);
        put.content.large = Some(Box::pin(stored).await?);
    }
    // A file that was begun is ended.
    let timeout = timeout.filter(|_| put.content.large.is_none());
    let written = object::put(&server, (place.collection, place.namespace), &key, put);
    let object = Deadline::of(timeout).run(pin!(written)).await?;
    let mut answer = PutResp {
        key: made,
        ..PutResp::default()
    };
    if returns {
        answer.vclock = Some(object.clock().encode());
        if !returns_head && has_large(&object) {
            let contents = large_contents(&object);
            return large::send(connection, code::PUT_RESP, place.namespace, contents, &answer).await;
        }
        answer.content = contents(&object, returns_head);
    }
    connection.put(code::PUT_RESP, &answer);
    Ok(())
}

/// Puts that came together, each answered as if it had come alone.
async fn put_together(
    connection: &mut Connection,
    place: Place<'_>,
    requests: impl Iterator<Item = PutReq>,
) -> Result<()> {
    let server = connection.server.clone();
    let (mut answers, mut puts, mut timeout) = (Vec::new(), Vec::new(), None);
    for request in requests {
        timeout = request.timeout;
        let read = check_put(&request, place.properties).and_then(|()| read_put(request, place.properties));
        answers.push(read.map(|(key, made, put)| {
            puts.push((key, put));
            PutResp {
                key: made,
                ..PutResp::default()
            }
        }));
    }
    let written = object::put_together(&server, (place.collection, place.namespace), puts);
    let mut written = Deadline::of(timeout).run(pin!(written)).await?.into_iter();
    for answer in answers {
        let told = answer.and_then(|answer| match written.next() {
            Some(object) => object.map(|_| answer),
            None => Err(RiakError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "a put of which nothing came",
            )),
        });
        match told {
            Ok(answer) => connection.put(code::PUT_RESP, &answer),
            Err(error) => connection.put_error(&error),
        }
    }
    Ok(())
}

pub(crate) async fn delete(connection: &mut Connection, request: DelReq) -> Result<()> {
    let bucket = Bucket::new(request.kind.as_deref(), &request.bucket)?;
    check_key(&request.key)?;
    let properties = connection.server.bucket_properties(&bucket).await?;
    let context = request.vclock.as_deref().map(clock_of).transpose()?;
    let quorum = |number: Option<u32>| number.map(Quorum::of_number);
    let quorums = Quorums {
        r: quorum(request.r),
        pr: quorum(request.pr),
        w: quorum(request.w),
        dw: quorum(request.dw),
        pw: quorum(request.pw),
        rw: quorum(request.rw),
    };
    let has_clock = context.is_some();
    let purpose = Purpose::Delete { has_clock };
    quorums.check(purpose, properties.copies())?;
    check_nodes(None, purpose, &properties)?;
    let found = existing(&connection.server, connection.granted()?, &bucket, Action::Remove)?;
    if let Some(collection) = found {
        let (namespace, nothing) = (bucket.namespace(), Condition::Nothing);
        let deleted = object::delete(
            &connection.server,
            (&collection, &namespace),
            &request.key,
            context.as_ref(),
            &nothing,
        );
        Deadline::of(request.timeout).run(pin!(deleted)).await?;
    }
    connection.put_empty(code::DEL_RESP);
    Ok(())
}

/// Objects of a data type are changed by their own operations alone.
pub(crate) fn refuse_datatype(properties: &BucketProperties) -> Result<()> {
    match properties.datatype() {
        Some(datatype) => Err(RiakError::bad(format!(
            "Cannot put regular objects in a bucket of the data type {datatype}"
        ))),
        None => Ok(()),
    }
}

pub(crate) fn check_quorums(
    properties: &BucketProperties,
    quorums: &[Option<u32>],
    copies: Option<u32>,
) -> Result<()> {
    let kept = properties.copies();
    if let Some(copies) = copies.filter(|&copies| u64::from(copies) > kept) {
        return Err(RiakError::too_few_copies(copies.into()));
    }
    quorums
        .iter()
        .flatten()
        .try_for_each(|&number| Quorum::of_number(number).check(kept))
}

/// Refuses to have a request confirmed by more nodes than there are.
pub(crate) fn check_confirms(
    asked: Option<u32>,
    purpose: Purpose,
    properties: &BucketProperties,
) -> Result<()> {
    check_nodes(asked.map(Quorum::of_number), purpose, properties)
}

pub(crate) fn clock_of(bytes: &[u8]) -> Result<Clock> {
    Clock::decode(bytes).ok_or_else(|| RiakError::bad("the vector clock is none that was given here"))
}

pub(super) fn contents(object: &Object, is_head: bool) -> Vec<messages::Content> {
    object
        .siblings
        .iter()
        .map(|sibling| write_content(sibling, is_head))
        .collect()
}

/// Whether a value of the object is a file.
pub(super) fn has_large(object: &Object) -> bool {
    let mut siblings = object.siblings.iter();
    siblings.any(|sibling| sibling.content.large.is_some())
}

/// The contents without their values, and with what those are.
fn large_contents(object: &Object) -> Vec<(messages::Content, Content)> {
    let contents = object.siblings.iter();
    contents
        .map(|sibling| (write_content(sibling, true), sibling.content.clone()))
        .collect()
}

fn write_content(sibling: &Sibling, is_head: bool) -> messages::Content {
    let content = &sibling.content;
    let pairs = |pairs: &[(Vec<u8>, Vec<u8>)]| {
        let pair = |(key, value): &(Vec<u8>, Vec<u8>)| Pair {
            key: key.clone(),
            value: Some(value.clone()),
        };
        pairs.iter().map(pair).collect()
    };
    let link = |link: &Link| messages::Link {
        bucket: Some(link.bucket.clone()),
        key: Some(link.key.clone()),
        tag: Some(link.tag.clone()),
    };
    messages::Content {
        value: match is_head {
            true => bytes::Bytes::new(),
            false => content.value.clone(),
        },
        content_type: content.content_type.clone(),
        charset: content.charset.clone(),
        content_encoding: content.encoding.clone(),
        vtag: Some(sibling.vtag().into_bytes()),
        links: content.links.iter().map(link).collect(),
        last_mod: content.modified_ms.map(|ms| (ms / 1000) as u32),
        last_mod_usecs: content.modified_ms.map(|ms| (ms % 1000 * 1000) as u32),
        usermeta: pairs(&content.user_meta),
        indexes: pairs(&content.indexes),
        deleted: None,
    }
}

fn read_content(content: messages::Content) -> Content {
    let pairs = |pairs: Vec<Pair>| {
        let pair = |pair: Pair| (pair.key, pair.value.unwrap_or_default());
        pairs.into_iter().map(pair).collect()
    };
    let indexes = content.indexes.into_iter();
    // Letters of either case name the same index.
    let indexes = indexes.map(|pair| (pair.key.to_ascii_lowercase(), pair.value.unwrap_or_default()));
    let link = |link: messages::Link| Link {
        bucket: link.bucket.unwrap_or_default(),
        key: link.key.unwrap_or_default(),
        tag: link.tag.unwrap_or_default(),
    };
    Content {
        value: content.value,
        large: None,
        content_type: content.content_type,
        charset: content.charset,
        encoding: content.content_encoding.filter(|encoding| !encoding.is_empty()),
        user_meta: pairs(content.usermeta),
        links: content.links.into_iter().map(link).collect(),
        indexes: indexes.collect(),
        modified_ms: None,
    }
}
