//! The document that an upsert starts from: what the query says the document is.

use crate::Update;
use crate::make_path::make_path;
use language::path_depth::check_path_depth;
use language::{Code, Error, Result};
use value::{Document, Value};

/// The fields that the query fixes by equality, each with its path.
type Equalities<'f> = &'f [(&'f str, &'f Value)];

/// The document before the update is applied: of a replacement only the `_id`.
pub fn seed_document(update: &Update, equalities: Equalities<'_>) -> Result<Document> {
    let mut seed = Value::Document(Document::new());
    let whole = !update.is_replacement();
    for (number, (path, value)) in equalities.iter().enumerate() {
        if !whole && *path != "_id" {
            continue;
        }
        check_distinct(path, equalities.get(..number).unwrap_or_default())?;
        let parts: Vec<String> = path.split('.').map(str::to_owned).collect();
        check_path_depth(parts.len())?;
        make_path(&mut seed, &parts, (*value).clone(), None)?;
    }
    match seed {
        Value::Document(seed) => Ok(seed),
        _ => Ok(Document::new()),
    }
}

/// A path may be fixed once, and not together with a path above or below it.
fn check_distinct(path: &str, before: Equalities<'_>) -> Result<()> {
    let below = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    match before
        .iter()
        .find(|(known, _)| below(path, known) || below(known, path))
    {
        None => Ok(()),
        Some((known, _)) if *known == path => Err(Error::new(
            Code::NOT_SINGLE_VALUE_FIELD,
            format!("cannot infer query fields to set, path '{path}' is matched twice"),
        )),
        Some((known, _)) => Err(Error::new(
            Code::NOT_SINGLE_VALUE_FIELD,
            format!("cannot infer query fields to set, both paths '{path}' and '{known}' are matched"),
        )),
    }
}
