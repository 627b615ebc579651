//! The headers that describe a file.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::files::{DigestKind, FileEntry};
use http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, LAST_MODIFIED,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, http_date, is_harmless, percent_encode};
use std::ops::Range;
use std::time::{Duration, SystemTime};
use value::raw::encode_document;
use value::{Value, doc, hex};

const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// `Repr-Digest` (RFC 9530, section 3): the digest of the whole file, whatever part of it is sent.
const REPR_DIGEST: HeaderName = HeaderName::from_static("repr-digest");

/// Bytes of the digest that an entity tag has.
const TAG_BYTES: usize = 16;

/// `Content-Range` of a part (RFC 9110, section 14.4).
pub(super) fn content_range(part: &Range<u64>, length: u64) -> String {
    format!("bytes {}-{}/{length}", part.start, part.end.saturating_sub(1))
}

/// A file's entity tag, with its quotes: of its bytes if their digest is known, otherwise of its id, length and date.
pub(super) fn entity_tag(entry: &FileEntry) -> String {
    let made;
    let digest = match entry.digests.get(DigestKind::Blake3) {
        Some(digest) => digest,
        None => {
            let identity = doc! {
                "_id": entry.id.clone(),
                "length": entry.length as i64,
                "date": Value::DateTime(entry.uploaded_ms),
            };
            made = blake3::hash(&encode_document(&identity));
            made.as_bytes()
        }
    };
    format!("\"{}\"", hex(&digest[..digest.len().min(TAG_BYTES)]))
}

/// When a file was uploaded.
pub(super) fn changed(entry: &FileEntry) -> SystemTime {
    let ms = u64::try_from(entry.uploaded_ms).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::from_millis(ms)
}

/// A file's media type: as it was given, else by its name, else unknown.
pub(super) fn content_type(entry: &FileEntry) -> HeaderValue {
    let given = entry
        .content_type
        .as_deref()
        .and_then(|given| HeaderValue::from_str(given).ok());
    if let Some(given) = given {
        return given;
    }
    let name = entry.name.as_deref().unwrap_or_default();
    let extension = name.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
    let guessed = extension.and_then(|(_, extension)| mime_guess::from_ext(extension).first_raw());
    match guessed {
        // People write UTF-8 today, and browsers would not assume it.
        Some(text) if text.starts_with("text/") => {
            HeaderValue::from_str(&format!("{text}; charset=utf-8")).unwrap_or(OCTETS)
        }
        Some(kind) => HeaderValue::from_static(kind),
        None => OCTETS,
    }
}

/// The headers that every answer with the file has; the validators among them go with 304 too.
pub(super) fn describe(headers: &mut HeaderMap, entry: &FileEntry, tag: &str, is_download: bool) {
    validators(headers, entry, tag);
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Ok(disposition) = HeaderValue::from_str(&disposition(entry, is_download)) {
        headers.insert(CONTENT_DISPOSITION, disposition);
    }
    if let Some(digest) = entry.digests.get(DigestKind::Sha256) {
        let digest = format!("sha-256=:{}:", BASE64_STANDARD.encode(digest));
        if let Ok(digest) = HeaderValue::from_str(&digest) {
            headers.insert(REPR_DIGEST, digest);
        }
    }
}

/// The media type, and the headers that keep a browser from running what it describes.
pub(super) fn typed(headers: &mut HeaderMap, kind: HeaderValue) {
    if !kind.to_str().is_ok_and(is_harmless) {
        // A client that may upload a file must not be able to run scripts with the rights of those who look at it.
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
    }
    headers.insert(CONTENT_TYPE, kind);
}

/// Entity tag and date.
pub(super) fn validators(headers: &mut HeaderMap, entry: &FileEntry, tag: &str) {
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
    if let Ok(date) = HeaderValue::from_str(&http_date(changed(entry))) {
        headers.insert(LAST_MODIFIED, date);
    }
}

/// `Content-Disposition` (RFC 6266): the last part of the name, in ASCII for old clients where it is that, else as RFC 8187
/// has it.
fn disposition(entry: &FileEntry, is_download: bool) -> String {
    let kind = if is_download { "attachment" } else { "inline" };
    let name = entry.name.as_deref().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    let is_plain =
        |byte: u8| (byte.is_ascii_graphic() || byte == b' ') && !matches!(byte, b'"' | b'\\' | b'%');
    match name {
        "" => kind.to_owned(),
        name if name.bytes().all(is_plain) => format!("{kind}; filename=\"{name}\""),
        name => format!("{kind}; filename*=UTF-8''{}", percent_encode(name)),
    }
}
