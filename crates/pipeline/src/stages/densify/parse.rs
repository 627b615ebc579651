//! `$densify` read from BSON.

use super::{Bounds, Densify, Stride};
use crate::fields::checked_path;
use crate::stage::{Stage, StageScope};
use crate::{Code, QueryError, Result};
use language::expression::date::Unit;
use language::expression::number::Number;
use std::sync::Arc;
use value::path::FieldPath;
use value::{Document, Type, Value};

fn wrong(code: Code, message: impl Into<String>) -> QueryError {
    QueryError::new(code, message)
}

fn wrong_type(field: &str, value: &Value, expected: &str) -> QueryError {
    QueryError::type_mismatch(format!(
        "BSON field '$densify.{field}' is the wrong type '{}', expected type '{expected}'",
        value.type_of().alias()
    ))
}

fn missing(field: &str) -> QueryError {
    wrong(
        Code::MISSING_FIELD,
        format!("BSON field '$densify.{field}' is missing but a required field"),
    )
}

pub(crate) fn parse(_name: &str, operand: &Value, _scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "The $densify stage specification must be an object, found {}",
            operand.type_of().alias()
        )));
    };
    let (mut field, mut partition_fields, mut range) = (None, Vec::new(), None);
    for (name, value) in options.iter() {
        match (name, value) {
            ("field", Value::String(path)) => field = Some(path),
            ("field", other) => return Err(wrong_type(name, other, "string")),
            ("partitionByFields", Value::Array(names)) => partition_fields = parse_fields(names)?,
            ("partitionByFields", other) => return Err(wrong_type(name, other, "array")),
            ("range", Value::Document(given)) => range = Some(given),
            ("range", other) => return Err(wrong_type(name, other, "object")),
            (unknown, _) => {
                return Err(wrong(
                    Code::UNKNOWN_FIELD,
                    format!("BSON field '$densify.{unknown}' is an unknown field."),
                ));
            }
        }
    }
    let field = checked_path(field.ok_or_else(|| missing("field"))?)?;
    let (step, bounds) = parse_range(range.ok_or_else(|| missing("range"))?)?;
    if matches!(bounds, Bounds::Partition) && partition_fields.is_empty() {
        return Err(wrong(
            Code::location(5_733_408),
            "one may not specify the bounds as 'partition' without specifying a non-empty array of partitionByFields",
        ));
    }
    Ok(vec![Arc::new(Densify {
        operand: options.clone(),
        field,
        partition_fields,
        step,
        bounds,
    })])
}

fn parse_fields(names: &[Value]) -> Result<Vec<FieldPath>> {
    let fields = names.iter().enumerate().map(|(at, name)| match name {
        Value::String(name) => checked_path(name),
        other => Err(wrong_type(&format!("partitionByFields.{at}"), other, "string")),
    });
    fields.collect()
}

fn parse_range(range: &Document) -> Result<(Stride, Bounds)> {
    let (mut step, mut unit, mut bounds) = (None, None, None);
    for (name, value) in range.iter() {
        match (name, value) {
            ("step", value) => {
                let number = Number::of(value.as_ref()).filter(|step| step.is_positive());
                step = Some(number.ok_or_else(|| {
                    wrong(
                        Code::location(5_733_401),
                        "The step parameter in a range statement must be a strictly positive numeric value",
                    )
                })?);
            }
            ("unit", Value::String(name)) => unit = Some(Unit::parse(name)?),
            ("unit", other) => return Err(wrong_type("range.unit", other, "string")),
            ("bounds", value) => bounds = Some(value),
            (unknown, _) => {
                return Err(wrong(
                    Code::UNKNOWN_FIELD,
                    format!("BSON field '$densify.range.{unknown}' is an unknown field."),
                ));
            }
        }
    }
    let length = step.ok_or_else(|| missing("range.step"))?;
    if unit.is_some() && length.to_i64().is_none() {
        return Err(wrong(
            Code::location(6_586_400),
            "The step parameter in a range statement must be a whole number when densifying a date range",
        ));
    }
    let bounds = parse_bounds(bounds.ok_or_else(|| missing("range.bounds"))?, unit)?;
    Ok((Stride { length, unit }, bounds))
}

fn parse_bounds(bounds: &Value, unit: Option<Unit>) -> Result<Bounds> {
    let not_bounds = || {
        wrong(
            Code::location(5_733_402),
            "the bounds in a range statement must be the string 'full', 'partition', or an ascending array of two \
             numbers or two dates",
        )
    };
    match bounds {
        Value::String(word) => match word.as_str() {
            "full" => Ok(Bounds::Full),
            "partition" => Ok(Bounds::Partition),
            _ => Err(wrong(
                Code::location(5_946_800),
                "Bounds string must either be 'full' or 'partition'",
            )),
        },
        Value::Array(pair) => {
            let [low, high] = pair.as_slice() else {
                return Err(wrong(
                    Code::location(5_733_403),
                    "a bounding array in a range statement must have exactly two elements",
                ));
            };
            let both = |is: fn(Type) -> bool| is(low.type_of()) && is(high.type_of());
            let are_dates = both(|kind| kind == Type::DateTime);
            if !are_dates && !both(Type::is_number) {
                return Err(not_bounds());
            }
            if are_dates && unit.is_none() {
                return Err(wrong(
                    Code::location(5_733_405),
                    "dates in a range statement need a 'unit'",
                ));
            }
            if !are_dates && unit.is_some() {
                return Err(wrong(
                    Code::location(5_733_409),
                    "numeric bounds may not have unit parameter",
                ));
            }
            if value::compare(low.as_ref(), high.as_ref()).is_gt() {
                return Err(wrong(
                    Code::location(5_733_406),
                    "the bounds in a range statement must be in ascending order",
                ));
            }
            Ok(Bounds::Explicit(low.clone(), high.clone()))
        }
        _ => Err(not_bounds()),
    }
}
