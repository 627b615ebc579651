//! The index keys of the documents that satisfy a predicate.

use super::interval::{Cut, Interval, Intervals};
use language::filter::{Comparison, Predicate, TypeSet};
use language::regex::Regex;
use value::{Binary, Document, ObjectId, Timestamp, Type, Value};

/// The keys that a predicate allows in its field.
#[derive(Clone, Debug)]
pub struct KeySet {
    /// Every document that satisfies the predicate has at least one of these keys.
    pub keys: Intervals,
    /// Whether every document with one of these keys satisfies it.
    pub exact: bool,
}

impl KeySet {
    fn exact(keys: Intervals) -> KeySet {
        KeySet { keys, exact: true }
    }

    fn inexact(keys: Intervals) -> KeySet {
        KeySet { keys, exact: false }
    }

    fn all() -> KeySet {
        KeySet::inexact(Intervals::all())
    }
}

/// The keys that a predicate allows. `multikey` says whether the index holds elements of arrays in this field.
pub fn key_set(predicate: &Predicate, multikey: bool) -> KeySet {
    match predicate {
        Predicate::Compare { op, value } => comparison(*op, value),
        Predicate::In { values, regexes } => {
            let mut all = KeySet::exact(Intervals::none());
            let sets = values.iter().map(|value| comparison(Comparison::Eq, value));
            let mut intervals = Vec::with_capacity(values.len());
            for set in sets.chain(regexes.iter().map(regex)) {
                all.exact &= set.exact;
                intervals.extend_from_slice(set.keys.as_slice());
            }
            all.keys = Intervals::from(intervals);
            all
        }
        Predicate::Type(types) => KeySet::inexact(of_types(*types)),
        Predicate::Mod { .. } => KeySet::inexact(bracket(Type::Double)),
        Predicate::Regex(pattern) => regex(pattern),
        Predicate::ElemMatchValue(predicates) => element(predicates),
        Predicate::Not(predicates) => negation(predicates, multikey),
        // The keys of places are cells, which the module `geo` makes.
        Predicate::Geo(_) | Predicate::Near(_) => KeySet::all(),
        Predicate::Exists | Predicate::Size(_) | Predicate::ElemMatchObject(_) | Predicate::Bits(_) => {
            KeySet::all()
        }
    }
}

/// Whether a document without a value at the path can satisfy the predicate. A sparse index lacks such documents.
pub fn matches_missing(path: &str, predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Compare { op, value } => match value {
            Value::Null => matches!(op, Comparison::Eq | Comparison::Lte | Comparison::Gte),
            Value::MinKey | Value::MaxKey => *op != Comparison::Eq,
            _ => false,
        },
        Predicate::In { values, .. } => values.iter().any(|value| matches!(value, Value::Null)),
        // If an array on the way has no element with the rest of the path, the path has no value at all, not even
        // null, and the negation matches.
        Predicate::Not(predicates) => path.contains('.') || !predicates.iter().all(accepts_null),
        _ => false,
    }
}

/// Whether the predicate accepts null, and with it a missing field, which therefore does not satisfy its negation: `$ne: null`,
/// `$nin: [null]`.
fn accepts_null(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Compare {
            op: Comparison::Eq,
            value: Value::Null,
        } => true,
        Predicate::In { values, .. } => values.iter().any(|value| matches!(value, Value::Null)),
        _ => false,
    }
}

fn comparison(op: Comparison, value: &Value) -> KeySet {
    match value {
        Value::Null => match op {
            Comparison::Lt | Comparison::Gt => KeySet::exact(Intervals::none()),
            // A missing field has the key null, and an undefined one may match null too, so the document must be read.
            _ => KeySet::inexact(null_keys()),
        },
        Value::Undefined => KeySet::inexact(null_keys()),
        Value::MinKey | Value::MaxKey if op == Comparison::Eq => {
            KeySet::exact(Intervals::point(value.clone()))
        }
        Value::MinKey | Value::MaxKey => KeySet::all(),
        Value::Array(elements) => match op {
            Comparison::Eq => array_equality(elements, value),
            // An index holds an array's elements, not the array.
            _ => KeySet::all(),
        },
        Value::Double(number) if number.is_nan() => nan(op, value),
        Value::Decimal128(number) if number.is_nan() => nan(op, value),
        _ => KeySet::exact(range(op, value)),
    }
}

