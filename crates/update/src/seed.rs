//! The document that an upsert starts from: what the query says the document is.

use crate::Update;
use crate::make_path::make_path;
use language::interruption::sort_by;
use language::path_depth::check_path_depth;
use language::{Code, Error, Result};
use value::{Document, Value};

/// The fields that the query fixes by equality, each with its path.
type Equalities<'f> = &'f [(&'f str, &'f Value)];

/// The document before the update is applied: of a replacement only the `_id`.
pub fn seed_document(update: &Update, equalities: Equalities<'_>) -> Result<Document> {
    let mut fixed = equalities.to_vec();
    if update.is_replacement() {
        fixed.retain(|(path, _)| is_at_or_below("_id", path));
        fixed.iter().try_for_each(|(path, _)| check_whole_id(path))?;
    }
    check_distinct(&fixed)?;
    // MongoDB keeps them by path (`EqualityMatches` of its `path_support.h`), and so the new document's fields stand.
    sort_by(&mut fixed, |(a, _), (b, _)| a.cmp(b))?;
    let mut seed = Value::Document(Document::new());
    for (path, value) in fixed {
        let parts: Vec<String> = path.split('.').map(str::to_owned).collect();
        check_path_depth(parts.len())?;
        make_path(&mut seed, &parts, value.clone(), None)?;
    }
    match seed {
        Value::Document(seed) => Ok(seed),
        _ => Ok(Document::new()),
    }
}

/// Whether a path is this one, or goes on below it.
fn is_at_or_below(outer: &str, path: &str) -> bool {
    path.strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The `_id` of a replacement may not be put together of parts.
fn check_whole_id(path: &str) -> Result<()> {
    if path == "_id" {
        return Ok(());
    }
    Err(Error::new(
        Code::NOT_EXACT_VALUE_FIELD,
        format!("field at '_id' must be exactly specified, field at sub-path '{path}'found"),
    ))
}

/// A path may be fixed once, and not together with a path above or below it.
fn check_distinct(fixed: Equalities<'_>) -> Result<()> {
    let mut paths: Vec<&str> = fixed.iter().map(|(path, _)| *path).collect();
    // By their parts, a path stands right before those below it.
    sort_by(&mut paths, |a, b| a.split('.').cmp(b.split('.')))?;
    for (outer, inner) in paths.iter().zip(paths.iter().skip(1)) {
        if outer == inner {
            return Err(Error::new(
                Code::NOT_SINGLE_VALUE_FIELD,
                format!("cannot infer query fields to set, path '{inner}' is matched twice"),
            ));
        }
        if is_at_or_below(outer, inner) {
            return Err(Error::new(
                Code::NOT_SINGLE_VALUE_FIELD,
                format!("cannot infer query fields to set, both paths '{inner}' and '{outer}' are matched"),
            ));
        }
    }
    Ok(())
}
