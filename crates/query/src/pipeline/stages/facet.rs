//! `$facet`: several pipelines over the same documents.

use crate::expression::Variables;
use crate::pipeline::memory;
use crate::pipeline::parse::{parse_stages, stage_name};
use crate::pipeline::row::Row;
use crate::pipeline::stage::{Stage, StageScope, named};
use crate::pipeline::step::{Flow, Step};
use crate::{Code, QueryError, Result};
use std::sync::Arc;
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

pub(in crate::pipeline) fn parse(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    let wrong = |code, message: String| QueryError::new(Code(code), message);
    let Value::Document(spec) = operand else {
        return Err(wrong(
            40_169,
            "the $facet specification must be a non-empty object".to_owned(),
        ));
    };
    if spec.is_empty() {
        return Err(wrong(
            40_169,
            "the $facet specification must be a non-empty object".to_owned(),
        ));
    }
    let mut facets = Vec::with_capacity(spec.len());
    for (name, stages) in spec.iter() {
        crate::expression::check_field_name(name)?;
        let Value::Array(stages) = stages else {
            return Err(wrong(
                40_170,
                format!(
                    "arguments to $facet must be arrays, {name} is type {}",
                    stages.type_of().alias()
                ),
            ));
        };
        check_stages(name, stages)?;
        let parsed = parse_stages(stages, scope.variables)?;
        if let Some(source) = parsed.iter().find(|stage| stage.is_source()) {
            return Err(not_allowed(&stage_name(&**source)));
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
        let Value::Document(stage) = stage else {
            return Err(QueryError::new(
                Code(40_171),
                format!(
                    "elements of arrays in $facet spec must be non-empty objects, {facet} argument contained an element of type {}",
                    stage.type_of().alias()
                ),
            ));
        };
        if let Some((name, _)) = stage.iter().find(|(name, _)| FORBIDDEN.contains(name)) {
            return Err(not_allowed(name));
        }
    }
    Ok(())
}

fn not_allowed(name: &str) -> QueryError {
    QueryError::new(
        Code(40_600),
        format!("{name} is not allowed to be used within a $facet stage"),
    )
}

impl Stage for Facet {
    fn start(&self, variables: &Arc<Variables>) -> Box<dyn Step> {
        let facets = self.facets.iter().map(|(name, stages)| OneFacet {
            name: name.clone(),
            steps: stages.iter().map(|stage| stage.start(variables)).collect(),
            finished: 0,
            results: Vec::new(),
            bytes: 0,
        });
        Box::new(Faceting {
            facets: facets.collect(),
        })
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
    steps: Vec<Box<dyn Step>>,
    /// Steps from the front that take nothing more.
    finished: usize,
    results: Vec<Value>,
    bytes: usize,
}

impl OneFacet {
    fn push(&mut self, start: usize, mut rows: Vec<Row>) -> Result<()> {
        for at in start..self.steps.len() {
            if rows.is_empty() {
                return Ok(());
            }
            let mut out = Vec::new();
            if self.steps[at].push(rows, &mut out)? == Flow::Done {
                self.finished = self.finished.max(at + 1);
            }
            rows = out;
        }
        for row in rows {
            self.bytes += row.size_bytes();
            self.results.push(Value::Document(row.into_document()));
        }
        memory::check("$facet", self.bytes)
    }

    fn finish(&mut self) -> Result<()> {
        let mut at = self.finished.saturating_sub(1);
        while at < self.steps.len() {
            let mut out = Vec::new();
            let flow = self.steps[at].finish(&mut out)?;
            self.push(at + 1, out)?;
            if flow == Flow::Done {
                at = (at + 1).max(self.finished.saturating_sub(1));
            }
        }
        Ok(())
    }
}

impl Step for Faceting {
    fn push(&mut self, rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        for facet in self.facets.iter_mut().filter(|facet| facet.finished == 0) {
            facet.push(0, rows.clone())?;
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        let mut document = Document::new();
        for facet in &mut self.facets {
            facet.finish()?;
            document.push(
                facet.name.as_str(),
                Value::Array(std::mem::take(&mut facet.results)),
            );
        }
        out.push(Row::Tree(document));
        Ok(Flow::Done)
    }
}
