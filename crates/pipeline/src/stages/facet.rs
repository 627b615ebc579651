//! `$facet`: several pipelines over the same documents.

use crate::chain::Chain;
use crate::kept::Kept;
use crate::parse::{parse_stages, searches_texts, text_not_first};
use crate::row::Row;
use crate::stage::{Position, Run, Stage, StageScope, named, stage_name};
use crate::step::{AwaitedStep, Flow, Work};
use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use language::expression::size_bytes;
use query::execute::Interruption;
use std::sync::Arc;
use store::Namespace;
use value::{Document, Value};

#[derive(Debug)]
struct Facet {
    operand: Document,
    facets: Vec<(String, Vec<Arc<dyn Stage>>)>,
}

/// Stages that cannot stand in a facet.
const FORBIDDEN: [&str; 7] = [
    "$facet",
    "$out",
    "$merge",
    "$geoNear",
    "$indexStats",
    "$collStats",
    "$planCacheStats",
];

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let wrong = |code, message: String| QueryError::new(code, message);
    let Value::Document(spec) = operand else {
        return Err(wrong(
            Code::location(40_169),
            "the $facet specification must be a non-empty object".to_owned(),
        ));
    };
    if spec.is_empty() {
        return Err(wrong(
            Code::location(40_169),
            "the $facet specification must be a non-empty object".to_owned(),
        ));
    }
    // All are looked at as a whole before any is parsed, as MongoDB does.
    let mut pipelines = Vec::with_capacity(spec.len());
    for (name, stages) in spec.iter() {
        language::expression::check_field_name(name)?;
        let Value::Array(stages) = stages else {
            return Err(wrong(
                Code::location(40_170),
                format!(
                    "arguments to $facet must be arrays, {name} is type {}",
                    stages.type_of().alias()
                ),
            ));
        };
        check_stages(name, stages)?;
        pipelines.push((name, stages));
    }
    let mut facets = Vec::with_capacity(pipelines.len());
    for (name, stages) in pipelines {
        check_allowed(stages)?;
        let within = StageScope {
            depth: scope.depth + 1,
            leads: false,
            ..*scope
        };
        let parsed = parse_stages(stages, &within)?;
        if parsed.iter().any(|stage| searches_texts(&**stage)) {
            return Err(text_not_first());
        }
        if let Some(stage) = parsed.iter().find(|stage| stage.position() != Position::Anywhere) {
            let name = stage_name(&**stage);
            if name == "$listLocalSessions" {
                // It needs a pipeline on a database, which those of a facet are not.
                let message = format!("{name} is only valid as the first stage of a pipeline on a database");
                return Err(QueryError::new(Code::INVALID_NAMESPACE, message));
            }
            return Err(not_allowed(&name));
        }
        facets.push((name.to_owned(), parsed));
    }
    Ok(vec![Arc::new(Facet {
        operand: spec.clone(),
        facets,
    })])
}

fn check_stages(facet: &str, stages: &[Value]) -> Result<()> {
    for stage in stages {
        if !matches!(stage, Value::Document(_)) {
            return Err(QueryError::new(
                Code::location(40_171),
                format!(
                    "elements of arrays in $facet spec must be non-empty objects, {facet} argument contained an element of type {}",
                    stage.type_of().alias()
                ),
            ));
        }
    }
    Ok(())
}

/// Refuses stages that stand in no facet.
fn check_allowed(stages: &[Value]) -> Result<()> {
    let mut names = stages.iter().flat_map(|stage| match stage {
        Value::Document(stage) => stage.iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    });
    match names.find(|name| FORBIDDEN.contains(name)) {
        Some(name) => Err(not_allowed(name)),
        None => Ok(()),
    }
}

fn not_allowed(name: &str) -> QueryError {
    QueryError::new(
        Code::location(40_600),
        format!("{name} is not allowed to be used within a $facet stage"),
    )
}

impl Stage for Facet {
    fn start(&self, run: &Run) -> Work {
        let facets = self.facets.iter().map(|(name, stages)| OneFacet {
            name: name.clone(),
            chain: Chain::new(stages.iter().map(|stage| stage.start(run)).collect()),
            results: Vec::new(),
            bytes: 0,
            kept: run.kept("$facet"),
        });
        Work::awaited(Faceting {
            facets: facets.collect(),
        })
    }

    fn reads(&self) -> Vec<&Namespace> {
        let stages = self.facets.iter().flat_map(|(_, stages)| stages);
        stages.flat_map(|stage| stage.reads()).collect()
    }

    fn to_document(&self) -> Document {
        named("$facet", self.operand.clone())
    }
}

struct Faceting {
    facets: Vec<OneFacet>,
}

/// One of the pipelines, and what has come out of it.
struct OneFacet {
    name: String,
    chain: Chain,
    results: Vec<Value>,
    bytes: usize,
    kept: Kept,
}

impl OneFacet {
    fn keep(&mut self, rows: Vec<Row>) -> Result<()> {
        for row in rows {
            let result = Value::Document(row.into_document());
            self.bytes += size_bytes(result.as_ref());
            self.kept.check(self.bytes)?;
            self.results.push(result);
        }
        Ok(())
    }

    async fn push(&mut self, rows: Vec<Row>, interruption: &Interruption) -> Result<()> {
        let mut out = Vec::new();
        self.chain.push(rows, &mut out, interruption).await?;
        self.keep(out)?;
        while self.chain.has_more() {
            interruption.check()?;
            let mut out = Vec::new();
            self.chain.go_on(&mut out, interruption).await?;
            self.keep(out)?;
        }
        Ok(())
    }

    async fn finish(&mut self, interruption: &Interruption) -> Result<()> {
        while !self.chain.is_finished() {
            interruption.check()?;
            let mut out = Vec::new();
            match self.chain.has_more() {
                true => self.chain.go_on(&mut out, interruption).await?,
                false => self.chain.finish(&mut out, interruption).await?,
            }
            self.keep(out)?;
        }
        Ok(())
    }
}

impl AwaitedStep for Faceting {
    fn push<'a>(
        &'a mut self,
        rows: Vec<Row>,
        _out: &'a mut Vec<Row>,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            for facet in self.facets.iter_mut().filter(|facet| facet.chain.is_open()) {
                facet.push(rows.clone(), interruption).await?;
            }
            Ok(Flow::More)
        })
    }

    fn finish<'a>(
        &'a mut self,
        out: &'a mut Vec<Row>,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            let mut document = Document::new();
            for facet in &mut self.facets {
                facet.finish(interruption).await?;
                document.push(
                    facet.name.as_str(),
                    Value::Array(std::mem::take(&mut facet.results)),
                );
            }
            out.push(Row::Tree(document));
            Ok(Flow::Done)
        })
    }
}
