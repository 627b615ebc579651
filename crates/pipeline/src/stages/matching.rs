//! `$match`.

use crate::row::Row;
use crate::stage::{QueryPart, Run, Stage, StageScope, named};
use crate::step::{Flow, Step, Work};
use crate::{Code, QueryError, Result};
use language::filter::{Filter, FilterPlace, FilterScope};
use std::sync::Arc;
use value::{Document, Value};

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
