//! `$unwind`: a document for each element of an array.

use crate::fields::{Around, checked_path, reached, remove, set};
use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::{Flow, Step, Work};
use crate::{Code, QueryError, Result};
use std::sync::Arc;
use value::path::FieldPath;
use value::{ArrayRef, Document, DocumentRef, Value, ValueRef};

#[derive(Clone, Debug)]
struct Unwind {
    path: FieldPath,
    operand: Value,
    preserves: bool,
    index: Option<FieldPath>,
}

pub(crate) fn parse(_name: &str, operand: &Value, _scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let mut unwind = Unwind {
        path: FieldPath::parse(""),
        operand: operand.clone(),
        preserves: false,
        index: None,
    };
    let path = match operand {
        Value::String(path) => Some(path),
        Value::Document(options) => parse_options(options, &mut unwind)?,
        other => {
            return Err(QueryError::new(
                Code::location(15_981),
                format!(
                    "expected either a string or an object as specification for $unwind stage, got {}",
                    other.type_of().alias()
                ),
            ));
        }
    };
    let path = path
        .filter(|path| !path.is_empty())
        .ok_or_else(|| QueryError::new(Code::location(28_812), "no path specified to $unwind stage"))?;
    let path = path.strip_prefix('$').ok_or_else(|| {
        QueryError::new(
            Code::location(28_818),
            format!("path option to $unwind stage should be prefixed with a '$': {path}"),
        )
    })?;
    unwind.path = checked_path(path)?;
    Ok(vec![Arc::new(unwind)])
}

fn parse_options<'o>(options: &'o Document, unwind: &mut Unwind) -> Result<Option<&'o String>> {
    let wrong = |code, wanted: &str, found: &Value| {
        QueryError::new(
            code,
            format!(
                "expected {wanted} for $unwind stage, got {}",
                found.type_of().alias()
            ),
        )
    };
    let mut path = None;
    for (name, value) in options.iter() {
        match (name, value) {
            ("path", Value::String(given)) => path = Some(given),
            ("path", other) => return Err(wrong(Code::location(28_808), "a string as the path", other)),
            ("preserveNullAndEmptyArrays", Value::Bool(preserves)) => unwind.preserves = *preserves,
            ("preserveNullAndEmptyArrays", other) => {
                return Err(wrong(
                    Code::location(28_809),
                    "a boolean for the preserveNullAndEmptyArrays option",
                    other,
                ));
            }
            ("includeArrayIndex", Value::String(index)) if !index.is_empty() => {
                if index.starts_with('$') {
                    return Err(QueryError::new(
                        Code::location(28_822),
                        format!(
                            "includeArrayIndex option to $unwind stage should not be prefixed with a '$': {index}"
                        ),
                    ));
                }
                unwind.index = Some(checked_path(index)?);
            }
            ("includeArrayIndex", other) => {
                return Err(wrong(
                    Code::location(28_810),
                    "a non-empty string for the includeArrayIndex option",
                    other,
                ));
            }
            (unknown, _) => {
                return Err(QueryError::new(
                    Code::location(28_811),
                    format!("unrecognized option to $unwind stage: {unknown}"),
                ));
            }
        }
    }
    Ok(path)
}

impl Stage for Unwind {
    fn start(&self, _run: &Run) -> Work {
        Work::local(Unwinding { unwind: self.clone() })
    }

    fn to_document(&self) -> Document {
        let operand = match &self.operand {
            Value::String(path) => Value::Document(named("path", path)),
            other => other.clone(),
        };
        named("$unwind", operand)
    }
}

struct Unwinding {
    unwind: Unwind,
}

impl Step for Unwinding {
    fn expands(&self) -> bool {
        true
    }

    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            self.unwind_row(row, out);
        }
        Ok(Flow::More)
    }
}

impl Unwinding {
    fn unwind_row(&self, row: Row, out: &mut Vec<Row>) {
        if self.unwind_bytes(&row, out) {
            return;
        }
        let elements = match reached(row.as_ref(), self.unwind.path.parts()) {
            None | Some(ValueRef::Null | ValueRef::Undefined) => {
                return self.pass(row, out);
            }
            Some(ValueRef::Array(array)) if array.is_empty() => {
                if self.unwind.preserves {
                    let mut document = row.into_document();
                    remove(&mut document, self.unwind.path.parts());
                    self.pass(Row::Tree(document), out);
                }
                return;
            }
            Some(ValueRef::Array(array)) => array.iter().map(ValueRef::to_value).collect::<Vec<_>>(),
            Some(_) => {
                out.push(self.with_index(row, Value::Null));
                return;
            }
        };
        // The array itself is not copied for each of its elements.
        let mut document = row.into_document();
        set(&mut document, self.unwind.path.parts(), Value::Null);
        for (at, element) in elements.into_iter().enumerate() {
            let mut copy = document.clone();
            set(&mut copy, self.unwind.path.parts(), element);
            out.push(self.with_index(Row::Tree(copy), Value::Int64(at as i64)));
        }
    }

    /// Unwinds a document that is BSON by copying the bytes around the array and of each element; false where that is
    /// not enough.
    fn unwind_bytes(&self, row: &Row, out: &mut Vec<Row>) -> bool {
        let (Row::Raw(document), [name], None) = (row, self.unwind.path.parts(), &self.unwind.index) else {
            return false;
        };
        let elements = match document.as_raw().get(name) {
            Some(ValueRef::Array(array)) if !array.is_empty() => array,
            _ => return false,
        };
        let around = Around::of(document.as_raw(), name);
        out.extend(elements.iter().map(|element| {
            let bytes = match element {
                ValueRef::Document(DocumentRef::Raw(document)) => document.as_bytes().len(),
                ValueRef::Array(ArrayRef::Raw(array)) => array.as_bytes().len(),
                other => language::expression::size_bytes(other),
            };
            Row::Raw(around.with(bytes, |writer, name| writer.put(name, element)))
        }));
        true
    }

    /// A document without elements, where it is to stay.
    fn pass(&self, row: Row, out: &mut Vec<Row>) {
        if self.unwind.preserves {
            out.push(self.with_index(row, Value::Null));
        }
    }

    fn with_index(&self, row: Row, position: Value) -> Row {
        let Some(index) = &self.unwind.index else {
            return row;
        };
        let mut document = row.into_document();
        set(&mut document, index.parts(), position);
        Row::Tree(document)
    }
}
