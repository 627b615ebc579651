//! What a dotted path reaches.

use value::{Document, Value};

/// One thing that a path reaches.
#[derive(Clone, Copy)]
pub struct Reached<'a> {
    /// `None` if the path ends in nothing.
    pub value: Option<&'a Value>,
    /// Whether the last part named an element of an array by its number: such an array is one value.
    pub by_number: bool,
}

/// All that a path reaches; arrays on the way are passed, one at its end is given whole.
pub fn reach<'a>(document: &'a Document, path: &str) -> Vec<Reached<'a>> {
    let parts: Vec<&str> = path.split('.').collect();
    let mut all = Vec::new();
    in_document(document, &parts, &mut all);
    all
}

/// The values against which a comparison is tried: of an array its elements and itself.
pub fn expanded<'a>(document: &'a Document, path: &str) -> Vec<Option<&'a Value>> {
    let mut all = Vec::new();
    for reached in reach(document, path) {
        if let (Some(Value::Array(elements)), false) = (reached.value, reached.by_number) {
            all.extend(elements.iter().map(Some));
        }
        all.push(reached.value);
    }
    all
}

fn in_document<'a>(document: &'a Document, parts: &[&str], all: &mut Vec<Reached<'a>>) {
    let Some((name, rest)) = parts.split_first() else {
        return;
    };
    let value = document.get(name);
    match value {
        Some(Value::Document(inner)) if !rest.is_empty() => in_document(inner, rest, all),
        Some(Value::Array(elements)) if !rest.is_empty() => in_array(elements, rest, all),
        _ => all.push(Reached {
            value: value.filter(|_| rest.is_empty()),
            by_number: false,
        }),
    }
}

fn in_array<'a>(elements: &'a [Value], parts: &[&str], all: &mut Vec<Reached<'a>>) {
    for element in elements {
        if let Value::Document(inner) = element {
            in_document(inner, parts, all);
        }
    }
    let named = parts[0].parse::<usize>().ok().and_then(|at| elements.get(at));
    match (named, &parts[1..]) {
        (None, _) => {}
        (Some(element), []) => all.push(Reached {
            value: Some(element),
            by_number: true,
        }),
        (Some(Value::Document(inner)), rest) => in_document(inner, rest, all),
        (Some(Value::Array(inner)), rest) => in_array(inner, rest, all),
        (Some(_), _) => {}
    }
}
