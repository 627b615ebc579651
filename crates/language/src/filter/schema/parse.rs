//! Schemas out of documents.

use super::encryption::{check_metadata, check_options};
use super::{Additional, Dependency, Encrypted, Items, Property, Schema, unordered};
use crate::expression::number::Number;
use crate::filter::parse::type_set;
use crate::filter::{Comparison, TypeSet, matches, number};
use crate::regex::Regex;
use crate::{Error, Result};
use value::{Document, Type, Value};

/// Keywords of JSON Schema that MongoDB knows of and does not take.
const UNSUPPORTED: [&str; 6] = ["$ref", "$schema", "default", "definitions", "format", "id"];

/// The keywords that MongoDB takes.
const KEYWORDS: [&str; 31] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "bsonType",
    "dependencies",
    "description",
    "encrypt",
    "encryptMetadata",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
];

pub(super) fn schema(source: &Document) -> Result<Schema> {
    check_keywords(source)?;
    check_together(source)?;
    let mut schema = Schema::default();
    for (keyword, value) in source.iter() {
        keyword_into(&mut schema, keyword, value)?;
    }
    Ok(schema)
}

/// MongoDB looks at all keywords before it looks at a value.
fn check_keywords(source: &Document) -> Result<()> {
    for (at, (keyword, _)) in source.iter().enumerate() {
        if UNSUPPORTED.contains(&keyword) {
            return Err(Error::failed_to_parse(format!(
                "$jsonSchema keyword '{keyword}' is not currently supported"
            )));
        }
        if !KEYWORDS.contains(&keyword) {
            return Err(Error::failed_to_parse(format!(
                "Unknown $jsonSchema keyword: {keyword}"
            )));
        }
        if source.iter().take(at).any(|(earlier, _)| earlier == keyword) {
            return Err(Error::failed_to_parse(format!(
                "Duplicate $jsonSchema keyword: {keyword}"
            )));
        }
    }
    Ok(())
}

/// Keywords that need another one, or exclude it.
fn check_together(source: &Document) -> Result<()> {
    for annotation in ["description", "title"] {
        if let Some(value) = source.get(annotation) {
            text(annotation, value)?;
        }
    }
    let exclusive = [
        ("type", "bsonType"),
        ("type", "encrypt"),
        ("bsonType", "encrypt"),
        ("encrypt", "encryptMetadata"),
    ];
    for (kind, other) in exclusive {
        if source.contains(kind) && source.contains(other) {
            return Err(Error::failed_to_parse(format!(
                "Cannot specify both $jsonSchema keywords '{kind}' and '{other}'"
            )));
        }
    }
    for (limit, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        if source.contains(exclusive) && !source.contains(limit) {
            return Err(Error::failed_to_parse(format!(
                "$jsonSchema keyword '{limit}' must be a present if {exclusive} is present"
            )));
        }
    }
    Ok(())
}

fn keyword_into(schema: &mut Schema, keyword: &str, value: &Value) -> Result<()> {
    let Schema {
        number,
        string,
        array,
        object,
        ..
    } = schema;
    match keyword {
        "type" => schema.types = Some(types(keyword, value, json_type)?),
        "bsonType" => schema.types = Some(types(keyword, value, bson_type)?),
        "enum" => schema.allowed = Some(allowed(keyword, value)?),
        "allOf" => schema.all_of = schemas(keyword, value)?,
        "anyOf" => schema.any_of = schemas(keyword, value)?,
        "oneOf" => schema.one_of = schemas(keyword, value)?,
        "not" => schema.not = Some(Box::new(nested(keyword, value)?)),
        "minimum" => number.minimum = Some(numeric(keyword, value)?),
        "maximum" => number.maximum = Some(numeric(keyword, value)?),
        "exclusiveMinimum" => number.is_minimum_exclusive = boolean(keyword, value)?,
        "exclusiveMaximum" => number.is_maximum_exclusive = boolean(keyword, value)?,
        "multipleOf" => number.multiple_of = Some(divisor(keyword, value)?),
        "minLength" => string.length_min = Some(length(keyword, value)?),
        "maxLength" => string.length_max = Some(length(keyword, value)?),
        "pattern" => string.pattern = Some(Regex::new(text(keyword, value)?, "")?),
        "minItems" => array.items_min = Some(length(keyword, value)?),
        "maxItems" => array.items_max = Some(length(keyword, value)?),
        "uniqueItems" => array.are_items_unique = boolean(keyword, value)?,
        "items" => array.items = items(keyword, value)?,
        "additionalItems" => array.additional = additional(keyword, value)?,
        "required" => object.required = names(keyword, value)?,
        "properties" => object.properties = properties(keyword, value)?,
        "patternProperties" => object.patterns = pattern_properties(keyword, value)?,
        "additionalProperties" => object.additional = additional(keyword, value)?,
        "minProperties" => object.properties_min = Some(length(keyword, value)?),
        "maxProperties" => object.properties_max = Some(length(keyword, value)?),
        "dependencies" => object.dependencies = dependencies(keyword, value)?,
        "encrypt" => {
            let names = check_options(value)?.get("bsonType");
            let types = names
                .map(|names| types("bsonType", names, bson_type))
                .transpose()?;
            schema.encrypted = Some(Encrypted { types });
        }
        "encryptMetadata" => {
            check_metadata(value)?;
            schema.has_encryption_metadata = true;
        }
        // Titles and descriptions say nothing of what is stored.
        _ => {}
    }
    Ok(())
}

