//! Wildcard and geospatial indexes: checking their options, completing them, and keeping them as MongoDB lists them.
//!
//! Left to others: text indexes ([`text_index`]), entries (`store`).

use crate::catalog::text_index;
use crate::error::{Error, Result};
use code::Code;
use language::expression::Variables;
use language::projection::Projection;
use store::{IndexSpec, Wildcard};
use value::{Document, Type, Value};

const CANNOT_CREATE: Code = Code::CANNOT_CREATE_INDEX;
const WRONG_TYPE: Code = Code::TYPE_MISMATCH;
const BAD_OPTIONS: Code = Code::INVALID_OPTIONS;
const FAILED_TO_PARSE: Code = Code::FAILED_TO_PARSE;
const SEVERAL_WILDCARDS: Code = Code::location(7_246_201);
/// The codes for a projection that names a path and one below it; a compound index has another code.
const PATH_COLLISIONS: [Code; 2] = [Code::PATH_BELOW_ANOTHER, Code::PATH_ABOVE_ANOTHER];
const PROJECTION_OVERLAPS: Code = Code::location(7_246_200);
const COMPUTED_FIELD: Code = Code::location(51_271);
/// A field next to a wildcard that contains it: a wildcard on a subtree, one that includes the field, one that does
/// not exclude it.
const BESIDE_SUBTREE: Code = Code::location(7_246_204);
const BESIDE_INCLUDED: Code = Code::location(7_246_208);
const BESIDE_NOT_EXCLUDED: Code = Code::location(7_246_209);

/// The most bits that a 2d index takes of each coordinate.
const BITS_MAX: f64 = 32.0;
/// The versions of text and 2dsphere indexes; the last is the one that is made.
const VERSION_MAX: i32 = 3;
/// The levels of S2's cells: the faces of a cube about the earth, and about a square centimetre.
const LEVEL_MIN: f64 = 0.0;
const LEVEL_MAX: f64 = 30.0;
/// The finest level of a 2dsphere index that names none, in MongoDB.
const FINEST_LEVEL_DEFAULT: f64 = 23.0;

/// The kind of an index, by its key pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Values,
    Wildcard,
    Text,
    Planar,
    Sphere,
}

/// Whether an option belongs to one of these kinds.
pub(crate) fn is_option(name: &str) -> bool {
    is_text(name) || is_number(name) || matches!(name, "weights" | "wildcardProjection")
}

