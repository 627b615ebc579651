//! The collections of the engine, as the stages of a pipeline reach them.

use crate::catalog::collations;
use crate::context::Context;
use crate::engine::Engine;
use crate::engine::WeakEngine;
use crate::error::Error;
use crate::reading::replacement;
use crate::time_series::TimeSeries;
use code::Code;
use futures::future::BoxFuture;
use pipeline::{Collections, DocumentCheck, Resolved, Searched, Searching, Subject, WriteTarget};
use query::QueryError;
use std::sync::Arc;
use store::{Collection, CollectionOptions, Namespace};
use value::Document;

/// The collections for the pipelines of one operation. A cursor may keep this for long, so it does not keep the engine open.
#[derive(Debug)]
pub(crate) struct StageCollections {
    engine: WeakEngine,
    context: Context,
    bypass_validation: bool,
}

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::new(error.code, error.message)
    }
}

impl StageCollections {
    pub(crate) fn new(engine: &Engine, context: &Context, bypass_validation: bool) -> StageCollections {
        StageCollections {
            engine: engine.downgrade(),
            context: context.clone(),
            bypass_validation,
        }
    }

    fn engine(&self) -> query::Result<Engine> {
        self.engine
            .upgrade()
            .ok_or_else(|| QueryError::new(Code::INTERRUPTED_AT_SHUTDOWN, "the server is shutting down"))
    }

    fn write_target(&self, engine: &Engine, collection: Arc<Collection>) -> query::Result<WriteTarget> {
        let validator = match self.bypass_validation {
            true => None,
            false => engine.validators().of(&collection)?,
        };
        let series = TimeSeries::of(&collection.options());
        Ok(WriteTarget {
            collection,
            validator,
            check: series.map(|series| Arc::new(series) as Arc<dyn DocumentCheck>),
        })
    }
}

impl Collections for StageCollections {
    fn resolve(&self, namespace: &Namespace) -> query::Result<Resolved> {
        let engine = self.engine()?;
        let resolved = engine.resolve_view(namespace)?;
        let view = engine
            .store()
            .collection(namespace)
            .filter(|named| named.is_view());
        Ok(Resolved {
            collection: engine.store().collection(&resolved.namespace),
            namespace: resolved.namespace,
            stages: resolved.pipeline,
            view_collation: view.map(|view| collations::default_of(&view)).transpose()?,
        })
    }

    fn for_writing<'a>(&'a self, namespace: &'a Namespace) -> BoxFuture<'a, query::Result<WriteTarget>> {
        Box::pin(async move {
            let engine = self.engine()?;
            let collection = engine.for_writing(namespace).await?;
            self.write_target(&engine, collection)
        })
    }

    fn replacement<'a>(
        &'a self,
        of: &'a Namespace,
        time_series: Option<&'a Document>,
    ) -> BoxFuture<'a, query::Result<WriteTarget>> {
        Box::pin(async move {
            let engine = self.engine()?;
            crate::catalog::names::check_namespace(of)?;
            engine.check_writable(of)?;
            let present = engine.store().collection(of);
            let mut options = present
                .as_ref()
                .map_or_else(CollectionOptions::default, |present| (*present.options()).clone());
            if let Some(series) = time_series {
                options.kept.set("timeseries", series.clone());
            }
            let series = TimeSeries::of(&options).filter(|_| present.is_none());
            let mut indexes = Vec::from_iter(series.and_then(|series| series.first_index()));
            if let Some(present) = present {
                // The index on `_id` is there already.
                let others = present.indexes().into_iter().skip(1);
                indexes.extend(others.map(|index| index.spec().clone()));
            }
            let collection = replacement::make(&engine, &of.database, options, indexes).await?;
            self.write_target(&engine, collection)
        })
    }

    fn replace<'a>(
        &'a self,
        replacement: &'a Arc<Collection>,
        of: &'a Namespace,
    ) -> BoxFuture<'a, query::Result<()>> {
        Box::pin(async move {
            let engine = self.engine()?;
            Ok(engine
                .rename_collection(&replacement.namespace(), of, true)
                .await?)
        })
    }

    fn discard(&self, replacement: Arc<Collection>) {
        replacement::discard(&self.engine, replacement.namespace());
    }

    fn flush(&self) -> BoxFuture<'_, query::Result<()>> {
        Box::pin(async move { Ok(self.engine()?.flush().await?) })
    }

    fn describe<'a>(&'a self, subject: &'a Subject) -> BoxFuture<'a, query::Result<Vec<Document>>> {
        Box::pin(async move { Ok(self.engine()?.describe(&self.context, subject).await?) })
    }

    fn search<'a>(&'a self, searching: &'a Searching) -> BoxFuture<'a, query::Result<Searched>> {
        Box::pin(async move {
            let engine = self.engine()?;
            let indexes = engine.search_indexes()?;
            Ok(indexes.search(&engine, searching).await?)
        })
    }
}
