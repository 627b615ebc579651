//! Uploads that go on after an interruption: the tus protocol 1.0.0 (tus.io/protocols/resumable-upload) with its extensions
//! creation, creation-with-upload, creation-defer-length, termination, checksum, expiration and concatenation.

mod checksum;
mod concat;
mod create;
mod metadata;
mod patch;

use crate::call::{Call, object_id};
use crate::error::{Result, WebError};
use crate::respond;
use auth::Action;
use checksum::ALGORITHMS;
use engine::files::Files;
use http::header::{ALLOW, CACHE_CONTROL};
use http::{HeaderName, HeaderValue, Method, Response, StatusCode, http_date};
use std::time::{Duration, SystemTime};
use value::{ObjectId, Value};

const TUS_RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const TUS_VERSION: HeaderName = HeaderName::from_static("tus-version");
const TUS_EXTENSION: HeaderName = HeaderName::from_static("tus-extension");
const TUS_CHECKSUM_ALGORITHM: HeaderName = HeaderName::from_static("tus-checksum-algorithm");
const UPLOAD_OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const UPLOAD_LENGTH: HeaderName = HeaderName::from_static("upload-length");
const UPLOAD_DEFER_LENGTH: HeaderName = HeaderName::from_static("upload-defer-length");
const UPLOAD_EXPIRES: HeaderName = HeaderName::from_static("upload-expires");
const UPLOAD_CHECKSUM: HeaderName = HeaderName::from_static("upload-checksum");
const UPLOAD_CONCAT: HeaderName = HeaderName::from_static("upload-concat");
const UPLOAD_METADATA: HeaderName = HeaderName::from_static("upload-metadata");
const VERSION: HeaderValue = HeaderValue::from_static("1.0.0");
const EXTENSIONS: HeaderValue = HeaderValue::from_static(
    "creation,creation-with-upload,creation-defer-length,termination,checksum,expiration,concatenation",
);

/// The path of a bucket's uploads.
pub(crate) async fn in_bucket(call: &mut Call, bucket: &str) -> Result<Response> {
    let answered = match method(call).as_str() {
        "OPTIONS" => return Ok(options()),
        "POST" => match check_version(call) {
            Ok(()) => create::create(call, bucket).await,
            Err(error) => Err(error),
        },
        _ => Err(WebError::not_allowed("OPTIONS, POST")),
    };
    Ok(versioned(answered))
}

/// The path of one upload.
pub(crate) async fn one(call: &mut Call, bucket: &str, id: &str) -> Result<Response> {
    match method(call) {
        Method::OPTIONS => Ok(options()),
        method => Ok(versioned(of_one(call, &method, bucket, id).await)),
    }
}

async fn of_one(call: &mut Call, method: &Method, bucket: &str, id: &str) -> Result<Response> {
    if ![Method::HEAD, Method::PATCH, Method::DELETE].contains(method) {
        return Err(WebError::not_allowed("OPTIONS, HEAD, PATCH, DELETE"));
    }
    check_version(call)?;
    let files = call.files(bucket)?;
    let missing = || {
        let reason = format!(
            "no upload {id} is under way; it has expired or never was: begin again by POST /uploads/{bucket}"
        );
        WebError::not_found(reason)
    };
    let upload = object_id(id).ok_or_else(missing)?;
    let answered = match *method {
        Method::HEAD => head(call, &files, upload).await,
        Method::PATCH => patch::patch(call, &files, upload).await,
        _ => delete(call, &files, upload).await,
    };
    answered?.ok_or_else(missing)
}

/// The method that is meant: a client behind a proxy that passes only some methods names it in a header.
fn method(call: &Call) -> Method {
    let meant = call
        .request
        .header("x-http-method-override")
        .and_then(|method| method.parse().ok());
    meant.unwrap_or_else(|| call.request.method.clone())
}

