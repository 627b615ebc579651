//! `$sample`: documents picked at random. A few of a whole collection are drawn before the pipeline runs ([`query::execute::draw`]).

use crate::kept::Kept;
use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::{Flow, Step, Work, give};
use crate::{Code, QueryError, Result};
use language::expression::number::Number;
use std::sync::Arc;
use value::random::Random;
use value::{Document, Value};

#[derive(Debug)]
struct Sample {
    size: u64,
}

pub(crate) fn parse(_name: &str, operand: &Value, _scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let wrong = |code, message: String| QueryError::new(code, message);
    let Value::Document(options) = operand else {
        return Err(wrong(
            Code::location(28_745),
            "the $sample stage specification must be an object".to_owned(),
        ));
    };
    let mut size = None;
    for (option, value) in options.iter() {
        if option != "size" {
            return Err(wrong(
                Code::location(28_748),
                format!("unrecognized option to $sample: {option}"),
            ));
        }
        if Number::of(value.as_ref()).is_none() {
            return Err(not_a_number());
        }
        size = Some(value);
    }
    let size = size.ok_or_else(|| {
        wrong(
            Code::location(28_749),
            "$sample stage must specify a size".to_owned(),
        )
    })?;
    let size = parse_size(size)?;
    Ok(vec![Arc::new(Sample { size })])
}

/// Decimals are rounded, doubles cut off.
fn parse_size(value: &Value) -> Result<u64> {
    let number = Number::of(value.as_ref()).ok_or_else(not_a_number)?;
    let whole = match number {
        Number::Decimal(_) => number.rounded(),
        other => other.truncated(),
    };
    // What is larger than a long counts as the largest.
    let whole = whole.or(number.is_positive().then_some(i64::MAX));
    match whole.and_then(|size| u64::try_from(size).ok()) {
        Some(size) if size > 0 => Ok(size),
        _ => Err(QueryError::new(
            Code::location(28_747),
            "size argument to $sample must be a positive integer",
        )),
    }
}

fn not_a_number() -> QueryError {
    QueryError::new(
        Code::location(28_746),
        "size argument to $sample must be a number",
    )
}

impl Stage for Sample {
    fn start(&self, run: &Run) -> Work {
        Work::local(Sampling {
            size: usize::try_from(self.size).unwrap_or(usize::MAX),
            random: Random::from_entropy(),
            seen: 0,
            kept: Vec::new(),
            bytes: 0,
            memory: run.kept("$sample"),
            given: None,
        })
    }

    fn picks(&self) -> Option<u64> {
        Some(self.size)
    }

    fn to_document(&self) -> Document {
        named("$sample", named("size", self.size as i64))
    }
}

/// A reservoir: each document so far is in it with the same chance.
struct Sampling {
    size: usize,
    random: Random,
    seen: u64,
    kept: Vec<Row>,
    bytes: usize,
    memory: Kept,
    given: Option<std::vec::IntoIter<Row>>,
}

impl Step for Sampling {
    fn push(&mut self, rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            self.seen += 1;
            let size = row.size_bytes();
            if self.kept.len() < self.size {
                self.bytes += size;
                self.kept.push(row);
            } else {
                let place = self.random.below(self.seen);
                if let Some(slot) = usize::try_from(place)
                    .ok()
                    .and_then(|place| self.kept.get_mut(place))
                {
                    self.bytes = (self.bytes + size).saturating_sub(slot.size_bytes());
                    *slot = row;
                }
            }
            self.memory.check(self.bytes)?;
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        if self.given.is_none() {
            let mut kept = std::mem::take(&mut self.kept);
            // The places in the reservoir still say something of the order in which documents came.
            self.random.shuffle(&mut kept);
            self.given = Some(kept.into_iter());
        }
        Ok(match &mut self.given {
            Some(rows) => give(rows, out),
            None => Flow::Done,
        })
    }
}
