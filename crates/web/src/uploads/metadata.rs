//! `Upload-Metadata`: keys with values in base64.

use crate::error::{Result, WebError};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use value::Document;

/// What a client tells of its file.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) name: Option<String>,
    pub(super) content_type: Option<String>,
    /// All other keys.
    pub(super) rest: Document,
}

impl Metadata {
    /// Reads the header; clients call name and media type by several keys.
    pub(super) fn parse(header: &str) -> Result<Metadata> {
        let mut metadata = Metadata::default();
        for pair in header.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, encoded) = pair.split_once(' ').unwrap_or((pair, ""));
            let bytes = BASE64_STANDARD
                .decode(encoded.trim())
                .map_err(|_| unreadable(key))?;
            let value = String::from_utf8(bytes).map_err(|_| unreadable(key))?;
            match key {
                "filename" | "name" if metadata.name.is_none() => metadata.name = Some(value),
                "filetype" | "type" | "contentType" if metadata.content_type.is_none() => {
                    metadata.content_type = Some(value);
                }
                key => metadata.rest.push(key, value),
            }
        }
        Ok(metadata)
    }
}

fn unreadable(key: &str) -> WebError {
    WebError::bad_request(format!(
        "Upload-Metadata: the value of {key} is not base64 of UTF-8"
    ))
}
