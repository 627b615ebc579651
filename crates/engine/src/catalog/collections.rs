//! Databases and collections: creating, listing, changing, renaming and dropping them.

use crate::catalog::id_index;
use crate::catalog::names::{check_database, check_namespace};
use crate::catalog::own::check_no_accounts;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::tables::validators;
use crate::time_series::{self, TimeSeries, TimeSeriesChange, buckets};
use code::Code;
use std::sync::Arc;
use store::{CappedOptions, Collection, CollectionOptions, Namespace, StoreError};
use value::{Document, DocumentBuf, Value};

/// How often a change of options is tried again if others change them meanwhile.
const MODIFY_ATTEMPTS_MAX: usize = 10;

/// The options of a new collection.
#[derive(Clone, Debug, Default)]
pub struct CreateRequest {
    /// The limits of a capped collection.
    pub capped: Option<CappedOptions>,
    /// Every other option as given, in MongoDB's names (`validator`, `viewOn`, `pipeline`, …).
    pub options: Document,
}

/// What `collMod` changes.
#[derive(Clone, Debug, Default)]
pub struct ModifyRequest {
    /// Options to set; a null removes the option.
    pub options: Document,
    /// New size in bytes of a capped collection.
    pub capped_size_bytes: Option<u64>,
    /// New limit on the documents of a capped collection; 0 lifts it.
    pub capped_documents_max: Option<u64>,
    /// What changes of a time series.
    pub time_series: Option<TimeSeriesChange>,
}

/// The options that a collection has after a change.
struct Modified {
    kept: Document,
    capped: Option<CappedOptions>,
}

/// One line of a listing.
#[derive(Clone, Debug)]
pub struct CollectionEntry {
    /// The name without the database.
    pub name: String,
    /// Its options, `capped`, `size` and `max` included, in MongoDB's names.
    pub options: Document,
    /// Its UUID; a view has none.
    pub uuid: Option<[u8; 16]>,
    /// Whether it is a view.
    pub is_view: bool,
    /// The index on `_id` as it is listed; a view and a time series show none.
    pub id_index: Option<Document>,
}

impl Engine {
    /// The databases that hold at least one collection, sorted.
    pub fn databases(&self) -> Vec<String> {
        self.store().databases()
    }

    /// Fails for a view. A name that does not exist is not a view.
    pub fn refuse_view(&self, namespace: &Namespace) -> Result<()> {
        match self.existing(namespace) {
            Ok(collection) => Ok(collection.refuse_view()?),
            Err(_) => Ok(()),
        }
    }

    /// The collections and views of a database, sorted by name.
    pub fn collections(&self, database: &str) -> Vec<CollectionEntry> {
        self.store()
            .collections(database)
            .iter()
            .map(|c| entry(c))
            .collect()
    }

    /// One collection's entry, if it exists. For the buckets of a time series, the entry of the time series.
    pub fn collection_entry(&self, namespace: &Namespace) -> Option<CollectionEntry> {
        self.existing(namespace).ok().map(|c| entry(&c))
    }

