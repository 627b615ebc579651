//! Attachments within a document's JSON.

use super::{Attachment, AttachmentReader};
use crate::limits::INLINE_BYTES_MAX;
use access::error::{CouchError, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::files::Files;
use http::StatusCode;
use std::collections::{BTreeMap, BTreeSet};
use value::RawDocument;

/// What a document's JSON gives of its attachments besides stubs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loaded {
    /// Their bytes in base64, by name.
    pub(super) data: BTreeMap<String, String>,
    /// Those whose bytes follow the document in parts of their own.
    pub(super) following: BTreeSet<String>,
    /// Whether it says how they are stored.
    pub(super) encoding: bool,
}

impl Loaded {
    /// The bytes of these follow the document as they are stored.
    pub(crate) fn following(attachments: &[Attachment]) -> Loaded {
        Loaded {
            data: BTreeMap::new(),
            following: attachments
                .iter()
                .map(|attachment| attachment.name.clone())
                .collect(),
            encoding: true,
        }
    }
}

/// What is wanted of attachments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Those in full that came after this generation; the others are stubs.
    pub(crate) since: Option<i64>,
    /// How they are stored (`att_encoding_info`).
    pub(crate) encoding: bool,
}

impl Wanted {
    /// The attachments of a document that are given in full.
    pub(crate) fn of(self, body: RawDocument<'_>) -> Vec<Attachment> {
        let Some(generation) = self.since else {
            return Vec::new();
        };
        let mut attachments = Attachment::all(body);
        // A generation of 0 is before all of them. Of an attachment it says that nobody knows: the client may lack it.
        let is_known = |attachment: &Attachment| (1..=generation).contains(&attachment.revpos);
        attachments.retain(|attachment| !is_known(attachment));
        attachments
    }
}

/// Reads the attachments that are wanted.
pub(crate) async fn load(files: &Files, body: RawDocument<'_>, wanted: Wanted) -> Result<Loaded> {
    let mut loaded = Loaded {
        encoding: wanted.encoding,
        ..Loaded::default()
    };
    let mut room = INLINE_BYTES_MAX;
    for attachment in wanted.of(body) {
        let data = read(files, &attachment, &mut room).await?;
        loaded.data.insert(attachment.name, BASE64_STANDARD.encode(data));
    }
    Ok(loaded)
}

async fn read(files: &Files, attachment: &Attachment, room: &mut usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut reader = AttachmentReader::decoded(files, attachment).await?;
    while let Some(piece) = reader.next().await? {
        *room = room.checked_sub(piece.len()).ok_or_else(too_much)?;
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

fn too_much() -> CouchError {
    let reason = format!(
        "the attachments have more than {INLINE_BYTES_MAX} bytes: take them as multipart/related, or one by one"
    );
    CouchError::new(StatusCode::PAYLOAD_TOO_LARGE, "attachments_too_large", reason)
}
