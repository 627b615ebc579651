//! Attachments within a document's JSON.

use super::{Attachment, AttachmentReader};
use crate::limits::INLINE_BYTES_MAX;
use access::error::{CouchError, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::files::Files;
use http::{BodyError, StatusCode};
use memory::{Budget, Holder, Share, WAIT_MAX};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use value::RawDocument;

/// What an attachment within JSON takes, as a multiple of its bytes: these, in base64 for themselves, and in the text.
const TIMES: usize = 3;

/// Attachments that take no more are not counted.
const UNCOUNTED_BYTES: usize = 64 * 1024;

/// What a document's JSON gives of its attachments besides stubs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loaded {
    /// Their bytes in base64, by name.
    pub(super) data: BTreeMap<String, String>,
    /// Those whose bytes follow the document in parts of their own.
    pub(super) following: BTreeSet<String>,
    /// Whether it says how they are stored.
    pub(super) encoding: bool,
    /// The memory of all that.
    _held: Option<Arc<Share>>,
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
            _held: None,
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
    let attachments = wanted.of(body);
    let mut room = Room::of(files.memory(), &attachments).await?;
    for attachment in attachments {
        let data = read(files, &attachment, &mut room).await?;
        loaded.data.insert(attachment.name, BASE64_STANDARD.encode(data));
    }
    loaded._held = Some(Arc::new(room.share));
    Ok(loaded)
}

/// The memory of attachments that are read.
struct Room {
    bytes: usize,
    share: Share,
}

impl Room {
    /// Waits for the room of as many bytes as these are said to have.
    async fn of(memory: &Budget, attachments: &[Attachment]) -> Result<Room> {
        let told = attachments
            .iter()
            .map(|one| usize::try_from(one.length).unwrap_or(0));
        let told = told.fold(0, usize::saturating_add);
        if told > INLINE_BYTES_MAX {
            return Err(too_much());
        }
        let mut share = memory.share(Holder::Documents);
        if told * TIMES > UNCOUNTED_BYTES {
            let waited = share.wait(told * TIMES, WAIT_MAX);
            waited.await.map_err(BodyError::from)?;
        }
        Ok(Room { bytes: 0, share })
    }

    /// Bytes were read. Those of a compressed attachment may be more than the client who stored it has said.
    fn take(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes;
        if self.bytes > INLINE_BYTES_MAX {
            return Err(too_much());
        }
        let wanted = self.bytes * TIMES;
        if wanted > self.share.bytes().max(UNCOUNTED_BYTES) {
            self.share.set(wanted).map_err(BodyError::from)?;
        }
        Ok(())
    }
}

async fn read(files: &Files, attachment: &Attachment, room: &mut Room) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut reader = AttachmentReader::decoded(files, attachment).await?;
    while let Some(piece) = reader.next().await? {
        room.take(piece.len())?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use value::Value;

    #[tokio::test]
    async fn attachments_within_json_take_memory_even_where_their_length_is_a_lie() {
        let memory = Budget::new(1 << 20);
        let attachment = |length: i64| Attachment {
            name: "a".to_owned(),
            content_type: "text/plain".to_owned(),
            revpos: 1,
            digest: String::new(),
            length,
            encoded_length: Some(100),
            file: Value::Null,
        };
        let mut room = Room::of(&memory, &[attachment(30_000)]).await.unwrap();
        assert_eq!(room.share.bytes(), 30_000 * TIMES);
        room.take(30_000).unwrap();
        let refused = room.take(100_000).unwrap_err();
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        let longer = INLINE_BYTES_MAX as i64 + 1;
        let refused = Room::of(&memory, &[attachment(longer)]).await;
        assert!(refused.is_err_and(|error| error.status == StatusCode::PAYLOAD_TOO_LARGE));
    }
}
