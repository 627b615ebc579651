//! What a pipeline asks of the collections around it.

use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use query::write::Validator;
use std::fmt::Debug;
use std::sync::Arc;
use store::{Collection, Namespace};
use value::collation::Collation;
use value::{Document, DocumentBuf, Value};

/// The other collections, as the stages of a pipeline reach them. Whoever runs pipelines implements it.
pub trait Collections: Debug + Send + Sync {
    /// What a name stands for, views followed down to their collection.
    fn resolve(&self, namespace: &Namespace) -> Result<Resolved>;

    /// The collection to write into, made where it does not exist.
    fn for_writing<'a>(&'a self, namespace: &'a Namespace) -> BoxFuture<'a, Result<WriteTarget>>;

    /// A new collection, under a temporary name, with the options and indexes of the one that it will replace; or the time
    /// series of these options.
    fn replacement<'a>(
        &'a self,
        of: &'a Namespace,
        time_series: Option<&'a Document>,
    ) -> BoxFuture<'a, Result<WriteTarget>>;

    /// Puts a replacement in its place, in one step for those who read.
    fn replace<'a>(
        &'a self,
        replacement: &'a Arc<Collection>,
        of: &'a Namespace,
    ) -> BoxFuture<'a, Result<()>>;

    /// Drops a replacement that will not be put in place, some time later.
    fn discard(&self, replacement: Arc<Collection>);

    /// Makes what was written durable.
    fn flush(&self) -> BoxFuture<'_, Result<()>>;

    /// Documents that describe a part of the server.
    fn describe<'a>(&'a self, subject: &'a Subject) -> BoxFuture<'a, Result<Vec<Document>>>;

    /// What a full-text index of a collection finds.
    fn search<'a>(&'a self, searching: &'a Searching) -> BoxFuture<'a, Result<Searched>>;
}

/// What a full-text index is asked.
#[derive(Clone, Debug)]
pub struct Searching {
    /// The collection.
    pub namespace: Namespace,
    /// The operand of `$search`.
    pub spec: Document,
    /// Whether only what is told of all that matches is wanted.
    pub wants_meta: bool,
    /// Documents wanted at most; `None` for all.
    pub documents_max: Option<u64>,
}

/// What a full-text index has found.
#[derive(Debug, Default)]
pub struct Searched {
    /// The documents in order, each with its metadata.
    pub documents: Vec<(Document, Document)>,
    /// What is told of all that match.
    pub meta: Document,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The collection below all views.
    pub namespace: Namespace,
    /// It, where it exists.
    pub collection: Option<Arc<Collection>>,
    /// The stages of all views on the way, the lowest first.
    pub stages: Vec<Value>,
    /// The order of strings that the view of this name was made with; `None` where the name is no view's.
    pub view_collation: Option<Option<Collation>>,
}

/// A collection to write into.
#[derive(Clone, Debug)]
pub struct WriteTarget {
    /// The collection.
    pub collection: Arc<Collection>,
    /// What its documents must satisfy.
    pub validator: Option<Arc<Validator>>,
    /// What documents of a collection of this kind must be.
    pub check: Option<Arc<dyn DocumentCheck>>,
}

/// What the documents of a kind of collection must be.
pub trait DocumentCheck: Debug + Send + Sync {
    /// Refuses a document that cannot be one.
    fn check(&self, document: &DocumentBuf) -> Result<()>;
}

/// What a stage that makes its documents tells of.
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
        /// Only of this database; none for all.
        database: Option<String>,
        /// Whether the shards are told, of which there are none.
        shards: bool,
    },
    /// `$listLocalSessions` and `$listSessions`
    Sessions {
        /// Whether sessions of other users are told too.
        all_users: bool,
        /// Only of these users (name and database); none for one's own.
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
    /// How many documents.
    pub count: bool,
    /// How many collection scans there were.
    pub query_execution: bool,
}

/// Where there are no collections: pipelines over documents at hand.
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
