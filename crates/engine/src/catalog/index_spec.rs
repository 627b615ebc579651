//! Specifications of indexes, checked as MongoDB checks them.

use crate::catalog::id_index::CLUSTERED;
use crate::catalog::partial_filter::SELECTOR;
use crate::catalog::{index_kinds, storage_engine};
use crate::error::{Error, Result};
use crate::limits::INDEX_FIELDS_MAX;
use code::Code;
use language::filter::Filter;
use store::IndexSpec;
use value::collation::Collation;
use value::{Document, DocumentBuf, Type, Value};

/// MongoDB's code for a specification of which no index can be made.
pub(crate) const BAD_SPEC: Code = Code::CANNOT_CREATE_INDEX;
const BAD_OPTION: Code = Code::INVALID_INDEX_SPECIFICATION_OPTION;

/// The version of indexes that know no collations. It is accepted and listed, and means nothing else.
const FIRST_VERSION: i32 = 1;

/// The most bytes of a key pattern.
const KEY_BYTES_MAX: usize = 2048;

/// The fields that the specification of the index on `_id` may have.
const ID_INDEX_OPTIONS: [&str; 6] = ["key", "name", "v", "ns", "collation", "_id"];

/// The fields that the specification of any index may have; some kinds have others besides.
const OPTIONS: [&str; 15] = [
    "key",
    "name",
    "unique",
    "sparse",
    "hidden",
    "partialFilterExpression",
    "expireAfterSeconds",
    "collation",
    "prepareUnique",
    "v",
    "ns",
    // Descriptions that were once documents of a collection have one.
    "_id",
    "background",
    "storageEngine",
    "dropDups",
];

/// A specification without the fields that MongoDB does not know, or knows of another kind of index. `clustered` is in the listed
/// index of a clustered collection.
pub fn without_unknown_options(spec: Document) -> Document {
    let key = match spec.get("key") {
        Some(Value::Document(key)) => key.clone(),
        _ => Document::new(),
    };
    let fields = spec.into_iter();
    fields
        .filter(|(name, _)| name == CLUSTERED || (is_option(name) && index_kinds::has_option(&key, name)))
        .collect()
}

fn is_option(name: &str) -> bool {
    OPTIONS.contains(&name) || index_kinds::is_option(name)
}

/// Reads one index specification and refuses what is wrong or not supported.
pub(crate) fn parse_spec(spec: &Document) -> Result<IndexSpec> {
    let key = match spec.get("key") {
        Some(Value::Document(key)) => key.clone(),
        Some(other) => return Err(wrong_type("key", other, "object")),
        None => return Err(missing("key")),
    };
    check_key(&key)?;
    let mut parsed = IndexSpec {
        key,
        ..IndexSpec::default()
    };
    for (name, value) in spec.iter() {
        if !is_option(name) {
            return Err(not_valid(name, "an index", spec));
        }
        option(&mut parsed, name, value)?;
    }
    if !spec.contains("name") {
        return Err(missing("name"));
    }
    check_name(&parsed.name)?;
    check_id_index(spec, &parsed)?;
    if parsed.is_of_first_version() && spec.contains("collation") {
        return Err(Error::new(BAD_SPEC, "an index with v=1 cannot have a collation"));
    }
    check_together(&parsed)?;
    check_partial_filter(&parsed)?;
    index_kinds::complete(spec, &mut parsed)?;
    Ok(parsed)
}

/// Refuses names that no index can have.
pub(crate) fn check_name(name: &str) -> Result<()> {
    match name {
        "" => Err(Error::new(BAD_SPEC, "index name cannot be empty")),
        // The name becomes the name of a field in statistics.
        name if name.contains('\0') => Err(Error::new(BAD_SPEC, "index name cannot contain NUL bytes")),
        // `dropIndexes` takes it for all of them.
        "*" => Err(Error::new(Code::BAD_VALUE, "The index name '*' is not valid.")),
        _ => Ok(()),
    }
}

