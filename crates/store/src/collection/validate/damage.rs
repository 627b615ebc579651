//! Checking the checksums of everything but records, entries and counts, and describing what cannot be read.

use super::{Pages, Validation};
use crate::seal::unseal;
use crate::{Derived, KeyRange, PageLimit, Snapshot, StoreError, keys};
use kv::Unreadable;
use std::ops::Bound;

/// The kinds of values that begin with a checksum, by the first byte of their keys.
const SEALED: [(u8, &str); 9] = [
    (keys::PURGE, "purge"),
    (keys::TOMBSTONE, "tombstone"),
    (keys::SESSION, "session"),
    (keys::TREE, "revision tree"),
    (keys::BODY, "body of a revision"),
    (keys::NOTES, "notes of a document"),
    (keys::TERM, "term of a document"),
    (keys::LOCAL, "local document"),
    (keys::PARTITION, "partition"),
];

/// Whether the value of this key begins with a checksum.
pub(crate) fn is_sealed(key: &[u8]) -> bool {
    SEALED.iter().any(|(kind, _)| key.first() == Some(kind))
}

impl Validation {
    /// Checks the checksums that no other check looks at.
    pub(super) async fn check_sums(&mut self, snapshot: &Snapshot) -> Result<(), StoreError> {
        for (kind, name) in SEALED {
            let mut pages = Pages::new(KeyRange::prefix(&[kind]));
            while let Some(page) = self.next_page(&mut pages, snapshot).await? {
                for (key, _) in page.iter().filter(|(_, value)| unseal(value).is_none()) {
                    self.find(format!("the checksum of a {name} at {key:02x?}"));
                }
            }
        }
        Ok(())
    }

    /// Checks the checksums of derived pages.
    pub(super) async fn check_derived(&mut self, derived: &Derived) -> Result<(), StoreError> {
        let name = derived.name();
        let mut low = Bound::Unbounded;
        loop {
            tokio::task::yield_now().await;
            let range = KeyRange {
                low,
                high: Bound::Unbounded,
            };
            let read = match derived.salvage(&range, PageLimit::default()).await {
                // It was dropped meanwhile.
                Err(StoreError::CollectionDropped(_)) => return Ok(()),
                read => read?,
            };
            for unreadable in &read.unreadable {
                self.find(format!("{name}: {}", describe(unreadable)));
            }
            for (key, _) in read.page.iter().filter(|(_, value)| unseal(value).is_none()) {
                self.find(format!("{name}: the checksum of the page at {key:02x?}"));
            }
            match read.next {
                Some(next) => low = Bound::Included(next),
                None => return Ok(()),
            }
        }
    }
}

/// What cannot be read, and why.
pub(crate) fn describe(unreadable: &Unreadable) -> String {
    let Unreadable { from, to, what } = unreadable;
    let numbered = |key: &[u8]| keys::record_id(key).map(|id| id.0);
    match (numbered(from), to.as_deref().and_then(numbered)) {
        (Some(record), _) if is_next(from, to.as_deref()) => {
            format!("record {record} cannot be read: {what}")
        }
        (Some(first), Some(behind)) => format!("records between {first} and {behind} cannot be read: {what}"),
        (Some(first), None) => format!("records behind {first} cannot be read: {what}"),
        (None, _) => format!("what lies behind the key {from:02x?} cannot be read: {what}"),
    }
}

/// Whether the range has only one key.
fn is_next(from: &[u8], to: Option<&[u8]>) -> bool {
    to.is_some_and(|to| to.strip_prefix(from) == Some(&[0]))
}
