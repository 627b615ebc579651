//! `$limit` and `$skip`.

use crate::row::Row;
use crate::stage::{QueryPart, Run, Stage, StageScope, named};
use crate::step::{Flow, Step, Work};
use crate::{Code, QueryError, Result};
use language::expression::number::Number;
use std::sync::Arc;
use value::{Document, Value, json};

#[derive(Debug)]
struct Limit {
    limit: u64,
}

#[derive(Debug)]
struct Skip {
    skip: u64,
}

pub(crate) fn parse_limit(
    name: &str,
    operand: &Value,
    _scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    let limit = count(name, operand, Code::location(5_107_201))?;
    if limit == 0 {
        return Err(QueryError::new(
            Code::location(15_958),
            "the limit must be positive",
        ));
    }
    Ok(vec![Arc::new(Limit { limit })])
}

pub(crate) fn parse_skip(
    name: &str,
    operand: &Value,
    _scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    let skip = count(name, operand, Code::location(5_107_200))?;
    Ok(vec![Arc::new(Skip { skip })])
}

fn count(name: &str, operand: &Value, code: Code) -> Result<u64> {
    let wrong = |what: &str| {
        let shown = json::to_string((&named(name, operand.clone())).into(), json::Mode::Relaxed);
        QueryError::new(
            code,
            format!("invalid argument to {name} stage: {what} in: {shown}"),
        )
    };
    let number = Number::of(operand.as_ref()).ok_or_else(|| wrong("Expected a number"))?;
    let whole = number.to_i64().ok_or_else(|| wrong("Expected an integer"))?;
    u64::try_from(whole).map_err(|_| wrong("Expected a non-negative number"))
}

impl Stage for Limit {
    fn start(&self, _run: &Run) -> Work {
        Work::local(Limiting { left: self.limit })
    }

    fn to_document(&self) -> Document {
        named("$limit", self.limit as i64)
    }

    fn part(&self) -> QueryPart<'_> {
        QueryPart::Limit(self.limit)
    }
}

impl Stage for Skip {
    fn start(&self, _run: &Run) -> Work {
        Work::local(Skipping { left: self.skip })
    }

    fn to_document(&self) -> Document {
        named("$skip", self.skip as i64)
    }

    fn part(&self) -> QueryPart<'_> {
        QueryPart::Skip(self.skip)
    }
}

struct Limiting {
    left: u64,
}

impl Step for Limiting {
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        let taken = usize::try_from(self.left).unwrap_or(usize::MAX).min(rows.len());
        out.extend(rows.into_iter().take(taken));
        self.left -= taken as u64;
        Ok(if self.left == 0 { Flow::Done } else { Flow::More })
    }
}

struct Skipping {
    left: u64,
}

impl Step for Skipping {
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        let passed = usize::try_from(self.left).unwrap_or(usize::MAX).min(rows.len());
        out.extend(rows.into_iter().skip(passed));
        self.left -= passed as u64;
        Ok(Flow::More)
    }
}