fn option(parsed: &mut IndexSpec, name: &str, value: &Value) -> Result<()> {
    match (name, value) {
        ("name", Value::String(text)) => parsed.name = text.clone(),
        ("name", other) => return Err(wrong_type(name, other, "string")),
        ("unique", value) => parsed.unique = flag(name, value)?,
        ("sparse", value) => parsed.sparse = flag(name, value)?,
        ("hidden", Value::Bool(hidden)) => parsed.hidden = *hidden,
        ("hidden", other) => return Err(wrong_type(name, other, "bool")),
        ("partialFilterExpression", Value::Document(filter)) if filter.contains(SELECTOR) => {
            let message = format!("unknown top level operator: {SELECTOR}");
            return Err(Error::new(Code::BAD_VALUE, message));
        }
        ("partialFilterExpression", Value::Document(filter)) => parsed.partial_filter = Some(filter.clone()),
        ("partialFilterExpression", other) => return Err(wrong_type(name, other, "object")),
        ("expireAfterSeconds", value) => parsed.expire_after_seconds = Some(seconds(value)?),
        ("collation", Value::Document(collation)) => put_collation(parsed, collation)?,
        ("prepareUnique", value) => parsed.prepare_unique = flag(name, value)?,
        ("collation", other) => return Err(wrong_type(name, other, "object")),
        ("v", value) => put_version(parsed, value)?,
        ("storageEngine", value) => {
            storage_engine::check_of_index(value)?;
            parsed.kept.push(name, value.clone());
        }
        // Builds are always in the background; the option has meant nothing since MongoDB 4.2, but is shown.
        ("background" | "dropDups", value) => parsed.kept.push(name, value.clone()),
        (name, value) if index_kinds::is_option(name) => {
            index_kinds::check_option(&parsed.key, name, value)?;
        }
        // The key was read before, and the others mean nothing.
        _ => {}
    }
    Ok(())
}

/// Refuses options of the index on `_id`, which is always unique and has all documents.
fn check_id_index(spec: &Document, parsed: &IndexSpec) -> Result<()> {
    let key = &parsed.key;
    if !is_on_id(key) {
        return Ok(());
    }
    let mut names = spec.iter().map(|(name, _)| name);
    if let Some(name) = names.find(|name| !ID_INDEX_OPTIONS.contains(name)) {
        return Err(not_valid(name, "an _id index", spec));
    }
    if key.get("_id").and_then(Value::as_f64) != Some(1.0) {
        let key = value::json::to_string(key.into(), value::json::Mode::Relaxed);
        let message = format!("The field 'key' for an _id index must be {{_id: 1}}, but got {key}");
        return Err(Error::new(Code::BAD_VALUE, message));
    }
    Ok(())
}

/// Whether a key pattern is that of the index on `_id`, or would be but for its direction.
pub(crate) fn is_on_id(key: &Document) -> bool {
    let direction = key.get("_id").and_then(Value::as_f64);
    // MongoDB truncates the direction to an integer.
    key.len() == 1 && direction.is_some_and(|direction| direction.trunc().abs() == 1.0)
}

pub(crate) fn not_valid(name: &str, of: &str, spec: &Document) -> Error {
    let spec = value::json::to_string(spec.into(), value::json::Mode::Relaxed);
    let message = format!("The field '{name}' is not valid for {of} specification. Specification: {spec}");
    Error::new(BAD_OPTION, message)
}

fn check_key(key: &Document) -> Result<()> {
    if key.is_empty() {
        return Err(Error::new(BAD_SPEC, "Index keys cannot be an empty object."));
    }
    for (at, (path, _)) in key.iter().enumerate() {
        if key.iter().take(at).any(|(earlier, _)| earlier == path) {
            let message = format!("The field '{path}' appears multiple times in the index key pattern");
            return Err(Error::new(Code::BAD_VALUE, message));
        }
    }
    if DocumentBuf::from(key).bytes().len() > KEY_BYTES_MAX {
        return Err(Error::new(BAD_SPEC, "Index key pattern too large."));
    }
    if key.len() > INDEX_FIELDS_MAX {
        let message = format!("Index key pattern has too many fields: at most {INDEX_FIELDS_MAX}");
        return Err(Error::new(Code::location(13_103), message));
    }
    let has_plugin = key.iter().any(|(_, kind)| matches!(kind, Value::String(_)));
    for (path, direction) in key.iter() {
        check_path(path, direction, has_plugin)?;
        check_direction(path, direction)?;
    }
    let hashed = key
        .iter()
        .filter(|(_, kind)| matches!(kind, Value::String(s) if s == "hashed"))
        .count();
    if hashed > 1 {
        let message = format!("A maximum of one index field is allowed to be hashed but found {hashed}");
        return Err(Error::new(Code::location(31_303), message));
    }
    Ok(())
}

