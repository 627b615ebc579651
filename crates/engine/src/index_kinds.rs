//! Kinds of indexes that are not supported yet: text, geospatial, wildcard.
//!
//! What is wrong with their options is told first, as MongoDB does; then the kind itself is refused.

use crate::{Error, Result};
use query::Code;
use value::{Document, Type, Value};

const CANNOT_CREATE: Code = Code(67);
const WRONG_TYPE: Code = Code(14);
const BAD_OPTIONS: Code = Code(72);

/// The most bits that a 2d index takes of each coordinate.
const BITS_MAX: f64 = 32.0;

/// Whether an option belongs to one of these kinds.
pub(crate) fn is_option(name: &str) -> bool {
    is_text(name) || is_number(name) || matches!(name, "weights" | "wildcardProjection")
}

fn is_text(name: &str) -> bool {
    matches!(name, "default_language" | "language_override")
}

fn is_number(name: &str) -> bool {
    matches!(
        name,
        "textIndexVersion"
            | "2dsphereIndexVersion"
            | "bits"
            | "min"
            | "max"
            | "bucketSize"
            | "finestIndexedLevel"
            | "coarsestIndexedLevel"
    )
}

/// Refuses a value of a wrong type, or out of range.
pub(crate) fn check_option(name: &str, value: &Value) -> Result<()> {
    let kind = value.type_of();
    let fits = match name {
        name if is_text(name) => kind == Type::String,
        name if is_number(name) => kind.is_number(),
        _ => kind == Type::Document,
    };
    if !fits {
        // Weights given as a list of names have a code of their own.
        let listed = name == "weights" && matches!(kind, Type::String | Type::Array);
        let code = if listed { CANNOT_CREATE } else { WRONG_TYPE };
        let message = format!(
            "The field '{name}' of an index specification cannot be of type {}",
            kind.alias()
        );
        return Err(Error::new(code, message));
    }
    let bits = (name == "bits").then(|| value.as_ref().as_f64()).flatten();
    if bits.is_some_and(|bits| !(1.0..=BITS_MAX).contains(&bits)) {
        let message = format!("bits for a 2d index must be between 1 and {BITS_MAX}");
        return Err(Error::new(BAD_OPTIONS, message));
    }
    Ok(())
}

/// Refuses a specification of one of these kinds, or with their options.
pub(crate) fn refuse(spec: &Document) -> Result<()> {
    let Some(Value::Document(key)) = spec.get("key") else {
        return Ok(());
    };
    let wildcard = key.iter().any(|(path, _)| path.ends_with("$**"));
    if spec.contains("wildcardProjection") && !wildcard {
        let message = "The field 'wildcardProjection' is only allowed in an index of {\"$**\": 1}";
        return Err(Error::new(Code(2), message));
    }
    check_bounds(spec)?;
    if wildcard {
        let message = "wildcard indexes are not supported yet; index the fields by name";
        return Err(Error::new(CANNOT_CREATE, message));
    }
    let special = key.iter().find_map(|(path, kind)| match kind {
        Value::String(kind) if kind != "hashed" => Some((path, kind)),
        _ => None,
    });
    if let Some((path, kind)) = special {
        let message = format!("indexes of kind '{kind}' are not supported yet (field '{path}')");
        return Err(Error::new(CANNOT_CREATE, message));
    }
    match spec.iter().find(|(name, _)| is_option(name)) {
        Some((name, _)) => {
            let message =
                format!("the index option '{name}' belongs to a kind of index that is not supported yet");
            Err(Error::new(CANNOT_CREATE, message))
        }
        None => Ok(()),
    }
}

/// The bounds of a 2d index.
fn check_bounds(spec: &Document) -> Result<()> {
    let bound = |name: &str| spec.get(name).and_then(|value| value.as_ref().as_f64());
    match (bound("min"), bound("max")) {
        (Some(min), Some(max)) if min >= max => Err(Error::new(
            BAD_OPTIONS,
            "the region of a 2d index is empty: 'min' must be less than 'max'",
        )),
        _ => Ok(()),
    }
}
