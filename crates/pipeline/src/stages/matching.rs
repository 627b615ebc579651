//! `$match`.

use crate::row::Row;
use crate::stage::{QueryPart, Run, Stage, StageScope, named};
use crate::step::{Flow, Step, Work};
use crate::{Code, QueryError, Result};
use language::filter::{Filter, FilterPlace, FilterScope, TEXT_SCORE};
use std::sync::Arc;
use value::{Document, Value, doc};

#[derive(Debug)]
struct Match {
    query: Document,
    filter: Arc<Filter>,
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(query) = operand else {
        return Err(QueryError::new(
            Code::location(15_959),
            "the match filter must be an expression in an object",
        ));
    };
    let filters = FilterScope {
        place: FilterPlace::Stage,
        variables: Some(scope.variables),
    };
    let filter = Arc::new(Filter::parse(query, &filters)?);
    Ok(vec![Arc::new(Match {
        query: query.clone(),
        filter,
    })])
}

impl Stage for Match {
    fn start(&self, _run: &Run) -> Work {
        Work::local(Matching {
            filter: Arc::clone(&self.filter),
        })
    }

    fn to_document(&self) -> Document {
        named("$match", self.query.clone())
    }

    fn part(&self) -> QueryPart<'_> {
        QueryPart::Filter(&self.filter)
    }

    fn metadata(&self) -> &'static [&'static str] {
        match self.filter.text() {
            Some(_) => &[TEXT_SCORE, "score"],
            None => &[],
        }
    }
}

/// Tells later stages how well the documents match what the query has searched.
#[derive(Debug)]
pub(crate) struct Scoring {
    /// The query's filter, which searches texts.
    pub(crate) filter: Arc<Filter>,
}

impl Stage for Scoring {
    fn start(&self, _run: &Run) -> Work {
        Work::local(ScoringStep {
            filter: Arc::clone(&self.filter),
        })
    }

    /// It is a part of the `$match` before it, which is shown.
    fn to_document(&self) -> Document {
        named("$match", Document::new())
    }
}

struct ScoringStep {
    filter: Arc<Filter>,
}

impl Step for ScoringStep {
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            let score = self.filter.text_score(row.as_ref())?;
            let (document, before) = row.into_parts();
            let more = doc! {TEXT_SCORE: score, "score": score};
            out.push(Row::with_metadata(document, before, more));
        }
        Ok(Flow::More)
    }
}

struct Matching {
    filter: Arc<Filter>,
}

impl Step for Matching {
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            if self.filter.matches(row.as_ref())? {
                out.push(row);
            }
        }
        Ok(Flow::More)
    }
}
