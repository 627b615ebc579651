//! The index on `_id` as clients see it: every collection has it, so it is described rather than made.

use crate::catalog::index_spec::{BAD_SPEC, flag, is_on_id, not_valid, parse_spec};
use crate::error::{Error, Result};
use crate::running::profile;
use code::Code;
use std::sync::Arc;
use store::{Collection, CollectionOptions, Index, IndexSpec};
use value::collation::Collation;
use value::{Document, Value, doc};

/// The option that only the index has by which a collection is clustered.
pub(crate) const CLUSTERED: &str = "clustered";

/// The fields that the description of that index may have.
const CLUSTERED_OPTIONS: [&str; 6] = ["key", "name", "v", "unique", CLUSTERED, "expireAfterSeconds"];

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
    let clustered = clustered_by(collection);
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
        listed.push(CLUSTERED, true);
    }
    Some(listed)
}

/// Refuses the description of an index on `_id` with another collation than the collection's.
pub(crate) fn check_collation(spec: &IndexSpec, default: Option<&Collation>) -> Result<()> {
    let asked = spec.kept.get("collation").and_then(Value::as_document);
    if !is_on_id(&spec.key) || asked == default.map(Collation::description) {
        return Ok(());
    }
    let message = "The _id index must have the same collation as the collection";
    Err(Error::new(Code::BAD_VALUE, message))
}

/// Refuses the description of the index by which a collection is clustered, unless it is this collection's. It is there already, so
/// it is never made.
pub(crate) fn check_clustered(spec: &Document, collection: Option<&Collection>) -> Result<()> {
    if let Some((name, _)) = spec.iter().find(|(name, _)| !CLUSTERED_OPTIONS.contains(name)) {
        return Err(not_valid(name, "a clustered index", spec));
    }
    let mut others = spec.clone();
    let mut take_flag = |name: &str| {
        let taken = others.remove(name);
        taken.map_or(Ok(false), |value| flag(name, &value))
    };
    let (is_clustered, is_unique) = (take_flag(CLUSTERED)?, take_flag("unique")?);
    others.remove("expireAfterSeconds");
    let parsed = parse_spec(&others)?;
    if !is_clustered {
        let message = "Value 'false' for field 'clustered' is invalid";
        return Err(Error::new(Code::location(6_492_800), message));
    }
    if !is_unique {
        let message = "The 'unique' field is required when 'clustered' is specified";
        return Err(Error::new(BAD_SPEC, message));
    }
    let Some(collection) = collection else {
        let message = "Cannot implicitly create a new collection with createIndex 'clustered' option";
        return Err(Error::new(Code::location(6_100_900), message));
    };
    if clustered_by(collection).is_none() || !is_on_id(&parsed.key) {
        let message =
            "Cannot create index with option 'clustered' that does not match an existing clustered index";
        return Err(Error::new(Code::location(6_243_700), message));
    }
    check_beside_clustered(&parsed, Some(collection))
}

/// Refuses an index that would be mixed up with the one by which the collection is clustered.
pub(crate) fn check_beside_clustered(spec: &IndexSpec, collection: Option<&Collection>) -> Result<()> {
    let Some(clustered) = collection.and_then(clustered_by) else {
        return Ok(());
    };
    let has_name = matches!(clustered.get("name"), Some(Value::String(name)) if *name == spec.name);
    let (number, message) = match is_on_id(&spec.key) {
        false if has_name => (
            6_100_906,
            "Cannot create an index where the name matches the clusteredIndex but the key does not",
        ),
        true if spec.is_of_first_version() => (
            6_100_908,
            "Cannot create an index with the same key pattern as the collection's clusteredIndex but a different 'v' field",
        ),
        _ => return Ok(()),
    };
    Err(Error::new(Code::location(number), message))
}

/// The index by which a collection is clustered.
fn clustered_by(collection: &Collection) -> Option<Document> {
    match collection.options().kept.get("clusteredIndex") {
        Some(Value::Document(clustered)) => Some(clustered.clone()),
        _ => None,
    }
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
