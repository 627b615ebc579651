//! `$fill`: values for documents that lack them; a `$setWindowFields` and an `$addFields`.

use super::project;
use crate::fields::checked_path;
use crate::stage::{Stage, StageScope, named};
use crate::window::Windows;
use crate::{Code, QueryError, Result};
use language::Fields;
use std::sync::Arc;
use value::{Document, DocumentRef, Value, ValueRef};

fn wrong(code: Code, message: impl Into<String>) -> QueryError {
    QueryError::new(code, message)
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "The $fill stage specification must be an object, found {}",
            operand.type_of().alias()
        )));
    };
    let fields = Fields::new("$fill", options);
    let partition_by = match fields.any("partitionBy") {
        None => None,
        Some(by @ (ValueRef::String(_) | ValueRef::Document(_))) => Some(by.to_value()),
        Some(other) => {
            return Err(fields
                .wrong_type("partitionBy", other, "'[string, object]'")
                .into());
        }
    };
    let partition_fields = fields.strings("partitionByFields")?;
    let sort = fields.document("sortBy")?;
    let output = fields.document("output")?;
    fields.finish()?;
    let output = output.ok_or_else(|| fields.missing("output"))?;
    let (windows, values) = parse_output(output)?;
    let partition_fields = partition_fields.map(parse_partition_fields).transpose()?;
    if partition_by.is_some() && partition_fields.is_some() {
        return Err(wrong(
            Code::location(6_050_204),
            "Maximum one of 'partitionBy' and 'partitionByFields can be specified in '$fill'",
        ));
    }
    let has_windows = !windows.is_empty();
    if let Some(Value::String(path)) = &partition_by
        && !has_windows
        && !path.starts_with('$')
    {
        // For windows it would be a constant.
        return Err(wrong(
            Code::location(16_873),
            format!("FieldPath '{path}' doesn't start with '$'"),
        ));
    }
    let mut spec = Document::new();
    if let Some(by) = partition_by.or(partition_fields) {
        spec.push("partitionBy", by);
    }
    if let Some(sort) = sort {
        spec.push("sortBy", sort.to_document());
    }
    spec.push("output", windows);
    // Where nothing is computed from other documents, partitions and order mean nothing, but must be such all the same.
    let filled = Windows::parse(&spec, scope)?;
    let mut stages: Vec<Arc<dyn Stage>> = Vec::new();
    if has_windows {
        stages.push(Arc::new(filled));
    }
    if !values.is_empty() {
        stages.extend(project::parse("$addFields", &Value::Document(values), scope)?);
    }
    Ok(stages)
}

/// Names of fields as an expression for all of them together.
fn parse_partition_fields(names: Vec<&str>) -> Result<Value> {
    let mut by = Document::new();
    for (at, name) in names.into_iter().enumerate() {
        checked_path(name)?;
        by.push(format!("f{at}"), format!("${name}"));
    }
    Ok(Value::Document(by))
}

/// What a `$setWindowFields` fills, and what an `$addFields` does.
fn parse_output(output: DocumentRef<'_>) -> Result<(Document, Document)> {
    let (mut windows, mut values) = (Document::new(), Document::new());
    if output.is_empty() {
        return Err(wrong(
            Code::location(6_050_203),
            "The output field in '$fill' must contain an object with at least one element",
        ));
    }
    for (field, how) in output.iter() {
        let ValueRef::Document(how) = how else {
            return Err(wrong(
                Code::location(6_050_200),
                "Each fill output specification must be an object with exactly one field",
            ));
        };
        let path = Value::from(format!("${field}"));
        let how = Fields::new("$fill", how);
        let (method, value) = (how.string("method")?, how.any("value"));
        how.finish()?;
        match (method, value) {
            (Some(method), None) => windows.push(field, named(window_function(method)?, path)),
            (None, Some(value)) => values.push(field, named("$ifNull", vec![path, value.to_value()])),
            (Some(_), Some(_)) => {
                return Err(wrong(
                    Code::location(6_050_201),
                    "Each fill output specification must have exactly one of 'method' or 'value' fields, not both",
                ));
            }
            // MongoDB leaves the field as it is, whatever its message says of one that is no object.
            (None, None) => {}
        }
    }
    Ok((windows, values))
}

fn window_function(method: &str) -> Result<&'static str> {
    match method {
        "locf" => Ok("$locf"),
        "linear" => Ok("$linearFill"),
        _ => Err(wrong(
            Code::location(6_050_202),
            "Method must be either locf or linear",
        )),
    }
}
