//! `$replaceRoot` and `$replaceWith`.

use crate::paged::{RowMaker, paged};
use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::Work;
use crate::{Code, QueryError, Result};
use language::expression::{Expression, Variables};
use language::projection::new_root;
use std::sync::Arc;
use value::{Document, Value, json};

#[derive(Debug)]
struct ReplaceRoot {
    operand: Value,
    root: Expression,
    /// How messages name the expression.
    name: &'static str,
}

pub(crate) fn parse_replace_root(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    stage(new_root(operand)?, "'newRoot' expression", scope)
}

pub(crate) fn parse_replace_with(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    stage(operand, "'replacement document'", scope)
}

fn stage(root: &Value, name: &'static str, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let expression = Expression::parse(root, &scope.parse_scope())?;
    Ok(vec![Arc::new(ReplaceRoot {
        operand: root.clone(),
        root: expression,
        name,
    })])
}

impl Stage for ReplaceRoot {
    fn start(&self, run: &Run) -> Work {
        let replacing = Replacing {
            root: self.root.clone(),
            name: self.name,
            variables: Arc::clone(&run.variables),
        };
        paged(replacing, run)
    }

    fn to_document(&self) -> Document {
        named("$replaceRoot", named("newRoot", self.operand.clone()))
    }
}

struct Replacing {
    root: Expression,
    name: &'static str,
    variables: Arc<Variables>,
}

impl RowMaker for Replacing {
    fn make(&mut self, row: Row) -> Result<Row> {
        row.show_metadata(&mut self.variables);
        match self.root.evaluate(row.as_ref(), &self.variables)? {
            Some(Value::Document(root)) => Ok(Row::of_parts(root, row.metadata().cloned())),
            other => Err(not_an_object(self.name, other.as_ref(), &row)),
        }
    }
}

fn not_an_object(name: &str, found: Option<&Value>, row: &Row) -> QueryError {
    let shown = match found {
        None => "MISSING".to_owned(),
        Some(value) => json::to_string((&named("", value.clone())).into(), json::Mode::Relaxed),
    };
    QueryError::new(
        Code::location(40_228),
        format!(
            "{name} must evaluate to an object, but resulting value was: {shown}. Type of resulting value: '{}'. Input document: {}",
            found.map_or("missing", |value| value.type_of().alias()),
            json::to_string(row.as_ref(), json::Mode::Relaxed)
        ),
    )
}
