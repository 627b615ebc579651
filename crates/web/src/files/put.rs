//! Writing a file: a new version of its name.

use super::receive::{content_type, receive, refuse_encoding};
use super::{Declared, describe, headers, location};
use crate::call::Call;
use crate::error::{Result, WebError};
use crate::respond;
use auth::Action;
use engine::files::{Condition, Files, NewFile};
use http::header::{IF_MATCH, IF_NONE_MATCH, LOCATION};
use http::{HeaderValue, Response, StatusCode, if_match, if_none_match};

/// PUT: the body is the file. 201 with its description, once it is on the disk.
pub(crate) async fn put(call: &mut Call, bucket: &str, name: &str) -> Result<Response> {
    let files = call.files(bucket)?;
    call.may(Action::Insert, files.bucket()).await?;
    refuse_encoding(call)?;
    let declared = Declared::of(&call.request.headers)?;
    let condition = condition(call, &files, name).await?;
    let mut writer = files
        .create(NewFile {
            name: name.to_owned(),
            content_type: content_type(call),
            digests: declared.kinds,
            ..NewFile::default()
        })
        .await?;
    receive(call, &mut writer).await?;
    let entry = writer.finish(&declared.digests, condition.as_ref()).await?;
    let mut response = respond::json(StatusCode::CREATED, &describe(&entry));
    let tag = headers::entity_tag(&entry);
    headers::validators(response.headers_mut(), &entry, &tag);
    if let Ok(location) = HeaderValue::from_str(&location(bucket, &entry)) {
        response.headers_mut().insert(LOCATION, location);
    }
    Ok(response)
}

/// What `If-Match` and `If-None-Match` ask of the newest version, checked now and again when the file is finished.
async fn condition(call: &Call, files: &Files, name: &str) -> Result<Option<Condition>> {
    let given = &call.request.headers;
    let has_condition = given.contains_key(IF_MATCH) || given.contains_key(IF_NONE_MATCH);
    if !has_condition {
        return Ok(None);
    }
    let newest = files.find(name, -1).await?;
    let Some(newest) = newest else {
        return match given.contains_key(IF_MATCH) {
            true => Err(WebError::precondition_failed()),
            false => Ok(Some(Condition::Absent)),
        };
    };
    let tag = headers::entity_tag(&newest);
    let is_excluded = given.contains_key(IF_NONE_MATCH) && if_none_match(given, &tag);
    match if_match(given, &tag) && !is_excluded {
        true => Ok(Some(Condition::Newest(newest.id.clone()))),
        false => Err(WebError::precondition_failed()),
    }
}
