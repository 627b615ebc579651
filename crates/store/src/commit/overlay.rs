//! What a batch has changed so far, and what was read for it. Look-ups try it before the store.

use super::session::Session;
use super::types::Terms;
use crate::record::Tombstone;
use crate::{Record, RecordId, RevisionTree};
use std::collections::BTreeMap;
use value::DocumentBuf;

/// There are several look-ups for each document, so the hash is a quick one. It is seeded at random, because clients choose
/// the ids.
type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::quality::RandomState>;

/// Present values by key; `None` if there is nothing under the key.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    pub(crate) records: HashMap<RecordId, Option<Record>>,
    /// Placed documents that were inserted. Those that are changed again are among the records.
    pub(crate) placed: HashMap<RecordId, kv::Placed>,
    /// The records of unique keys; the keys have their index's prefix.
    pub(crate) unique: HashMap<Vec<u8>, Option<RecordId>>,
    /// Entries that were put (true) and deleted in indexes that guard their keys, by their whole key.
    pub(crate) guarded: BTreeMap<Vec<u8>, bool>,
    /// Tombstones by their whole key.
    pub(crate) tombstones: HashMap<Vec<u8>, Option<Tombstone>>,
    /// Revision trees that are to be written or removed, by their key.
    pub(crate) trees: HashMap<Vec<u8>, Option<RevisionTree>>,
    /// Bodies of leaves that were written or removed, by their key.
    pub(crate) bodies: HashMap<Vec<u8>, Option<DocumentBuf>>,
    /// The terms of notes that were read or written, by the notes' key; `None` if there are no notes.
    pub(crate) notes: HashMap<Vec<u8>, Option<Terms>>,
    /// Executed statements by session, and whether they have to be written.
    pub(crate) sessions: HashMap<[u8; 32], (Session, bool)>,
}
