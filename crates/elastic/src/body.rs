//! Bodies of requests: decompressed, within a limit.

use crate::error::{ElasticError, Result};
use crate::limits::BODY_BYTES_MAX;
use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use http::{HeaderMap, RequestBody, StatusCode, header};
use std::io::Write;

/// Compressed bytes that are decoded at once: deflate makes at most 1,032 bytes of one, so this is what bounds memory.
const DECODED_AT_ONCE_BYTES: usize = 1024;

/// The whole body.
pub(crate) async fn read(headers: &HeaderMap, mut body: RequestBody) -> Result<Bytes> {
    match headers
        .get(header::CONTENT_ENCODING)
        .map(|encoding| encoding.to_str().unwrap_or_default().trim())
    {
        None | Some("" | "identity") => Ok(body.read_all(BODY_BYTES_MAX).await?),
        Some("gzip") => gunzip(&body.read_all(BODY_BYTES_MAX).await?),
        Some(other) => Err(ElasticError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "media_type_header_exception",
            format!("Content-Encoding [{other}] is not supported"),
        )),
    }
}

fn gunzip(bytes: &[u8]) -> Result<Bytes> {
    let failed = |error: std::io::Error| {
        ElasticError::new(
            StatusCode::BAD_REQUEST,
            "parse_exception",
            format!("the body cannot be decompressed: {error}"),
        )
    };
    let mut decoder = MultiGzDecoder::new(Vec::new());
    for part in bytes.chunks(DECODED_AT_ONCE_BYTES) {
        decoder.write_all(part).map_err(failed)?;
        if decoder.get_ref().len() > BODY_BYTES_MAX {
            return Err(http::BodyError::TooLarge {
                limit_bytes: BODY_BYTES_MAX,
            }
            .into());
        }
    }
    if bytes.is_empty() {
        return Ok(Bytes::new());
    }
    Ok(decoder.finish().map_err(failed)?.into())
}
