//! Text indexes: their key pattern, weights and languages in the form in which MongoDB keeps and lists them.

use crate::catalog::index_kinds::{refused, version};
use crate::error::Result;
use std::collections::BTreeMap;
use store::IndexSpec;
use text::Language;
use value::{Document, Value};

/// A field of a text index weighs less than this.
const WEIGHT_END: i32 = 100_000;

/// All texts of a document, in place of a field.
const EVERYTHING: &str = "$**";

/// The names in the key pattern of a text index that replace its fields.
const TEXTS: &str = "_fts";
const TEXTS_ORDER: &str = "_ftsx";

/// Checks the options of a text index. Turns the key pattern and the weights into the form in which MongoDB keeps them.
pub(super) fn complete(spec: &Document, parsed: &mut IndexSpec) -> Result<()> {
    if parsed.prepare_unique {
        return Err(refused(
            "a text index is unique from the beginning or never: its entries are others then".to_owned(),
        ));
    }
    check_order(&parsed.key)?;
    let (key, named) = key_of(&parsed.key)?;
    let weights = weights(spec, named)?;
    let (language, language_override) = languages(spec)?;
    let version = version(spec, "textIndexVersion")?;
    parsed.key = key;
    parsed.kept.push("weights", weights);
    parsed.kept.push("default_language", language);
    parsed.kept.push("language_override", language_override);
    parsed.kept.push("textIndexVersion", version);
    Ok(())
}

/// The language of documents that name none, and the field in which they name it.
fn languages(spec: &Document) -> Result<(&str, &str)> {
    let language = string(spec, "default_language", "english");
    if Language::parse(language).is_none() {
        return Err(refused(format!(
            "unsupported default_language '{language}' of a text index"
        )));
    }
    let language_override = string(spec, "language_override", "language");
    let is_field = !language_override.starts_with('$') && !language_override.contains('.');
    if language_override.is_empty() || !is_field {
        return Err(refused("language_override is not a valid field name".to_owned()));
    }
    Ok((language, language_override))
}

fn string<'a>(spec: &'a Document, name: &str, default: &'a str) -> &'a str {
    match spec.get(name) {
        Some(Value::String(text)) => text,
        _ => default,
    }
}

fn is_text(kind: &Value) -> bool {
    matches!(kind, Value::String(kind) if kind == "text")
}

/// Refuses texts that do not stand side by side, and names that are reserved for the form that is kept.
fn check_order(pattern: &Document) -> Result<()> {
    let mut fields = pattern.iter().peekable();
    while let Some((path, _)) = fields.next_if(|(_, kind)| !is_text(kind)) {
        check_not_reserved(path)?;
    }
    if fields.next_if(|(path, _)| *path == TEXTS).is_some() {
        if fields.next().is_none_or(|(path, _)| path != TEXTS_ORDER) {
            return Err(refused(format!("expected {TEXTS_ORDER} after {TEXTS}")));
        }
    } else {
        while let Some((path, _)) = fields.next_if(|(_, kind)| is_text(kind)) {
            check_not_reserved(path)?;
        }
    }
    for (path, kind) in fields {
        if is_text(kind) {
            return Err(refused(
                "'text' fields in an index must all be adjacent".to_owned(),
            ));
        }
        check_not_reserved(path)?;
    }
    Ok(())
}

fn check_not_reserved(path: &str) -> Result<()> {
    match path {
        TEXTS | TEXTS_ORDER => Err(refused(format!(
            "text index with reserved fields {TEXTS}/{TEXTS_ORDER} not allowed"
        ))),
        _ => Ok(()),
    }
}

/// The key pattern with one pair in place of its texts, and the fields of the texts. In the form that is kept, and listed, only the
/// weights name them.
fn key_of(pattern: &Document) -> Result<(Document, Vec<&str>)> {
    let mut named = Vec::new();
    let mut key = Document::new();
    for (path, kind) in pattern.iter() {
        if is_text(kind) {
            if !key.contains(TEXTS) {
                key.push(TEXTS, "text");
                key.push(TEXTS_ORDER, 1);
            }
            if path != TEXTS {
                named.push(path);
            }
            continue;
        }
        if !matches!(whole(kind), 1 | -1) {
            return Err(refused(
                "expected value 1 or -1 for non-text key in compound index".to_owned(),
            ));
        }
        if path != TEXTS_ORDER {
            key.push(path, kind.clone());
        }
    }
    Ok((key, named))
}

/// What each field weighs, sorted by name.
fn weights(spec: &Document, named: Vec<&str>) -> Result<Document> {
    let mut weights: BTreeMap<&str, i32> = named.into_iter().map(|path| (path, 1)).collect();
    match spec.get("weights") {
        None => {}
        Some(Value::Document(given)) => {
            for (path, weight) in given.iter() {
                if !weight.as_ref().is_number() {
                    return Err(refused(format!(
                        "the weight of '{path}' in a text index must be a number"
                    )));
                }
                weights.insert(path, whole(weight));
            }
        }
        Some(Value::String(path)) if path == EVERYTHING => {
            weights.insert(EVERYTHING, 1);
        }
        Some(_) => {
            return Err(refused(
                "text index option 'weights' must be an object".to_owned(),
            ));
        }
    }
    if weights.is_empty() {
        return Err(refused("the weights of a text index name no field".to_owned()));
    }
    let mut listed = Document::new();
    for (path, weight) in weights {
        check_weight(path, weight)?;
        listed.push(path, weight);
    }
    Ok(listed)
}

fn check_weight(path: &str, weight: i32) -> Result<()> {
    if !(1..WEIGHT_END).contains(&weight) {
        return Err(refused(format!(
            "the weight of '{path}' in a text index must be above 0 and below {WEIGHT_END}, not {weight}"
        )));
    }
    let is_wrong = |part: &str| part.is_empty() || part.starts_with('$');
    if path != EVERYTHING && path.split('.').any(is_wrong) {
        return Err(refused(format!(
            "the weights of a text index name '{path}', which is no field that could be indexed"
        )));
    }
    Ok(())
}

/// A number without its fraction, as MongoDB keeps it.
fn whole(number: &Value) -> i32 {
    number.as_ref().as_f64().unwrap_or_default() as i32
}
