//! `$densify` read from BSON.

use super::{Bounds, Densify, Stride};
use crate::fields::checked_path;
use crate::stage::{Stage, StageScope};
use crate::{Code, QueryError, Result};
use language::Fields;
use language::expression::date::Unit;
use language::expression::number::Number;
use std::sync::Arc;
use value::{Type, Value};

fn wrong(code: Code, message: impl Into<String>) -> QueryError {
    QueryError::new(code, message)
}

pub(crate) fn parse(_name: &str, operand: &Value, _scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "The $densify stage specification must be an object, found {}",
            operand.type_of().alias()
        )));
    };
    let fields = Fields::new("$densify", options);
    let field = fields.string("field")?;
    let partition_fields = fields.strings("partitionByFields")?.unwrap_or_default();
    let range = fields.nested("range")?;
    fields.finish()?;
    let partition_fields: Vec<_> = partition_fields
        .into_iter()
        .map(checked_path)
        .collect::<Result<_>>()?;
    let field = checked_path(field.ok_or_else(|| fields.missing("field"))?)?;
    let (step, bounds) = parse_range(&range.ok_or_else(|| fields.missing("range"))?)?;
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

fn parse_range(range: &Fields<'_>) -> Result<(Stride, Bounds)> {
    let (step, bounds) = (range.any("step"), range.any("bounds"));
    let unit = range.string("unit")?;
    range.finish()?;
    let length = Number::of(step.ok_or_else(|| range.missing("step"))?)
        .filter(|step| step.is_positive())
        .ok_or_else(|| {
            wrong(
                Code::location(5_733_401),
                "The step parameter in a range statement must be a strictly positive numeric value",
            )
        })?;
    let unit = unit.map(Unit::parse).transpose()?;
    if unit.is_some() && length.to_i64().is_none() {
        return Err(wrong(
            Code::location(6_586_400),
            "The step parameter in a range statement must be a whole number when densifying a date range",
        ));
    }
    let bounds = bounds.ok_or_else(|| range.missing("bounds"))?.to_value();
    Ok((Stride { length, unit }, parse_bounds(&bounds, unit)?))
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
