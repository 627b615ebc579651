//! The keys of a document in an index or a sort, and the order that they give.

use super::matching::matches;
use super::order::compare;
use std::cmp::Ordering;
use value::{Document, Value};

/// Two different arrays meet in one key, or one is where none may be.
#[derive(Debug, PartialEq, Eq)]
pub struct ParallelArrays;

/// One key: what each path leads to; `None` if nothing is there.
type Key = Vec<Option<Value>>;

/// How far a path has been followed.
#[derive(Clone)]
enum Progress<'a> {
    /// From this value (or from nothing) these parts are still to go.
    At(Option<&'a Value>, Vec<String>),
    Done(Option<Value>),
}

/// All keys of a document for some paths.
pub fn keys(document: &Document, paths: &[&str]) -> Result<Vec<Key>, ParallelArrays> {
    let whole = Value::Document(document.clone());
    let start = |path: &&str| Progress::At(Some(&whole), path.split('.').map(str::to_owned).collect());
    let mut all = Vec::new();
    expand(paths.iter().map(start).collect(), &mut all)?;
    Ok(all)
}

fn expand(paths: Vec<Progress<'_>>, all: &mut Vec<Key>) -> Result<(), ParallelArrays> {
    let paths: Vec<Progress<'_>> = paths.into_iter().map(follow).collect();
    let mut crossed: Option<&Vec<Value>> = None;
    for path in &paths {
        if let Progress::At(Some(Value::Array(elements)), _) = path {
            if crossed.is_some_and(|known| !std::ptr::eq(known, elements)) {
                return Err(ParallelArrays);
            }
            crossed = Some(elements);
        }
    }
    let Some(elements) = crossed else {
        all.push(paths.into_iter().map(end).collect());
        return Ok(());
    };
    let pass_all = |element| paths.iter().map(|path| pass(path, element)).collect();
    if elements.is_empty() {
        return expand(pass_all(None), all);
    }
    elements
        .iter()
        .try_for_each(|element| expand(pass_all(Some(element)), all))
}

/// Goes on from an array with one of its elements; `None` if the array is empty.
fn pass<'a>(path: &Progress<'a>, element: Option<&'a Value>) -> Progress<'a> {
    match (path, element) {
        (Progress::At(_, rest), _) if rest.is_empty() => {
            Progress::Done(Some(element.cloned().unwrap_or(Value::Undefined)))
        }
        (Progress::At(_, rest), Some(Value::Document(_))) => Progress::At(element, rest.clone()),
        (Progress::At(..), _) => Progress::Done(None),
        (Progress::Done(value), _) => Progress::Done(value.clone()),
    }
}

/// Follows a path to its end or to the first array.
fn follow(path: Progress<'_>) -> Progress<'_> {
    let Progress::At(mut value, mut rest) = path else {
        return path;
    };
    while !rest.is_empty() && !matches!(value, Some(Value::Array(_))) {
        let name = rest.remove(0);
        value = match value {
            Some(Value::Document(inner)) => inner.get(&name),
            _ => return Progress::Done(None),
        };
    }
    match value {
        Some(Value::Array(_)) => Progress::At(value, rest),
        _ => Progress::Done(value.cloned()),
    }
}

fn end(path: Progress<'_>) -> Option<Value> {
    match path {
        Progress::Done(value) => value,
        Progress::At(..) => unreachable!("no array is left"),
    }
}

/// What a document is sorted by: the first of its keys.
pub fn sort_key(document: &Document, sort: &Document) -> Result<Vec<Value>, ParallelArrays> {
    let paths: Vec<&str> = sort.iter().map(|(path, _)| path).collect();
    let all = keys(document, &paths)?;
    let filled = all.into_iter().map(|key| {
        key.into_iter()
            .map(|value| value.unwrap_or(Value::Null))
            .collect::<Vec<Value>>()
    });
    Ok(filled
        .min_by(|a, b| compare_keys(a, b, sort))
        .expect("a document has a key"))
}

/// The order of two sort keys.
pub fn compare_keys(a: &[Value], b: &[Value], sort: &Document) -> Ordering {
    let fields = a.iter().zip(b).zip(sort.iter());
    let mut orders = fields.map(|((a, b), (_, direction))| match direction {
        Value::Int32(-1) => compare(b, a),
        _ => compare(a, b),
    });
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Whether an index has an entry for a document; an error if it cannot hold it.
pub fn is_held(index: &Document, document: &Document) -> Result<bool, ParallelArrays> {
    if let Some(Value::Document(filter)) = index.get("partialFilterExpression")
        && !matches(filter, document)
    {
        return Ok(false);
    }
    let Some(Value::Document(pattern)) = index.get("key") else {
        panic!("an index without a key");
    };
    let paths: Vec<&str> = pattern
        .iter()
        .map(|(path, _)| path)
        .filter(|path| !path.contains("$**"))
        .collect();
    let all = keys(document, &paths)?;
    // Beside a wildcard and in a hashed field arrays are refused.
    let takes_no_array = |(path, kind): &(&str, &Value)| {
        matches!(kind, Value::String(_)) || paths.len() < pattern.len() && !path.contains("$**")
    };
    let whole = Value::Document(document.clone());
    if pattern
        .iter()
        .filter(takes_no_array)
        .any(|(path, _)| passes_array(&whole, path))
    {
        return Err(ParallelArrays);
    }
    let is_sparse = index.contains("sparse");
    Ok(!is_sparse || all.iter().flatten().any(Option::is_some))
}

/// Whether an array is on the path or at its end.
fn passes_array(value: &Value, path: &str) -> bool {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    match value {
        Value::Array(_) => true,
        Value::Document(inner) if !path.is_empty() => {
            inner.get(name).is_some_and(|value| passes_array(value, rest))
        }
        _ => false,
    }
}
