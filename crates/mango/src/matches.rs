//! Trees against documents (`mango_selector.erl`, `match`).

use super::{Field, Node, Test, order};
use language::interruption::{COMPARISONS_PER_STEP, steps};
use std::cmp::Ordering;
use value::path::{Exact, FieldPath, exact, exact_from};
use value::{Document, DocumentRef, Value, ValueRef};

/// What a condition is held against.
#[derive(Clone, Copy)]
pub(super) enum MatchTarget<'a> {
    /// A document, with members that it has besides.
    Root {
        document: DocumentRef<'a>,
        members: &'a Document,
    },
    /// An element or a key.
    Inner(ValueRef<'a>),
}

impl<'a> MatchTarget<'a> {
    fn at(self, path: &FieldPath) -> Exact<'a> {
        match self {
            MatchTarget::Root { document, members } => match members.contains(path.first()) {
                true => exact(members.into(), path),
                false => exact(document, path),
            },
            MatchTarget::Inner(value) => exact_from(value, path),
        }
    }

    fn itself(self) -> ValueRef<'a> {
        match self {
            MatchTarget::Root { document, .. } => ValueRef::Document(document),
            MatchTarget::Inner(value) => value,
        }
    }
}

impl Node {
    pub(super) fn matches(&self, place: MatchTarget<'_>) -> bool {
        match self {
            Node::All(parts) => parts.iter().all(|part| part.matches(place)),
            Node::Any(parts) => parts.is_empty() || parts.iter().any(|part| part.matches(place)),
            Node::None(parts) => !parts.iter().any(|part| part.matches(place)),
            Node::Not(inner) => !inner.matches(place),
            Node::Field(field) => field.matches(place),
            // The index that found the document has said so.
            Node::Text(_) => true,
        }
    }

    fn matches_inner(&self, value: ValueRef<'_>) -> bool {
        self.matches(MatchTarget::Inner(value))
    }
}

impl Field {
    fn matches(&self, place: MatchTarget<'_>) -> bool {
        let found = match self.name.is_empty() {
            true => Exact::Found(place.itself()),
            false => place.at(&self.path),
        };
        match found {
            Exact::Found(value) => {
                let compare: Compare = match self.name.as_str() {
                    "_id" => compare_ids,
                    _ => order::compare,
                };
                self.test.passes(value, compare) != self.negated
            }
            Exact::Missing => matches!(self.test, Test::Exists(false)),
            Exact::Blocked => false,
        }
    }
}

type Compare = fn(ValueRef<'_>, ValueRef<'_>) -> Ordering;

/// Ids are compared by their bytes, and come after all values that are no strings (`mango_json.erl`, `cmp_raw`).
fn compare_ids(id: ValueRef<'_>, other: ValueRef<'_>) -> Ordering {
    match (id, other) {
        (ValueRef::String(id), ValueRef::String(other)) => id.cmp(other),
        (ValueRef::String(_), _) => Ordering::Greater,
        (_, ValueRef::String(_)) => Ordering::Less,
        (id, other) => order::compare(id, other),
    }
}

impl Test {
    fn passes(&self, value: ValueRef<'_>, compare: Compare) -> bool {
        let against = |argument: &Value| compare(value, argument.as_ref());
        match self {
            Test::Lt(argument) => against(argument).is_lt(),
            Test::Lte(argument) => against(argument).is_le(),
            Test::Eq(argument) => against(argument).is_eq(),
            Test::Ne(argument) => against(argument).is_ne(),
            Test::Gte(argument) => against(argument).is_ge(),
            Test::Gt(argument) => against(argument).is_gt(),
            Test::In(arguments) => is_in(value, arguments, compare),
            Test::Nin(arguments) => !is_in(value, arguments, compare),
            // The value is there.
            Test::Exists(there) => *there,
            Test::Type(name) => type_name(value) == name,
            Test::Mod(divisor, remainder) => {
                integer(value).is_some_and(|number| number.wrapping_rem(*divisor) == *remainder)
            }
            // A pattern that takes too long does not match.
            Test::Regex(regex) => value
                .as_str()
                .is_some_and(|text| regex.is_match(text).unwrap_or(false)),
            Test::BeginsWith(prefix) => value.as_str().is_some_and(|text| text.starts_with(prefix)),
            Test::Size(size) => value
                .as_array()
                .is_some_and(|array| i64::try_from(array.len()) == Ok(*size)),
            Test::All(arguments) => has_all(value, arguments),
            Test::ElemMatch(node) => value
                .as_array()
                .is_some_and(|array| array.iter().any(|element| node.matches_inner(element))),
            Test::AllMatch(node) => value.as_array().is_some_and(|array| {
                !array.is_empty() && array.iter().all(|element| node.matches_inner(element))
            }),
            Test::KeyMapMatch(node) => value.as_document().is_some_and(|object| {
                object
                    .iter()
                    .any(|(key, _)| node.matches_inner(ValueRef::String(key)))
            }),
        }
    }
}

/// Of an array, whether one of its elements is one of the arguments.
fn is_in(value: ValueRef<'_>, arguments: &[Value], compare: Compare) -> bool {
    let is_one = |value: ValueRef<'_>| {
        can_compare(arguments.len())
            && arguments
                .iter()
                .any(|argument| compare(value, argument.as_ref()).is_eq())
    };
    match value {
        ValueRef::Array(array) => array.iter().any(is_one),
        value => is_one(value),
    }
}

/// Whether the array has all of these, or is the one array that is asked for.
fn has_all(value: ValueRef<'_>, arguments: &[Value]) -> bool {
    let ValueRef::Array(array) = value else {
        return false;
    };
    let is_element = |argument: &Value| {
        can_compare(array.len()) && array.iter().any(|element| is_same(element, argument.as_ref()))
    };
    match arguments {
        [] => false,
        [only @ Value::Array(_)] => is_element(only) || value::compare(value, only.as_ref()).is_eq(),
        all => all.iter().all(is_element),
    }
}

/// Whether there is time for this many comparisons. If not, the search ends at its next check, whatever is found here.
fn can_compare(count: usize) -> bool {
    steps(1 + count / COMPARISONS_PER_STEP).is_ok()
}

/// Whether two values are the same to Erlang's `=:=`, by which `lists:member` looks: an integer is no float.
fn is_same(one: ValueRef<'_>, other: ValueRef<'_>) -> bool {
    match (one, other) {
        (ValueRef::Array(one), ValueRef::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other.iter())
                    .all(|(one, other)| is_same(one, other))
        }
        (ValueRef::Document(one), ValueRef::Document(other)) => {
            let mut members = other.iter();
            let has_all = one.iter().all(|(name, value)| {
                members
                    .next()
                    .is_some_and(|(other, same)| name == other && is_same(value, same))
            });
            has_all && members.next().is_none()
        }
        (one, other) => {
            let is_float = |value: ValueRef<'_>| matches!(value, ValueRef::Double(_));
            is_float(one) == is_float(other) && value::compare(one, other).is_eq()
        }
    }
}

/// The type as JSON has it; what JSON lacks is shown as an object.
fn type_name(value: ValueRef<'_>) -> &'static str {
    match value {
        ValueRef::Null | ValueRef::Undefined => "null",
        ValueRef::Bool(_) => "boolean",
        ValueRef::String(_) | ValueRef::Symbol(_) => "string",
        ValueRef::Array(_) => "array",
        number if number.is_number() => "number",
        _ => "object",
    }
}

fn integer(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Int32(number) => Some(i64::from(number)),
        ValueRef::Int64(number) => Some(number),
        _ => None,
    }
}
