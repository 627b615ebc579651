//! `$densify` read from BSON.

use super::{Bounds, Densify, Stride};
use crate::fields::{checked_path, set};
use crate::stage::{Stage, StageScope};
use crate::{Code, QueryError, Result};
use calendar::Unit;
use language::Fields;
use language::expression::Expression;
use language::expression::number::Number;
use std::sync::Arc;
use value::path::FieldPath;
use value::{Document, Type, Value};

fn wrong(code: Code, message: impl Into<String>) -> QueryError {
    QueryError::new(code, message)
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
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
    let field = field.ok_or_else(|| fields.missing("field"))?;
    let (step, bounds) = parse_range(&range.ok_or_else(|| fields.missing("range"))?)?;
    let partition_fields = partition_fields.into_iter().map(|partition| {
        check_apart(field, partition)?;
        checked_path(partition)
    });
    let partition_fields: Vec<_> = partition_fields.collect::<Result<_>>()?;
    let field = checked_path(field)?;
    if matches!(bounds, Bounds::Partition) && partition_fields.is_empty() {
        return Err(wrong(
            Code::location(5_733_408),
            "one may not specify the bounds as 'partition' without specifying a non-empty array of partitionByFields",
        ));
    }
    Ok(vec![Arc::new(Densify {
        operand: options.clone(),
        field,
        partition: partition_expression(&partition_fields, scope)?,
        partition_fields,
        step,
        bounds,
    })])
}

/// The fields of a document that tell its partition, as an expression for a document that has them alone.
fn partition_expression(fields: &[FieldPath], scope: &StageScope<'_>) -> Result<Option<Expression>> {
    if fields.is_empty() {
        return Ok(None);
    }
    let mut operand = Document::new();
    for field in fields {
        let path = format!("${}", field.parts().join("."));
        set(&mut operand, field.parts(), Value::from(path));
    }
    let operand = Value::Document(operand);
    Ok(Some(Expression::parse(&operand, &scope.parse_scope())?))
}

/// Refuses a partition field that is a prefix of the densified field, or the other way round, as MongoDB does.
fn check_apart(field: &str, partition: &str) -> Result<()> {
    if partition.starts_with(field) {
        return Err(wrong(
            Code::location(8_993_000),
            format!(
                "partitionByFields '{partition}' cannot include field '{field}' that is being densified."
            ),
        ));
    }
    if field.starts_with(partition) {
        return Err(wrong(
            Code::location(9_554_500),
            format!(
                "field '{field}' that is being densified cannot include partitionByFields '{partition}'."
            ),
        ));
    }
    Ok(())
}

fn parse_range(range: &Fields<'_>) -> Result<(Stride, Bounds)> {
    let length = range.present("step").map(|step| {
        Number::of(step).ok_or_else(|| range.wrong_type("step", step, "'[int, decimal, double, long]'"))
    });
    let (length, bounds) = (length.transpose()?, range.any("bounds"));
    let unit = range.string("unit")?;
    range.finish()?;
    let length = length.ok_or_else(|| range.missing("step"))?;
    let bounds = bounds.ok_or_else(|| range.missing("bounds"))?.to_value();
    if !length.is_positive() {
        return Err(wrong(
            Code::location(5_733_401),
            "The step parameter in a range statement must be a strictly positive numeric value",
        ));
    }
    if unit.is_some() && length.to_i64().is_none() {
        return Err(wrong(
            Code::location(6_586_400),
            "The step parameter in a range statement must be a whole number when densifying a date range",
        ));
    }
    let unit = unit.map(Unit::parse).transpose().map_err(language::Error::from)?;
    let stride = Stride { length, unit };
    let bounds = parse_bounds(&bounds, &stride)?;
    Ok((stride, bounds))
}

fn parse_bounds(bounds: &Value, stride: &Stride) -> Result<Bounds> {
    match bounds {
        Value::String(word) => match word.as_str() {
            "full" => Ok(Bounds::Full),
            "partition" => Ok(Bounds::Partition),
            _ => Err(wrong(
                Code::location(5_946_802),
                "Bounds string must either be 'full' or 'partition'",
            )),
        },
        Value::Array(pair) => match pair.as_slice() {
            [low, high] => parse_pair(low, high, stride),
            _ => Err(wrong(
                Code::location(5_733_403),
                "a bounding array in a range statement must have exactly two elements",
            )),
        },
        _ => Err(wrong(
            Code::location(5_733_404),
            "the bounds in a range statement must be the string 'full', 'partition', or an ascending array of two \
             numbers or two dates",
        )),
    }
}

fn parse_pair(low: &Value, high: &Value, stride: &Stride) -> Result<Bounds> {
    let refuse = |code, message| Err(wrong(Code::location(code), message));
    let kinds = (low.type_of(), high.type_of());
    if value::compare(low.as_ref(), high.as_ref()).is_gt() {
        return refuse(
            5_733_402,
            "a bounding array must be an ascending array of either two dates or two numbers",
        );
    }
    match kinds {
        (number, _) if number.is_number() && stride.unit.is_some() => {
            refuse(5_733_409, "numeric bounds may not have unit parameter")
        }
        (number, other) if number.is_number() && !other.is_number() => refuse(
            5_733_406,
            "a bounding array must contain either both dates or both numeric types",
        ),
        (number, other) if number.is_number() => {
            let step = Value::from(stride.length).type_of();
            match number == other && number == step {
                true => Ok(Bounds::Explicit(low.clone(), high.clone())),
                false => refuse(
                    5_876_900,
                    "Upper bound, lower bound, and step must all have the same type",
                ),
            }
        }
        (Type::DateTime, Type::DateTime) if stride.unit.is_none() => {
            refuse(5_733_410, "a bounding array of dates must specify a unit")
        }
        (Type::DateTime, Type::DateTime) => Ok(Bounds::Explicit(low.clone(), high.clone())),
        (Type::DateTime, _) => refuse(
            5_733_405,
            "a bounding array must contain either both dates or both numeric types",
        ),
        _ => refuse(5_946_800, "explicit bounds must be numeric or dates"),
    }
}