fn must_be(keyword: &str, what: &str) -> Error {
    Error::type_mismatch(format!("$jsonSchema keyword '{keyword}' must be {what}"))
}

fn refused(keyword: &str, what: &str) -> Error {
    Error::failed_to_parse(format!("$jsonSchema keyword '{keyword}' {what}"))
}

fn text<'v>(keyword: &str, value: &'v Value) -> Result<&'v str> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err(must_be(keyword, "a string")),
    }
}

fn boolean(keyword: &str, value: &Value) -> Result<bool> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        _ => Err(must_be(keyword, "a boolean")),
    }
}

fn numeric(keyword: &str, value: &Value) -> Result<Value> {
    if value.as_ref().is_number() {
        Ok(value.clone())
    } else {
        Err(must_be(keyword, "a number"))
    }
}

fn divisor(keyword: &str, value: &Value) -> Result<Value> {
    let divisor = numeric(keyword, value)?;
    let is_nothing_to_divide_by =
        |number: Number| number.is_nan() || !number.is_finite() && number.is_positive();
    if Number::of(divisor.as_ref()).is_some_and(is_nothing_to_divide_by) {
        return Err(Error::bad_value("divisor cannot be NaN or infinite"));
    }
    if matches::compare(Comparison::Gt, divisor.as_ref(), Value::Int32(0).as_ref()) {
        Ok(divisor)
    } else {
        Err(refused(keyword, "must have a positive value"))
    }
}

fn length(keyword: &str, value: &Value) -> Result<u64> {
    number::exact(value.as_ref())
        .and_then(|length| u64::try_from(length).ok())
        .ok_or_else(|| refused(keyword, "must be a non-negative integer"))
}

fn object<'v>(keyword: &str, value: &'v Value) -> Result<&'v Document> {
    match value {
        Value::Document(document) => Ok(document),
        _ => Err(must_be(keyword, "an object")),
    }
}

fn elements<'v>(keyword: &str, value: &'v Value) -> Result<&'v [Value]> {
    match value {
        Value::Array(elements) => Ok(elements),
        _ => Err(must_be(keyword, "an array")),
    }
}

fn nested(keyword: &str, value: &Value) -> Result<Schema> {
    schema(object(keyword, value)?)
}

fn types(keyword: &str, value: &Value, one: impl Fn(&str) -> Result<TypeSet>) -> Result<TypeSet> {
    let single = std::slice::from_ref(value);
    let aliases = match value {
        Value::String(_) => single,
        Value::Array(aliases) if !aliases.is_empty() => aliases,
        Value::Array(_) => return Err(refused(keyword, "must name at least one type")),
        _ => return Err(must_be(keyword, "either a string or an array of strings")),
    };
    let mut set = TypeSet::default();
    let mut seen: Vec<&str> = Vec::with_capacity(aliases.len());
    for alias in aliases {
        let Value::String(alias) = alias else {
            return Err(must_be(keyword, "either a string or an array of strings"));
        };
        if seen.contains(&alias.as_str()) {
            return Err(refused(keyword, &format!("has duplicate value: {alias}")));
        }
        seen.push(alias);
        if alias == "integer" {
            return Err(Error::failed_to_parse(
                "$jsonSchema type 'integer' is not currently supported.",
            ));
        }
        set.extend(one(alias)?);
    }
    Ok(set)
}