fn null_keys() -> Intervals {
    Intervals::point(Value::Null).union(Intervals::point(Value::Undefined))
}

/// The keys for a comparison with NaN, which equals NaN and is in no other relation.
fn nan(op: Comparison, value: &Value) -> KeySet {
    match op {
        Comparison::Lt | Comparison::Gt => KeySet::exact(Intervals::none()),
        _ => KeySet::exact(Intervals::point(value.clone())),
    }
}

/// The keys for equality with an array. A document matches if its array equals this one or has it as an element. Its keys are
/// the elements of its array: in the first case the first element of this array is one of them, in the second this array itself.
fn array_equality(elements: &[Value], whole: &Value) -> KeySet {
    let first = elements.first().cloned().unwrap_or(Value::Undefined);
    let first = match first {
        Value::Null | Value::Undefined => null_keys(),
        other => Intervals::point(other),
    };
    KeySet::inexact(first.union(Intervals::point(whole.clone())))
}

fn range(op: Comparison, value: &Value) -> Intervals {
    if op == Comparison::Eq {
        return Intervals::point(value.clone());
    }
    let (lowest, highest) = ends(value.type_of());
    // NaN sorts before all numbers, but is not less than any of them.
    let lowest = if value.type_of().is_number() {
        Cut::before(f64::NEG_INFINITY)
    } else {
        lowest
    };
    match op {
        Comparison::Eq => Intervals::point(value.clone()),
        Comparison::Lt => Intervals::between(lowest, Cut::before(value.clone())),
        Comparison::Lte => Intervals::between(lowest, Cut::after(value.clone())),
        Comparison::Gt => Intervals::between(Cut::after(value.clone()), highest),
        Comparison::Gte => Intervals::between(Cut::before(value.clone()), highest),
    }
}

/// All documents with at least one field.
pub fn documents() -> Intervals {
    Intervals::between(Cut::after(Document::new()), Cut::before(Value::Array(Vec::new())))
}

/// All keys of values comparable with a type.
fn bracket(kind: Type) -> Intervals {
    let (low, high) = ends(kind);
    Intervals::between(low, high)
}

/// The begin and the end of the values comparable with a type, in the order of all values.
fn ends(kind: Type) -> (Cut, Cut) {
    let empty_binary = || {
        Value::Binary(Binary {
            subtype: 0,
            bytes: Vec::new(),
        })
    };
    match kind {
        Type::Double | Type::Int32 | Type::Int64 | Type::Decimal128 => {
            (Cut::before(f64::NAN), Cut::after(f64::INFINITY))
        }
        Type::String | Type::Symbol => (Cut::before(""), Cut::before(Document::new())),
        Type::Document => (
            Cut::before(Document::new()),
            Cut::before(Value::Array(Vec::new())),
        ),
        Type::Array => (Cut::before(Value::Array(Vec::new())), Cut::before(empty_binary())),
        Type::Binary => (
            Cut::before(empty_binary()),
            Cut::before(ObjectId::from_bytes([0; 12])),
        ),
        Type::ObjectId => (
            Cut::before(ObjectId::from_bytes([0; 12])),
            Cut::after(ObjectId::from_bytes([0xFF; 12])),
        ),
        Type::Bool => (Cut::before(false), Cut::after(true)),
        Type::DateTime => (
            Cut::before(Value::DateTime(i64::MIN)),
            Cut::after(Value::DateTime(i64::MAX)),
        ),
        Type::Timestamp => {
            let last = Timestamp {
                seconds: u32::MAX,
                increment: u32::MAX,
            };
            (Cut::before(Timestamp::default()), Cut::after(last))
        }
        Type::Regex => (
            Cut::after(Value::Timestamp(Timestamp {
                seconds: u32::MAX,
                increment: u32::MAX,
            })),
            first_pointer(),
        ),
        Type::DbPointer => (first_pointer(), Cut::before(Value::JavaScript(String::new()))),
        Type::JavaScript => (
            Cut::before(Value::JavaScript(String::new())),
            Cut::before(Value::JavaScriptWithScope(String::new(), Document::new())),
        ),
        Type::JavaScriptWithScope => (
            Cut::before(Value::JavaScriptWithScope(String::new(), Document::new())),
            Cut::before(Value::MaxKey),
        ),
        Type::Null => (Cut::before(Value::Null), Cut::after(Value::Null)),
        Type::Undefined => (Cut::before(Value::Undefined), Cut::after(Value::Undefined)),
        Type::MinKey => (Cut::before(Value::MinKey), Cut::after(Value::MinKey)),
        Type::MaxKey => (Cut::before(Value::MaxKey), Cut::after(Value::MaxKey)),
    }
}

