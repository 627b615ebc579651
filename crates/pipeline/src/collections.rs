//! Access of a pipeline to other collections.

use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use query::write::Validator;
use std::fmt::Debug;
use std::sync::Arc;
use store::{Collection, Namespace};
use value::collation::Collation;
use value::{Document, DocumentBuf, Value};

/// The other collections, as the stages of a pipeline use them. Implemented by the engine.
pub trait Collections: Debug + Send + Sync {
    /// Resolves a name; views are followed down to their collection.
    fn resolve(&self, namespace: &Namespace) -> Result<Resolved>;

    /// The collection to write into, which is made if it does not exist.
    fn for_writing<'a>(&'a self, namespace: &'a Namespace) -> BoxFuture<'a, Result<WriteTarget>>;

    /// A new collection, under a temporary name, with the options and indexes of the one that it will replace; or the time
    /// series of these options.
    fn replacement<'a>(
        &'a self,
        of: &'a Namespace,
        time_series: Option<&'a Document>,
    ) -> BoxFuture<'a, Result<WriteTarget>>;

    /// Puts a replacement in its place; readers see the change as one step.
    fn replace<'a>(
        &'a self,
        replacement: &'a Arc<Collection>,
        of: &'a Namespace,
    ) -> BoxFuture<'a, Result<()>>;

    /// Drops a replacement that will not be used, in the background.
    fn discard(&self, replacement: Arc<Collection>);

    /// Makes what was written durable.
    fn flush(&self) -> BoxFuture<'_, Result<()>>;

    /// Documents that describe a part of the server.
    fn describe<'a>(&'a self, subject: &'a Subject) -> BoxFuture<'a, Result<Vec<Document>>>;

    /// Searches a full-text index of a collection.
    fn search<'a>(&'a self, searching: &'a Searching) -> BoxFuture<'a, Result<Searched>>;
}

/// A search of a full-text index.
#[derive(Clone, Debug)]
pub struct Searching {
    /// The collection.
    pub namespace: Namespace,
    /// The operand of `$search`.
    pub spec: Document,
    /// Whether only the metadata about all matches is wanted (`$searchMeta`).
    pub wants_meta: bool,
    /// The most documents that are wanted; `None` for all.
    pub documents_max: Option<u64>,
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Searched {
    /// The documents in order, each with its metadata.
    pub documents: Vec<(Document, Document)>,
    /// The metadata about all matches.
    pub meta: Document,
}

/// A resolved name.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The collection below all views.
    pub namespace: Namespace,
    /// That collection, if it exists.
    pub collection: Option<Arc<Collection>>,
    /// The stages of all views in between, the lowest first.
    pub stages: Vec<Value>,
    /// The order of strings with which the view was made; `None` if the name is not that of a view.
    pub view_collation: Option<Option<Collation>>,
}

/// A collection to write into.
#[derive(Clone, Debug)]
pub struct WriteTarget {
    /// The collection.
    pub collection: Arc<Collection>,
    /// What its documents must satisfy.
    pub validator: Option<Arc<Validator>>,
    /// The check for documents of a collection of this kind.
    pub check: Option<Arc<dyn DocumentCheck>>,
}

/// A check for documents of a kind of collection.
pub trait DocumentCheck: Debug + Send + Sync {
    /// Fails for a document that the collection cannot have.
    fn check(&self, document: &DocumentBuf) -> Result<()>;
}

/// The subject of a stage that makes its documents.
#[derive(Clone, Debug)]
pub enum Subject {
    /// `$collStats`
    CollectionStatistics(Namespace, CollectionStatistics),
    /// `$indexStats`
    IndexStatistics(Namespace),
    /// `$planCacheStats`
    PlanCache(Namespace),
    /// `$listSearchIndexes`
    SearchIndexes {
        /// The collection.
        namespace: Namespace,
        /// Only the one of this id.
        id: Option<String>,
        /// Only the one of this name.
        name: Option<String>,
    },
    /// `$currentOp`
    Operations(WantedOperations),
    /// `$listClusterCatalog`
    Catalog {
        /// Only this database; `None` for all.
        database: Option<String>,
        /// Whether shards are listed, of which there are none.
        shards: bool,
    },
    /// `$listLocalSessions` and `$listSessions`
    Sessions {
        /// Whether sessions of other users are listed too.
        all_users: bool,
        /// Only those of these users (name and database); `None` for the user's own.
        users: Option<Vec<(String, String)>>,
    },
}

/// Which operations are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct WantedOperations {
    /// Those of other users, too.
    pub all_users: bool,
    /// Connections that wait for a command, too.
    pub idle_connections: bool,
    /// Cursors that wait for a `getMore`, too.
    pub idle_cursors: bool,
    /// Long commands as the beginning of their text.
    pub is_truncated: bool,
}

/// Which statistics of a collection are wanted.
#[derive(Clone, Debug, Default)]
pub struct CollectionStatistics {
    /// Latencies; with their histograms or without.
    pub latencies: Option<bool>,
    /// Sizes, divided by this.
    pub storage_scale: Option<u64>,
    /// The number of documents.
    pub count: bool,
    /// The number of collection scans.
    pub query_execution: bool,
}

/// No collections, for pipelines over documents in memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCollections;

impl Collections for NoCollections {
    fn resolve(&self, namespace: &Namespace) -> Result<Resolved> {
        Ok(Resolved {
            namespace: namespace.clone(),
            collection: None,
            stages: Vec::new(),
            view_collation: None,
        })
    }

    fn for_writing<'a>(&'a self, namespace: &'a Namespace) -> BoxFuture<'a, Result<WriteTarget>> {
        Box::pin(async move { Err(unreachable_here(namespace)) })
    }

    fn replacement<'a>(
        &'a self,
        of: &'a Namespace,
        _time_series: Option<&'a Document>,
    ) -> BoxFuture<'a, Result<WriteTarget>> {
        Box::pin(async move { Err(unreachable_here(of)) })
    }

    fn replace<'a>(&'a self, _: &'a Arc<Collection>, of: &'a Namespace) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { Err(unreachable_here(of)) })
    }

    fn discard(&self, _: Arc<Collection>) {}

    fn flush(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn describe<'a>(&'a self, _: &'a Subject) -> BoxFuture<'a, Result<Vec<Document>>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn search<'a>(&'a self, _: &'a Searching) -> BoxFuture<'a, Result<Searched>> {
        Box::pin(async { Ok(Searched::default()) })
    }
}

fn unreachable_here(namespace: &Namespace) -> QueryError {
    QueryError::new(
        Code::INVALID_NAMESPACE,
        format!("this pipeline cannot write into {namespace}: it runs on documents at hand"),
    )
}
