//! Writing a file: a new version of its name.

use super::receive::{content_type, receive, refuse_encoding};
use super::{Declared, describe, headers, location};
use crate::call::Call;
use crate::error::{Result, WebError};
use crate::respond;
use auth::Action;
use engine::files::{Condition, Files, NewFile};
use http::header::{IF_MATCH, IF_NONE_MATCH, IF_UNMODIFIED_SINCE, LOCATION};
use http::{HeaderValue, Response, StatusCode, write_precondition};

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

/// What conditions ask of the newest version, checked now and again when the file is finished.
async fn condition(call: &Call, files: &Files, name: &str) -> Result<Option<Condition>> {
    let given = &call.request.headers;
    let has = |name| given.contains_key(name);
    if ![IF_MATCH, IF_NONE_MATCH, IF_UNMODIFIED_SINCE]
        .into_iter()
        .any(has)
    {
        return Ok(None);
    }
    let newest = files.find(name, -1).await?;
    let Some(newest) = newest else {
        return match has(IF_MATCH) {
            true => Err(WebError::precondition_failed()),
            // A file that does not exist has not changed since any date.
            false => Ok(has(IF_NONE_MATCH).then_some(Condition::Absent)),
        };
    };
    let tag = headers::entity_tag(&newest);
    match write_precondition(given, &tag, headers::changed(&newest)) {
        true => Ok(Some(Condition::Newest(newest.id.clone()))),
        false => Err(WebError::precondition_failed()),
    }
}
