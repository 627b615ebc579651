//! Which documents a filter matches.

use super::order::{compare, number, rank};
use super::path::{expanded, reach};
use value::{Document, Value};

/// Whether a document matches a filter.
pub fn matches(filter: &Document, document: &Document) -> bool {
    let branches = |branches: &Value| -> Vec<bool> {
        let branches = list(branches).iter();
        branches.map(|branch| matches(inner(branch), document)).collect()
    };
    filter.iter().all(|(name, condition)| match name {
        "$and" => branches(condition).iter().all(|holds| *holds),
        "$or" => branches(condition).iter().any(|holds| *holds),
        "$nor" => !branches(condition).iter().any(|holds| *holds),
        "$alwaysFalse" => false,
        "$expr" => is_true(inner(condition), document),
        path => on_path(path, condition, document),
    })
}

fn inner(value: &Value) -> &Document {
    match value {
        Value::Document(inner) => inner,
        other => panic!("no document: {other:?}"),
    }
}

fn list(value: &Value) -> &[Value] {
    match value {
        Value::Array(list) => list,
        other => panic!("no list: {other:?}"),
    }
}

fn on_path(path: &str, condition: &Value, document: &Document) -> bool {
    match condition {
        Value::Document(operators) if is_operators(operators) => operators
            .iter()
            .all(|(operator, operand)| holds(path, operator, operand, document)),
        Value::Regex(pattern) => holds(path, "$regex", &Value::from(pattern.pattern.as_str()), document),
        value => holds(path, "$eq", value, document),
    }
}

fn is_operators(document: &Document) -> bool {
    document
        .iter()
        .next()
        .is_some_and(|(name, _)| name.starts_with('$'))
}

/// Whether what a path reaches satisfies one operator.
fn holds(path: &str, operator: &str, operand: &Value, document: &Document) -> bool {
    let arrays = || {
        reach(document, path)
            .into_iter()
            .filter_map(|reached| match reached.value {
                Some(Value::Array(elements)) => Some(elements),
                _ => None,
            })
    };
    match operator {
        "$ne" => !holds(path, "$eq", operand, document),
        "$nin" => !holds(path, "$in", operand, document),
        "$not" => !on_path(path, operand, document),
        "$exists" => {
            let there = reach(document, path)
                .iter()
                .any(|reached| reached.value.is_some());
            there == (*operand == Value::Bool(true))
        }
        "$size" => arrays().any(|elements| number(operand) == Some(elements.len() as f64)),
        "$elemMatch" => arrays().any(|elements| {
            elements
                .iter()
                .any(|element| element_matches(element, inner(operand)))
        }),
        "$all" => {
            let wanted = list(operand);
            !wanted.is_empty() && wanted.iter().all(|one| holds(path, "$eq", one, document))
        }
        _ => expanded(document, path)
            .into_iter()
            .any(|value| satisfies(value, operator, operand)),
    }
}

/// Whether an array's element satisfies what `$elemMatch` asks.
fn element_matches(element: &Value, condition: &Document) -> bool {
    if is_operators(condition) {
        let mut operators = condition.iter();
        return operators.all(|(operator, operand)| value_satisfies(element, operator, operand));
    }
    match element {
        Value::Document(fields) => matches(condition, fields),
        Value::Array(elements) => {
            let fields = elements.iter().enumerate();
            let named = fields
                .map(|(at, value)| (at.to_string(), value.clone()))
                .collect();
            matches(condition, &named)
        }
        _ => false,
    }
}

/// Whether a value, an array taken whole, satisfies an operator.
fn value_satisfies(value: &Value, operator: &str, operand: &Value) -> bool {
    match operator {
        "$ne" => !satisfies(Some(value), "$eq", operand),
        "$nin" => !satisfies(Some(value), "$in", operand),
        "$not" => !inner(operand)
            .iter()
            .all(|(operator, operand)| value_satisfies(value, operator, operand)),
        "$all" => {
            !list(operand).is_empty() && list(operand).iter().all(|one| satisfies(Some(value), "$eq", one))
        }
        "$exists" => *operand == Value::Bool(true),
        "$size" => matches!(value, Value::Array(elements) if number(operand) == Some(elements.len() as f64)),
        _ => satisfies(Some(value), operator, operand),
    }
}

