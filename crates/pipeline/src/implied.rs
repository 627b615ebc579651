//! Conditions that follow from `$expr`, in a form for which there are indexes.
//!
//! `{$expr: {$eq: ["$a", "$$x"]}}` is true only for documents that `{a: {$eq: <x>}}` matches too, as long as the value is
//! neither an array (which an expression may have gathered along the path) nor null (which an expression distinguishes from a
//! missing value). So that condition can be added, and the planner finds an index for it.

use crate::Result;
use language::expression::{Expression, Variables};
use language::filter::{Filter, FilterScope, Node};
use std::sync::Arc;
use value::{Document, Value};

/// The filter with the conditions that follow from its `$expr`.
pub(super) fn with_implied(filter: &Arc<Filter>, variables: &Variables) -> Result<Arc<Filter>> {
    let mut conditions = Vec::new();
    of_node(filter.root(), variables, &mut conditions);
    if conditions.is_empty() {
        return Ok(Arc::clone(filter));
    }
    let scope = FilterScope {
        variables: Some(variables),
        ..FilterScope::default()
    };
    let mut all = vec![Filter::clone(filter)];
    for condition in conditions {
        all.push(Filter::parse(&condition, &scope)?);
    }
    Ok(Arc::new(Filter::all_of(all)))
}

/// Adds the conditions that follow from a node; for a conjunction, those that follow from each of its parts.
fn of_node(node: &Node, variables: &Variables, conditions: &mut Vec<Document>) {
    match node {
        Node::And(children) => {
            for child in children {
                of_node(child, variables, conditions);
            }
        }
        Node::Expr(condition) => {
            if let Value::Document(expression) = condition.source() {
                of_expression(expression, variables, conditions);
            }
        }
        _ => {}
    }
}

fn of_expression(expression: &Document, variables: &Variables, conditions: &mut Vec<Document>) {
    for (name, operands) in expression.iter() {
        let Value::Array(operands) = operands else {
            continue;
        };
        match (name, operands.as_slice()) {
            ("$eq", [a, b]) => {
                let equality = equality(a, b, variables).or_else(|| equality(b, a, variables));
                conditions.extend(equality);
            }
            ("$and", operands) => {
                for operand in operands {
                    if let Value::Document(operand) = operand {
                        of_expression(operand, variables, conditions);
                    }
                }
            }
            _ => {}
        }
    }
}

/// `{path: {$eq: value}}` for a path and an operand that is the same for all documents.
fn equality(path: &Value, operand: &Value, variables: &Variables) -> Option<Document> {
    let scope = variables.parse_scope();
    let path = Expression::parse(path, &scope).ok()?.as_field_path()?;
    if !is_fixed(operand) {
        return None;
    }
    let operand = Expression::parse(operand, &scope).ok()?;
    if operand.reads_document() {
        return None;
    }
    let value = operand.evaluate((&Document::new()).into(), variables).ok()??;
    if matches!(value, Value::Array(_) | Value::Null | Value::Undefined) {
        return None;
    }
    Some(Document::new().with(path, Document::new().with("$eq", value)))
}

/// Whether no part of an operand is random.
fn is_fixed(operand: &Value) -> bool {
    match operand {
        Value::Document(operator) => operator
            .iter()
            .all(|(name, operand)| name != "$rand" && is_fixed(operand)),
        Value::Array(operands) => operands.iter().all(is_fixed),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::doc;

    fn parsed(filter: &Document, variables: &Variables) -> Arc<Filter> {
        let scope = FilterScope {
            variables: Some(variables),
            ..FilterScope::default()
        };
        Arc::new(Filter::parse(filter, &scope).unwrap())
    }

    /// The filter with what follows from it, in its normal form, and so a filter that is given as it should be.
    fn implied(filter: &Document, expected: &Document) -> (Document, Document) {
        let mut variables = Variables::new(0);
        variables.set("x", Some(Value::Int32(5)));
        variables.set("list", Some(Value::Array(vec![Value::Int32(5)])));
        let implied = with_implied(&parsed(filter, &variables), &variables).unwrap();
        (implied.to_document(), parsed(expected, &variables).to_document())
    }

    #[test]
    fn equality_with_a_variable_becomes_a_condition() {
        let filter = doc! {"$expr": {"$and": [{"$eq": ["$$x", "$a.b"]}, {"$gt": ["$c", 1]}]}};
        let both = doc! {"$and": [filter.clone(), {"a.b": {"$eq": 5}}]};
        let (implied, expected) = implied(&filter, &both);
        assert_eq!(implied, expected);
    }

    #[test]
    fn arrays_nulls_other_fields_and_random_values_imply_nothing() {
        for filter in [
            doc! {"$expr": {"$eq": ["$a", "$$list"]}},
            doc! {"$expr": {"$eq": ["$a", null]}},
            doc! {"$expr": {"$eq": ["$a", "$b"]}},
            doc! {"$expr": {"$eq": ["$a", {"$rand": {}}]}},
            doc! {"$expr": {"$or": [{"$eq": ["$a", 1]}, {"$eq": ["$b", 1]}]}},
        ] {
            let (implied, expected) = implied(&filter, &filter);
            assert_eq!(implied, expected);
        }
    }
}
