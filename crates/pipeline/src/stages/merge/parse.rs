//! `$merge` read from BSON.

use super::{Merge, WhenMatched, WhenNotMatched};
use crate::fields::checked_path;
use crate::stage::{Stage, StageScope};
use crate::sub_pipeline::checked_namespace;
use crate::{Code, QueryError, Result};
use language::expression::{Expression, check_new_variable};
use std::sync::Arc;
use store::Namespace;
use value::path::FieldPath;
use value::{Document, Value};

/// The databases that hold the server's own collections.
const OWN_DATABASES: [&str; 3] = ["admin", "config", "local"];

fn wrong(code: Code, message: impl Into<String>) -> QueryError {
    QueryError::new(code, message)
}

fn wrong_type(field: &str, value: &Value, expected: &str) -> QueryError {
    QueryError::type_mismatch(format!(
        "BSON field '$merge.{field}' is the wrong type '{}', expected type '{expected}'",
        value.type_of().alias()
    ))
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let database = &scope.namespace.database;
    let merge = match operand {
        Value::String(name) => Merge {
            operand: operand.clone(),
            into: checked_target(checked_namespace(database, name)?)?,
            on: vec![("_id".to_owned(), FieldPath::parse("_id"))],
            matched: WhenMatched::Merge,
            not_matched: WhenNotMatched::Insert,
            variables: Vec::new(),
        },
        Value::Document(options) => parse_options(options, operand, scope)?,
        other => {
            return Err(wrong(
                Code::location(51_182),
                format!(
                    "$merge only supports a string or object argument, not {}",
                    other.type_of().alias()
                ),
            ));
        }
    };
    Ok(vec![Arc::new(Arc::new(merge))])
}

fn parse_options(options: &Document, operand: &Value, scope: &StageScope<'_>) -> Result<Merge> {
    const KNOWN: [&str; 5] = ["into", "on", "whenMatched", "let", "whenNotMatched"];
    // Which stage has written it is for MongoDB's own servers among themselves.
    if let Some((unknown, _)) = options.iter().find(|(name, _)| !KNOWN.contains(name)) {
        return Err(wrong(
            Code::UNKNOWN_FIELD,
            format!("BSON field '$merge.{unknown}' is an unknown field."),
        ));
    }
    let into = match given(options, "into") {
        Some(into) => parse_into(into, scope)?,
        None => {
            return Err(wrong(
                Code::MISSING_FIELD,
                "BSON field '$merge.into' is missing but a required field",
            ));
        }
    };
    let on = parse_on(given(options, "on"))?;
    let matched = parse_matched(given(options, "whenMatched"))?;
    let not_matched = parse_not_matched(given(options, "whenNotMatched"))?;
    let definitions = match given(options, "let") {
        None => None,
        Some(Value::Document(definitions)) => Some(definitions),
        Some(other) => return Err(wrong_type("let", other, "object")),
    };
    check_modes(&matched, not_matched)?;
    let into = checked_target(into)?;
    let is_pipeline = matches!(matched, WhenMatched::Pipeline(_));
    if definitions.is_some() && !is_pipeline {
        return Err(wrong(
            Code::location(51_199),
            "Cannot use 'let' variables with 'whenMatched' mode that is not a pipeline",
        ));
    }
    let variables = match is_pipeline {
        true => parse_variables(definitions, scope)?,
        false => Vec::new(),
    };
    Ok(Merge {
        operand: operand.clone(),
        into,
        on,
        matched,
        not_matched,
        variables,
    })
}

/// An option; a null is none.
fn given<'o>(options: &'o Document, name: &str) -> Option<&'o Value> {
    options
        .get(name)
        .filter(|value| !matches!(value, Value::Null | Value::Undefined))
}

fn parse_into(into: &Value, scope: &StageScope<'_>) -> Result<Namespace> {
    let own = &scope.namespace.database;
    match into {
        Value::String(name) if name.is_empty() => Err(wrong(
            Code::location(5_786_800),
            "Invalid $merge 'into' argument: a collection's name cannot be empty",
        )),
        Value::String(name) => checked_namespace(own, name),
        Value::Document(parts) => {
            let (mut database, mut collection) = (None, None);
            for (name, value) in parts.iter() {
                let place = match name {
                    "db" => &mut database,
                    "coll" => &mut collection,
                    unknown => {
                        return Err(wrong(
                            Code::UNKNOWN_FIELD,
                            format!("BSON field 'into.{unknown}' is an unknown field."),
                        ));
                    }
                };
                match value {
                    Value::String(text) => *place = Some(text.as_str()),
                    Value::Null | Value::Undefined => {}
                    other => return Err(wrong_type(&format!("into.{name}"), other, "string")),
                }
            }
            let collection = collection.ok_or_else(|| {
                wrong(
                    Code::location(5_786_801),
                    "Invalid $merge 'into' argument: it names no collection ('coll')",
                )
            })?;
            checked_namespace(database.unwrap_or(own), collection)
        }
        other => Err(wrong(
            Code::location(51_178),
            format!(
                "$merge 'into' field must be either a string or an object, but found {}",
                other.type_of().alias()
            ),
        )),
    }
}