/// The types after a name of JSON Schema's own.
fn json_type(alias: &str) -> Result<TypeSet> {
    let kind = match alias {
        "number" => return type_set("type", &alias.into()),
        "array" => Type::Array,
        "boolean" => Type::Bool,
        "null" => Type::Null,
        "object" => Type::Document,
        "string" => Type::String,
        _ => {
            return Err(Error::bad_value(format!("Unknown type name alias: {alias}")));
        }
    };
    Ok(TypeSet::new([kind]))
}

fn bson_type(alias: &str) -> Result<TypeSet> {
    type_set("bsonType", &alias.into())
}

fn allowed(keyword: &str, value: &Value) -> Result<Vec<Value>> {
    let values = elements(keyword, value)?;
    if values.is_empty() {
        return Err(refused(keyword, "cannot be an empty array"));
    }
    for (position, value) in values.iter().enumerate() {
        let is_repeated = values
            .iter()
            .take(position)
            .any(|earlier| unordered::equal(earlier.as_ref(), value.as_ref()));
        if is_repeated {
            return Err(refused(keyword, "array cannot contain duplicate values."));
        }
    }
    Ok(values.to_vec())
}

fn schemas(keyword: &str, value: &Value) -> Result<Vec<Schema>> {
    let elements = elements(keyword, value)?;
    if elements.is_empty() {
        return Err(Error::bad_value(format!(
            "$jsonSchema keyword '{keyword}' must be a nonempty array"
        )));
    }
    elements.iter().map(|element| nested(keyword, element)).collect()
}

fn names(keyword: &str, value: &Value) -> Result<Vec<Property>> {
    let elements = elements(keyword, value)?;
    if elements.is_empty() {
        return Err(refused(keyword, "cannot be an empty array"));
    }
    let mut names: Vec<&str> = Vec::with_capacity(elements.len());
    for element in elements {
        let Value::String(name) = element else {
            return Err(must_be(keyword, "an array of strings"));
        };
        if names.contains(&name.as_str()) {
            return Err(refused(
                keyword,
                &format!("array cannot contain duplicate values: {name}"),
            ));
        }
        names.push(name);
    }
    Ok(names.into_iter().map(Property::new).collect())
}

fn items(keyword: &str, value: &Value) -> Result<Items> {
    match value {
        Value::Document(source) => Ok(Items::Each(Box::new(schema(source)?))),
        Value::Array(elements) => elements
            .iter()
            .map(|element| nested(keyword, element))
            .collect::<Result<_>>()
            .map(Items::InOrder),
        _ => Err(must_be(keyword, "an array or an object")),
    }
}

fn additional(keyword: &str, value: &Value) -> Result<Additional> {
    match value {
        Value::Bool(true) => Ok(Additional::Free),
        Value::Bool(false) => Ok(Additional::Refused),
        Value::Document(source) => Ok(Additional::Schema(Box::new(schema(source)?))),
        _ => Err(must_be(keyword, "either an object or a boolean")),
    }
}

fn properties(keyword: &str, value: &Value) -> Result<Vec<(Property, Schema)>> {
    object(keyword, value)?
        .iter()
        .map(|(name, value)| Ok((Property::new(name), nested(keyword, value)?)))
        .collect()
}

fn pattern_properties(keyword: &str, value: &Value) -> Result<Vec<(Regex, Schema)>> {
    object(keyword, value)?
        .iter()
        .map(|(pattern, value)| {
            let schema = nested(keyword, value)?;
            // Here, unlike in `pattern`, MongoDB calls a wrong pattern a bad value.
            let regex = Regex::new(pattern, "").map_err(|error| {
                Error::bad_value(format!(
                    "Invalid regular expression in $jsonSchema keyword '{keyword}': {}",
                    error.message
                ))
            })?;
            Ok((regex, schema))
        })
        .collect()
}

fn dependencies(keyword: &str, value: &Value) -> Result<Vec<(Property, Dependency)>> {
    // A title and a description may stand here too.
    let is_annotation =
        |name: &str, value: &Value| matches!((name, value), ("title" | "description", Value::String(_)));
    object(keyword, value)?
        .iter()
        .filter(|&(name, value)| !is_annotation(name, value))
        .map(|(name, value)| {
            let dependency = match value {
                Value::Array(_) => Dependency::Fields(names(keyword, value)?),
                Value::Document(source) => Dependency::Schema(Box::new(schema(source)?)),
                _ => return Err(must_be(keyword, "of arrays and objects")),
            };
            Ok((Property::new(name), dependency))
        })
        .collect()
}
