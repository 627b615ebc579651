//! Revisions: the same edit gives the same revision on every node.

use super::{RevisionHash, term};
use crate::REVISION_ANCESTORS_MAX;
use bytes::Bytes;
use md5::{Digest as _, Md5};
use std::fmt;
use value::{RawDocument, varint};

/// The highest generation that is accepted from other stores: in BSON it is a signed number of 64 bits.
const GENERATION_MAX: u64 = i64::MAX as u64;

/// One version of a document: its generation, and a hash of its content and ancestry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision {
    /// 1 for a document that was never changed.
    pub generation: u64,
    /// The MD5 of the term that CouchDB hashes, or what another store gave.
    pub hash: RevisionHash,
}

impl Revision {
    /// The revision of a deletion without content that follows `parent`.
    pub(crate) fn deletion_of(parent: &Revision) -> Revision {
        Revision::of(Some(parent), true, None)
    }

    /// The revision of this content as a child of `parent`, or as the first. A bare deletion has no content.
    pub fn of(parent: Option<&Revision>, deleted: bool, content: Option<RawDocument<'_>>) -> Revision {
        let before = parent.map_or(0, |parent| parent.generation);
        let parent = parent.map_or(&[][..], |parent| parent.hash.as_bytes());
        Revision {
            generation: before + 1,
            hash: RevisionHash::Digest(digest(before, parent, deleted, content)),
        }
    }

    /// Reads CouchDB's form `2-9f86d081884c7d659a2feaa0c55ad015`. `None` if the text has another form, or a generation after
    /// which there can be no other.
    pub fn parse(text: &str) -> Option<Revision> {
        let (generation, hash) = text.split_once('-')?;
        let is_number = generation.bytes().all(|byte| byte.is_ascii_digit());
        let generation = generation
            .parse()
            .ok()
            .filter(|generation| is_number && *generation <= GENERATION_MAX)?;
        Some(Revision {
            generation,
            hash: RevisionHash::parse(hash),
        })
    }
}

impl fmt::Display for Revision {
    /// Writes it as CouchDB does: `2-9f86d081884c7d659a2feaa0c55ad015`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.generation, self.hash)
    }
}

fn digest(generation: u64, parent: &[u8], deleted: bool, content: Option<RawDocument<'_>>) -> [u8; 16] {
    Md5::digest(term::encode(generation, parent, deleted, content)).into()
}

/// The versions before a version, if they are one line of digests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ancestry {
    /// The number of these versions.
    pub(crate) generation: u64,
    /// The hashes of at most [`REVISION_ANCESTORS_MAX`] of them, newest first, 16 bytes each.
    pub(crate) hashes: Bytes,
}

impl Ancestry {
    /// The revision of a version that follows these.
    pub(crate) fn revision(&self, deleted: bool, content: Option<RawDocument<'_>>) -> Revision {
        let parent = self.hashes.get(..16).unwrap_or_default();
        Revision {
            generation: self.generation + 1,
            hash: RevisionHash::Digest(digest(self.generation, parent, deleted, content)),
        }
    }

    /// These versions and one more, of which at most `kept` are remembered; `None` if its hash is not a digest.
    pub(crate) fn followed_by(&self, newest: &Revision, kept: usize) -> Option<Ancestry> {
        let RevisionHash::Digest(digest) = &newest.hash else {
            return None;
        };
        let kept = kept.min(REVISION_ANCESTORS_MAX);
        let before = self.hashes.len().min(kept.saturating_sub(1) * 16);
        let mut hashes = [digest, self.hashes.get(..before).unwrap_or_default()].concat();
        hashes.truncate(kept * 16);
        Some(Ancestry {
            generation: newest.generation,
            hashes: hashes.into(),
        })
    }

    /// The hashes, newest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = RevisionHash> {
        self.hashes
            .chunks_exact(16)
            .filter_map(|hash| hash.try_into().ok().map(RevisionHash::Digest))
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
