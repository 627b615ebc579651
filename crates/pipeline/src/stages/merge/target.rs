//! What must hold of the collection that is merged into.

use super::Merge;
use crate::collections::Collections;
use crate::{Code, QueryError, Result};
use store::{Index, StoreError};
use value::Value;
use value::collation::Collation;

/// What was found out about the collection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked {
    /// Whether the index that keeps the fields unique leaves documents out that lack them.
    pub(super) is_sparse: bool,
}

/// Refuses a view, and fields that no unique index keeps apart by the pipeline's collation.
pub(super) fn check(
    merge: &Merge,
    collections: &dyn Collections,
    collation: Option<&Collation>,
) -> Result<Checked> {
    let present = collections.resolve(&merge.into)?;
    if present.namespace != merge.into || !present.stages.is_empty() {
        return Err(StoreError::IsView(merge.into.to_string()).into());
    }
    let options = present.collection.as_ref().map(|present| present.options());
    if options.is_some_and(|options| options.kept.contains("timeseries")) {
        return Err(QueryError::new(
            Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
            format!("$merge cannot write into a time series: {}", merge.into),
        ));
    }
    let not_kept_apart = || {
        QueryError::new(
            Code::location(51_183),
            "Cannot find index to verify that join fields will be unique",
        )
    };
    if matches!(merge.on.as_slice(), [(name, _)] if name == "_id") {
        return match present.collection {
            Some(collection) if !orders_ids(&collection, collation) => Err(not_kept_apart()),
            _ => Ok(Checked { is_sparse: false }),
        };
    }
    let indexes = present
        .collection
        .map(|collection| collection.indexes())
        .unwrap_or_default();
    let mut unique = indexes
        .iter()
        .filter(|index| index.collation() == collation && keeps_apart(index, merge))
        .peekable();
    if unique.peek().is_none() {
        return Err(not_kept_apart());
    }
    Ok(Checked {
        is_sparse: unique.all(|index| index.spec().sparse),
    })
}

/// Whether a collection's own collation, which is that of its `_id`s, is this one.
fn orders_ids(collection: &store::Collection, collation: Option<&Collation>) -> bool {
    let options = collection.options();
    let own = match options.kept.get("collation") {
        Some(Value::Document(description)) => Some(description),
        _ => None,
    };
    own == collation.map(Collation::description)
}

/// Whether the index is unique on exactly these fields, for all documents.
fn keeps_apart(index: &Index, merge: &Merge) -> bool {
    let spec = index.spec();
    spec.unique
        && spec.partial_filter.is_none()
        && spec.key.len() == merge.on.len()
        && merge.on.iter().all(|(name, _)| spec.key.contains(name))
        // Indexes of places and texts keep other things apart than values.
        && spec.key.iter().all(|(_, kind)| kind.as_f64().is_some())
}
