//! The attachments that follow a document in the same request (`src/couch/src/couch_httpd_multipart.erl`,
//! `decode_multipart_stream`).
//!
//! The parts come in the order in which the document names the attachments. Each has the length that the document says.

use super::{Attachment, AttachmentWriter, NewAttachment, Settings};
use crate::limits::BODY_BYTES_MAX;
use access::error::{CouchError, Result};
use bytes::Bytes;
use engine::files::Files;
use http::{MultipartError, MultipartReader, PartHead, RequestBody, StatusCode, parameter};
use memory::Budget;

/// The parts after a document.
#[derive(Debug)]
pub(crate) struct Following(MultipartReader<RequestBody>);

impl Following {
    /// Reads the document, which is the first part; what is left are its attachments.
    pub(crate) async fn begin(
        body: RequestBody,
        content_type: &str,
        memory: &Budget,
    ) -> Result<(Bytes, Following)> {
        let mut reader = MultipartReader::new(body, content_type)?;
        let head = reader.next_part().await?.ok_or(MultipartError::Ended)?;
        let kind = head.get("content-type").unwrap_or_default();
        if kind.split(';').next().map(str::trim) != Some("application/json") {
            return Err(CouchError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "bad_content_type",
                "Content-Type must be application/json",
            ));
        }
        let document = reader.read_part(BODY_BYTES_MAX, memory).await?;
        Ok((document, Following(reader)))
    }

    /// Stores the next part as this attachment. `others` are the names of those that are still to follow: where the part says
    /// that it is one of them, the order is wrong.
    pub(super) async fn store(
        &mut self,
        files: &Files,
        settings: &Settings,
        new: NewAttachment<'_>,
        others: &[&str],
        revpos: i64,
    ) -> Result<Attachment> {
        let Some(head) = self.0.next_part().await? else {
            return Err(CouchError::bad_request("attachment shorter than expected"));
        };
        check_order(&head, new.name, others)?;
        let mut writer = AttachmentWriter::create(files, settings, new).await?;
        while let Some(piece) = self.0.data().await? {
            writer.write(&piece).await?;
        }
        writer.finish(revpos).await
    }

    /// Reads to the end what belongs to no attachment.
    pub(crate) async fn end(mut self) -> Result<()> {
        Ok(self.0.discard().await?)
    }
}

/// CouchDB would give one attachment the bytes of the other.
fn check_order(head: &PartHead, name: &str, others: &[&str]) -> Result<()> {
    let named = head
        .get("content-disposition")
        .and_then(|disposition| parameter(disposition, "filename"));
    match named {
        Some(named) if named != name && others.contains(&named.as_str()) => {
            Err(CouchError::bad_request(format!(
                "the part of the attachment {named} stands where that of {name} is expected: parts come in the document's order"
            )))
        }
        _ => Ok(()),
    }
}
