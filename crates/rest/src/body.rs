//! Bodies of requests: decompressed, within a limit.

use crate::limits::BODY_BYTES_MAX;
use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use http::{HeaderMap, RequestBody, StatusCode, header};
use indices::error::{ElasticError, Result};
use memory::{Budget, Holder, Share};
use std::io::Write;

/// Compressed bytes that are decoded at once: deflate makes at most 1,032 bytes of one, so this is what bounds memory.
const DECODED_AT_ONCE_BYTES: usize = 1024;

/// The whole body. What it is decompressed to is of this memory until nobody has it any more.
pub async fn read(headers: &HeaderMap, mut body: RequestBody, memory: &Budget) -> Result<Bytes> {
    match headers
        .get(header::CONTENT_ENCODING)
        .map(|encoding| encoding.to_str().unwrap_or_default().trim())
    {
        None | Some("" | "identity") => Ok(body.read_all(BODY_BYTES_MAX).await?),
        Some("gzip") => gunzip(&body.read_all(BODY_BYTES_MAX).await?, memory),
        Some(other) => Err(ElasticError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "media_type_header_exception",
            format!("Content-Encoding [{other}] is not supported"),
        )),
    }
}

/// Bytes with the memory that they take.
struct Counted {
    bytes: Vec<u8>,
    share: Share,
}

impl Write for Counted {
    fn write(&mut self, part: &[u8]) -> std::io::Result<usize> {
        self.bytes.write(part)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn gunzip(bytes: &[u8], memory: &Budget) -> Result<Bytes> {
    let failed = |error: std::io::Error| {
        ElasticError::new(
            StatusCode::BAD_REQUEST,
            "parse_exception",
            format!("the body cannot be decompressed: {error}"),
        )
    };
    let counted = Counted {
        bytes: Vec::new(),
        share: memory.share(Holder::Ingest),
    };
    let mut decoder = MultiGzDecoder::new(counted);
    for part in bytes.chunks(DECODED_AT_ONCE_BYTES) {
        decoder.write_all(part).map_err(failed)?;
        let counted = decoder.get_mut();
        let room = counted.share.set(counted.bytes.capacity());
        room.map_err(|full| ElasticError::no_memory(&full))?;
        if decoder.get_ref().bytes.len() > BODY_BYTES_MAX {
            return Err(http::BodyError::TooLarge {
                limit_bytes: BODY_BYTES_MAX,
            }
            .into());
        }
    }
    if bytes.is_empty() {
        return Ok(Bytes::new());
    }
    Ok(Bytes::from_owner(decoder.finish().map_err(failed)?))
}
