//! `$count` and `$sortByCount`.

use super::group::Group;
use super::sort::Sort;
use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::{Flow, Step, Work};
use crate::{Code, QueryError, Result};
use query::plan::SortPattern;
use std::collections::BTreeSet;
use std::sync::Arc;
use value::{Document, Value};

#[derive(Debug)]
struct Count {
    field: String,
}

pub(crate) fn parse(_name: &str, operand: &Value, _scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let wrong = |code, message| Err(QueryError::new(code, message));
    let Value::String(field) = operand else {
        return wrong(
            Code::location(40_156),
            "the count field must be a non-empty string",
        );
    };
    match field.as_str() {
        "" => wrong(
            Code::location(40_157),
            "the count field must be a non-empty string",
        ),
        field if field.starts_with('$') => wrong(
            Code::location(40_158),
            "the count field cannot be a $-prefixed path",
        ),
        field if field.contains('\0') => wrong(
            Code::location(40_159),
            "the count field cannot contain a null byte",
        ),
        field if field.contains('.') => wrong(Code::location(40_160), "the count field cannot contain '.'"),
        "_id" => wrong(Code::location(9_039_800), "the count field cannot be '_id'"),
        field => Ok(vec![Arc::new(Count {
            field: field.to_owned(),
        })]),
    }
}

impl Stage for Count {
    fn start(&self, _run: &Run) -> Work {
        Work::local(Counting {
            field: self.field.clone(),
            count: 0,
        })
    }

    fn to_document(&self) -> Document {
        named("$count", &self.field)
    }

    fn fields_read(&self) -> Option<BTreeSet<String>> {
        Some(BTreeSet::new())
    }
}

struct Counting {
    field: String,
    count: i64,
}

impl Step for Counting {
    fn push(&mut self, rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        self.count += rows.len() as i64;
        Ok(Flow::More)
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        // Of nothing there is no count, as there is no group.
        if self.count > 0 {
            let count = Value::integer(self.count);
            out.push(Row::Tree(named(&self.field, count)));
        }
        Ok(Flow::Done)
    }
}

pub(crate) fn parse_sort_by_count(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    let wrong = |code, message| Err(QueryError::new(code, message));
    match operand {
        Value::String(path) if !path.starts_with('$') => {
            return wrong(
                Code::location(40_148),
                "the sortByCount field must be defined as a $-prefixed path or an expression inside an object",
            );
        }
        Value::Document(expression) if !is_operator(expression) => {
            return wrong(
                Code::location(40_147),
                "the sortByCount field must be defined as a $-prefixed path or an expression inside an object",
            );
        }
        Value::String(_) | Value::Document(_) => {}
        _ => {
            return wrong(
                Code::location(40_149),
                "the sortByCount field must be specified as a string or as an object",
            );
        }
    }
    let spec = Document::new()
        .with("_id", operand.clone())
        .with("count", named("$sum", 1));
    let sort = Sort::new(SortPattern::parse(&named("count", -1))?);
    Ok(vec![Arc::new(Group::parse(&spec, scope)?), Arc::new(sort)])
}

fn is_operator(expression: &Document) -> bool {
    expression
        .iter()
        .next()
        .is_some_and(|(name, _)| name.starts_with('$'))
}
