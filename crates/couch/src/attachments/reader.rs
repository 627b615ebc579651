//! Reading the bytes of an attachment as they are asked for.

use super::Attachment;
use access::error::{CouchError, Result};
use bytes::Bytes;
use engine::files::{FileReader, Files};
use http::{Body, BodySender, GzipDecoder, StatusCode};
use std::ops::Range;

/// The bytes of an attachment, or of a part of it.
#[derive(Debug)]
pub(crate) struct AttachmentReader {
    file: FileReader,
    decoder: Option<GzipDecoder>,
}

impl AttachmentReader {
    /// Opens the bytes as they are stored, all of them or a range.
    pub(crate) async fn stored(
        files: &Files,
        attachment: &Attachment,
        range: Option<Range<u64>>,
    ) -> Result<AttachmentReader> {
        let found = files.find_id(&attachment.file).await?;
        let entry = found.ok_or_else(|| CouchError::not_found("Document is missing attachment"))?;
        let file = files.open(&entry, range.unwrap_or(0..entry.length))?;
        Ok(AttachmentReader { file, decoder: None })
    }

    /// Opens the bytes as they were before compression.
    pub(crate) async fn decoded(files: &Files, attachment: &Attachment) -> Result<AttachmentReader> {
        let mut reader = AttachmentReader::stored(files, attachment, None).await?;
        reader.decoder = attachment.is_encoded().then(GzipDecoder::new);
        Ok(reader)
    }

    /// The next bytes; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            let Some(decoder) = &mut self.decoder else {
                return Ok(self.file.next().await?);
            };
            if let Some(decoded) = decoder.decoded().map_err(not_decoded)? {
                return Ok(Some(decoded));
            }
            match self.file.next().await? {
                Some(bytes) => decoder.feed(bytes),
                None => return self.last(),
            }
        }
    }

    /// What is left after the last compressed byte.
    fn last(&mut self) -> Result<Option<Bytes>> {
        match self.decoder.as_mut().map(GzipDecoder::finish) {
            Some(rest) => Ok(rest.map_err(not_decoded)?),
            None => Ok(None),
        }
    }

    /// A body that is read as the client takes it.
    pub(crate) fn into_body(mut self, length: Option<u64>) -> Body {
        let (sender, body) = Body::channel(length);
        tokio::spawn(async move {
            if let Err(error) = self.send(&sender).await {
                tracing::error!(%error, "an attachment could not be read to its end");
                sender.give_up().await;
            }
        });
        body
    }

    /// Sends all bytes; false where nobody takes them any more.
    pub(crate) async fn send(&mut self, sender: &BodySender) -> Result<bool> {
        while let Some(piece) = self.next().await? {
            if !sender.send(piece).await {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A client that said it sends gzip may have sent anything.
fn not_decoded(error: std::io::Error) -> CouchError {
    let reason = format!("the attachment is said to be gzip, but cannot be decoded: {error}");
    CouchError::new(StatusCode::INTERNAL_SERVER_ERROR, "invalid_encoding", reason)
}
