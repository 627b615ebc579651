//! `$fill`: values for documents that lack them; a `$setWindowFields` and an `$addFields`.

use super::project;
use crate::fields::checked_path;
use crate::stage::{Stage, StageScope, named};
use crate::window::Windows;
use crate::{Code, QueryError, Result};
use language::fields::{Fields, wrong_type};
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
    let partition_by = match fields.present("partitionBy") {
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
    let partition_fields = partition_fields.map(parse_partition_fields).transpose()?;
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
            spec.push("sortBy", sort.to_document());
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
fn parse_partition_fields(names: Vec<&str>) -> Result<Value> {
    let mut by = Document::new();
    for (at, name) in names.into_iter().enumerate() {
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
fn parse_output(output: DocumentRef<'_>) -> Result<(Document, Document)> {
    let (mut windows, mut values) = (Document::new(), Document::new());
    for (field, how) in output.iter() {
        let ValueRef::Document(how) = how else {
            return Err(wrong_type(&format!("$fill.output.{field}"), how.type_of(), "'object'").into());
        };
        let path = Value::from(format!("${field}"));
        let how = Fields::new(format!("$fill.output.{field}"), how);
        match (how.string("method")?, how.any("value")) {
            (Some(method), None) if how.document_ref().iter().count() == 1 => {
                windows.push(field, named(window_function(method)?, path));
            }
            (None, Some(value)) if how.document_ref().iter().count() == 1 => {
                values.push(field, named("$ifNull", vec![path, value.to_value()]));
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
