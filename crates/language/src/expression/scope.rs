//! The variables of an expression: their names when it is parsed, and their values when it runs.

use crate::{Code, Error, Result};
use std::sync::Arc;
use value::collation::Collation;
use value::{ArrayRef, Document, Value, ValueRef};

/// What an expression may refer to.
#[derive(Clone, Debug, Default)]
pub struct ParseScope {
    variables: Vec<String>,
    collation: Option<Collation>,
    keeps_failing_constants: bool,
    metadata: Vec<&'static str>,
}

impl ParseScope {
    /// Makes constant parts fail only when they are evaluated, as MongoDB does in updates by pipelines: without a document to
    /// update, nothing fails.
    #[must_use]
    pub fn keeping_failing_constants(mut self) -> ParseScope {
        self.keeps_failing_constants = true;
        self
    }

    pub(super) fn keeps_failing(&self) -> bool {
        self.keeps_failing_constants
    }

    /// Only the variables that always exist: `$$ROOT`, `$$CURRENT`, `$$NOW`, `$$USER_ROLES`, `$$REMOVE` …
    pub fn new() -> ParseScope {
        ParseScope::default()
    }

    /// With a variable of this name, given a value by [`Variables::set`] before evaluation.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>) -> ParseScope {
        self.variables.push(name.into());
        self
    }

    /// With documents that have this metadata, for `$meta`; its values come by [`Variables::set_metadata`].
    #[must_use]
    pub fn with_metadata(mut self, names: &[&'static str]) -> ParseScope {
        self.metadata.extend_from_slice(names);
        self
    }

    /// Whether documents have metadata of this name.
    pub(crate) fn has_metadata(&self, name: &str) -> bool {
        self.metadata.contains(&name)
    }

    /// The order of strings, where it is not that of their bytes.
    pub(super) fn collation(&self) -> Option<&Collation> {
        self.collation.as_ref()
    }

    pub(super) fn declares(&self, name: &str) -> bool {
        self.variables.iter().any(|variable| variable == name)
    }
}

/// Whether the value depends on the time: whether `$$NOW` or `$$CLUSTER_TIME` is anywhere in an expression, or in a query with
/// expressions.
pub fn reads_clock(expression: &Value) -> bool {
    reads_variable(expression, &["NOW", "CLUSTER_TIME"])
}

/// Whether `$$USER_ROLES` is anywhere in an expression.
pub(crate) fn reads_user_roles(expression: &Value) -> bool {
    reads_variable(expression, &["USER_ROLES"])
}

/// Whether a variable of one of these names is anywhere in an expression.
fn reads_variable(expression: &Value, names: &[&str]) -> bool {
    match expression {
        Value::String(text) => text
            .strip_prefix("$$")
            .and_then(|path| path.split('.').next())
            .is_some_and(|name| names.contains(&name)),
        Value::Document(operator) => operator
            .iter()
            .any(|(name, operand)| name != "$literal" && reads_variable(operand, names)),
        Value::Array(operands) => operands.iter().any(|operand| reads_variable(operand, names)),
        _ => false,
    }
}

/// Whether the operator stands anywhere in an expression.
pub fn names_operator(expression: &Value, operator: &str) -> bool {
    match expression {
        Value::Document(fields) => fields
            .iter()
            .any(|(name, value)| name == operator || names_operator(value, operator)),
        Value::Array(elements) => elements.iter().any(|element| names_operator(element, operator)),
        _ => false,
    }
}

/// The values of variables while a query runs. The default ones have no time, so that reading the clock fails instead of returning a
/// time that is not the operation's.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    now_ms: Option<i64>,
    withholds_clock: bool,
    named: Vec<(String, Option<Value>)>,
    collation: Option<Collation>,
    index_key: Option<Value>,
    metadata: Document,
    user_roles: Option<Arc<Value>>,
}

impl Variables {
    /// The variables of a command, with `$$NOW` at this time in milliseconds since 1970: the same for a whole command.
    pub fn new(now_ms: i64) -> Variables {
        Variables {
            now_ms: Some(now_ms),
            ..Variables::default()
        }
    }

    /// Without a clock: `$expr` that reads it is refused, as in `count`, `distinct` and the filters of listings.
    #[must_use]
    pub fn without_clock(mut self) -> Variables {
        self.now_ms = None;
        self.withholds_clock = true;
        self
    }

    pub(crate) fn withholds_clock(&self) -> bool {
        self.withholds_clock
    }

    /// With this order of strings, for all that is parsed with these variables.
    #[must_use]
    pub fn with_collation(mut self, collation: Option<Collation>) -> Variables {
        self.collation = collation;
        self
    }

    /// The order of strings, where it is not that of their bytes.
    pub fn collation(&self) -> Option<&Collation> {
        self.collation.as_ref()
    }

    /// With the array that `$$USER_ROLES` gives. Without one it gives an empty array, as where nobody is logged in.
    #[must_use]
    pub fn with_user_roles(mut self, roles: Option<Arc<Value>>) -> Variables {
        self.user_roles = roles;
        self
    }

    pub(super) fn user_roles(&self) -> ValueRef<'_> {
        let roles = self.user_roles.as_deref().map(Value::as_ref);
        roles.unwrap_or(ValueRef::Array(ArrayRef::Tree(&[])))
    }

    /// With the key of the index entry by which the document was found: what `{$meta: "indexKey"}` gives.
    #[must_use]
    pub fn with_index_key(mut self, key: Document) -> Variables {
        self.index_key = Some(Value::Document(key));
        self
    }

    pub(super) fn index_key(&self) -> Option<ValueRef<'_>> {
        self.index_key.as_ref().map(Value::as_ref)
    }

    /// Sets the metadata of the next document.
    pub fn set_metadata(&mut self, metadata: Document) {
        self.metadata = metadata;
    }

    /// All metadata of the present document.
    pub fn shown_metadata(&self) -> &Document {
        &self.metadata
    }

    pub(super) fn metadata(&self, name: &str) -> Option<ValueRef<'_>> {
        self.metadata.get(name).map(Value::as_ref)
    }

    /// Sets a variable; `None` is a missing value.
    pub fn set(&mut self, name: impl Into<String>, value: Option<Value>) {
        let name = name.into();
        match self.named.iter_mut().find(|(known, _)| *known == name) {
            Some((_, present)) => *present = value,
            None => self.named.push((name, value)),
        }
    }

    /// The scope to parse expressions in that are evaluated with these variables.
    pub fn parse_scope(&self) -> ParseScope {
        ParseScope {
            variables: self.named.iter().map(|(name, _)| name.clone()).collect(),
            collation: self.collation.clone(),
            keeps_failing_constants: false,
            metadata: Vec::new(),
        }
    }

    /// `$$NOW` in milliseconds since 1970.
    pub fn now_ms(&self) -> Result<i64> {
        self.now_ms.ok_or_else(|| {
            Error::new(
                Code::location(10_071_200),
                "Builtin variable '$$NOW' is not available",
            )
        })
    }

    pub(super) fn named(&self, name: &str) -> Option<ValueRef<'_>> {
        let (_, value) = self.named.iter().find(|(known, _)| known == name)?;
        value.as_ref().map(Value::as_ref)
    }
}
