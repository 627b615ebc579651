//! What a collection remembers of purges: how many there were, and how many a protocol wants remembered.

use super::RevisionedCollection;
use crate::Result;
use value::Value;

/// The property that counts the documents of which revisions were purged.
const PURGES: &str = "purges";
/// The property that says how many purges replicas may be behind.
const PURGES_KEPT: &str = "purgesKept";
/// How many that is where nothing was said (CouchDB's default).
const PURGES_KEPT_DEFAULT: u32 = 1_000;

impl RevisionedCollection {
    /// How many documents lost revisions to purges.
    pub fn purges(&self) -> u64 {
        self.number(PURGES).unwrap_or_default()
    }

    /// How many purges are to be remembered.
    pub fn purges_kept(&self) -> u64 {
        self.number(PURGES_KEPT).unwrap_or(PURGES_KEPT_DEFAULT.into())
    }

    /// Sets how many purges are to be remembered.
    pub async fn set_purges_kept(&self, kept: u32) -> Result<()> {
        self.set_property(PURGES_KEPT, Value::Int64(kept.into())).await
    }

    /// Counts purges.
    pub(super) async fn count_purges(&self, more: u64) -> Result<()> {
        let namespace = self.collection.namespace();
        let counted = self.engine.store().modify(&namespace, |options| {
            let before = options
                .properties
                .get(PURGES)
                .and_then(number)
                .unwrap_or_default();
            let now = i64::try_from(before.saturating_add(more)).unwrap_or(i64::MAX);
            options.properties.set(PURGES, now);
            Ok(())
        });
        Ok(counted.await?)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.collection.options().properties.get(name).and_then(number)
    }
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Int64(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}
