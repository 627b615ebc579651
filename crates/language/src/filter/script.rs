//! `$where`: a function in JavaScript as a condition.

use crate::script::Program;
use crate::{Code, Error, Result};
use std::sync::Arc;
use value::{Document, DocumentRef, Value, ValueRef};

/// A function that must hold for the document, which it finds as `this` and as `obj`.
#[derive(Clone, Debug)]
pub struct WhereCondition {
    source: Value,
    program: Arc<Program>,
}

impl WhereCondition {
    pub(super) fn parse(source: &Value) -> Result<WhereCondition> {
        let code = match source {
            Value::String(code) | Value::JavaScript(code) => code,
            Value::JavaScriptWithScope(..) => {
                return Err(Error::new(
                    Code::location(4_649_201),
                    "$where no longer supports deprecated BSON type CodeWScope",
                ));
            }
            _ => return Err(Error::bad_value("$where got bad type")),
        };
        if code.is_empty() {
            return Err(Error::bad_value("code for $where cannot be empty"));
        }
        Ok(WhereCondition {
            source: source.clone(),
            program: Arc::new(Program::new(vec![code.clone()], Document::new())),
        })
    }

    /// The function as it was written.
    pub fn source(&self) -> &Value {
        &self.source
    }

    pub(super) fn matches(&self, document: DocumentRef<'_>) -> Result<bool> {
        self.program.test(0, ValueRef::Document(document))
    }
}
