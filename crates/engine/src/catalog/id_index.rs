//! The index on `_id` as clients see it: every collection has it, so it is described rather than made.

use crate::running::profile;
use std::sync::Arc;
use store::{Collection, CollectionOptions, Index, IndexSpec};
use value::{Document, Value, doc};

/// The index that keeps two `_id`s of a collection from being equal under its collation. `None` without a collation, and for a time
/// series, whose `_id`s may repeat.
pub(crate) fn under_collation(options: &CollectionOptions) -> Option<IndexSpec> {
    let kept = &options.kept;
    if kept.contains("viewOn") || kept.contains("timeseries") {
        return None;
    }
    match kept.get("collation") {
        Some(Value::Document(collation)) => Some(IndexSpec::id_under(collation.clone())),
        _ => None,
    }
}

/// A collection's indexes as clients see them, with a single index on `_id`.
pub(crate) fn shown(collection: &Collection) -> Vec<Arc<Index>> {
    let mut indexes = collection.indexes();
    indexes.retain(|index| !index.spec().is_id_under_collation());
    indexes
}

/// The index as it is listed. `None` for a view, a time series and the profiler's collection, which show none.
///
/// It has the collection's collation, as in MongoDB: a client that recreates the collection from the listing sends this
/// description, and one with another collation would be refused.
pub(crate) fn listed(collection: &Collection) -> Option<Document> {
    let options = collection.options();
    let kept = &options.kept;
    if kept.contains("viewOn") || kept.contains("timeseries") || profile::is_profile(&collection.namespace())
    {
        return None;
    }
    let clustered = match kept.get("clusteredIndex") {
        Some(Value::Document(clustered)) => Some(clustered.clone()),
        _ => None,
    };
    let is_clustered = clustered.is_some();
    let mut listed = clustered.unwrap_or_else(|| doc! {"v": 2, "key": {"_id": 1}, "name": "_id_"});
    let mut copy = |name: &str| {
        if let Some(value) = kept.get(name) {
            listed.push(name, value.clone());
        }
    };
    copy("collation");
    if is_clustered {
        copy("expireAfterSeconds");
        listed.push("clustered", true);
    }
    Some(listed)
}

/// Whether a specification describes the index as it is listed, with any version and namespace.
pub(crate) fn describes(spec: &Document, collection: &Collection) -> bool {
    let stripped = |mut described: Document| {
        described.remove("v");
        described.remove("ns");
        described
    };
    listed(collection).is_some_and(|listed| {
        let (asked, listed) = (stripped(spec.clone()), stripped(listed));
        asked.len() == listed.len()
            && asked.iter().all(|(name, value)| {
                let same = |own: &Value| value::compare(value.as_ref(), own.as_ref()).is_eq();
                listed.get(name).is_some_and(same)
            })
    })
}