/// Refuses the server's own collections.
fn checked_target(into: Namespace) -> Result<Namespace> {
    if into.collection.starts_with("system.") {
        return Err(wrong(
            Code::location(31_319),
            format!("Cannot $merge to special collection: {}", into.collection),
        ));
    }
    if OWN_DATABASES.contains(&into.database.as_str()) {
        return Err(wrong(
            Code::location(31_320),
            format!("Cannot $merge to internal database: {}", into.database),
        ));
    }
    Ok(into)
}

fn parse_on(on: Option<&Value>) -> Result<Vec<(String, FieldPath)>> {
    let field = |name: &String| checked_path(name).map(|path| (name.clone(), path));
    match on {
        None => Ok(vec![("_id".to_owned(), FieldPath::parse("_id"))]),
        Some(Value::String(name)) => Ok(vec![field(name)?]),
        Some(Value::Array(names)) if names.is_empty() => Err(wrong(
            Code::location(51_187),
            "If explicitly specifying $merge 'on', must include at least one field",
        )),
        Some(Value::Array(names)) => {
            let mut fields: Vec<(String, FieldPath)> = Vec::with_capacity(names.len());
            for name in names {
                let Value::String(name) = name else {
                    return Err(wrong(
                        Code::location(51_134),
                        format!(
                            "$merge 'on' array elements must be strings, but found {}",
                            name.type_of().alias()
                        ),
                    ));
                };
                if fields.iter().any(|(known, _)| known == name) {
                    return Err(wrong(
                        Code::location(31_465),
                        format!("Found a duplicate field '{name}'"),
                    ));
                }
                fields.push(field(name)?);
            }
            Ok(fields)
        }
        Some(other) => Err(wrong(
            Code::location(51_186),
            format!(
                "$merge 'on' field must be either a string or an array of strings, but found {}",
                other.type_of().alias()
            ),
        )),
    }
}

fn parse_matched(mode: Option<&Value>) -> Result<WhenMatched> {
    match mode {
        None => Ok(WhenMatched::Merge),
        Some(Value::Array(stages)) => {
            if stages.iter().any(|stage| !matches!(stage, Value::Document(_))) {
                return Err(QueryError::type_mismatch(
                    "Each element of the 'pipeline' array must be an object",
                ));
            }
            Ok(WhenMatched::Pipeline(stages.clone()))
        }
        Some(Value::String(mode)) => match mode.as_str() {
            "replace" => Ok(WhenMatched::Replace),
            "keepExisting" => Ok(WhenMatched::KeepExisting),
            "merge" => Ok(WhenMatched::Merge),
            "fail" => Ok(WhenMatched::Fail),
            other => Err(not_a_mode("whenMatched", other)),
        },
        Some(other) => Err(wrong(
            Code::location(51_191),
            format!(
                "$merge 'whenMatched' field must be either a string or an array, but found {}",
                other.type_of().alias()
            ),
        )),
    }
}

fn parse_not_matched(mode: Option<&Value>) -> Result<WhenNotMatched> {
    match mode {
        None => Ok(WhenNotMatched::Insert),
        Some(Value::String(mode)) => match mode.as_str() {
            "insert" => Ok(WhenNotMatched::Insert),
            "discard" => Ok(WhenNotMatched::Discard),
            "fail" => Ok(WhenNotMatched::Fail),
            other => Err(not_a_mode("whenNotMatched", other)),
        },
        Some(other) => Err(wrong_type("whenNotMatched", other, "string")),
    }
}

fn not_a_mode(option: &str, mode: &str) -> QueryError {
    QueryError::bad_value(format!(
        "Enumeration value '{mode}' for field '$merge.{option}' is not a valid value."
    ))
}

/// Not all modes go together.
fn check_modes(matched: &WhenMatched, not_matched: WhenNotMatched) -> Result<()> {
    let together = match matched {
        WhenMatched::KeepExisting | WhenMatched::Fail => not_matched == WhenNotMatched::Insert,
        WhenMatched::Replace | WhenMatched::Merge | WhenMatched::Pipeline(_) => true,
    };
    if together {
        return Ok(());
    }
    Err(wrong(
        Code::location(51_181),
        "Combination of $merge modes 'whenMatched' and 'whenNotMatched' is not supported: with 'keepExisting' or 'fail' \
         goes only 'insert'",
    ))
}

/// The variables of the pipeline: `new` is always the document that is merged.
fn parse_variables(
    definitions: Option<&Document>,
    scope: &StageScope<'_>,
) -> Result<Vec<(String, Expression)>> {
    let parse_scope = scope.variables.parse_scope();
    let mut variables = Vec::new();
    let whole = Value::from("$$ROOT");
    for (name, definition) in definitions.into_iter().flat_map(Document::iter) {
        check_new_variable(name)?;
        if name == "new" && *definition != whole {
            return Err(wrong(
                Code::location(51_273),
                "'let' may not define a value for the reserved 'new' variable other than '$$ROOT'",
            ));
        }
        variables.push((name.to_owned(), Expression::parse(definition, &parse_scope)?));
    }
    if !variables.iter().any(|(name, _)| name == "new") {
        variables.push(("new".to_owned(), Expression::parse(&whole, &parse_scope)?));
    }
    Ok(variables)
}
