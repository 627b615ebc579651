//! Indexes: creating, listing and dropping them.

use crate::catalog::index_spec::{BAD_SPEC, inherit_collation, is_on_id, parse_spec};
use crate::catalog::names::check_namespace;
use crate::catalog::{id_index, index_kinds};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::limits::INDEXES_MAX;
use crate::time_series::TimeSeries;
use code::Code;
use std::sync::Arc;
use store::{Collection, Index, IndexSpec, Namespace};
use value::{Document, Value, compare_documents};

/// What `createIndexes` did.
#[derive(Clone, Copy, Debug)]
pub struct CreatedIndexes {
    /// The number of indexes before.
    pub before: usize,
    /// The number of indexes after.
    pub after: usize,
    /// Whether the collection was made for them.
    pub created_collection: bool,
}

impl Engine {
    /// Creates indexes from MongoDB's specifications, and waits until they are built.
    pub async fn create_indexes(&self, namespace: &Namespace, given: &[Document]) -> Result<CreatedIndexes> {
        check_namespace(namespace)?;
        if namespace.collection.starts_with("system.") {
            let message = format!("cannot create indexes on the system collection {namespace}");
            return Err(Error::new(Code::INVALID_NAMESPACE, message));
        }
        let specs = self.parse_indexes(namespace, given)?;
        let present = self.store().collection(namespace);
        let created_collection = present.is_none();
        check_distinct(&specs, present.as_deref())?;
        let collection = self.for_writing(namespace).await?;
        if let Some(series) = TimeSeries::of(&collection.options()) {
            given.iter().try_for_each(TimeSeries::check_given_index)?;
            specs.iter().try_for_each(|spec| series.check_index(spec))?;
        }
        let present = id_index::shown(&collection);
        let is_there = |spec: &IndexSpec| present.iter().any(|index| index.spec().name == spec.name);
        let new = specs.iter().filter(|spec| !is_there(spec)).count();
        if present.len() + new > INDEXES_MAX {
            let message = format!("add index fails, too many indexes for {namespace}; at most {INDEXES_MAX}");
            return Err(Error::new(BAD_SPEC, message));
        }
        let (before, after) = collection.create_indexes(specs).await?;
        // The store counts each index on `_id`, clients see one.
        let of_id = collection.indexes().len() - id_index::shown(&collection).len();
        let unlisted = of_id + usize::from(hides_id_index(&collection));
        Ok(CreatedIndexes {
            before: before - unlisted,
            after: after - unlisted,
            created_collection,
        })
    }

    /// Reads specifications of indexes, and skips those of the index on `_id`, which exists.
    fn parse_indexes(&self, namespace: &Namespace, specs: &[Document]) -> Result<Vec<IndexSpec>> {
        let default = self.collation(namespace, None)?;
        let present = self.store().collection(namespace);
        let describes_id = |spec: &&Document| {
            let present = present.as_ref();
            present.is_some_and(|present| id_index::describes(spec, present))
        };
        let parse = |spec: &Document| -> Result<Option<IndexSpec>> {
            if spec.contains(id_index::CLUSTERED) {
                id_index::check_clustered(spec, present.as_deref())?;
                return Ok(None);
            }
            let mut parsed = parse_spec(spec)?;
            let asks_collation = spec.contains("collation");
            if asks_collation {
                id_index::check_collation(&parsed, default.as_ref())?;
            }
            id_index::check_beside_clustered(&parsed, present.as_deref())?;
            inherit_collation(&mut parsed, asks_collation, default.as_ref())?;
            Ok((!is_on_id(&parsed.key)).then_some(parsed))
        };
        let others = specs.iter().filter(|spec| !describes_id(spec));
        others.filter_map(|spec| parse(spec).transpose()).collect()
    }

    /// Rebuilds all indexes of a collection, and returns their specifications. Fails, and all indexes stay, if one of them was made by an
    /// earlier version and cannot be made any more.
    pub async fn rebuild_indexes(&self, namespace: &Namespace) -> Result<Vec<Document>> {
        let specs = self.indexes(namespace)?;
        self.parse_indexes(namespace, &specs)?;
        self.existing(namespace)?.rebuild_indexes().await?;
        Ok(specs)
    }

    /// The specifications of a collection's indexes.
    pub fn indexes(&self, namespace: &Namespace) -> Result<Vec<Document>> {
        let collection = self.existing(namespace)?;
        collection.refuse_view()?;
        let indexes = id_index::shown(&collection);
        let others = indexes
            .iter()
            .filter(|index| index.spec().name != "_id_")
            // These belong to design documents, and are made again from them.
            .filter(|index| !index.is_collated())
            .map(|index| index_kinds::listed(index.spec()));
        Ok(id_index::listed(&collection).into_iter().chain(others).collect())
    }

