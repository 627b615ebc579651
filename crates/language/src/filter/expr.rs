//! `$expr`: an aggregation expression as a condition.

use super::{FilterPlace, FilterScope};
use crate::expression::{Expression, Variables, names_operator, reads_clock, reads_user_roles};
use crate::{Code, Error, Result};
use value::{DocumentRef, Value};

/// An aggregation expression that must be true, with the variables that it sees.
#[derive(Clone, Debug)]
pub struct ExprCondition {
    source: Value,
    expression: Expression,
    variables: Variables,
}

impl ExprCondition {
    pub(super) fn parse(source: &Value, scope: &FilterScope<'_>) -> Result<ExprCondition> {
        if scope.place == FilterPlace::Validator && names_operator(source, "$function") {
            return Err(Error::new(
                Code::location(4_660_800),
                "$function cannot be used inside a validator.",
            ));
        }
        // A validator is compiled for all who write.
        if scope.place == FilterPlace::Validator && reads_user_roles(source) {
            return Err(Error::new(
                Code::QUERY_FEATURE_NOT_ALLOWED,
                "$$USER_ROLES cannot be used inside a validator.",
            ));
        }
        let variables = scope.variables.cloned().unwrap_or_default();
        if variables.withholds_clock() && reads_clock(source) {
            return Err(Error::new(
                Code::location(51_144),
                "Builtin variables '$$NOW' and '$$CLUSTER_TIME' are not available",
            ));
        }
        let expression = Expression::parse(source, &variables.parse_scope())?;
        Ok(ExprCondition {
            source: source.clone(),
            expression,
            variables,
        })
    }

    /// The expression as it was written.
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// The parsed expression.
    pub fn expression(&self) -> &Expression {
        &self.expression
    }

    /// Whether the expression is true for the document.
    pub(super) fn matches(&self, document: DocumentRef<'_>) -> Result<bool> {
        self.expression.is_true(document, &self.variables)
    }
}
