//! `$unionWith`: the documents of another pipeline after one's own.

use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::{AwaitedStep, Flow, Work};
use crate::sub_pipeline::{
    SubPipeline, SubStream, collectionless, sibling, stages_of, starts_with_documents,
};
use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use language::Fields;
use query::execute::Interruption;
use std::sync::Arc;
use store::Namespace;
use value::{Document, Value};

/// MongoDB's code for a stage that no sub-pipeline of `$unionWith` may have.
const NOT_ALLOWED: Code = Code::location(31_441);

#[derive(Debug)]
struct UnionWith {
    operand: Value,
    sub: SubPipeline,
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let (name, stages) = match operand {
        Value::String(name) => (Some(name.as_str()), Vec::new()),
        Value::Document(options) => {
            let fields = Fields::new("$unionWith", options);
            let name = fields.string("coll")?;
            let stages = fields.any("pipeline");
            fields.finish()?;
            let stages = stages.map(|stages| stages_of("pipeline", stages)).transpose()?;
            (name, stages.unwrap_or_default())
        }
        other => {
            return Err(QueryError::failed_to_parse(format!(
                "the $unionWith stage specification must be an object or string, but found {}",
                other.type_of().alias()
            )));
        }
    };
    let namespace = match name {
        Some(name) => sibling(scope, name)?,
        None if starts_with_documents(&stages) => collectionless(scope),
        None => {
            return Err(QueryError::failed_to_parse(
                "$unionWith stage without explicit collection must have a pipeline with $documents as first stage",
            ));
        }
    };
    let sub = SubPipeline::parse(stages, namespace, scope, &[], ("$unionWith", NOT_ALLOWED))?;
    Ok(vec![Arc::new(UnionWith {
        operand: operand.clone(),
        sub,
    })])
}

impl Stage for UnionWith {
    fn start(&self, run: &Run) -> Work {
        Work::awaited(Uniting {
            sub: self.sub.clone(),
            run: run.clone(),
            other: None,
        })
    }

    fn to_document(&self) -> Document {
        named("$unionWith", self.operand.clone())
    }

    fn reads(&self) -> Vec<&Namespace> {
        self.sub.reads()
    }
}

struct Uniting {
    sub: SubPipeline,
    run: Run,
    /// The other documents, once it is their turn.
    other: Option<SubStream>,
}

impl AwaitedStep for Uniting {
    fn push<'a>(
        &'a mut self,
        mut rows: Vec<Row>,
        out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            out.append(&mut rows);
            Ok(Flow::More)
        })
    }

    fn finish<'a>(
        &'a mut self,
        out: &'a mut Vec<Row>,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            let mut other = match self.other.take() {
                Some(other) => other,
                None => {
                    self.sub
                        .open(None, &self.run.variables, &self.run, interruption)
                        .await?
                }
            };
            let page = other.next_page(interruption).await?;
            if page.is_empty() {
                return Ok(Flow::Done);
            }
            out.extend(page.into_iter().map(Row::Raw));
            self.other = Some(other);
            Ok(Flow::More)
        })
    }
}
