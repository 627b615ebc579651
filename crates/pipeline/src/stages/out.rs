//! `$out`: the results replace a collection, in one step, once all of them are written.

use super::write_batch::{WriteBatch, insert_all};
use crate::collections::WriteTarget;
use crate::row::Row;
use crate::stage::{Position, Run, Stage, StageScope, named};
use crate::step::{AwaitedStep, Flow, Work};
use crate::sub_pipeline::checked_namespace;
use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use language::Fields;
use query::execute::Interruption;
use std::sync::Arc;
use store::{Namespace, StoreError};
use value::{Document, Value};

#[derive(Debug)]
struct Out {
    operand: Value,
    target: Namespace,
    /// What the time series is made with that the target is to be.
    time_series: Option<Document>,
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let database = &scope.namespace.database;
    let (target, time_series) = match operand {
        Value::String(name) => (checked_namespace(database, name)?, None),
        Value::Document(options) => parse_options(options)?,
        other => {
            return Err(QueryError::new(
                Code::location(16_990),
                format!(
                    "$out only supports a string or object argument, but found {}",
                    other.type_of().alias()
                ),
            ));
        }
    };
    if target.collection.starts_with("system.") {
        return Err(QueryError::new(
            Code::location(17_385),
            format!("Can't $out to special collection: {}", target.collection),
        ));
    }
    if Namespace::is_own_database(&target.database) {
        return Err(QueryError::new(
            Code::location(31_321),
            format!("Can't $out to internal database: {}", target.database),
        ));
    }
    Ok(vec![Arc::new(Out {
        operand: operand.clone(),
        target,
        time_series,
    })])
}

fn parse_options(options: &Document) -> Result<(Namespace, Option<Document>)> {
    let fields = Fields::new("$out", options);
    let (database, collection) = (fields.string("db")?, fields.string("coll")?);
    let time_series = fields.document("timeseries")?;
    fields.finish()?;
    let collection = collection.ok_or_else(|| fields.missing("coll"))?;
    let namespace = checked_namespace(database.ok_or_else(|| fields.missing("db"))?, collection)?;
    let time_series = time_series.map(super::out_time_series::parse).transpose()?;
    Ok((namespace, time_series))
}

impl Stage for Out {
    fn start(&self, run: &Run) -> Work {
        Work::awaited(Replacing {
            target: self.target.clone(),
            time_series: self.time_series.clone(),
            run: run.clone(),
            batch: WriteBatch::default(),
            replacement: None,
        })
    }

    fn to_document(&self) -> Document {
        named("$out", self.operand.clone())
    }

    fn position(&self) -> Position {
        Position::Last
    }
}

struct Replacing {
    target: Namespace,
    time_series: Option<Document>,
    run: Run,
    batch: WriteBatch,
    /// The collection that will take the target's place, once there is one.
    replacement: Option<WriteTarget>,
}

impl Replacing {
    /// Makes the replacement, unless that was done.
    async fn prepare(&mut self) -> Result<WriteTarget> {
        if let Some(replacement) = &self.replacement {
            return Ok(replacement.clone());
        }
        let collections = &self.run.surroundings.collections;
        let present = collections.resolve(&self.target)?;
        if present.namespace != self.target || !present.stages.is_empty() {
            return Err(StoreError::IsView(self.target.to_string()).into());
        }
        if let Some(wanted) = &self.time_series {
            super::out_time_series::check_target(&self.target, &present, wanted)?;
        }
        if present
            .collection
            .is_some_and(|collection| collection.options().capped.is_some())
        {
            return Err(QueryError::new(
                Code::location(17_152),
                format!(
                    "namespace '{}' is capped so it can't be used for $out",
                    self.target
                ),
            ));
        }
        let replacement = collections
            .replacement(&self.target, self.time_series.as_ref())
            .await?;
        self.replacement = Some(replacement.clone());
        Ok(replacement)
    }
}

impl Drop for Replacing {
    fn drop(&mut self) {
        // The stage was interrupted.
        if let Some(replacement) = self.replacement.take() {
            self.run.surroundings.collections.discard(replacement.collection);
        }
    }
}

impl AwaitedStep for Replacing {
    fn push<'a>(
        &'a mut self,
        rows: Vec<Row>,
        _out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            let target = self.prepare().await?;
            for row in rows {
                if let Some(documents) = self.batch.add(row)? {
                    insert_all(&target, documents).await?;
                }
            }
            Ok(Flow::More)
        })
    }

    fn finish<'a>(
        &'a mut self,
        _out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            let target = self.prepare().await?;
            insert_all(&target, self.batch.take()).await?;
            let collections = Arc::clone(&self.run.surroundings.collections);
            collections.flush().await?;
            collections.replace(&target.collection, &self.target).await?;
            self.replacement = None;
            Ok(Flow::Done)
        })
    }
}