    /// Drops indexes by name or by key, or all except `_id_` (`*`). Returns the number of indexes before.
    pub async fn drop_indexes(&self, namespace: &Namespace, which: &Value) -> Result<usize> {
        let collection = self
            .existing(namespace)
            .map_err(|error| Error::new(error.code, format!("ns not found {namespace}")))?;
        collection.refuse_view()?;
        let present = id_index::shown(&collection);
        let count = present.len() - usize::from(hides_id_index(&collection));
        let is_all = |name: &Value| matches!(name, Value::String(all) if all == "*");
        let names = match which {
            all if is_all(all) => all_but_id(&present),
            Value::Array(names) if names.iter().any(is_all) => all_but_id(&present),
            Value::Array(names) => names
                .iter()
                .map(|name| named(&present, name))
                .collect::<Result<Vec<_>>>()?,
            one => vec![named(&present, one)?],
        };
        if names.iter().any(|name| name == "_id_") {
            return Err(Error::new(Code::INVALID_OPTIONS, "cannot drop _id index"));
        }
        for name in names {
            collection.drop_index(&name).await?;
        }
        Ok(count)
    }
}

/// Refuses an index that is described twice, unless it is there already.
fn check_distinct(specs: &[IndexSpec], collection: Option<&Collection>) -> Result<()> {
    let present = collection.map(Collection::indexes).unwrap_or_default();
    let is_there = |spec: &IndexSpec| present.iter().any(|index| index.spec().name == spec.name);
    for (at, spec) in specs.iter().enumerate().filter(|(_, spec)| !is_there(spec)) {
        let is_same = |earlier: &IndexSpec| earlier.name == spec.name && earlier.same_options(spec);
        if !specs.iter().take(at).any(is_same) {
            continue;
        }
        let (code, message) = match collection {
            None => (
                Code::INDEX_ALREADY_EXISTS,
                format!("Identical index already exists: {}", spec.name),
            ),
            Some(_) => (
                Code::OPERATION_FAILED,
                "Cannot build two identical indexes. Try again without duplicate indexes.".to_owned(),
            ),
        };
        return Err(Error::new(code, message));
    }
    Ok(())
}

/// Whether the index on `_id` is not counted: clients see none in a time series, and in a clustered collection it is the
/// collection itself.
fn hides_id_index(collection: &Collection) -> bool {
    let options = collection.options();
    options.kept.contains("clusteredIndex") || options.kept.contains("timeseries")
}

fn all_but_id(present: &[Arc<Index>]) -> Vec<String> {
    let names = present.iter().map(|index| index.spec().name.clone());
    names.filter(|name| name != "_id_").collect()
}

fn index_not_found(name: &str) -> Error {
    Error::new(
        Code::INDEX_NOT_FOUND,
        format!("index not found with name [{name}]"),
    )
}

/// The name of the index that a name or a key pattern names.
pub(crate) fn named(present: &[Arc<Index>], which: &Value) -> Result<String> {
    match which {
        Value::String(name) => {
            let found = present.iter().any(|index| index.spec().name == *name);
            found.then(|| name.clone()).ok_or_else(|| index_not_found(name))
        }
        Value::Document(key) => {
            let same =
                |index: &&Arc<Index>| compare_documents((&index.spec().key).into(), key.into()).is_eq();
            let found: Vec<&str> = present
                .iter()
                .filter(same)
                .map(|index| index.spec().name.as_str())
                .collect();
            let key = || value::json::to_string(key.into(), value::json::Mode::Relaxed);
            match found.as_slice() {
                [] => Err(Error::new(
                    Code::INDEX_NOT_FOUND,
                    format!("can't find index with key: {}", key()),
                )),
                [one] => Ok((*one).to_owned()),
                several => {
                    let (count, names) = (several.len(), several.join(", "));
                    let message = format!(
                        "{count} indexes found for key: {}, identify by name instead: {names}",
                        key()
                    );
                    Err(Error::new(Code::AMBIGUOUS_INDEX_KEY_PATTERN, message))
                }
            }
        }
        other => {
            let message = format!(
                "an index is named by its name or key, not by a {}",
                other.type_of().alias()
            );
            Err(Error::new(Code::TYPE_MISMATCH, message))
        }
    }
}
