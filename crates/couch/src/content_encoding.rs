//! Bodies of requests that travel compressed.
//!
//! CouchDB takes gzip and nothing else (`src/couch/src/couch_httpd.erl`, `maybe_decompress`). A body is decompressed
//! piece by piece as it is read, so that its reader limits the bytes that come out, however few went in.

use access::error::{CouchError, Result};
use bytes::Bytes;
use futures::stream::try_unfold;
use http::{Body, BodyError, GzipDecoder, HeaderValue, RequestBody, StatusCode};
use memory::Budget;

/// The body that this one stands for. Read whole, what comes out takes this memory.
pub(crate) fn decoded(body: RequestBody, encoding: &HeaderValue, memory: &Budget) -> Result<RequestBody> {
    let name = String::from_utf8_lossy(encoding.as_bytes());
    match name.trim() {
        encoding if encoding.eq_ignore_ascii_case("identity") => Ok(body),
        encoding if encoding.eq_ignore_ascii_case("gzip") => {
            let pieces = try_unfold(Gunzip::new(body), async |mut reading| {
                let piece = reading.next().await?;
                Ok(piece.map(|piece| (piece, reading)))
            });
            Ok(RequestBody::made(Body::stream(pieces, None), memory.clone()))
        }
        other => Err(CouchError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "bad_content_type",
            format!("{other} is not a supported content encoding."),
        )),
    }
}

/// A compressed body that is being read.
struct Gunzip {
    body: RequestBody,
    decoder: GzipDecoder,
    /// Whether any byte came: a request without a body may name an encoding all the same.
    has_begun: bool,
    has_ended: bool,
}

impl Gunzip {
    fn new(body: RequestBody) -> Gunzip {
        Gunzip {
            body,
            decoder: GzipDecoder::new(),
            has_begun: false,
            has_ended: false,
        }
    }

    /// The next decompressed bytes; `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        while !self.has_ended {
            if let Some(decoded) = self.decoder.decoded().map_err(BodyError::Undecodable)? {
                return Ok(Some(decoded));
            }
            match self.body.chunk().await? {
                Some(bytes) => {
                    self.has_begun |= !bytes.is_empty();
                    self.decoder.feed(bytes);
                }
                None => {
                    self.has_ended = true;
                    if self.has_begun {
                        return self.decoder.finish().map_err(BodyError::Undecodable);
                    }
                }
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = http::GzipEncoder::new(6);
        let mut encoded = encoder.encode(bytes).expect("memory");
        encoded.extend(encoder.finish().expect("memory"));
        encoded
    }

    async fn read(bytes: Vec<u8>, encoding: &'static str, limit: usize) -> Result<Bytes> {
        read_within(&Budget::default(), bytes, encoding, limit).await
    }

    async fn read_within(
        memory: &Budget,
        bytes: Vec<u8>,
        encoding: &'static str,
        limit: usize,
    ) -> Result<Bytes> {
        let body = decoded(
            Body::from(bytes).into(),
            &HeaderValue::from_static(encoding),
            memory,
        );
        Ok(body?.read_all(limit).await?)
    }

    #[tokio::test]
    async fn what_comes_out_takes_memory_until_it_is_gone() {
        let memory = Budget::new(16 << 20);
        let bomb = gzip(&vec![b' '; 3 << 20]);
        let read = async || read_within(&memory, bomb.clone(), "gzip", 10 << 20).await;
        let first = read().await.expect("there is room");
        let refused = read().await.expect_err("there is none for two");
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(refused.reason.contains("--memory"), "{refused}");
        drop(first);
        assert_eq!(read().await.expect("there is room").len(), 3 << 20);
    }

    #[tokio::test]
    async fn the_limit_is_one_of_the_bytes_that_come_out() {
        let bomb = gzip(&vec![b' '; 50_000_000]);
        assert!(bomb.len() < 100_000);
        let refused = read(bomb, "gzip", 1_000_000).await.expect_err("too large");
        assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
        let whole = read(gzip(b"{}"), "GZIP", 2).await.expect("small");
        assert_eq!(whole, "{}");
        assert_eq!(read(Vec::new(), "gzip", 2).await.expect("nothing"), "");
    }

    #[tokio::test]
    async fn bodies_that_are_no_gzip_or_cut_off_are_refused() {
        let mut cut = gzip(b"some text");
        cut.truncate(cut.len() - 4);
        for bytes in [cut, b"{}".to_vec()] {
            let refused = read(bytes, "gzip", 100).await.expect_err("no gzip");
            assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        }
    }
}
