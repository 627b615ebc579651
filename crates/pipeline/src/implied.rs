//! Conditions that follow from `$expr`, in a form for which there are indexes.
//!
//! `{$expr: {$eq: ["$a", "$$x"]}}` holds only of documents that `{a: {$eq: <x>}}` matches too, as long as the value is
//! neither an array (which an expression may have gathered along the path) nor null (which an expression tells from a
//! missing value). So that condition may be added, and the planner finds an index for it.

use language::expression::{Expression, Variables};
use value::{Document, Value};

/// The filter with the conditions that follow from its `$expr`.
pub(super) fn with_implied(filter: &Document, variables: &Variables) -> Document {
    let mut conditions = Vec::new();
    of_filter(filter, variables, &mut conditions);
    if conditions.is_empty() {
        return filter.clone();
    }
    conditions.insert(0, Value::Document(filter.clone()));
    Document::new().with("$and", conditions)
}

fn of_filter(filter: &Document, variables: &Variables, conditions: &mut Vec<Value>) {
    for (name, value) in filter.iter() {
        match (name, value) {
            ("$expr", Value::Document(expression)) => of_expression(expression, variables, conditions),
            ("$and", Value::Array(branches)) => {
                for branch in branches {
                    if let Value::Document(branch) = branch {
                        of_filter(branch, variables, conditions);
                    }
                }
            }
            _ => {}
        }
    }
}

fn of_expression(expression: &Document, variables: &Variables, conditions: &mut Vec<Value>) {
    for (name, operands) in expression.iter() {
        let Value::Array(operands) = operands else {
            continue;
        };
        match (name, operands.as_slice()) {
            ("$eq", [a, b]) => {
                let equality = equality(a, b, variables).or_else(|| equality(b, a, variables));
                conditions.extend(equality.map(Value::Document));
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

/// Whether an operand has no part that chance decides.
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

    fn implied(filter: Document) -> Document {
        let mut variables = Variables::new(0);
        variables.set("x", Some(Value::Int32(5)));
        variables.set("list", Some(Value::Array(vec![Value::Int32(5)])));
        with_implied(&filter, &variables)
    }

    #[test]
    fn equality_with_a_variable_becomes_a_condition() {
        let filter = doc! {"$expr": {"$and": [{"$eq": ["$$x", "$a.b"]}, {"$gt": ["$c", 1]}]}};
        let both = doc! {"$and": [filter.clone(), {"a.b": {"$eq": 5}}]};
        assert_eq!(implied(filter), both);
    }

    #[test]
    fn nothing_follows_from_arrays_nulls_other_fields_and_chance() {
        for filter in [
            doc! {"$expr": {"$eq": ["$a", "$$list"]}},
            doc! {"$expr": {"$eq": ["$a", null]}},
            doc! {"$expr": {"$eq": ["$a", "$b"]}},
            doc! {"$expr": {"$eq": ["$a", {"$rand": {}}]}},
            doc! {"$expr": {"$or": [{"$eq": ["$a", 1]}, {"$eq": ["$b", 1]}]}},
        ] {
            assert_eq!(implied(filter.clone()), filter);
        }
    }
}
