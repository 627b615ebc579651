//! The operands of `$percentile` and `$median`.

use super::accumulation::{Accumulation, constant, options};
use crate::stage::StageScope;
use crate::{Code, QueryError, Result};
use language::Fields;
use language::expression::Expression;
use language::expression::accumulator;
use value::Value;

pub(super) fn parse(name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Accumulation> {
    let operand = options(operand, || {
        QueryError::new(
            Code::location(7_429_703),
            format!(
                "specification must be an object; found {name}: {}",
                operand.type_of().alias()
            ),
        )
    })?;
    let fields = Fields::new(name.to_owned(), operand);
    fields.ignore(&["input", "method"]);
    if name != "$median" {
        fields.take("p");
    }
    fields.finish()?;
    let required = |field: &str| operand.get(field).ok_or_else(|| fields.missing(field));
    let input = Expression::parse(required("input")?, &scope.parse_scope())?;
    let shares = if name == "$median" {
        vec![0.5]
    } else {
        shares(required("p")?, scope)?
    };
    let method = accumulator::method(&fields)?;
    Ok(Accumulation::Percentile {
        input,
        shares,
        method,
        single: name == "$median",
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
