//! Queries as the condition of a partial index.

use super::{Filter, FilterPlace, FilterScope, Node, Predicate, normal};
use crate::expression::Variables;
use crate::{Code, Error, Result};
use value::collation::Collation;
use value::{Document, DocumentFilter, DocumentRef};

impl Filter {
    /// Parses `partialFilterExpression`, and refuses what MongoDB does not take there. Strings are compared by the index's
    /// collation.
    pub fn parse_partial(condition: &Document, collation: Option<&Collation>) -> Result<Filter> {
        let variables = Variables::default().with_collation(collation.cloned());
        let scope = FilterScope {
            place: FilterPlace::Index,
            variables: Some(&variables),
        };
        let filter = Filter::parse(condition, &scope)?;
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
                Predicate::Compare { .. }
                | Predicate::In { .. }
                | Predicate::Exists
                | Predicate::Type(_)
                | Predicate::Geo(_),
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
            Err(Error::new(
                Code::CANNOT_CREATE_INDEX,
                format!("Expression not supported in partial index: {shown}"),
            ))
        }
    }
}
