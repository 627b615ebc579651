//! Documents whose attachments follow them in parts of their own, as they are sent
//! (`src/couch/src/couch_httpd_multipart.erl`, `encode_multipart_stream`, `length_multipart_stream`).

use super::{Attachment, AttachmentReader};
use crate::error::Result;
use engine::files::Files;
use http::BodySender;

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
            let framing = part_head(&PartOf::from(attachment)).len() + part_end(&self.boundary).len();
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
                && sender.send(part_head(&PartOf::from(attachment))).await
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartOf<'a> {
    pub(crate) name: &'a str,
    pub(crate) content_type: &'a str,
    /// The bytes that are sent.
    pub(crate) length: u64,
    pub(crate) is_encoded: bool,
}

impl<'a> From<&'a Attachment> for PartOf<'a> {
    fn from(attachment: &'a Attachment) -> PartOf<'a> {
        PartOf {
            name: &attachment.name,
            content_type: &attachment.content_type,
            length: attachment.stored_length(),
            is_encoded: attachment.is_encoded(),
        }
    }
}

/// A boundary that nobody can foresee.
pub(crate) fn boundary() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// What stands before the document.
pub(crate) fn document_head(boundary: &str) -> String {
    format!("--{boundary}\r\nContent-Type: application/json\r\n\r\n")
}

/// What stands between a delimiter and an attachment's bytes. A quote or a line in a name would end its header.
pub(crate) fn part_head(part: &PartOf<'_>) -> String {
    let plain = |text: &str| text.replace(['\r', '\n'], " ");
    let mut head = format!(
        "\r\nContent-Disposition: attachment; filename=\"{}\"\r\nContent-Type: {}\r\nContent-Length: {}",
        plain(&part.name.replace('\\', "\\\\").replace('"', "\\\"")),
        plain(part.content_type),
        part.length
    );
    if part.is_encoded {
        head.push_str("\r\nContent-Encoding: gzip");
    }
    head.push_str("\r\n\r\n");
    head
}

/// What stands after a document and after each attachment; two hyphens after the last one end the whole.
pub(crate) fn part_end(boundary: &str) -> String {
    format!("\r\n--{boundary}")
}
