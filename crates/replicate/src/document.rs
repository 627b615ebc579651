//! Documents on their way from one store to the other.

use bytes::Bytes;
use tokio::sync::mpsc;

/// A revision with its ancestry.
#[derive(Debug)]
pub enum Document {
    /// JSON that is complete in itself.
    Whole(Bytes),
    /// JSON whose attachments follow it.
    Streamed(StreamedDocument),
}

/// A revision whose attachments come in pieces, so that none of them is ever whole in memory.
#[derive(Debug)]
pub struct StreamedDocument {
    /// The document.
    pub id: String,
    /// The revision, as `N-hash`.
    pub revision: String,
    /// The document, which says of these attachments that they follow.
    pub json: Bytes,
    /// The attachments that follow, in their order.
    pub attachments: Vec<FollowingAttachment>,
    /// The bytes of all of them, one after another; a piece belongs to one attachment. Where it ends before all have
    /// come, the source broke off. Dropped, it says that nobody wants the rest.
    pub pieces: mpsc::Receiver<Bytes>,
}

/// An attachment that follows its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowingAttachment {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub content_type: String,
    /// The bytes that come.
    pub length: u64,
    /// Whether they are compressed by gzip.
    pub is_encoded: bool,
}
