//! Random filters.

use super::documents::{FIELDS, INNER, scalar, value};
use super::{Random, one_in, pick};
use value::{Document, Value, doc};

/// The paths that queries, sorts and indexes name, some more often than others so that they meet.
pub const PATHS: [&str; 15] = [
    "a", "a", "b", "c", "c", "d", "c.x", "c.x", "c.y", "d.x", "d.y", "c.x.y", "d.x.x", "_id", "u",
];

/// Paths that name an element of an array, or a field, by number.
const NUMBERED: [&str; 4] = ["c.0", "d.0", "d.1.x", "c.x.0"];

/// A filter; an empty one now and then.
pub fn filter(random: &mut Random) -> Document {
    nested(random, 2)
}

fn nested(random: &mut Random, depth: u32) -> Document {
    let mut made = Document::new();
    if depth > 0 && one_in(random, 3) {
        let branches: Value = (0..1 + random.below(3))
            .map(|_| Value::Document(nested(random, depth - 1)))
            .collect();
        made.push(pick(random, &["$or", "$or", "$and", "$nor"]), branches);
    }
    if one_in(random, 25) {
        made.push("$alwaysFalse", 1);
    }
    if one_in(random, 15) {
        made.push("$expr", expression(random));
    }
    for _ in 0..pick(random, &[0u32, 1, 1, 1, 2, 3]) {
        let path = path(random);
        if !made.contains(path) {
            made.push(path, condition(random));
        }
    }
    made
}

fn path(random: &mut Random) -> &'static str {
    if one_in(random, 12) {
        pick(random, &NUMBERED)
    } else {
        pick(random, &PATHS)
    }
}

/// A comparison of fields at the top of the document, or of one with a value.
fn expression(random: &mut Random) -> Document {
    let field = format!("${}", pick(random, &FIELDS));
    let operand = if one_in(random, 2) {
        Value::from(format!("${}", pick(random, &FIELDS)))
    } else {
        Value::Document(doc! {"$literal": (scalar(random))})
    };
    let operator = pick(random, &["$eq", "$gt", "$gte", "$lt", "$lte", "$ne"]);
    Document::new().with(operator, Value::Array(vec![Value::from(field), operand]))
}

fn condition(random: &mut Random) -> Value {
    match random.below(8) {
        0..=1 => value(random),
        2 => Value::Document(doc! {"$exists": (!one_in(random, 3))}),
        3 => {
            let mut inner = Document::new();
            for name in INNER {
                if one_in(random, 2) {
                    inner.push(name, operators(random, 1));
                }
            }
            if inner.is_empty() {
                return Value::Document(operators(random, 2));
            }
            Value::Document(doc! {"$elemMatch": inner})
        }
        _ => Value::Document(operators(random, 2)),
    }
}

fn operators(random: &mut Random, depth: u32) -> Document {
    let mut made = Document::new();
    for _ in 0..pick(random, &[1u32, 1, 2]) {
        let (operator, operand) = operator(random, depth);
        if !made.contains(operator) {
            made.push(operator, operand);
        }
    }
    made
}

fn operator(random: &mut Random, depth: u32) -> (&'static str, Value) {
    match random.below(20) {
        0 => ("$eq", value(random)),
        1 => ("$gt", comparable(random)),
        2 => ("$gte", comparable(random)),
        3 => ("$lt", comparable(random)),
        4 => ("$lte", comparable(random)),
        5 => ("$ne", operand(random)),
        6 => ("$in", some(random, 4)),
        7 => ("$nin", some(random, 3)),
        8..=10 => ("$exists", Value::Bool(!one_in(random, 3))),
        11 => ("$type", pick(random, &TYPES).into()),
        12 => ("$regex", pick(random, &["^a", "^ab", "b", "^"]).into()),
        13 => ("$size", Value::Int32(random.below(4) as i32)),
        14 => ("$all", some(random, 2)),
        15 => (
            "$mod",
            Value::Array(vec![Value::Int32(2), Value::Int32(random.below(2) as i32)]),
        ),
        16 | 17 if depth > 0 => ("$not", Value::Document(operators(random, 0))),
        18 if depth > 0 => ("$elemMatch", Value::Document(operators(random, 0))),
        _ => ("$gte", Value::Int32(random.below(5) as i32)),
    }
}

const TYPES: [&str; 8] = [
    "number", "double", "string", "object", "array", "null", "bool", "date",
];

fn some(random: &mut Random, most: u64) -> Value {
    (0..random.below(most + 1)).map(|_| operand(random)).collect()
}

/// A value where a pattern would match or be refused.
fn operand(random: &mut Random) -> Value {
    match value(random) {
        Value::Regex(_) => Value::Int32(3),
        other => other,
    }
}

/// What can be compared by order: no pattern, and no end of all values, which compares with other types.
fn comparable(random: &mut Random) -> Value {
    match value(random) {
        Value::Regex(_) | Value::MinKey | Value::MaxKey => Value::Int32(2),
        other => other,
    }
}
