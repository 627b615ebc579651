//! The operands of `$percentile` and `$median`.

use super::accumulation::{Accumulation, constant, options};
use crate::expression::Expression;
use crate::expression::accumulator::Method;
use crate::expression::number::Number;
use crate::pipeline::stage::StageScope;
use crate::{Code, QueryError, Result};
use value::{Document, Value};

pub(super) fn parse(name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Accumulation> {
    let operand = options(operand, || {
        QueryError::new(
            Code(7_429_703),
            format!(
                "specification must be an object; found {name}: {}",
                operand.type_of().alias()
            ),
        )
    })?;
    let known: &[&str] = if name == "$median" {
        &["input", "method"]
    } else {
        &["input", "p", "method"]
    };
    if let Some((unknown, _)) = operand.iter().find(|(field, _)| !known.contains(field)) {
        return Err(QueryError::new(
            Code(40_415),
            format!("BSON field '{name}.{unknown}' is an unknown field."),
        ));
    }
    let required = |field: &str| {
        operand.get(field).ok_or_else(|| {
            QueryError::new(
                Code(40_414),
                format!("BSON field '{name}.{field}' is missing but a required field"),
            )
        })
    };
    let input = Expression::parse(required("input")?, &scope.variables.parse_scope())?;
    let shares = if name == "$median" {
        vec![0.5]
    } else {
        shares(required("p")?, scope)?
    };
    let method = method(name, operand)?;
    Ok(Accumulation::Percentile {
        input,
        shares,
        method,
        single: name == "$median",
    })
}

pub(super) fn method(name: &str, operand: &Document) -> Result<Method> {
    match operand.get("method") {
        Some(Value::String(method)) => match method.as_str() {
            "approximate" | "discrete" => Ok(Method::Discrete),
            "continuous" => Ok(Method::Continuous),
            other => Err(QueryError::bad_value(format!(
                "Currently only 'approximate', 'discrete' and 'continuous' can be used as percentile 'method', found: {other}"
            ))),
        },
        Some(other) => Err(QueryError::type_mismatch(format!(
            "BSON field '{name}.method' is the wrong type '{}', expected type 'string'",
            other.type_of().alias()
        ))),
        None => Err(QueryError::new(
            Code(40_414),
            format!("BSON field '{name}.method' is missing but a required field"),
        )),
    }
}

fn shares(operand: &Value, scope: &StageScope<'_>) -> Result<Vec<f64>> {
    let not_array = || {
        QueryError::new(
            Code(7_750_300),
            "The $percentile 'p' field must be an array of constant values, but found value",
        )
    };
    let Some(Value::Array(shares)) = constant(operand, scope, not_array)? else {
        return Err(not_array());
    };
    if shares.is_empty() {
        return Err(QueryError::new(
            Code(7_750_301),
            "The $percentile 'p' field must be a non-empty array of numbers",
        ));
    }
    shares.iter().map(share).collect()
}

fn share(value: &Value) -> Result<f64> {
    let number = Number::of(value.as_ref()).ok_or_else(|| {
        QueryError::new(
            Code(7_750_302),
            format!(
                "The $percentile 'p' field must be an array of numbers, but found value of type {}",
                value.type_of().alias()
            ),
        )
    })?;
    let share = number.to_f64();
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(QueryError::new(
        Code(7_750_303),
        format!("The $percentile 'p' field must be an array of numbers from [0.0, 1.0], but found: {share}"),
    ))
}
