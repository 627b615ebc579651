//! `$fill`: values for documents that lack them; a `$setWindowFields` and an `$addFields`.

use super::project;
use crate::fields::checked_path;
use crate::stage::{Stage, StageScope, named};
use crate::window::Windows;
use crate::{Code, QueryError, Result};
use std::sync::Arc;
use value::{Document, Value};

fn wrong(code: Code, message: impl Into<String>) -> QueryError {
    QueryError::new(code, message)
}

fn wrong_type(field: &str, value: &Value, expected: &str) -> QueryError {
    QueryError::type_mismatch(format!(
        "BSON field '$fill.{field}' is the wrong type '{}', expected type '{expected}'",
        value.type_of().alias()
    ))
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "The $fill stage specification must be an object, found {}",
            operand.type_of().alias()
        )));
    };
    let (mut partition_by, mut partition_fields, mut sort, mut output) = (None, None, None, None);
    for (name, value) in options.iter() {
        match (name, value) {
            ("partitionBy", Value::String(_) | Value::Document(_)) => partition_by = Some(value.clone()),
            ("partitionBy", other) => return Err(wrong_type(name, other, "[string, object]")),
            ("partitionByFields", fields) => partition_fields = Some(parse_partition_fields(fields)?),
            ("sortBy", Value::Document(_)) => sort = Some(value.clone()),
            ("output", Value::Document(fields)) => output = Some(fields),
            ("sortBy" | "output", other) => return Err(wrong_type(name, other, "object")),
            (unknown, _) => {
                return Err(wrong(
                    Code::UNKNOWN_FIELD,
                    format!("BSON field '$fill.{unknown}' is an unknown field."),
                ));
            }
        }
    }
    let output = output.ok_or_else(|| {
        wrong(
            Code::MISSING_FIELD,
            "BSON field '$fill.output' is missing but a required field",
        )
    })?;
    if partition_by.is_some() && partition_fields.is_some() {
        return Err(wrong(
            Code::location(6_050_204),
            "Maximum one of 'partitionBy' and 'partitionByFields can be specified in '$fill'",
        ));
    }
    let (windows, values) = parse_output(output)?;
    let mut stages: Vec<Arc<dyn Stage>> = Vec::new();
    if !windows.is_empty() {
        let mut spec = Document::new();
        if let Some(by) = partition_by.or(partition_fields) {
            spec.push("partitionBy", by);
        }
        if let Some(sort) = sort {
            spec.push("sortBy", sort);
        }
        spec.push("output", windows);
        stages.push(Arc::new(Windows::parse(&spec, scope)?));
    }
    if !values.is_empty() || stages.is_empty() {
        stages.extend(project::parse("$addFields", &Value::Document(values), scope)?);
    }
    Ok(stages)
}

/// Names of fields as an expression for all of them together.
fn parse_partition_fields(fields: &Value) -> Result<Value> {
    let Value::Array(names) = fields else {
        return Err(wrong_type("partitionByFields", fields, "array"));
    };
    let mut by = Document::new();
    for (at, name) in names.iter().enumerate() {
        let Value::String(name) = name else {
            return Err(wrong_type(&format!("partitionByFields.{at}"), name, "string"));
        };
        if name.starts_with('$') {
            return Err(wrong(
                Code::location(6_050_203),
                "Each field in 'partitionByFields' must be a field name and cannot begin with '$'",
            ));
        }
        checked_path(name)?;
        by.push(format!("f{at}"), format!("${name}"));
    }
    Ok(Value::Document(by))
}

/// What a `$setWindowFields` fills, and what an `$addFields` does.
fn parse_output(output: &Document) -> Result<(Document, Document)> {
    let (mut windows, mut values) = (Document::new(), Document::new());
    for (field, how) in output.iter() {
        let Value::Document(how) = how else {
            return Err(wrong_type(&format!("output.{field}"), how, "object"));
        };
        let path = Value::from(format!("${field}"));
        match (how.len(), how.get("method"), how.get("value")) {
            (1, Some(Value::String(method)), None) => {
                let function = match method.as_str() {
                    "locf" => "$locf",
                    "linear" => "$linearFill",
                    _ => {
                        return Err(wrong(
                            Code::location(6_050_202),
                            "Method must be either locf or linear",
                        ));
                    }
                };
                windows.push(field, named(function, path));
            }
            (1, Some(other), None) => {
                return Err(wrong_type(&format!("output.{field}.method"), other, "string"));
            }
            (1, None, Some(value)) => {
                values.push(field, named("$ifNull", vec![path, value.clone()]));
            }
            _ => {
                return Err(wrong(
                    Code::location(6_050_200),
                    format!(
                        "$fill's output of '{field}' must be an object with exactly one of 'method' and 'value'"
                    ),
                ));
            }
        }
    }
    Ok((windows, values))
}
