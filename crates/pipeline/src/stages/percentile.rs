//! The operands of `$percentile` and `$median`.

use super::accumulation::{Accumulation, constant, options};
use crate::stage::StageScope;
use crate::{Code, QueryError, Result};
use language::Fields;
use language::expression::Expression;
use language::expression::accumulator;
use value::Value;

pub(super) fn parse(name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Accumulation> {
    let is_median = name == "$median";
    let operand = options(operand, || {
        QueryError::new(
            match is_median {
                true => Code::location(7_436_100),
                false => Code::location(7_429_703),
            },
            format!(
                "specification must be an object; found {name}: {}",
                operand.type_of().alias()
            ),
        )
    })?;
    let fields = Fields::new(name.to_owned(), operand);
    fields.ignore(&["input", "method"]);
    if !is_median {
        fields.take("p");
    }
    fields.finish()?;
    // As MongoDB's reader of options has it: a method that does not exist comes before what is missing, and both before what
    // is wrong in the expressions.
    let method = match operand.contains("method") {
        true => Some(accumulator::method(&fields)?),
        false => None,
    };
    let required = |field: &str| operand.get(field).ok_or_else(|| fields.missing(field));
    let input = required("input")?;
    let p = match is_median {
        true => None,
        false => Some(required("p")?),
    };
    let method = method.ok_or_else(|| fields.missing("method"))?;
    let input = Expression::parse(input, &scope.parse_scope())?;
    let shares = match p {
        Some(p) => shares(p, scope)?,
        None => vec![0.5],
    };
    Ok(Accumulation::Percentile {
        input,
        shares,
        method,
        single: is_median,
    })
}

fn shares(operand: &Value, scope: &StageScope<'_>) -> Result<Vec<f64>> {
    let not_constant = || {
        QueryError::new(
            Code::location(7_750_300),
            "The $percentile 'p' field must be an array of constant values",
        )
    };
    Ok(accumulator::shares(
        constant(operand, scope, not_constant)?.as_ref(),
    )?)
}
