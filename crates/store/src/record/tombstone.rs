//! What is kept of a deleted document, so that replicators learn of the deletion and a later insert of the same
//! `_id` continues its ancestry.

use super::{Ancestry, Revision};
use crate::seal::{seal, unseal};
use crate::varint;
use bytes::Bytes;
use value::{DocumentBuf, RawDocument, Value, doc};

/// The trace of a deleted document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tombstone {
    /// The number of the deletion.
    pub(crate) sequence: u64,
    /// When it was made, milliseconds since 1970.
    pub(crate) time_ms: u64,
    /// All versions, the deletion included: what a later insert follows.
    pub(crate) ancestry: Ancestry,
    /// The document's `_id`.
    pub(crate) id: Value,
}

impl Tombstone {
    /// The revision of the deletion.
    pub(crate) fn revision(&self) -> Revision {
        let hash = self
            .ancestry
            .hashes
            .first_chunk::<16>()
            .copied()
            .unwrap_or_default();
        Revision {
            generation: self.ancestry.generation,
            hash,
        }
    }

    /// The bytes that are stored.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![0; 4];
        varint::put(self.sequence, &mut out);
        varint::put(self.time_ms, &mut out);
        self.ancestry.encode(&mut out);
        let id = doc! {"_id": self.id.clone()};
        out.extend_from_slice(DocumentBuf::from(&id).bytes());
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
        let id = RawDocument::new(rest).ok()?.get("_id")?.to_value();
        Some(Tombstone {
            sequence,
            time_ms,
            ancestry,
            id,
        })
    }
}