fn first_pointer() -> Cut {
    Cut::before(Value::DbPointer(value::DbPointer {
        namespace: String::new(),
        id: ObjectId::from_bytes([0; 12]),
    }))
}

fn of_types(types: TypeSet) -> Intervals {
    // An index holds the elements of an array, from which the array cannot be recognised.
    if types.contains(Type::Array) {
        return Intervals::all();
    }
    types
        .iter()
        .fold(Intervals::none(), |all, kind| all.union(bracket(kind)))
}

fn regex(pattern: &Regex) -> KeySet {
    let itself = Intervals::point(Value::Regex(value::Regex {
        pattern: pattern.pattern().to_owned(),
        options: pattern.options().to_owned(),
    }));
    match pattern.literal_prefix() {
        Some((literal, whole)) => {
            let end = successor(&literal).map_or_else(|| ends(Type::String).1, Cut::before);
            let strings = Interval::new(Cut::before(literal), end);
            KeySet {
                keys: Intervals::from(vec![strings]).union(itself),
                exact: whole,
            }
        }
        None => KeySet::inexact(bracket(Type::String).union(itself)),
    }
}

/// The least string that is greater than every string with this prefix; `None` if all its characters are the last of
/// Unicode.
fn successor(prefix: &str) -> Option<String> {
    let mut characters: Vec<char> = prefix.chars().collect();
    while let Some(last) = characters.pop() {
        // The step over the surrogates: U+D7FF is followed by U+E000.
        let next = if last == '\u{D7FF}' {
            Some('\u{E000}')
        } else {
            char::from_u32(last as u32 + 1)
        };
        if let Some(next) = next {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

/// The keys of an element that satisfies all predicates: they lie in all of their sets.
fn element(predicates: &[Predicate]) -> KeySet {
    let mut keys = Intervals::all();
    for predicate in predicates {
        // Arrays within the array have no keys for their elements.
        if !matches!(
            predicate,
            Predicate::Compare {
                value: Value::Array(_),
                ..
            }
        ) {
            keys = keys.intersect(&element_keys(predicate));
        }
    }
    KeySet::inexact(keys)
}

fn element_keys(predicate: &Predicate) -> Intervals {
    match predicate {
        Predicate::ElemMatchObject(_) | Predicate::ElemMatchValue(_) | Predicate::Not(_) => Intervals::all(),
        Predicate::In { values, .. } if values.iter().any(|value| matches!(value, Value::Array(_))) => {
            Intervals::all()
        }
        other => key_set(other, true).keys,
    }
}

/// The complement of the keys that satisfy all predicates. Each of their sets must be exact: in a set that is too wide, a key may
/// belong to a document that satisfies the negation. With arrays the complement is not exact, because another element of the
/// document may lie in the set.
fn negation(predicates: &[Predicate], multikey: bool) -> KeySet {
    if let [Predicate::Exists] = predicates {
        return KeySet::inexact(null_keys());
    }
    let mut inner = Intervals::all();
    let mut exact = true;
    for predicate in predicates {
        let set = match predicate {
            // Without arrays the key null means null or a missing field, and neither satisfies `$ne: null`.
            // Undefined stays in the complement and is matched again.
            Predicate::Compare {
                op: Comparison::Eq,
                value: Value::Null,
            } if !multikey => KeySet::inexact(Intervals::point(Value::Null)),
            other => {
                let set = key_set(other, multikey);
                if !set.exact {
                    return KeySet::all();
                }
                set
            }
        };
        exact &= set.exact;
        inner = inner.intersect(&set.keys);
    }
    KeySet {
        keys: inner.complement(),
        exact: exact && !multikey,
    }
}
