//! Reading a multipart body part by part.

use super::{Event, MultipartError, MultipartParser, PartHead, boundary};
use crate::body::{UNCOUNTED_BYTES, with_share};
use crate::{BodyError, RequestBody};
use bytes::{Bytes, BytesMut};
use memory::{Budget, Holder};

/// Something that gives bytes piece by piece.
pub trait Pieces: Send {
    /// The next bytes; none at the end.
    fn piece(&mut self) -> impl Future<Output = Result<Option<Bytes>, MultipartError>> + Send;
}

impl Pieces for RequestBody {
    async fn piece(&mut self) -> Result<Option<Bytes>, MultipartError> {
        Ok(self.chunk().await?)
    }
}

impl<P: Pieces> Pieces for &mut P {
    async fn piece(&mut self) -> Result<Option<Bytes>, MultipartError> {
        P::piece(self).await
    }
}

/// The pieces of the part that is being read.
impl<S: Pieces> Pieces for MultipartReader<S> {
    async fn piece(&mut self) -> Result<Option<Bytes>, MultipartError> {
        self.data().await
    }
}

/// Reads a multipart body.
#[derive(Debug)]
pub struct MultipartReader<S> {
    source: S,
    parser: MultipartParser,
    is_in_part: bool,
}

impl<S: Pieces> MultipartReader<S> {
    /// Reads from here what has this media type.
    pub fn new(source: S, content_type: &str) -> Result<MultipartReader<S>, MultipartError> {
        let boundary = boundary(content_type).ok_or(MultipartError::NoBoundary)?;
        Ok(MultipartReader {
            source,
            parser: MultipartParser::new(&boundary),
            is_in_part: false,
        })
    }

    /// The head of the next part, skipping what is left of the present one; `None` after the last one.
    pub async fn next_part(&mut self) -> Result<Option<PartHead>, MultipartError> {
        while self.data().await?.is_some() {}
        match self.event().await? {
            Some(Event::Part(head)) => {
                self.is_in_part = true;
                Ok(Some(head))
            }
            _ => Ok(None),
        }
    }

    /// The next bytes of the part; `None` at its end.
    pub async fn data(&mut self) -> Result<Option<Bytes>, MultipartError> {
        if !self.is_in_part {
            return Ok(None);
        }
        match self.event().await? {
            Some(Event::Data(data)) => Ok(Some(data)),
            _ => {
                self.is_in_part = false;
                Ok(None)
            }
        }
    }

    /// All bytes of the part. Fails if they are more than the limit. Many bytes take this memory until they are gone.
    pub async fn read_part(&mut self, limit_bytes: usize, memory: &Budget) -> Result<Bytes, MultipartError> {
        let mut share = memory.share(Holder::LargeRequests);
        let mut all = BytesMut::new();
        while let Some(data) = self.data().await? {
            if all.len() + data.len() > limit_bytes {
                return Err(BodyError::TooLarge { limit_bytes }.into());
            }
            all.extend_from_slice(&data);
            if all.len() > UNCOUNTED_BYTES {
                share.set(all.len()).map_err(BodyError::from)?;
            }
        }
        Ok(with_share(all.freeze(), share))
    }

    /// Reads the rest of the body and drops it, so that the connection can be used again.
    pub async fn discard(&mut self) -> Result<(), MultipartError> {
        while self.next_part().await?.is_some() {}
        while self.source.piece().await?.is_some() {}
        Ok(())
    }

    /// The next event; `None` after the last delimiter. Fails if the body ends before it.
    async fn event(&mut self) -> Result<Option<Event>, MultipartError> {
        loop {
            if let Some(event) = self.parser.next_event()? {
                return Ok(Some(event));
            }
            if self.parser.is_ended() {
                return Ok(None);
            }
            match self.source.piece().await? {
                Some(bytes) => self.parser.feed(&bytes),
                None => return Err(MultipartError::Ended),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;

    #[tokio::test]
    async fn a_part_that_is_multipart_again_is_read_by_a_second_reader() {
        let memory = Budget::default();
        let inner = "--i\r\n\r\none\r\n--i\r\n\r\ntwo\r\n--i--";
        let body = format!(
            "--o\r\nContent-Type: multipart/related; boundary=i\r\n\r\n{inner}\r\n--o\r\n\r\nlast\r\n--o--"
        );
        let pieces = body.as_bytes().chunks(3).map(Bytes::copy_from_slice);
        let source = RequestBody::from(Body::pieces(pieces.collect::<Vec<_>>()));
        let mut outer = MultipartReader::new(source, "multipart/mixed; boundary=o").expect("a boundary");
        let head = outer.next_part().await.expect("valid").expect("a part");
        let mut parts = Vec::new();
        let mut inner =
            MultipartReader::new(&mut outer, head.get("content-type").expect("given")).expect("a boundary");
        while inner.next_part().await.expect("valid").is_some() {
            parts.push(inner.read_part(10, &memory).await.expect("small"));
        }
        assert!(outer.next_part().await.expect("valid").is_some());
        assert!(matches!(
            outer.read_part(3, &memory).await,
            Err(MultipartError::Body(BodyError::TooLarge { .. }))
        ));
        assert!(outer.next_part().await.expect("valid").is_none());
        assert_eq!(parts, ["one", "two"]);
    }

    #[tokio::test]
    async fn a_long_part_takes_memory_until_it_is_gone() {
        let memory = Budget::new(1 << 20);
        let long = memory.limit(Holder::LargeRequests) / 3 * 2;
        let read = async || {
            let body = format!("--o\r\n\r\n{}\r\n--o--", "x".repeat(long));
            let source = RequestBody::from(Body::from(body));
            let mut parts = MultipartReader::new(source, "multipart/mixed; boundary=o").expect("a boundary");
            parts.next_part().await.expect("valid");
            parts.read_part(1 << 20, &memory).await
        };
        let first = read().await.expect("there is room");
        let refused = read().await;
        assert!(matches!(
            refused,
            Err(MultipartError::Body(BodyError::NoMemory(_)))
        ));
        drop(first);
        assert!(read().await.is_ok());
    }
}
