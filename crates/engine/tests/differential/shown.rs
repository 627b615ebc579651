//! Values as texts that are equal exactly if the values are.

use crate::model::order::number;
use value::json::{Mode, to_string};
use value::{Document, Value};

/// A document with the exact types of its values.
pub fn shown(document: &Document) -> String {
    to_string(document.into(), Mode::Canonical)
}

/// Documents in the order given.
pub fn all_shown(documents: &[Document]) -> Vec<String> {
    documents.iter().map(shown).collect()
}

/// Documents for a reader, each on a line of its own.
pub fn listed(documents: &[Document]) -> String {
    all_shown(documents)
        .iter()
        .map(|document| format!("  {document}\n"))
        .collect()
}

/// Documents in any order, their fields at the top too: those that are made of an index come in its order.
pub fn any_order(documents: &[Document]) -> Vec<String> {
    let fields_sorted = |document: &Document| {
        let mut fields: Vec<(String, Value)> = document
            .iter()
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        fields.sort_by(|(a, _), (b, _)| a.cmp(b));
        shown(&fields.into_iter().collect())
    };
    let mut all: Vec<String> = documents.iter().map(fields_sorted).collect();
    all.sort();
    all
}

/// Documents in any order, equal numbers of different types being the same.
pub fn by_value(documents: &[Document]) -> Vec<String> {
    let alike: Vec<Document> = documents.iter().map(numbers_alike).collect();
    any_order(&alike)
}

fn numbers_alike(document: &Document) -> Document {
    let fields = document.iter();
    fields
        .map(|(name, value)| (name.to_owned(), alike(value)))
        .collect()
}

fn alike(value: &Value) -> Value {
    match value {
        Value::Document(inner) => Value::Document(numbers_alike(inner)),
        Value::Array(elements) => elements.iter().map(alike).collect(),
        // Of the two zeros one.
        other => number(other).map_or_else(|| other.clone(), |number| Value::Double(number + 0.0)),
    }
}
