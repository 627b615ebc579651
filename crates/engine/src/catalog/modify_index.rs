//! `collMod` of an index: hidden, its time to live, and the way to uniqueness in two steps.
//!
//! An index is made unique without being built anew: with `prepareUnique` it refuses new duplicates; then `unique`
//! looks for those that were there before.

use crate::catalog::id_index;
use crate::catalog::indexes::named;
use crate::engine::Engine;
use crate::error::{Error, Result};
use code::Code;
use std::sync::Arc;
use store::{Collection, Index, IndexSpec, Namespace};
use value::{Document, Value, doc};

const INVALID_OPTIONS: Code = Code::INVALID_OPTIONS;
const CANNOT_CONVERT_TO_UNIQUE: Code = Code::CANNOT_CONVERT_INDEX_TO_UNIQUE;

/// What is to change of an index; none leaves it as it is.
#[derive(Clone, Debug, Default)]
pub struct IndexChange {
    /// Whether queries pass it by.
    pub hidden: Option<bool>,
    /// Documents are deleted so long after the date in the field.
    pub expire_after_seconds: Option<i64>,
    /// Whether new duplicates are refused.
    pub prepare_unique: Option<bool>,
    /// Whether the index becomes unique; it cannot be undone.
    pub unique: Option<bool>,
    /// Only look for duplicates that prevent `unique`.
    pub dry_run: bool,
}

impl Engine {
    /// Changes what may be changed of the index that a name or a key pattern names. Gives the specification of before
    /// and the one of now.
    pub async fn modify_index(
        &self,
        namespace: &Namespace,
        which: &Value,
        change: IndexChange,
    ) -> Result<(IndexSpec, IndexSpec)> {
        let collection = self.existing(namespace)?;
        if collection.is_view() {
            let message = format!("the view {namespace} has no index that could be modified");
            return Err(Error::new(INVALID_OPTIONS, message));
        }
        check_not_clustered(&collection, which, &change)?;
        let present = id_index::shown(&collection);
        let name = named(&present, which)?;
        let index = present
            .iter()
            .find(|index| index.spec().name == name)
            .ok_or_else(|| {
                Error::new(
                    Code::INDEX_NOT_FOUND,
                    format!("cannot find index {name} for ns {namespace}"),
                )
            })?;
        let before = index.spec().clone();
        let after = changed(&before, &change)?;
        if after.unique && !before.unique {
            check_convertible(&collection, index, &change).await?;
        }
        if change.dry_run {
            return Ok((before.clone(), before));
        }
        if after != before {
            let wanted = after.clone();
            let modified = self
                .store()
                .modify_index(namespace, &name, move |spec| *spec = wanted);
            modified.await?;
        }
        Ok((before, after))
    }
}

/// The index by which a collection is clustered is the collection itself: there is nothing to change.
fn check_not_clustered(collection: &Collection, which: &Value, change: &IndexChange) -> Result<()> {
    let options = collection.options();
    let Some(Value::Document(clustered)) = options.kept.get("clusteredIndex") else {
        return Ok(());
    };
    if clustered.get("name") != Some(which) && clustered.get("key") != Some(which) {
        return Ok(());
    }
    match change.hidden {
        Some(_) => Err(Error::new(
            Code::location(6_011_800),
            "cannot hide or unhide the index that a collection is clustered by",
        )),
        None => Err(Error::new(
            Code::INDEX_NOT_FOUND,
            "cannot find an index that is not the one that the collection is clustered by",
        )),
    }
}

fn changed(before: &IndexSpec, change: &IndexChange) -> Result<IndexSpec> {
    let refuse = |message: &str| Err(Error::new(INVALID_OPTIONS, message));
    let mut after = before.clone();
    let others = change.hidden.is_some() || change.expire_after_seconds.is_some();
    if before.name == "_id_" {
        if change.hidden == Some(true) {
            return Err(Error::new(Code::BAD_VALUE, "can't hide _id index"));
        }
        if change.expire_after_seconds.is_some() {
            return refuse("the _id field does not support TTL indexes");
        }
        if change.prepare_unique.is_some() || change.unique.is_some() {
            return refuse("the _id index is always unique");
        }
    }
    if let Some(prepare) = change
        .prepare_unique
        .filter(|prepare| *prepare != before.prepare_unique)
    {
        if others || change.unique.is_some() {
            return refuse("prepareUnique cannot be combined with any other modification of the index");
        }
        if prepare && before.unique {
            return refuse("the index is unique already");
        }
        after.prepare_unique = prepare;
    }
    match change.unique {
        Some(false) => return refuse("'unique' can only be set to true: an index cannot be made non-unique"),
        Some(true) if others => {
            return refuse("unique cannot be combined with any other modification of the index");
        }
        Some(true) if !before.unique => {
            if !before.prepare_unique {
                return refuse("Cannot make index unique: set 'prepareUnique' first");
            }
            after.unique = true;
            after.made_unique = true;
            after.prepare_unique = false;
        }
        _ => {}
    }
    if let Some(seconds) = change.expire_after_seconds {
        let numbers = before.key.iter().all(|(_, kind)| kind.as_ref().is_number());
        if before.key.len() != 1 || !numbers {
            return refuse("TTL indexes are single-field indexes, compound indexes do not support TTL");
        }
        after.expire_after_seconds = Some(seconds);
    }
    after.hidden = change.hidden.unwrap_or(before.hidden);
    Ok(after)
}

/// Fails with the documents that share a key.
async fn check_convertible(collection: &Arc<Collection>, index: &Index, change: &IndexChange) -> Result<()> {
    let groups = collection.duplicate_keys(index).await?;
    if groups.is_empty() {
        return Ok(());
    }
    let what = if change.dry_run {
        "Cannot complete dry run of the conversion"
    } else {
        "Cannot convert the index"
    };
    let violations: Value = groups
        .into_iter()
        .map(|ids| Value::Document(doc! {"ids": Value::Array(ids)} as Document))
        .collect();
    Err(Error::new(
        CANNOT_CONVERT_TO_UNIQUE,
        format!("{what} to unique: please resolve conflicting documents before running collMod again"),
    )
    .with_detail("violations", violations))
}
