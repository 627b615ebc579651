//! An object's metadata as headers, and back.

use super::call::Call;
use super::link_header;
use super::respond::add;
use crate::content::Content;
use crate::error::{Result, RiakError};
use crate::names::Bucket;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{Response, StatusCode};
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

const META: &str = "x-riak-meta-";
const INDEX: &str = "x-riak-index-";

/// The content that a request brings for an object of a bucket.
pub(crate) fn read(call: &Call, bucket: &Bucket) -> Result<Content> {
    let missing = || RiakError::bad("Missing Content-Type request header");
    let given = call.headers.get(CONTENT_TYPE).ok_or_else(missing)?.as_bytes();
    let (content_type, charset) = split_charset(given);
    check_media_type(&content_type)?;
    let mut content = Content {
        value: call.body.clone(),
        content_type: Some(content_type),
        charset,
        encoding: call
            .headers
            .get(CONTENT_ENCODING)
            .map(|encoding| encoding.as_bytes().to_vec()),
        ..Content::default()
    };
    for (name, value) in &call.headers {
        let name = name.as_str();
        if let Some(name) = name.strip_prefix(META) {
            content
                .user_meta
                .push((name.as_bytes().to_vec(), value.as_bytes().to_vec()));
        } else if let Some(index) = name.strip_prefix(INDEX) {
            let terms = split_terms(value.as_bytes());
            content
                .indexes
                .extend(terms.map(|term| (index.as_bytes().to_vec(), term.to_vec())));
        }
    }
    content.links = link_header::read(call, bucket)?;
    Ok(content)
}

fn check_media_type(given: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(given);
    let kind = text.split(';').next().unwrap_or_default().trim();
    let mut parts = kind.split('/').filter(|part| !part.is_empty());
    match (parts.next(), parts.next(), parts.next()) {
        (Some(_), Some(_), None) => Ok(()),
        _ => Err(RiakError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!("\"{kind}\" is not a valid media type for the Content-type header."),
        )),
    }
}

/// The terms of a header, between which are a comma and a space: a term may have commas.
fn split_terms(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(value);
    std::iter::from_fn(move || {
        let all = rest?;
        let end = all
            .windows(2)
            .position(|two| two[0] == b',' && two[1].is_ascii_whitespace());
        rest = end.map(|end| &all[end + 2..]);
        Some(&all[..end.unwrap_or(all.len())])
    })
}

/// The media type and what its `charset` says.
fn split_charset(given: &[u8]) -> (Vec<u8>, Option<Vec<u8>>) {
    let text = String::from_utf8_lossy(given);
    let mut parts = text.split(';').map(str::trim);
    let mut kind = parts.next().unwrap_or_default().to_owned();
    let mut charset = None;
    for part in parts.filter(|part| !part.is_empty()) {
        match part
            .split_once('=')
            .filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
        {
            Some((_, value)) => charset = Some(value.trim().trim_matches('"').as_bytes().to_vec()),
            None => {
                let _ = write!(kind, "; {part}");
            }
        }
    }
    (kind.into_bytes(), charset)
}

/// Adds the headers of a content.
pub(crate) fn write(call: &Call, response: &mut Response, bucket: &Bucket, content: &Content, vtag: &str) {
    let kind = content
        .content_type
        .as_deref()
        .unwrap_or(b"application/octet-stream");
    let kind = match &content.charset {
        Some(charset) => [kind, b"; charset=", charset].concat(),
        None => kind.to_vec(),
    };
    response.headers_mut().remove(CONTENT_TYPE);
    add(response, "content-type", &kind);
    if let Some(encoding) = &content.encoding {
        add(response, "content-encoding", encoding);
    }
    add(response, "etag", format!("\"{vtag}\"").as_bytes());
    if let Some(modified_ms) = content.modified_ms {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(modified_ms);
        add(response, "last-modified", http::http_date(time).as_bytes());
    }
    for (name, value) in &content.user_meta {
        add(
            response,
            &format!("{META}{}", String::from_utf8_lossy(name)),
            value,
        );
    }
    let mut names: Vec<&Vec<u8>> = content.indexes.iter().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    for index in names {
        let terms = content.indexes.iter().filter(|(name, _)| name == index);
        let terms: Vec<&[u8]> = terms.map(|(_, term)| term.as_slice()).collect();
        add(
            response,
            &format!("{INDEX}{}", String::from_utf8_lossy(index)),
            &terms.join(&b", "[..]),
        );
    }
    let links = link_header::write(call, bucket, &content.links);
    add(response, "link", links.as_bytes());
}
