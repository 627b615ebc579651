//! Local documents: kept beside the others, without history, and not in the change log.

use super::Outcome;
use super::group::Group;
use crate::keys;
use value::DocumentBuf;

impl Group<'_> {
    /// Puts a local document, or removes it.
    pub(super) fn put_local(&mut self, name: &str, document: Option<&DocumentBuf>) -> Outcome {
        let key = keys::local(name);
        match document {
            Some(document) => self.batch.put(&key, &keys::write_body(document)),
            None => self.batch.delete(&key),
        }
        // Every commit takes a number, by which other processes learn that the shard has changed.
        self.sequence += 1;
        Outcome::Local
    }
}
