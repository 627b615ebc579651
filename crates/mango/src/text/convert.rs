//! From a selector to what a text index is asked (`convert`).

use super::ask::{Ask, Path};
use super::ask::{ELEMENTS, LENGTH, NULL};
use crate::error::Error;
use crate::{Field, Node, Test};
use value::{Document, Value};

/// What asks for all that a condition matches.
pub(super) fn asked(node: &Node) -> Result<Ask, Error> {
    of_node(&Path::default(), node)
}

fn of_node(path: &Path, node: &Node) -> Result<Ask, Error> {
    let all = |parts: &[Node]| -> Result<Vec<Ask>, Error> {
        parts.iter().map(|part| of_node(path, part)).collect()
    };
    Ok(match node {
        Node::All(parts) => Ask::All(all(parts)?),
        Node::Any(parts) => Ask::Any(all(parts)?),
        Node::None(_) => return Err(invalid_operator("$nor")),
        Node::Not(inner) => Ask::Not(path.clone(), Box::new(of_node(path, inner)?)),
        Node::Text(Value::String(text)) => Ask::Default(quoted(text)),
        Node::Text(_) => return Err(invalid_operator("$text")),
        Node::Field(field) => of_field(path, field)?,
    })
}

fn invalid_operator(name: &str) -> Error {
    Error::refused("invalid_operator", format!("Invalid text operator: {name}"))
}

/// A name that is a number may be a position in an array, or the name of a member.
fn of_field(path: &Path, field: &Field) -> Result<Ask, Error> {
    let names = || field.path.parts().iter().filter(|_| !field.name.is_empty());
    let is_position = |name: &str| name.parse::<i64>().is_ok();
    let at = |names: &mut dyn Iterator<Item = &str>| {
        let mut path = path.clone();
        path.0.extend(names.map(str::to_owned));
        path
    };
    let by_name = at(&mut names().map(|name| &**name));
    if !names().any(|name| is_position(name)) {
        return of_condition(&by_name, field);
    }
    let by_position = at(&mut names().map(|name| if is_position(name) { ELEMENTS } else { name }));
    Ok(Ask::Any(vec![
        of_condition(&by_name, field)?,
        of_condition(&by_position, field)?,
    ]))
}

fn of_condition(path: &Path, field: &Field) -> Result<Ask, Error> {
    let ask = of_test(path, &field.test)?;
    Ok(match field.negated {
        true => Ask::Not(path.clone(), Box::new(ask)),
        false => ask,
    })
}

fn of_test(path: &Path, test: &Test) -> Result<Ask, Error> {
    let not = |ask: Ask| Ask::Not(path.clone(), Box::new(ask));
    Ok(match test {
        Test::Lt(value) => range(path, value, |value, least, _| format!("[{least} TO {value}}}")),
        Test::Lte(value) => range(path, value, |value, least, _| format!("[{least} TO {value}]")),
        Test::Gte(value) => range(path, value, |value, _, most| format!("[{value} TO {most}]")),
        Test::Gt(value) => range(path, value, |value, _, most| format!("{{{value} TO {most}]")),
        Test::Eq(value) => equal(path, value),
        Test::Ne(value) => not(equal(path, value)),
        Test::In(values) => among(path, values),
        Test::Nin(values) => not(among(path, values)),
        Test::Exists(true) | Test::Type(_) => Ask::Exists(path.clone()),
        Test::Exists(false) => Ask::Missing(path.clone()),
        Test::Mod(..) => Ask::Has {
            path: path.clone(),
            kind: "number",
            is_required: false,
        },
        // Lucene's expressions are others, so it is left to the selector.
        Test::Regex(_) => Ask::Has {
            path: path.clone(),
            kind: "string",
            is_required: true,
        },
        Test::BeginsWith(prefix) => Ask::Value {
            path: path.clone(),
            kind: "string",
            value: format!("{}*", escaped(prefix)),
        },
        Test::Size(size) => Ask::Value {
            path: path.elements(),
            kind: LENGTH,
            value: size.to_string(),
        },
        Test::All(values) => match &values[..] {
            [list @ Value::Array(_)] => Ask::Any(vec![equal(path, list), equal(&path.elements(), list)]),
            values => Ask::All(
                values
                    .iter()
                    .map(|value| equal(&path.elements(), value))
                    .collect(),
            ),
        },
        Test::ElemMatch(inner) | Test::AllMatch(inner) => of_node(&path.elements(), inner)?,
        Test::KeyMapMatch(_) => return Err(invalid_operator("$keyMapMatch")),
    })
}

/// A range from or to a value; what bounds it on the other side is handed to `written`.
fn range(path: &Path, value: &Value, written: impl Fn(&str, &str, &str) -> String) -> Ask {
    match kind(value) {
        None | Some(NULL) => Ask::Exists(path.clone()),
        Some(kind) => Ask::Value {
            path: path.clone(),
            kind,
            value: written(
                &value_text(value),
                if kind == "number" { "*" } else { "\"\"" },
                "*",
            ),
        },
    }
}

fn equal(path: &Path, value: &Value) -> Ask {
    match value {
        Value::Array(values) => {
            let elements = path.elements();
            let length = Ask::Value {
                path: elements.clone(),
                kind: LENGTH,
                value: values.len().to_string(),
            };
            let each = values.iter().map(|value| equal(&elements, value));
            Ask::All(std::iter::once(length).chain(each).collect())
        }
        // An object without members leaves no trace in an index.
        Value::Document(object) if object.is_empty() => Ask::Anything,
        Value::Document(object) => Ask::All(members(object, |name, value| equal(&path.with(name), value))),
        value => match kind(value) {
            None => Ask::Exists(path.clone()),
            Some(kind) => Ask::Value {
                path: path.clone(),
                kind,
                // In front of a word a minus would exclude it.
                value: value_text(value).replacen('-', "\\-", usize::from(kind == "number")),
            },
        },
    }
}

fn members(object: &Document, ask: impl Fn(&str, &Value) -> Ask) -> Vec<Ask> {
    object.iter().map(|(name, value)| ask(name, value)).collect()
}

/// One of some values, or an array with one.
fn among(path: &Path, values: &[Value]) -> Ask {
    let elements = path.elements();
    let either = |value: &Value| Ask::Any(vec![equal(path, value), equal(&elements, value)]);
    Ask::Any(values.iter().map(either).collect())
}

/// The type of a value as an index names it; `None` for those that are in none.
fn kind(value: &Value) -> Option<&'static str> {
    match value {
        Value::Int32(_) | Value::Int64(_) | Value::Double(_) => Some("number"),
        Value::String(_) => Some("string"),
        Value::Bool(_) => Some("boolean"),
        Value::Null => Some(NULL),
        _ => None,
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Int32(number) => number.to_string(),
        Value::Int64(number) => number.to_string(),
        Value::Double(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Bool(false) => "false".to_owned(),
        _ => "true".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A backslash before all that has a meaning in Lucene's syntax.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "+-(){}[]!^~*?:/\\\"&| \t\r\n".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
