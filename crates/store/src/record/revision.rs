//! Revisions: the same edit gives the same revision on every node.

use crate::{REVISION_ANCESTORS_MAX, varint};
use bytes::Bytes;
use std::fmt;

/// One version of a document: how many came before it, and a hash of its content and ancestry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision {
    /// 1 for a document that was never changed.
    pub generation: u64,
    /// BLAKE3 of deletion, parent and content, cut to 128 bits.
    pub hash: [u8; 16],
}

impl fmt::Display for Revision {
    /// As CouchDB writes it: `2-9f86d081884c7d659a2feaa0c55ad015`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-", self.generation)?;
        self.hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The versions before one version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ancestry {
    /// How many there were.
    pub(crate) generation: u64,
    /// The hashes of at most [`REVISION_ANCESTORS_MAX`] of them, newest first, 16 bytes each.
    pub(crate) hashes: Bytes,
}

impl Ancestry {
    /// The revision of a version with these before it.
    pub(crate) fn revision(&self, deleted: bool, content: &[u8]) -> Revision {
        let parent = self.hashes.get(..16).unwrap_or_default();
        let mut hasher = blake3::Hasher::new();
        hasher
            .update(&[u8::from(deleted), parent.len() as u8])
            .update(parent)
            .update(content);
        let mut hash = [0; 16];
        hasher.finalize_xof().fill(&mut hash);
        Revision {
            generation: self.generation + 1,
            hash,
        }
    }

    /// These versions and one more.
    pub(crate) fn followed_by(&self, newest: Revision) -> Ancestry {
        let kept = self.hashes.len().min((REVISION_ANCESTORS_MAX - 1) * 16);
        let hashes = [&newest.hash, self.hashes.get(..kept).unwrap_or_default()].concat();
        Ancestry {
            generation: newest.generation,
            hashes: hashes.into(),
        }
    }

    /// Appends generation, number of hashes, hashes.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        varint::put(self.generation, out);
        varint::put(self.hashes.len() as u64 / 16, out);
        out.extend_from_slice(&self.hashes);
    }

    /// Takes generation and hashes off the front.
    pub(crate) fn read<'a>(bytes: &mut &'a [u8]) -> Option<(u64, &'a [u8])> {
        let generation = varint::take(bytes)?;
        let size = usize::try_from(varint::take(bytes)?).ok()?.checked_mul(16)?;
        let (hashes, rest) = bytes.split_at_checked(size)?;
        *bytes = rest;
        Some((generation, hashes))
    }
}
