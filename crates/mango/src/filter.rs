//! What a selector says in the language of MongoDB's filters, for indexes in MongoDB's order.
//!
//! The filter matches all that the selector matches, and more: it only bounds an index, and its results are matched
//! against the selector again. It contains only what both languages order alike: equality of scalars, and ranges of
//! numbers.

use super::{Node, Range, Selector, Side, Test};
use value::{Document, Value, doc};

/// From here on doubles, by which CouchDB compares, are further apart than integers.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The types after numbers in CouchDB's order, without arrays.
const ABOVE_NUMBERS: [&str; 14] = [
    "string",
    "object",
    "binData",
    "objectId",
    "date",
    "timestamp",
    "regex",
    "javascript",
    "symbol",
    "minKey",
    "maxKey",
    "undefined",
    "dbPointer",
    "javascriptWithScope",
];

/// The types before numbers in CouchDB's order.
const BELOW_NUMBERS: [&str; 3] = ["null", "undefined", "bool"];

impl Selector {
    /// The conditions of the filter by their fields, all of which must hold. `may_be_array` says of a field whether
    /// any document has an array there: then a range that is open to arrays says nothing.
    pub fn conditions(&self, may_be_array: impl Fn(&str) -> bool) -> Vec<(String, Document)> {
        let mut conditions = Vec::new();
        for (field, range) in self.ranges() {
            if let Some(range) = range
                && is_plain(field)
                && let Some(condition) = of_range(field, &range, &may_be_array)
            {
                conditions.push((field.to_owned(), condition));
            }
        }
        self.root.memberships(&mut conditions);
        conditions
    }
}

impl Node {
    /// The fields that have to have one of some values.
    fn memberships(&self, out: &mut Vec<(String, Document)>) {
        match self {
            Node::All(parts) => parts.iter().for_each(|part| part.memberships(out)),
            Node::Field(field) if !field.negated && is_plain(&field.name) => {
                if let Test::In(values) = &field.test
                    && values.iter().all(is_alike)
                {
                    let condition =
                        Document::new().with(&*field.name, doc! {"$in": (Value::Array(values.clone()))});
                    out.push((field.name.clone(), condition));
                }
            }
            _ => {}
        }
    }
}

/// Whether both languages see the same in a path: no position in an array, no escape, nothing that is not in the body.
fn is_plain(field: &str) -> bool {
    let is_name = |part: &str| {
        !part.is_empty() && !part.starts_with('$') && !part.bytes().all(|byte| byte.is_ascii_digit())
    };
    !field.contains('\\') && !field.starts_with('_') && field.split('.').all(is_name)
}

/// Whether all that is equal to the value in CouchDB's order is so in MongoDB's. No text is alike: the collation passes by
/// characters that the texts of documents may have (control characters, soft hyphens), whatever the text asked for has.
fn is_alike(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::DateTime(_) | Value::ObjectId(_) => true,
        number => is_number(number),
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int32(_) | Value::Int64(_) | Value::Double(_))
        && value
            .as_ref()
            .as_f64()
            .is_some_and(|number| number.abs() < EXACT_MAX)
}

fn of_range(field: &str, range: &Range, may_be_array: impl Fn(&str) -> bool) -> Option<Document> {
    let on = |condition: Document| Document::new().with(field, condition);
    let number = |side: &Option<Side>| side.as_ref().map(|side| side.value.clone()).filter(is_number);
    // In one language below all numbers, in the other on either end of them.
    let nan = on(doc! {"$eq": f64::NAN});
    match (&range.low, &range.high) {
        (Some(low), Some(high)) if low == high && is_alike(&low.value) => {
            Some(Document::new().with(field, low.value.clone()))
        }
        _ => match (number(&range.low), number(&range.high)) {
            (Some(low), Some(high)) => Some(on(doc! {"$gte": low, "$lte": high})),
            (Some(low), None) if !may_be_array(field) => {
                let types: Value = ABOVE_NUMBERS.into_iter().map(Value::from).collect();
                Some(doc! {"$or": [(on(doc! {"$gte": low})), nan, (on(doc! {"$type": types}))]})
            }
            (None, Some(high)) => {
                let types: Value = BELOW_NUMBERS.into_iter().map(Value::from).collect();
                Some(doc! {"$or": [(on(doc! {"$lte": high})), nan, (on(doc! {"$type": types}))]})
            }
            _ => None,
        },
    }
}