    /// Creates a collection or a view. It is no error if one with the same options exists.
    pub async fn create_collection(&self, namespace: &Namespace, request: CreateRequest) -> Result<()> {
        check_namespace(namespace)?;
        check_no_accounts(namespace)?;
        if self.is_described(namespace) {
            return same_as_described(namespace, &request);
        }
        // A series may be made under the name of its buckets.
        let series = buckets::series_name(namespace).filter(|_| request.options.contains("timeseries"));
        let namespace = series.as_ref().unwrap_or(namespace);
        self.check_no_buckets(namespace)?;
        let options = CollectionOptions {
            capped: request.capped,
            kept: request.options,
            ..CollectionOptions::default()
        };
        validators::check(&options.kept)?;
        self.check_view(namespace, &options.kept)?;
        if let Some(present) = self.store().collection(namespace) {
            return same_or_exists(namespace, &present, &options);
        }
        let series = TimeSeries::of(&options);
        let first_index = series
            .and_then(|series| series.first_index())
            .or_else(|| id_index::under_collation(&options));
        match self.store().create(namespace, options.clone()).await {
            Ok(collection) => {
                if let Some(spec) = first_index {
                    collection.create_indexes(vec![spec]).await?;
                }
                Ok(())
            }
            Err(StoreError::NamespaceExists(_)) => {
                let present = self.existing(namespace)?;
                same_or_exists(namespace, &present, &options)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The collection to write into, created if it does not exist.
    pub(crate) async fn for_writing(&self, namespace: &Namespace) -> Result<Arc<Collection>> {
        self.check_writable(namespace)?;
        if let Some(collection) = self.store().collection(namespace) {
            collection.refuse_view()?;
            return Ok(collection);
        }
        check_namespace(namespace)?;
        self.check_no_buckets(namespace)?;
        Ok(Box::pin(self.store().create_if_missing(namespace)).await?)
    }

    /// Changes a collection's options.
    pub async fn modify_collection(&self, namespace: &Namespace, request: ModifyRequest) -> Result<()> {
        for _ in 0..MODIFY_ATTEMPTS_MAX {
            let before = self.existing(namespace)?.options();
            let Modified { kept, capped } = self.modified(namespace, &request)?;
            let change = move |options: &mut CollectionOptions| {
                // Otherwise changes of others would be undone, or a new collection with the same name would get the options of the old one.
                if !are_same(options, &before) {
                    return Err(StoreError::Contention);
                }
                options.kept = kept;
                options.capped = capped;
                Ok(())
            };
            match self.store().modify(namespace, change).await {
                Err(StoreError::Contention) => {}
                modified => return Ok(modified?),
            }
        }
        let message = format!("others change the options of {namespace} all the time");
        Err(Error::new(Code::WRITE_CONFLICT, message))
    }

    /// Fails if [`Engine::modify_collection`] would.
    pub fn check_modification(&self, namespace: &Namespace, request: &ModifyRequest) -> Result<()> {
        self.modified(namespace, request).map(drop)
    }

    /// The options of a collection after a change.
    fn modified(&self, namespace: &Namespace, request: &ModifyRequest) -> Result<Modified> {
        let present = self.existing(namespace)?;
        validators::check(&request.options)?;
        check_modifiable(namespace, &present, request)?;
        let mut kept = present.options().kept.clone();
        apply_options(&mut kept, &request.options);
        if changes_validation(&request.options) {
            complete_validation(&mut kept);
            // The validator that is there already must go with what is changed.
            validators::check(&kept)?;
        }
        self.check_view(namespace, &kept)?;
        if let Some(change) = &request.time_series {
            let Some(Value::Document(series)) = kept.get("timeseries") else {
                let message =
                    format!("collMod.timeseries is only for time-series collections, not {namespace}");
                return Err(Error::new(Code::INVALID_OPTIONS, message));
            };
            let series = time_series::changed(series, change)?;
            kept.set("timeseries", series);
        }
        let capped = resized(&present, request)?;
        Ok(Modified { kept, capped })
    }

    /// Drops a collection or a view. Returns false if there was none.
    pub async fn drop_collection(&self, namespace: &Namespace) -> Result<bool> {
        check_namespace(namespace)?;
        check_no_accounts(namespace)?;
        self.check_not_profiled(namespace)?;
        let series = self.buckets_of(namespace).map(|of| of.collection.namespace());
        let namespace = series.as_ref().unwrap_or(namespace);
        let dropped = self.store().drop_collection(namespace).await?;
        self.cursors().close_of(|open| open == namespace);
        self.latencies().forget(|open| open == namespace);
        Ok(dropped)
    }

    /// Drops a database with all its collections. Returns false if there was none.
    pub async fn drop_database(&self, database: &str) -> Result<bool> {
        check_database(database)?;
        let dropped = self.store().drop_database(database).await? > 0;
        self.cursors().close_of(|open| open.database == database);
        self.latencies().forget(|open| open.database == database);
        self.profiler().forget(database);
        Ok(dropped)
    }

    /// Renames a collection, perhaps into another database.
    pub async fn rename_collection(&self, from: &Namespace, to: &Namespace, drop_target: bool) -> Result<()> {
        check_namespace(from)?;
        check_namespace(to)?;
        check_no_accounts(from)?;
        self.check_nameable(to)?;
        self.check_no_buckets(to)?;
        if from == to {
            let message = "Can't rename a collection to itself";
            return Err(Error::new(Code::ILLEGAL_OPERATION, message));
        }
        let source = self.store().collection(from).ok_or_else(|| {
            Error::new(
                Code::NAMESPACE_NOT_FOUND,
                format!("Source collection {from} does not exist"),
            )
        })?;
        source.refuse_view()?;
        if let Some(present) = self.store().collection(to) {
            let message = match present.is_view() {
                // A collection cannot replace a view, even if the target is to be dropped.
                true => format!("a view already exists with that name: {to}"),
                false => format!("target namespace exists: {to}"),
            };
            if present.is_view() || !drop_target {
                return Err(Error::new(Code::NAMESPACE_EXISTS, message));
            }
        }
        self.store().rename(from, to, drop_target).await?;
        let is_other = |open: &Namespace| open == from || open == to;
        self.cursors().close_of(is_other);
        self.latencies().forget(is_other);
        Ok(())
    }
}

fn entry(collection: &Collection) -> CollectionEntry {
    let options = collection.options();
    let is_view = collection.is_view();
    CollectionEntry {
        name: collection.namespace().collection,
        options: listed_options(&options),
        uuid: (!is_view).then(|| collection.uuid()),
        is_view,
        id_index: id_index::listed(collection),
    }
}

fn listed_options(options: &CollectionOptions) -> Document {
    let mut listed = Document::new();
    if let Some(capped) = &options.capped {
        listed.push("capped", true);
        listed.push("size", Value::count(capped.size_bytes));
        if let Some(max) = capped.documents_max {
            listed.push("max", Value::count(max));
        }
    }
    for (name, value) in options.kept.iter() {
        listed.push(name, value.clone());
    }
    listed
}

fn same_or_exists(namespace: &Namespace, present: &Collection, asked: &CollectionOptions) -> Result<()> {
    let (present, asked) = (listed_options(&present.options()), listed_options(asked));
    let same =
        present.len() == asked.len() && asked.iter().all(|(name, value)| present.get(name) == Some(value));
    if same {
        return Ok(());
    }
    let kind = if present.contains("viewOn") {
        "namespace"
    } else {
        "collection"
    };
    let message = format!("{kind} already exists, but with different options: {namespace}");
    Err(Error::new(Code::NAMESPACE_EXISTS, message))
}

/// A described collection always exists, and has no options.
fn same_as_described(namespace: &Namespace, request: &CreateRequest) -> Result<()> {
    match request.capped.is_none() && request.options.is_empty() {
        true => Ok(()),
        false => Err(Error::new(
            Code::NAMESPACE_EXISTS,
            format!("collection already exists, without options: {namespace}"),
        )),
    }
}

/// Whether the options that `collMod` changes are the same. They are compared by bytes, because NaN does not equal itself.
fn are_same(one: &CollectionOptions, other: &CollectionOptions) -> bool {
    let bytes = |options: &CollectionOptions| DocumentBuf::from(&options.kept);
    one.capped == other.capped && bytes(one).bytes() == bytes(other).bytes()
}

fn apply_options(present: &mut Document, changes: &Document) {
    for (name, value) in changes.iter() {
        match value {
            Value::Null => drop(present.remove(name)),
            value => present.set(name, value.clone()),
        }
    }
}

fn changes_validation(options: &Document) -> bool {
    ["validator", "validationLevel", "validationAction"]
        .iter()
        .any(|name| options.contains(name))
}

/// Like MongoDB, writes down what a validator is left to by default, once something of the validation is changed.
fn complete_validation(kept: &mut Document) {
    for (name, default) in [("validationLevel", "strict"), ("validationAction", "error")] {
        if !kept.contains(name) {
            kept.push(name, default);
        }
    }
}

/// Refuses options that this kind of collection does not have.
fn check_modifiable(namespace: &Namespace, present: &Collection, request: &ModifyRequest) -> Result<()> {
    let kept = &present.options().kept;
    let refuse = |message: String| Err(Error::new(Code::INVALID_OPTIONS, message));
    let expires = request.options.contains("expireAfterSeconds");
    if expires && !kept.contains("timeseries") && !kept.contains("clusteredIndex") {
        return refuse(
            "'expireAfterSeconds' is only for collections clustered by _id and time series".to_owned(),
        );
    }
    if changes_validation(&request.options) && (present.is_view() || kept.contains("timeseries")) {
        return refuse(format!(
            "option not supported on a view or a time series: validator of {namespace}"
        ));
    }
    if let Some(view_option) = ["viewOn", "pipeline"]
        .iter()
        .find(|name| request.options.contains(name) && !present.is_view())
    {
        return refuse(format!("'{view_option}' option only supported on a view"));
    }
    let reserved = Namespace::is_own_database(&namespace.database);
    if request.options.contains("validator") && reserved {
        return refuse(format!("Document validators are not allowed on {namespace}"));
    }
    Ok(())
}

fn resized(collection: &Collection, request: &ModifyRequest) -> Result<Option<CappedOptions>> {
    let mut capped = collection.options().capped;
    let wanted = request.capped_size_bytes.is_some() || request.capped_documents_max.is_some();
    match &mut capped {
        Some(capped) => {
            capped.size_bytes = request.capped_size_bytes.unwrap_or(capped.size_bytes);
            if let Some(max) = request.capped_documents_max {
                capped.documents_max = (max > 0).then_some(max);
            }
        }
        None if wanted => return Err(Error::new(Code::INVALID_OPTIONS, "Collection must be capped.")),
        None => {}
    }
    Ok(capped)
}
