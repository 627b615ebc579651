//! `$documents`: documents written in the pipeline itself.

use crate::row::Row;
use crate::stage::{Origin, Position, Run, Stage, StageScope, named};
use crate::step::{Flow, Step, Work, give};
use crate::{Code, QueryError, Result};
use language::expression::{Expression, Variables};
use std::sync::Arc;
use value::{Document, Value};

#[derive(Debug)]
struct Documents {
    operand: Value,
    expression: Expression,
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let expression = Expression::parse(operand, &scope.variables.parse_scope())?;
    Ok(vec![Arc::new(Documents {
        operand: operand.clone(),
        expression,
    })])
}

impl Stage for Documents {
    fn start(&self, run: &Run) -> Work {
        Work::local(Giving {
            expression: self.expression.clone(),
            variables: Arc::clone(&run.variables),
            rows: None,
        })
    }

    fn to_document(&self) -> Document {
        named("$documents", self.operand.clone())
    }

    fn position(&self) -> Position {
        Position::First(Origin::Database)
    }
}

struct Giving {
    expression: Expression,
    variables: Arc<Variables>,
    rows: Option<std::vec::IntoIter<Row>>,
}

impl Giving {
    fn documents(&self) -> Result<Vec<Row>> {
        let values = self
            .expression
            .evaluate((&Document::new()).into(), &self.variables)?;
        let Some(Value::Array(values)) = values else {
            return Err(QueryError::new(Code::location(5_858_203), "an array is expected"));
        };
        let rows = values.into_iter().map(|value| match value {
            Value::Document(document) => Ok(Row::Tree(document)),
            other => Err(QueryError::new(
                Code::location(40_228),
                format!(
                    "'newRoot' expression must evaluate to an object, but resulting value was of type '{}'",
                    other.type_of().alias()
                ),
            )),
        });
        rows.collect()
    }
}

impl Step for Giving {
    fn push(&mut self, _rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        if self.rows.is_none() {
            self.rows = Some(self.documents()?.into_iter());
        }
        Ok(match &mut self.rows {
            Some(rows) => give(rows, out),
            None => Flow::Done,
        })
    }
}
