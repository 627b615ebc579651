//! `$redact`: parts of documents kept or pruned by what is in them.

use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::{Flow, Step, Work};
use crate::{Code, QueryError, Result};
use language::expression::{Expression, Variables};
use std::sync::Arc;
use value::{Document, DocumentRef, Value, ValueRef};

#[derive(Debug)]
struct Redact {
    operand: Value,
    expression: Expression,
}

/// The variables that only this stage has, and their values.
const VERDICTS: [(&str, &str); 3] = [("DESCEND", "descend"), ("PRUNE", "prune"), ("KEEP", "keep")];

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let mut names = scope.parse_scope();
    for (name, _) in VERDICTS {
        names = names.with_variable(name);
    }
    let expression = Expression::parse(operand, &names)?;
    Ok(vec![Arc::new(Redact {
        operand: operand.clone(),
        expression,
    })])
}

impl Stage for Redact {
    fn start(&self, run: &Run) -> Work {
        let mut variables = Variables::clone(&run.variables);
        for (name, verdict) in VERDICTS {
            variables.set(name, Some(Value::from(verdict)));
        }
        Work::local(Redacting {
            expression: self.expression.clone(),
            variables: Arc::new(variables),
        })
    }

    fn to_document(&self) -> Document {
        named("$redact", self.operand.clone())
    }
}

struct Redacting {
    expression: Expression,
    variables: Arc<Variables>,
}

impl Step for Redacting {
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        for row in rows {
            row.show_metadata(&mut self.variables);
            let redacted = self.document(row.as_ref(), row.as_ref())?;
            out.extend(redacted.map(|document| Row::of_parts(document, row.metadata().cloned())));
        }
        Ok(Flow::More)
    }
}

impl Redacting {
    /// What is left of a document; `None` if it is pruned.
    fn document(&self, current: DocumentRef<'_>, root: DocumentRef<'_>) -> Result<Option<Document>> {
        let verdict = self.expression.find_at(current, root, &self.variables)?;
        match verdict.get() {
            Some(ValueRef::String("keep")) => Ok(Some(current.to_document())),
            Some(ValueRef::String("prune")) => Ok(None),
            Some(ValueRef::String("descend")) => {
                let mut left = Document::new();
                for (name, value) in current.iter() {
                    if let Some(value) = self.value(value, root)? {
                        left.push(name, value);
                    }
                }
                Ok(Some(left))
            }
            _ => Err(QueryError::new(
                Code::location(17_053),
                "$redact's expression should not return anything aside from the variables $$KEEP, $$DESCEND, and \
                 $$PRUNE",
            )),
        }
    }

    fn value(&self, value: ValueRef<'_>, root: DocumentRef<'_>) -> Result<Option<Value>> {
        match value {
            ValueRef::Document(document) => Ok(self.document(document, root)?.map(Value::Document)),
            ValueRef::Array(array) => {
                let mut left = Vec::new();
                for element in array.iter() {
                    left.extend(self.value(element, root)?);
                }
                Ok(Some(Value::Array(left)))
            }
            other => Ok(Some(other.to_value())),
        }
    }
}