/// Refuses a path that no document can have. Only an index without special kinds may have a wildcard below a path.
fn check_path(path: &str, kind: &Value, has_plugin: bool) -> Result<()> {
    if path.is_empty() || path.split('.').any(str::is_empty) {
        return Err(Error::new(BAD_SPEC, "Index keys cannot contain an empty field."));
    }
    let is_text = matches!(kind, Value::String(kind) if kind == "text");
    if path == "$**" && (is_text || kind.is_number()) {
        return Ok(());
    }
    if path == "_fts" && !is_text {
        let message = "Index key contains an illegal field name: '_fts'";
        return Err(Error::new(BAD_SPEC, message));
    }
    let path = match path.strip_suffix(".$**") {
        Some(root) if !has_plugin => root,
        _ => path,
    };
    // The parts of a DBRef, which has a name, are the only ones with a dollar that documents may have everywhere.
    let is_wrong = |(at, part): (usize, &str)| {
        part.starts_with('$') && (at == 0 || !matches!(part, "$id" | "$db" | "$ref"))
    };
    if path.split('.').enumerate().any(is_wrong) {
        let message = "Index key contains an illegal field name: field name starts with '$'.";
        return Err(Error::new(BAD_SPEC, message));
    }
    Ok(())
}

fn check_direction(path: &str, direction: &Value) -> Result<()> {
    let refuse = |message: String| Err(Error::new(BAD_SPEC, message));
    match direction {
        Value::String(kind) => match kind.as_str() {
            "hashed" | "text" | "2d" | "2dsphere" => Ok(()),
            "wildcard" => Err(Error::new(
                Code::location(7_246_202),
                format!("A wildcard index is {{\"{path}.$**\": 1}}, not of a kind of its own"),
            )),
            _ => refuse(format!("Unknown index plugin '{kind}'")),
        },
        number if number.as_ref().is_number() => match number.as_ref().as_f64() {
            Some(0.0) => refuse("Values in the index key pattern cannot be 0.".to_owned()),
            Some(nan) if nan.is_nan() => refuse("Values in the index key pattern cannot be NaN.".to_owned()),
            _ => Ok(()),
        },
        other => refuse(format!(
            "Values in v:2 index key pattern cannot be of type {}. Only numbers > 0, numbers < 0, and strings are \
             allowed.",
            other.type_of().alias()
        )),
    }
}

fn check_together(spec: &IndexSpec) -> Result<()> {
    let refuse = |message: &str| Err(Error::new(BAD_SPEC, message));
    let hashed = spec
        .key
        .iter()
        .any(|(_, kind)| matches!(kind, Value::String(kind) if kind == "hashed"));
    let on_id = spec.key.len() == 1 && spec.key.contains("_id");
    if hashed && spec.unique {
        return Err(Error::new(
            Code::location(16_764),
            "Currently hashed indexes cannot guarantee uniqueness. Use a regular index.",
        ));
    }
    if spec.name == "_id_" && !on_id {
        let message =
            "The index name '_id_' is reserved for the _id index, which must have key pattern {_id: 1}";
        return Err(Error::new(Code::BAD_VALUE, message));
    }
    if spec.unique && spec.prepare_unique {
        return refuse("the options 'unique' and 'prepareUnique' cannot both be set");
    }
    if spec.sparse && spec.partial_filter.is_some() {
        return refuse("cannot mix \"partialFilterExpression\" and \"sparse\" options");
    }
    if spec.expire_after_seconds.is_some() && spec.key.len() > 1 {
        return refuse("TTL indexes are single-field indexes, compound indexes do not support TTL");
    }
    Ok(())
}

