//! Queries as the condition of a partial index.

use super::{Filter, FilterScope, Node, Predicate, normal};
use crate::selector::Selector;
use crate::{Code, QueryError, Result};
use std::sync::Arc;
use store::DocumentFilter;
use value::{Document, DocumentRef, Value};

/// The only name in a condition that is a selector of CouchDB's; no client of MongoDB's can give it.
pub const SELECTOR: &str = "$selector";

/// Compiles `partialFilterExpression`, or a [`SELECTOR`], for the store; what is wrong comes back in its words.
pub fn compile_partial(condition: &Document) -> Result<Arc<dyn DocumentFilter>, String> {
    if let Some(Value::Document(selector)) = condition.get(SELECTOR) {
        return match Selector::parse(selector) {
            Ok(selector) => Ok(Arc::new(selector)),
            Err(error) => Err(error.to_string()),
        };
    }
    match Filter::parse_partial(condition) {
        Ok(filter) => Ok(Arc::new(filter)),
        Err(error) => Err(error.message),
    }
}

impl Filter {
    /// Parses `partialFilterExpression`, and refuses what MongoDB does not take there.
    pub fn parse_partial(condition: &Document) -> Result<Filter> {
        let filter = Filter::parse(condition, &FilterScope::default())?;
        check(&filter.root)?;
        Ok(filter)
    }
}

impl DocumentFilter for Filter {
    /// What a partial index may ask cannot fail, so a failure is no match.
    fn matches(&self, document: DocumentRef<'_>) -> bool {
        Filter::matches(self, document).unwrap_or(false)
    }
}

fn check(node: &Node) -> Result<()> {
    match node {
        Node::And(children) | Node::Or(children) => children.iter().try_for_each(check),
        Node::AlwaysTrue
        | Node::Field {
            predicate:
                Predicate::Compare { .. } | Predicate::In { .. } | Predicate::Exists | Predicate::Type(_),
            ..
        } => Ok(()),
        refused => {
            let mut shown = String::new();
            let document = normal::document(refused);
            value::json::write(
                value::ValueRef::Document(DocumentRef::Tree(&document)),
                value::json::Mode::Relaxed,
                &mut shown,
            );
            Err(QueryError::new(
                Code::CANNOT_CREATE_INDEX,
                format!("Expression not supported in partial index: {shown}"),
            ))
        }
    }
}
