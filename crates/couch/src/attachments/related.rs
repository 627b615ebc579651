//! Documents whose attachments follow them in parts of their own, as they are sent
//! (`src/couch/src/couch_httpd_multipart.erl`, `encode_multipart_stream`, `length_multipart_stream`).

use super::{Attachment, AttachmentReader};
use access::error::Result;
use engine::files::Files;
use http::BodySender;
use peer::related::{PartOf, boundary, document_head, part_end, part_head};

/// A document with the attachments that follow it.
#[derive(Debug)]
pub(crate) struct Related {
    boundary: String,
    json: String,
    attachments: Vec<Attachment>,
}

impl Related {
    /// A document as JSON; none of the attachments may be a stub in it.
    pub(crate) fn new(json: String, attachments: Vec<Attachment>) -> Related {
        Related {
            boundary: boundary(),
            json,
            attachments,
        }
    }

    /// The bytes of the document's JSON.
    pub(crate) fn json_bytes(&self) -> usize {
        self.json.len()
    }

    /// Its media type. A document without attachments is JSON.
    pub(crate) fn content_type(&self) -> String {
        match self.attachments.is_empty() {
            true => "application/json".to_owned(),
            false => format!("multipart/related; boundary=\"{}\"", self.boundary),
        }
    }

    /// Bytes of the whole.
    pub(crate) fn length(&self) -> u64 {
        let part = |attachment: &Attachment| {
            let framing = part_head(&part_of(attachment)).len() + part_end(&self.boundary).len();
            attachment.stored_length() + framing as u64
        };
        let ends = match self.attachments.is_empty() {
            true => 0,
            false => document_head(&self.boundary).len() + part_end(&self.boundary).len() + 2,
        };
        (self.json.len() + ends) as u64 + self.attachments.iter().map(part).sum::<u64>()
    }

    /// Sends the whole; false where nobody takes it any more.
    pub(crate) async fn send(self, files: &Files, sender: &BodySender) -> Result<bool> {
        if self.attachments.is_empty() {
            return Ok(sender.send(self.json).await);
        }
        let head = format!(
            "{}{}{}",
            document_head(&self.boundary),
            self.json,
            part_end(&self.boundary)
        );
        let mut is_taken = sender.send(head).await;
        for attachment in &self.attachments {
            let mut reader = AttachmentReader::stored(files, attachment, None).await?;
            is_taken = is_taken
                && sender.send(part_head(&part_of(attachment))).await
                && reader.send(sender).await?
                && sender.send(part_end(&self.boundary)).await;
            if !is_taken {
                return Ok(false);
            }
        }
        Ok(sender.send("--").await)
    }
}

/// What the head of an attachment's part says.
fn part_of(attachment: &Attachment) -> PartOf<'_> {
    PartOf {
        name: &attachment.name,
        content_type: &attachment.content_type,
        length: attachment.stored_length(),
        is_encoded: attachment.is_encoded(),
    }
}