/// Whether an index with this key pattern can have an option, by its kind.
pub(crate) fn has_option(key: &Document, option: &str) -> bool {
    let named = key.iter().find_map(|(_, kind)| match kind {
        Value::String(kind) => Some(kind.as_str()),
        _ => None,
    });
    match option {
        "weights" | "textIndexVersion" => named == Some("text"),
        "bits" | "min" | "max" => named == Some("2d"),
        "2dsphereIndexVersion" | "finestIndexedLevel" | "coarsestIndexedLevel" => named == Some("2dsphere"),
        "wildcardProjection" => named.is_none() && key.iter().any(|(path, _)| Wildcard::is_pattern(path)),
        _ => true,
    }
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

/// Refuses a value of the wrong type. An option that an index with this key pattern cannot have is left to [`complete`], which
/// refuses it whatever its type.
pub(crate) fn check_option(key: &Document, name: &str, value: &Value) -> Result<()> {
    let kind = value.type_of();
    let (fits, wanted) = match name {
        name if is_text(name) => (kind == Type::String, "a string"),
        name if is_number(name) => (kind.is_number(), "a number"),
        // Weights given as a list of names have an error of their own.
        "weights" => (
            matches!(kind, Type::Document | Type::String | Type::Array),
            "an object",
        ),
        _ => (
            kind == Type::Document || !has_option(key, name),
            "a non-empty object",
        ),
    };
    if fits {
        return Ok(());
    }
    let found = kind.alias();
    let message = format!("The field '{name}' must be {wanted}, but got {found}");
    Err(Error::new(WRONG_TYPE, message))
}

/// Checks the specification of an index of these kinds, and puts its options into the parsed one.
pub(crate) fn complete(spec: &Document, parsed: &mut IndexSpec) -> Result<()> {
    let kind = kind_of(&parsed.key)?;
    if spec.contains("wildcardProjection") && kind != Kind::Wildcard {
        let message = "The field 'wildcardProjection' is only allowed in an index of {\"$**\": 1}";
        return Err(Error::new(Code::BAD_VALUE, message));
    }
    if spec.contains("weights") && kind != Kind::Text {
        return Err(refused("'weights' are for text indexes only".to_owned()));
    }
    keep_of_any_kind(spec, parsed, kind);
    let collated = matches!(parsed.kept.get("collation"), Some(Value::Document(_)));
    if collated && matches!(kind, Kind::Text | Kind::Planar) {
        return Err(refused(
            "text and 2d indexes only support the simple collation".to_owned(),
        ));
    }
    match kind {
        Kind::Values => Ok(()),
        Kind::Wildcard => wildcard(spec, parsed),
        Kind::Text => text_index::complete(spec, parsed),
        Kind::Planar => planar(spec, parsed),
        Kind::Sphere => sphere(spec, parsed),
    }
}

/// Keeps the options that an index of any kind may have. Those of another kind mean nothing, and MongoDB does not list them.
fn keep_of_any_kind(spec: &Document, parsed: &mut IndexSpec, kind: Kind) {
    let names: &[&str] = match kind {
        Kind::Text => &["bucketSize"],
        _ => &["bucketSize", "default_language", "language_override"],
    };
    for name in names {
        if let Some(value) = spec.get(name) {
            parsed.kept.push(*name, value.clone());
        }
    }
}

pub(super) fn refused(message: String) -> Error {
    Error::new(CANNOT_CREATE, message)
}

fn kind_of(key: &Document) -> Result<Kind> {
    let named = |name: &str| {
        key.iter()
            .any(|(_, kind)| matches!(kind, Value::String(kind) if kind == name))
    };
    let mut kinds: Vec<(Kind, &str)> = [
        (Kind::Text, "text"),
        (Kind::Planar, "2d"),
        (Kind::Sphere, "2dsphere"),
    ]
    .into_iter()
    .filter(|(_, name)| named(name))
    .collect();
    let wildcard = key.iter().any(|(path, kind)| {
        Wildcard::is_pattern(path) && !matches!(kind, Value::String(kind) if kind == "text")
    });
    if wildcard {
        kinds.push((Kind::Wildcard, "wildcard"));
    }
    let hashed = named("hashed");
    match kinds.as_slice() {
        [] => Ok(Kind::Values),
        [(kind, _)] if !hashed => Ok(*kind),
        [(_, name), ..] => Err(refused(format!(
            "an index of kind '{name}' cannot have fields of another special kind"
        ))),
    }
}

fn wildcard(spec: &Document, parsed: &mut IndexSpec) -> Result<()> {
    for (name, set) in [
        ("unique", parsed.unique || parsed.prepare_unique),
        ("sparse", parsed.sparse),
        ("expireAfterSeconds", parsed.expire_after_seconds.is_some()),
        ("v: 1", parsed.is_of_first_version()),
    ] {
        if set {
            return Err(refused(format!(
                "Index type 'wildcard' does not support the {name} option"
            )));
        }
    }
    let mut wildcards = parsed.key.iter().filter(|(path, _)| Wildcard::is_pattern(path));
    let Some((path, _)) = wildcards.next() else {
        return Ok(());
    };
    if wildcards.next().is_some() {
        let message = "wildcard indexes do not allow more than one wildcard field";
        return Err(Error::new(SEVERAL_WILDCARDS, message));
    }
    let projection = wildcard_projection(spec, path, parsed.key.len() > 1)?;
    let held = Wildcard::parse(path, projection)?;
    let mut others = parsed
        .key
        .iter()
        .filter(|(other, _)| !Wildcard::is_pattern(other));
    if let Some((other, _)) = others.find(|(other, _)| held.holds(other)) {
        let code = match projection {
            None => BESIDE_SUBTREE,
            Some(_) if held.is_inclusive() => BESIDE_INCLUDED,
            Some(_) => BESIDE_NOT_EXCLUDED,
        };
        let message = format!(
            "the wildcard of a compound index holds the field '{other}' too: leave it out by 'wildcardProjection'"
        );
        return Err(Error::new(code, message));
    }
    if let Some(projection) = projection {
        parsed.kept.push("wildcardProjection", projection.clone());
    }
    Ok(())
}

/// The `wildcardProjection`, which only an index on everything may have, and which it must have if it has other
/// fields too.
fn wildcard_projection<'s>(
    spec: &'s Document,
    path: &str,
    is_compound: bool,
) -> Result<Option<&'s Document>> {
    let wrong = |message: &str| Err(Error::new(FAILED_TO_PARSE, message));
    let projection = match spec.get("wildcardProjection") {
        Some(Value::Document(projection)) => projection,
        _ if is_compound && path == "$**" => {
            let message =
                "Compound wildcard indexes on all fields must also specify 'wildcardProjection' option";
            return Err(refused(message.to_owned()));
        }
        _ => return Ok(None),
    };
    if path != "$**" {
        return wrong("The field 'wildcardProjection' is only allowed when 'key' is {\"$**\": 1}");
    }
    if projection.is_empty() {
        return wrong("The 'wildcardProjection' field can't be an empty object");
    }
    if computes(projection) {
        return Err(Error::new(
            COMPUTED_FIELD,
            "Bad projection specification: 'wildcardProjection' keeps fields or leaves them out, and computes none",
        ));
    }
    match Projection::parse_find(projection, None, &Variables::default()) {
        Ok(_) => Ok(Some(projection)),
        Err(error) if is_compound && PATH_COLLISIONS.contains(&error.code) => {
            Err(Error::new(PROJECTION_OVERLAPS, error.message))
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether a projection has an operator in place of a value, at any depth.
fn computes(projection: &Document) -> bool {
    projection.iter().any(|(_, value)| match value {
        Value::Document(inner) => inner.iter().any(|(name, _)| name.starts_with('$')) || computes(inner),
        _ => false,
    })
}

fn planar(spec: &Document, parsed: &mut IndexSpec) -> Result<()> {
    let is_planar = |kind: &Value| matches!(kind, Value::String(kind) if kind == "2d");
    let first = parsed.key.iter().next().is_some_and(|(_, kind)| is_planar(kind));
    if !first {
        return Err(Error::new(Code::location(16_801), "2d has to be first in index"));
    }
    if parsed.key.iter().filter(|(_, kind)| is_planar(kind)).count() > 1 {
        return Err(Error::new(Code::location(16_800), "can't have 2 geo fields"));
    }
    check_bits(spec)?;
    check_bounds(spec)?;
    for name in ["bits", "min", "max"] {
        let Some((given, number)) = spec
            .get(name)
            .and_then(|given| Some((given, given.as_ref().as_f64()?)))
        else {
            continue;
        };
        let kept = match name {
            "bits" => Value::Int32(number as i32),
            _ => given.clone(),
        };
        parsed.kept.push(name, kept);
    }
    Ok(())
}

/// An index as it is listed. The bounds of a plane, and the size of buckets, are doubles there, as in MongoDB 8.2; `$indexStats`
/// shows them as they were given.
pub(super) fn listed(spec: &IndexSpec) -> Document {
    let shown = |name: &str, value: &Value| match (name, value.as_ref().as_f64()) {
        ("min" | "max" | "bucketSize", Some(bound)) => Value::Double(bound),
        _ => value.clone(),
    };
    let described = spec.to_document();
    let fields = described.iter();
    fields
        .map(|(name, value)| (name.to_owned(), shown(name, value)))
        .collect()
}

/// The bits of each coordinate in a 2d index.
fn check_bits(spec: &Document) -> Result<()> {
    let Some(bits) = spec.get("bits") else {
        return Ok(());
    };
    let fits = bits
        .as_ref()
        .as_f64()
        .is_some_and(|bits| (1.0..=BITS_MAX).contains(&bits));
    if fits && bits.type_of() != Type::Decimal128 {
        return Ok(());
    }
    let message = format!("bits for a 2d index must be between 1 and {BITS_MAX}");
    Err(Error::new(BAD_OPTIONS, message))
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

fn sphere(spec: &Document, parsed: &mut IndexSpec) -> Result<()> {
    check_levels(spec)?;
    parsed
        .kept
        .push("2dsphereIndexVersion", version(spec, "2dsphereIndexVersion")?);
    for name in ["finestIndexedLevel", "coarsestIndexedLevel"] {
        if let Some(level) = spec.get(name) {
            parsed.kept.push(name, level.clone());
        }
    }
    Ok(())
}

/// The levels of cells of a 2dsphere index. They have no effect here, but what MongoDB refuses is refused.
fn check_levels(spec: &Document) -> Result<()> {
    let level = |name: &str| spec.get(name).and_then(|level| level.as_ref().as_f64());
    let coarsest = level("coarsestIndexedLevel").unwrap_or(LEVEL_MIN);
    let finest = level("finestIndexedLevel").unwrap_or(FINEST_LEVEL_DEFAULT);
    let (number, message) = if coarsest < LEVEL_MIN {
        (16_747, "coarsestIndexedLevel must be >= 0")
    } else if finest > LEVEL_MAX {
        (16_748, "finestIndexedLevel must be <= 30")
    } else if finest < coarsest {
        (16_749, "finestIndexedLevel must be >= coarsestIndexedLevel")
    } else {
        return Ok(());
    };
    Err(Error::new(Code::location(number), message))
}

/// The version of a text or 2dsphere index; the last one, unless another is asked for.
pub(super) fn version(spec: &Document, name: &str) -> Result<Value> {
    let Some(given) = spec.get(name) else {
        return Ok(Value::Int32(VERSION_MAX));
    };
    let number = given.as_ref().as_f64().unwrap_or_default();
    let known = (1..=VERSION_MAX).find(|known| f64::from(*known) == number);
    match known.filter(|_| given.type_of() != Type::Decimal128) {
        Some(known) => Ok(Value::Int32(known)),
        None => Err(refused(format!(
            "unsupported {name} {number}: supported are 1 to {VERSION_MAX}"
        ))),
    }
}
