//! Several parts of a file in one answer: `multipart/byteranges` (RFC 9110, section 14.6).

use super::headers::content_range;
use bytes::Bytes;
use engine::files::{FileEntry, FileReader, Files};
use futures::{Stream, stream};
use http::{BodyError, HeaderValue};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use value::ObjectId;

pub(super) struct Multipart {
    files: Files,
    entry: Arc<FileEntry>,
    boundary: String,
    /// What is still to be sent: of each part its head, then its range.
    rest: VecDeque<Piece>,
    reader: Option<FileReader>,
}

enum Piece {
    Text(String),
    Part(Range<u64>),
}

impl Multipart {
    pub(super) fn new(
        files: Files,
        entry: Arc<FileEntry>,
        kind: HeaderValue,
        parts: Vec<Range<u64>>,
    ) -> Multipart {
        // A file contains it only by an accident of 96 bits.
        let boundary = format!("larder-{}", ObjectId::generate());
        let kind = kind.to_str().unwrap_or("application/octet-stream").to_owned();
        let mut rest = VecDeque::new();
        for part in parts {
            let range = content_range(&part, entry.length);
            let head = format!("\r\n--{boundary}\r\nContent-Type: {kind}\r\nContent-Range: {range}\r\n\r\n");
            rest.extend([Piece::Text(head), Piece::Part(part)]);
        }
        rest.push_back(Piece::Text(format!("\r\n--{boundary}--\r\n")));
        Multipart {
            files,
            entry,
            boundary,
            rest,
            reader: None,
        }
    }

    pub(super) fn content_type(&self) -> HeaderValue {
        let text = format!("multipart/byteranges; boundary={}", self.boundary);
        HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("multipart/byteranges"))
    }

    /// Bytes of all of it.
    pub(super) fn length(&self) -> u64 {
        let bytes = |piece: &Piece| match piece {
            Piece::Text(text) => text.len() as u64,
            Piece::Part(part) => part.end - part.start,
        };
        self.rest.iter().map(bytes).sum()
    }

    pub(super) fn into_stream(self) -> impl Stream<Item = Result<Bytes, BodyError>> + Send {
        stream::unfold(self, |mut multipart| async move {
            let next = multipart.next().await?;
            Some((next, multipart))
        })
    }

    async fn next(&mut self) -> Option<Result<Bytes, BodyError>> {
        loop {
            if let Some(reader) = &mut self.reader {
                match reader.next().await {
                    Ok(Some(piece)) => return Some(Ok(piece)),
                    Ok(None) => self.reader = None,
                    Err(_) => return Some(Err(BodyError::GivenUp)),
                }
            }
            match self.rest.pop_front()? {
                Piece::Text(text) => return Some(Ok(text.into())),
                Piece::Part(part) => match self.files.open(&self.entry, part) {
                    Ok(reader) => self.reader = Some(reader),
                    Err(_) => return Some(Err(BodyError::GivenUp)),
                },
            }
        }
    }
}
