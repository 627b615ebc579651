//! `collMod` of an index: hiding it, its time to live, and making it unique in two steps.
//!
//! An index is made unique without a rebuild: with `prepareUnique` it refuses new duplicates, then `unique` checks for older
//! ones.

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

/// A change of an index; `None` leaves an option as it is.
#[derive(Clone, Debug, Default)]
pub struct IndexChange {
    /// Whether queries ignore it.
    pub hidden: Option<bool>,
    /// Documents are deleted this many seconds after the date in the field.
    pub expire_after_seconds: Option<i64>,
    /// Whether new duplicates are refused.
    pub prepare_unique: Option<bool>,
    /// Whether the index becomes unique, which cannot be undone.
    pub unique: Option<bool>,
    /// Only check for duplicates that prevent `unique`.
    pub dry_run: bool,
    /// Whether other options of the collection change in the same command.
    pub beside_others: bool,
}

impl Engine {
    /// Changes the index with this name or key pattern. Returns its specification before and after.
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
        if collection.options().kept.contains("timeseries") {
            check_of_series(&change)?;
        }
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
            check_convertible(&collection, index).await?;
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

/// Fails for the index by which a collection is clustered: it is the collection itself and cannot be changed.
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

/// Fails for changes of a time series' index other than hiding and showing it.
fn check_of_series(change: &IndexChange) -> Result<()> {
    let refuse = |message: &str| Err(Error::new(INVALID_OPTIONS, message));
    if change.expire_after_seconds.is_some() {
        return refuse(
            "TTL indexes are not supported for time-series collections. Use the collection's own 'expireAfterSeconds'",
        );
    }
    if change.unique.is_some() || change.prepare_unique.is_some() {
        return refuse("the indexes of a time series cannot be unique");
    }
    Ok(())
}

/// The specification after a change. Setting an option to its present value changes nothing.
fn changed(before: &IndexSpec, change: &IndexChange) -> Result<IndexSpec> {
    let refuse = |message: &str| Err(Error::new(INVALID_OPTIONS, message));
    let mut after = before.clone();
    let is_on_id = before.name == "_id_";
    let is_unique = before.unique || is_on_id;
    let has_others = change.hidden.is_some() || change.expire_after_seconds.is_some() || change.beside_others;
    if let Some(seconds) = change.expire_after_seconds {
        check_expires(before)?;
        after.expire_after_seconds = Some(seconds);
    }
    if change.dry_run && (has_others || change.prepare_unique.is_some()) {
        return refuse("unique: true cannot be combined with any other modification in dry run mode.");
    }
    match change.unique {
        Some(false) => return Err(Error::new(Code::BAD_VALUE, "Cannot make index non-unique")),
        Some(true) if !is_unique => {
            if !before.prepare_unique {
                return refuse(
                    "Cannot make index unique with 'prepareUnique=false'. Run collMod to set it first.",
                );
            }
            after.unique = true;
            after.made_unique = true;
            after.prepare_unique = false;
        }
        _ => {}
    }
    let is_text = before.key.contains("_fts");
    if is_text && !is_unique && (change.prepare_unique == Some(true) || change.unique == Some(true)) {
        return refuse("a text index is unique from the beginning or never: its entries are others then");
    }
    if change.hidden.is_some() && is_on_id {
        return Err(Error::new(Code::BAD_VALUE, "can't hide _id index"));
    }
    after.hidden = change.hidden.unwrap_or(before.hidden);
    let prepare = change.prepare_unique.filter(|_| !is_unique);
    if let Some(prepare) = prepare.filter(|prepare| *prepare != before.prepare_unique) {
        if has_others || change.unique.is_some() {
            return refuse("prepareUnique cannot be combined with any other modification.");
        }
        after.prepare_unique = prepare;
    }
    Ok(after)
}

/// Refuses an index by which no documents can expire.
fn check_expires(index: &IndexSpec) -> Result<()> {
    let refuse = |message: &str| Err(Error::new(INVALID_OPTIONS, message));
    if index.name == "_id_" {
        return refuse("the _id field does not support TTL indexes");
    }
    let numbers = index.key.iter().all(|(_, kind)| kind.as_ref().is_number());
    if index.key.len() != 1 || !numbers {
        return refuse("TTL indexes are single-field indexes, compound indexes do not support TTL");
    }
    Ok(())
}

/// Fails with the documents that share a key.
async fn check_convertible(collection: &Arc<Collection>, index: &Index) -> Result<()> {
    let duplicates = collection.duplicate_keys(index).await?;
    if duplicates.groups.is_empty() {
        return Ok(());
    }
    let what = match duplicates.is_cut {
        true => "Too many conflicting documents were detected. Please resolve them and rerun collMod.",
        false => "Please resolve conflicting documents before running collMod again.",
    };
    let violations: Value = duplicates
        .groups
        .into_iter()
        .map(|ids| Value::Document(doc! {"ids": Value::Array(ids)} as Document))
        .collect();
    let message = format!("Cannot convert the index to unique. {what}");
    Err(Error::new(CANNOT_CONVERT_TO_UNIQUE, message).with_detail("violations", violations))
}
