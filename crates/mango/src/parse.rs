//! From JSON to a tree: implicit conjunctions written out, fields pushed down to their tests (`norm_ops`,
//! `norm_fields`).

use super::{Field, Node, SelectorError, Test, negate};
use language::regex::Regex;
use std::collections::HashSet;
use value::path::FieldPath;
use value::{Document, Value};

type Result<T> = std::result::Result<T, SelectorError>;

/// The conditions that may be nested in each other.
const SELECTOR_DEPTH_MAX: usize = 100;

/// Operators of MongoDB's that CouchDB names as such.
const NOT_SUPPORTED: [&str; 5] = ["$where", "$geoWithin", "$geoIntersects", "$near", "$nearSphere"];

/// Parses a whole selector, negations pushed down.
pub(super) fn selector(selector: &Document) -> Result<Node> {
    if selector.is_empty() {
        return Ok(Node::All(Vec::new()));
    }
    let node = negate::pushed_down(Parser { depth: 0 }.object(selector, "")?);
    match &node {
        Node::Field(field) if field.name.is_empty() => Err(SelectorError::MissingFieldName),
        _ => Ok(node),
    }
}

#[derive(Clone, Copy)]
struct Parser {
    depth: usize,
}

impl Parser {
    fn deeper(self) -> Result<Parser> {
        match self.depth {
            SELECTOR_DEPTH_MAX => Err(SelectorError::TooDeep(SELECTOR_DEPTH_MAX)),
            depth => Ok(Parser { depth: depth + 1 }),
        }
    }

    /// A condition on the value at `path`.
    fn condition(self, condition: &Value, path: &str) -> Result<Node> {
        match condition {
            Value::Document(object) if !object.is_empty() => self.object(object, path),
            value => field(path, Test::Eq(value.clone())),
        }
    }

    fn object(self, object: &Document, path: &str) -> Result<Node> {
        let inner = self.deeper()?;
        // Of members of one name the last counts.
        let mut seen = HashSet::new();
        let mut members: Vec<_> = object
            .iter()
            .rev()
            .filter(|(name, _)| seen.insert(*name))
            .collect();
        members.reverse();
        let mut parts = members
            .into_iter()
            .map(|(name, argument)| inner.member(name, argument, path))
            .collect::<Result<Vec<Node>>>()?;
        match parts.pop() {
            Some(only) if parts.is_empty() => Ok(only),
            last => {
                parts.extend(last);
                Ok(Node::All(parts))
            }
        }
    }

    fn member(self, name: &str, argument: &Value, path: &str) -> Result<Node> {
        let bad = || SelectorError::bad_argument(name, argument);
        let all = |arguments: &Value| match arguments {
            Value::Array(parts) => parts.iter().map(|part| self.condition(part, path)).collect(),
            _ => Err(bad()),
        };
        match (name, argument) {
            ("$and", parts) => Ok(Node::All(all(parts)?)),
            ("$or", parts) => Ok(Node::Any(all(parts)?)),
            ("$nor", parts) => Ok(Node::None(all(parts)?)),
            ("$not", Value::Document(_)) => Ok(Node::Not(Box::new(self.condition(argument, path)?))),
            ("$not", _) => Err(bad()),
            ("$elemMatch" | "$allMatch" | "$keyMapMatch", Value::Document(_)) => {
                let inner = self.condition(argument, "")?;
                field(
                    path,
                    match name {
                        "$elemMatch" => Test::ElemMatch(inner),
                        "$allMatch" => Test::AllMatch(inner),
                        _ => Test::KeyMapMatch(inner),
                    },
                )
            }
            ("$default", Value::Document(inner)) if inner.len() == 1 && inner.contains("$text") => {
                self.object(inner, path)
            }
            ("$text", _) if !path.is_empty() => Err(SelectorError::bad_field(path)),
            (
                "$text",
                Value::String(_) | Value::Bool(_) | Value::Int32(_) | Value::Int64(_) | Value::Double(_),
            ) => Ok(Node::Text(argument.clone())),
            ("$text", _) => Err(bad()),
            (name, _) if NOT_SUPPORTED.contains(&name) => Err(SelectorError::NotSupported(name.to_owned())),
            (name, _) if name.starts_with('$') => field(path, test(name, argument)?),
            (name, _) if path.is_empty() => self.condition(argument, name),
            (name, _) => self.condition(argument, &format!("{path}.{name}")),
        }
    }
}

fn field(name: &str, test: Test) -> Result<Node> {
    let path = FieldPath::parse_escaped(name);
    if !name.is_empty() && path.parts().iter().any(|part| part.is_empty()) {
        return Err(SelectorError::InvalidFieldName(name.to_owned()));
    }
    Ok(Node::Field(Box::new(Field {
        name: name.to_owned(),
        path,
        negated: false,
        test,
    })))
}

fn test(name: &str, argument: &Value) -> Result<Test> {
    let bad = || SelectorError::bad_argument(name, argument);
    let value = || argument.clone();
    Ok(match (name, argument) {
        ("$lt", _) => Test::Lt(value()),
        ("$lte", _) => Test::Lte(value()),
        ("$eq", _) => Test::Eq(value()),
        ("$ne", _) => Test::Ne(value()),
        ("$gte", _) => Test::Gte(value()),
        ("$gt", _) => Test::Gt(value()),
        ("$in", Value::Array(values)) => Test::In(values.clone()),
        ("$nin", Value::Array(values)) => Test::Nin(values.clone()),
        ("$all", Value::Array(values)) => Test::All(values.clone()),
        ("$exists", Value::Bool(there)) => Test::Exists(*there),
        ("$type", Value::String(name)) => Test::Type(name.clone()),
        ("$beginsWith", Value::String(prefix)) => Test::BeginsWith(prefix.clone()),
        ("$regex", Value::String(pattern)) => Test::Regex(Regex::new(pattern, "").map_err(|_| bad())?),
        ("$size", size) => Test::Size(integer(size).filter(|size| *size >= 0).ok_or_else(bad)?),
        ("$mod", Value::Array(pair)) => {
            match pair.iter().map(integer).collect::<Option<Vec<i64>>>().as_deref() {
                Some(&[divisor, remainder]) if divisor != 0 => Test::Mod(divisor, remainder),
                _ => return Err(bad()),
            }
        }
        ("$in" | "$nin" | "$all" | "$exists" | "$type" | "$regex" | "$mod", _)
        | ("$elemMatch" | "$allMatch" | "$keyMapMatch", _) => return Err(bad()),
        // A $beginsWith of anything but a string too, in CouchDB's words.
        (unknown, _) => return Err(SelectorError::InvalidOperator(unknown.to_owned())),
    })
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int32(number) => Some(i64::from(*number)),
        Value::Int64(number) => Some(*number),
        _ => None,
    }
}