/// Refuses a request of another version of the protocol, which must not be carried out.
fn check_version(call: &Call) -> Result<()> {
    if call.request.headers.get(TUS_RESUMABLE) == Some(&VERSION) {
        return Ok(());
    }
    let reason = "send the header Tus-Resumable: 1.0.0, the one version that is spoken here";
    let error = WebError::new(StatusCode::PRECONDITION_FAILED, "version", reason);
    Err(error.with_header(TUS_VERSION, VERSION))
}

/// Puts the version of the protocol into the answer.
fn versioned(answered: Result<Response>) -> Response {
    let mut response = answered.unwrap_or_else(|error| respond::error(&error));
    response.headers_mut().insert(TUS_RESUMABLE, VERSION);
    response
}

fn options() -> Response {
    let mut response = respond::empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    headers.insert(TUS_RESUMABLE, VERSION);
    headers.insert(TUS_VERSION, VERSION);
    headers.insert(TUS_EXTENSION, EXTENSIONS);
    headers.insert(TUS_CHECKSUM_ALGORITHM, HeaderValue::from_static(ALGORITHMS));
    headers.insert(
        ALLOW,
        HeaderValue::from_static("OPTIONS, POST, HEAD, PATCH, DELETE"),
    );
    response
}

/// How far an upload has come. A finished one is found by its file, so that a client whose last answer was lost learns of it.
async fn head(call: &Call, files: &Files, id: ObjectId) -> Result<Option<Response>> {
    call.may(Action::Insert, files.bucket()).await?;
    let mut response = respond::empty(StatusCode::OK);
    // A client that is told that all bytes are there must find the file.
    files.finish_if_whole(id).await?;
    let (offset, length, description) = match files.upload(id).await? {
        Some(upload) => {
            expires(&mut response, upload.expires_ms);
            if let Some(concat) = concat::header(&upload.kind) {
                response.headers_mut().insert(UPLOAD_CONCAT, concat);
            }
            (upload.offset, upload.length, upload.description)
        }
        None => match files.find_id(&Value::ObjectId(id)).await? {
            Some(file) => {
                // The file may be anybody's: a client that may only upload is not told what it is.
                let may_read = call.may(Action::Find, files.bucket()).await.is_ok();
                let description = may_read.then(|| metadata::of_file(&file));
                (file.length, Some(file.length), description)
            }
            None => return Ok(None),
        },
    };
    let headers = response.headers_mut();
    headers.insert(UPLOAD_OFFSET, HeaderValue::from(offset));
    match length {
        Some(length) => headers.insert(UPLOAD_LENGTH, HeaderValue::from(length)),
        None => headers.insert(UPLOAD_DEFER_LENGTH, HeaderValue::from_static("1")),
    };
    let description = description.filter(|description| !description.is_empty());
    if let Some(description) = description.and_then(|text| HeaderValue::try_from(text).ok()) {
        headers.insert(UPLOAD_METADATA, description);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(Some(response))
}

async fn delete(call: &Call, files: &Files, id: ObjectId) -> Result<Option<Response>> {
    call.may(Action::Insert, files.bucket()).await?;
    let removed = files.abandon_upload(id).await?;
    Ok(removed.then(|| respond::empty(StatusCode::NO_CONTENT)))
}

/// `Upload-Length` of a request.
fn length(call: &Call) -> Result<Option<u64>> {
    let Some(text) = call.request.header(UPLOAD_LENGTH.as_str()) else {
        return Ok(None);
    };
    let length = text.parse();
    let wrong = |_| WebError::bad_request("Upload-Length: say how many bytes the file has");
    length.map(Some).map_err(wrong)
}

/// Says until when the upload is kept.
fn expires(response: &mut Response, expires_ms: i64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(expires_ms.try_into().unwrap_or(0));
    if let Ok(date) = HeaderValue::from_str(&http_date(time)) {
        response.headers_mut().insert(UPLOAD_EXPIRES, date);
    }
}