/// Checks the condition of a partial index. One that is not a valid filter has the error of filters; one that no index can have, that of
/// indexes.
fn check_partial_filter(spec: &IndexSpec) -> Result<()> {
    match &spec.partial_filter {
        Some(condition) => Filter::parse_partial(condition, None)
            .map(drop)
            .map_err(Error::from),
        None => Ok(()),
    }
}

/// The first version is kept, since it is listed.
fn put_version(parsed: &mut IndexSpec, value: &Value) -> Result<()> {
    if version(value)? == FIRST_VERSION {
        parsed.kept.push("v", FIRST_VERSION);
    }
    Ok(())
}

fn seconds(value: &Value) -> Result<i64> {
    if !value.as_ref().is_number() {
        let found = value.type_of().alias();
        let message =
            format!("TTL index 'expireAfterSeconds' option must be numeric, but is of type {found}");
        return Err(Error::new(BAD_SPEC, message));
    }
    let seconds = value.as_ref().as_f64().unwrap_or(f64::NAN);
    // NaN, which is in no range, could be taken for 0, and all documents would go.
    if !(0.0..=f64::from(i32::MAX)).contains(&seconds) {
        let message = format!(
            "TTL index 'expireAfterSeconds' option must be within an acceptable range, not {seconds}: from 0 to {}",
            i32::MAX
        );
        return Err(Error::new(BAD_SPEC, message));
    }
    Ok(seconds as i64)
}

fn version(value: &Value) -> Result<i32> {
    if !value.as_ref().is_number() {
        return Err(wrong_type("v", value, "number"));
    }
    let version = value
        .as_i64_exact()
        .and_then(|version| i32::try_from(version).ok());
    match version {
        Some(version @ (FIRST_VERSION | 2)) => Ok(version),
        Some(version) => Err(Error::new(
            BAD_SPEC,
            format!("Invalid index specification: cannot create an index with v={version}; use v=2"),
        )),
        None => Err(Error::new(
            Code::BAD_VALUE,
            "Index version must be representable as a 32-bit integer",
        )),
    }
}

/// Keeps a collation with all of its options. The order of bytes is kept as no collation.
fn put_collation(parsed: &mut IndexSpec, options: &Document) -> Result<()> {
    if options.is_empty() {
        return Err(Error::new(
            Code::BAD_VALUE,
            "The field 'collation' cannot be an empty object",
        ));
    }
    if let Some(collation) = Collation::parse_asked(options)? {
        parsed.kept.push("collation", collation.description().clone());
    }
    Ok(())
}

/// Gives an index without a collation that of its collection, as MongoDB does.
pub(crate) fn inherit_collation(
    parsed: &mut IndexSpec,
    asked: bool,
    default: Option<&Collation>,
) -> Result<()> {
    let on_id = parsed.key.len() == 1 && parsed.key.contains("_id");
    let is_inherited = !asked && !on_id && !parsed.is_of_first_version();
    let Some(default) = default.filter(|_| is_inherited) else {
        return Ok(());
    };
    if parsed
        .key
        .iter()
        .any(|(_, kind)| matches!(kind, Value::String(kind) if kind == "text" || kind == "2d"))
    {
        return Err(Error::new(
            BAD_SPEC,
            "text and 2d indexes only support the simple collation: give the index {collation: {locale: \"simple\"}}",
        ));
    }
    parsed.kept.push("collation", default.description().clone());
    Ok(())
}

pub(crate) fn flag(name: &str, value: &Value) -> Result<bool> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        number if number.as_ref().is_number() => Ok(number.as_ref().as_f64() != Some(0.0)),
        other => Err(wrong_type(name, other, "bool")),
    }
}

fn missing(name: &str) -> Error {
    let message = format!("The '{name}' field is a required property of an index specification");
    Error::new(Code::FAILED_TO_PARSE, message)
}

fn wrong_type(name: &str, value: &Value, wanted: &str) -> Error {
    let found: Type = value.type_of();
    let message = format!("The field '{name}' must be a {wanted}, but got {}", found.alias());
    Error::new(Code::TYPE_MISMATCH, message)
}
