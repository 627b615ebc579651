//! Tombstones: what is kept of a deleted document, so that replicators learn of the deletion and a later insert of the same
//! `_id` continues its ancestry.

use super::{Ancestry, Revision, RevisionHash};
use crate::seal::{seal, unseal};
use bytes::Bytes;
use value::{DocumentBuf, RawDocument, Value, ValueRef, doc, varint};

/// The trace of a deleted document.
#[derive(Clone, Debug)]
pub(crate) struct Tombstone {
    /// The number of the deletion.
    pub(crate) sequence: u64,
    /// When it was made, milliseconds since 1970.
    pub(crate) time_ms: u64,
    /// All versions, including the deletion, which a later insert follows. It has no hashes if there is a tree.
    pub(crate) ancestry: Ancestry,
    /// The document's `_id`.
    pub(crate) id: Value,
    /// What was written with the deletion, if anything.
    pub(crate) body: Option<DocumentBuf>,
    /// The deletion's hash, if the revisions are kept in a tree.
    pub(crate) tree: Option<RevisionHash>,
}

impl Tombstone {
    /// The revision of the deletion.
    pub(crate) fn revision(&self) -> Revision {
        let own = || {
            self.ancestry
                .iter()
                .next()
                .unwrap_or(RevisionHash::Digest([0; 16]))
        };
        Revision {
            generation: self.ancestry.generation,
            hash: self.tree.clone().unwrap_or_else(own),
        }
    }

    /// Whether the revisions are kept in a tree beside it.
    pub(crate) fn has_tree(&self) -> bool {
        self.tree.is_some()
    }

    /// The bytes that are stored.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![0; 4];
        varint::put(self.sequence, &mut out);
        varint::put(self.time_ms, &mut out);
        self.ancestry.encode(&mut out);
        let mut kept = doc! {"_id": self.id.clone()};
        if let Some(body) = &self.body {
            kept.push("body", body.to_document());
        }
        match &self.tree {
            None => {}
            Some(RevisionHash::Text(text)) => kept.push("hash", &**text),
            Some(RevisionHash::Digest(digest)) => kept.push(
                "hash",
                value::Binary {
                    subtype: 0,
                    bytes: digest.to_vec(),
                },
            ),
        }
        out.extend_from_slice(DocumentBuf::from(&kept).bytes());
        seal(&mut out);
        out
    }

    /// Reads what was stored.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Tombstone, &'static str> {
        let fault = "a tombstone whose checksum or form is wrong";
        Tombstone::read(unseal(bytes).ok_or(fault)?).ok_or(fault)
    }

    fn read(mut rest: &[u8]) -> Option<Tombstone> {
        let sequence = varint::take(&mut rest)?;
        let time_ms = varint::take(&mut rest)?;
        let (generation, hashes) = Ancestry::read(&mut rest)?;
        let ancestry = Ancestry {
            generation,
            hashes: Bytes::copy_from_slice(hashes),
        };
        let kept = RawDocument::new(rest).ok()?;
        let body = match kept.get("body") {
            Some(body) => Some(DocumentBuf::from(&body.as_document()?.to_document())),
            None => None,
        };
        let tree = match kept.get("hash") {
            None => None,
            Some(ValueRef::Binary { bytes, .. }) => Some(RevisionHash::Digest(bytes.try_into().ok()?)),
            Some(text) => Some(RevisionHash::Text(text.as_str()?.into())),
        };
        Some(Tombstone {
            sequence,
            time_ms,
            ancestry,
            id: kept.get("_id")?.to_value(),
            body,
            tree,
        })
    }
}
