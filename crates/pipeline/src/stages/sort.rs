//! `$sort`; with a limit after it, it keeps no more than that.

use crate::row::Row;
use crate::sorted_input::SortedInput;
use crate::stage::{QueryPart, Run, Stage, StageScope, named};
use crate::step::{Flow, PAGE_BYTES, PAGE_ROWS, Step, Work};
use crate::{Code, QueryError, Result};
use language::filter::TEXT_SCORE;
use language::projection::SORT_KEY;
use memory::Share;
use query::execute::{sort_key, sort_key_with, sort_values};
use query::plan::SortPattern;
use std::sync::Arc;
use value::{Document, Value};

#[derive(Clone, Debug)]
pub(super) struct Sort {
    pattern: SortPattern,
    results_max: Option<u64>,
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(pattern) = operand else {
        return Err(QueryError::new(
            Code::location(15_973),
            "the $sort key specification must be an object",
        ));
    };
    if pattern.is_empty() {
        return Err(QueryError::new(
            Code::location(15_976),
            "$sort stage must have at least one sort key",
        ));
    }
    let numbers: Vec<&'static str> = NUMBERS
        .into_iter()
        .filter(|name| scope.metadata.contains(name))
        .collect();
    let pattern = SortPattern::parse_with(pattern, &numbers)?.with_collation(scope.variables.collation());
    Ok(match pattern.fields().is_empty() {
        true => Vec::new(),
        false => vec![Arc::new(Sort::new(pattern))],
    })
}

impl Sort {
    pub(super) fn new(pattern: SortPattern) -> Sort {
        Sort {
            pattern,
            results_max: None,
        }
    }
}

impl Stage for Sort {
    fn start(&self, run: &Run) -> Work {
        Work::local(Sorting {
            pattern: self.pattern.clone(),
            input: SortedInput::new(run, self.results_max),
            key: Vec::new(),
        })
    }

    fn to_document(&self) -> Document {
        let mut document = named(
            "$sort",
            Document::new().with("sortKey", self.pattern.to_document()),
        );
        if let (Some(limit), Some(Value::Document(sort))) = (self.results_max, document.get_mut("$sort")) {
            sort.push("limit", limit as i64);
        }
        document
    }

    fn part(&self) -> QueryPart<'_> {
        QueryPart::Sort(&self.pattern, self.results_max)
    }

    fn limited(&self, results_max: u64) -> Option<Box<dyn Stage>> {
        Some(Box::new(Sort {
            results_max: Some(
                self.results_max
                    .map_or(results_max, |known| known.min(results_max)),
            ),
            ..self.clone()
        }))
    }
}

struct Sorting {
    pattern: SortPattern,
    input: SortedInput<Row>,
    /// A buffer for the key of the present document.
    key: Vec<u8>,
}

/// Metadata by which documents are sorted.
const NUMBERS: [&str; 4] = [TEXT_SCORE, "score", "geoNearDistance", "searchScore"];

/// A number that a stage or a search gave a document.
fn number(row: &Row, name: &str) -> f64 {
    let Row::Marked(marked) = row else { return 0.0 };
    let number = marked.metadata.get(name);
    number.and_then(|number| number.as_ref().as_f64()).unwrap_or(0.0)
}

impl Step for Sorting {
    fn push(&mut self, rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            self.key.clear();
            match self.pattern.by_metadata() {
                true => {
                    let metadata = |name: &str| Ok(number(&row, name));
                    sort_key_with(row.as_ref(), metadata, &self.pattern, &mut self.key)?;
                }
                false => sort_key(row.as_ref(), &self.pattern, &mut self.key)?,
            }
            self.input.push(&self.key, &row)?;
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        let Some(sorted) = self.input.sorted()? else {
            return Ok(Flow::Done);
        };
        let mut bytes = 0;
        while out.len() < PAGE_ROWS && bytes < PAGE_BYTES {
            match sorted.pop()? {
                Some(row) => {
                    bytes += row.size_bytes();
                    out.push(row);
                }
                None => return Ok(Flow::Done),
            }
        }
        Ok(Flow::More)
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.input.rest(idle)
    }
}

/// Tells later stages by what values documents were sorted.
#[derive(Debug)]
pub(crate) struct Keying {
    pattern: SortPattern,
}

impl Keying {
    /// Behind a sort by this pattern.
    pub(crate) fn new(pattern: SortPattern) -> Keying {
        Keying { pattern }
    }
}

impl Stage for Keying {
    fn start(&self, _run: &Run) -> Work {
        Work::local(KeyingStep {
            pattern: self.pattern.clone(),
        })
    }

    /// Nothing: it is a part of the `$sort` before it, which is shown.
    fn to_document(&self) -> Document {
        Document::new()
    }
}

struct KeyingStep {
    pattern: SortPattern,
}

impl Step for KeyingStep {
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            let by_metadata = |name: &str| Ok(number(&row, name));
            let values = sort_values(row.as_ref(), by_metadata, &self.pattern)?;
            let (document, metadata) = row.into_parts();
            let mut metadata = metadata.unwrap_or_default();
            metadata.set(SORT_KEY, Value::Array(values));
            out.push(Row::of_parts(document, Some(metadata)));
        }
        Ok(Flow::More)
    }
}