/// Whether one value, or that there is none, satisfies an operator that looks at values one by one.
fn satisfies(value: Option<&Value>, operator: &str, operand: &Value) -> bool {
    match operator {
        "$eq" | "$gt" | "$gte" | "$lt" | "$lte" => {
            is_related(value.unwrap_or(&Value::Null), operator, operand)
        }
        "$in" => list(operand).iter().any(|one| match one {
            Value::Regex(pattern) => fits(value, &pattern.pattern),
            one => is_related(value.unwrap_or(&Value::Null), "$eq", one),
        }),
        "$type" => value.is_some_and(|value| match operand {
            Value::String(alias) => has_type(value, alias),
            other => panic!("no alias of a type: {other:?}"),
        }),
        "$mod" => {
            let asked: Vec<i64> = list(operand)
                .iter()
                .filter_map(|one| number(one).map(|number| number as i64))
                .collect();
            let number = value.and_then(number).filter(|number| number.is_finite());
            number.is_some_and(|number| number.trunc() as i64 % asked[0] == asked[1])
        }
        "$regex" => match operand {
            Value::String(pattern) => fits(value, pattern),
            other => panic!("no pattern: {other:?}"),
        },
        other => panic!("an operator that the model does not know: {other}"),
    }
}

fn is_related(value: &Value, operator: &str, limit: &Value) -> bool {
    if rank(value) != rank(limit) {
        return false;
    }
    let is_nan = |value: &Value| number(value).is_some_and(f64::is_nan);
    if is_nan(value) != is_nan(limit) {
        return false;
    }
    let order = compare(value, limit);
    match operator {
        "$eq" => order.is_eq(),
        "$gt" => order.is_gt(),
        "$gte" => order.is_ge(),
        "$lt" => order.is_lt(),
        _ => order.is_le(),
    }
}

/// The patterns of these tests are a text, at the beginning of the string where `^` stands before it.
fn fits(value: Option<&Value>, pattern: &str) -> bool {
    match value {
        Some(Value::String(text)) => match pattern.strip_prefix('^') {
            Some(beginning) => text.starts_with(beginning),
            None => text.contains(pattern),
        },
        Some(Value::Regex(regex)) => regex.pattern == pattern && regex.options.is_empty(),
        _ => false,
    }
}

fn has_type(value: &Value, alias: &str) -> bool {
    match alias {
        "number" => number(value).is_some(),
        "double" => matches!(value, Value::Double(_)),
        "string" => matches!(value, Value::String(_)),
        "object" => matches!(value, Value::Document(_)),
        "array" => matches!(value, Value::Array(_)),
        "null" => matches!(value, Value::Null),
        "bool" => matches!(value, Value::Bool(_)),
        "date" => matches!(value, Value::DateTime(_)),
        other => panic!("an alias that the model does not know: {other}"),
    }
}

/// `{$op: ["$a", value]}`, the field at the top of the document.
fn is_true(expression: &Document, document: &Document) -> bool {
    let (operator, operands) = expression.iter().next().expect("an operator");
    let operand = |one: &Value| match one {
        Value::String(path) if path.starts_with('$') => document.get(&path[1..]).cloned(),
        Value::Document(literal) => literal.get("$literal").cloned(),
        other => Some(other.clone()),
    };
    let (a, b) = (operand(&list(operands)[0]), operand(&list(operands)[1]));
    // What is missing comes after MinKey alone.
    let present = |value: Option<Value>| value.unwrap_or(Value::Undefined);
    let order = compare(&present(a), &present(b));
    match operator {
        "$eq" => order.is_eq(),
        "$gt" => order.is_gt(),
        "$gte" => order.is_ge(),
        "$lt" => order.is_lt(),
        "$lte" => order.is_le(),
        _ => order.is_ne(),
    }
}
