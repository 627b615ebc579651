//! `$bucket`: a `$group` by the interval between two boundaries, sorted.

use super::group::Group;
use super::sort::Sort;
use crate::stage::{Stage, StageScope, named};
use crate::{Code, QueryError, Result};
use language::expression::{Expression, size_bytes};
use query::plan::SortPattern;
use std::sync::Arc;
use value::collation::compare_in;
use value::{Document, Value, canonical_type};

/// What the expression of the key may take.
const SWITCH_BYTES_MAX: usize = 100 * 1024 * 1024;

/// About what a branch of it takes beside what is compared.
const BRANCH_BYTES: usize = 1_500;

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(wrong(
            Code::location(40_201),
            format!(
                "Argument to $bucket stage must be an object, but found type: {}.",
                operand.type_of().alias()
            ),
        ));
    };
    let (mut boundaries, mut default, mut output) = (None, None, None);
    // In the order written, so that the first error is the one that MongoDB finds.
    for (name, value) in options.iter() {
        match name {
            "groupBy" => check_group_by(value, Code::location(40_202))?,
            "boundaries" => boundaries = Some(parse_boundaries(value, scope)?),
            "default" => default = Some(parse_default(value, scope)?),
            "output" => match value {
                Value::Document(fields) => output = Some(fields),
                other => {
                    return Err(wrong(
                        Code::location(40_196),
                        format!(
                            "The $bucket 'output' field must be an object, but found type: {}.",
                            other.type_of().alias()
                        ),
                    ));
                }
            },
            unknown => {
                return Err(wrong(
                    Code::location(40_197),
                    format!("Unrecognized option to $bucket: {unknown}."),
                ));
            }
        }
    }
    let (Some(group_by), Some(boundaries)) = (options.get("groupBy"), boundaries) else {
        return Err(wrong(
            Code::location(40_198),
            "$bucket requires 'groupBy' and 'boundaries' to be specified.",
        ));
    };
    if let Some(default) = &default {
        check_default(default, &boundaries, scope)?;
    }
    check_size(group_by, &boundaries)?;
    let mut spec = named("_id", switch(group_by, &boundaries, default));
    add_output(&mut spec, output);
    let pattern = SortPattern::parse(&named("_id", 1))?.with_collation(scope.variables.collation());
    let sort = Sort::new(pattern);
    Ok(vec![Arc::new(Group::parse(&spec, scope)?), Arc::new(sort)])
}

fn wrong(code: Code, message: impl Into<String>) -> QueryError {
    QueryError::new(code, message)
}

/// Fails unless `groupBy` is a path or an expression.
pub(super) fn check_group_by(value: &Value, code: Code) -> Result<()> {
    let computes = match value {
        Value::String(path) => path.starts_with('$'),
        Value::Document(operator) => operator
            .iter()
            .next()
            .is_some_and(|(name, _)| name.starts_with('$')),
        _ => false,
    };
    if computes {
        return Ok(());
    }
    Err(wrong(
        code,
        "The 'groupBy' field must be defined as a $-prefixed path or an expression.",
    ))
}

fn parse_boundaries(value: &Value, scope: &StageScope<'_>) -> Result<Vec<Value>> {
    let Value::Array(operands) = value else {
        return Err(wrong(
            Code::location(40_200),
            format!(
                "The $bucket 'boundaries' field must be an array, but found type: {}.",
                value.type_of().alias()
            ),
        ));
    };
    let not_constant = || {
        wrong(
            Code::location(40_191),
            "The $bucket 'boundaries' field must be an array of constant values",
        )
    };
    let boundaries = operands
        .iter()
        .map(|operand| constant(operand, scope, not_constant));
    let boundaries: Vec<Value> = boundaries.collect::<Result<_>>()?;
    if operands.len() < 2 {
        return Err(wrong(
            Code::location(40_192),
            format!(
                "The $bucket 'boundaries' field must have at least 2 values, but found {} value(s).",
                operands.len()
            ),
        ));
    }
    for pair in boundaries.windows(2) {
        let [low, high] = pair else { continue };
        if canonical_type(low.type_of()) != canonical_type(high.type_of()) {
            return Err(wrong(
                Code::location(40_193),
                "All values in the 'boundaries' option to $bucket must have the same type.",
            ));
        }
        if compare_in(scope.variables.collation(), low.as_ref(), high.as_ref()).is_ge() {
            return Err(wrong(
                Code::location(40_194),
                "The 'boundaries' option to $bucket must be sorted, but elements are not in ascending order",
            ));
        }
    }
    Ok(boundaries)
}

fn constant(operand: &Value, scope: &StageScope<'_>, not_constant: impl Fn() -> QueryError) -> Result<Value> {
    let expression = Expression::parse(operand, &scope.variables.parse_scope())?;
    match expression.as_constant() {
        Some(value) => Ok(value.map_or(Value::Null, Value::from)),
        None => Err(not_constant()),
    }
}

fn parse_default(default: &Value, scope: &StageScope<'_>) -> Result<Value> {
    constant(default, scope, || {
        wrong(
            Code::location(40_195),
            "The $bucket 'default' field must be a constant expression",
        )
    })
}

/// Refuses a default that lies in a bucket.
fn check_default(default: &Value, boundaries: &[Value], scope: &StageScope<'_>) -> Result<()> {
    if let (Some(low), Some(high)) = (boundaries.first(), boundaries.last()) {
        let to_default =
            |bound: &Value| compare_in(scope.variables.collation(), default.as_ref(), bound.as_ref());
        let inside = to_default(low).is_ge() && to_default(high).is_lt();
        if inside {
            return Err(wrong(
                Code::location(40_199),
                "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest \
                 boundary.",
            ));
        }
    }
    Ok(())
}

/// Refuses what would become too large an expression: all of `groupBy` stands twice in it for each interval.
fn check_size(group_by: &Value, boundaries: &[Value]) -> Result<()> {
    let repeated = BRANCH_BYTES + 2 * size_bytes(group_by.as_ref());
    let own: usize = boundaries
        .iter()
        .map(|boundary| 3 * size_bytes(boundary.as_ref()))
        .sum();
    let bytes = boundaries.len().saturating_mul(repeated).saturating_add(own);
    if bytes <= SWITCH_BYTES_MAX {
        return Ok(());
    }
    Err(wrong(
        Code::EXCEEDED_MEMORY_LIMIT,
        format!(
            "$bucket would use too much memory: {} boundaries make an expression of about {bytes} bytes, and it may take \
             {SWITCH_BYTES_MAX}",
            boundaries.len()
        ),
    ))
}

/// The key as an expression: the lower boundary of the interval in which the value lies.
fn switch(group_by: &Value, boundaries: &[Value], default: Option<Value>) -> Document {
    let literal = |value: &Value| named("$literal", value.clone());
    let compared = |operator: &str, boundary: &Value| {
        named(
            operator,
            vec![group_by.clone(), Value::Document(literal(boundary))],
        )
    };
    let branches = boundaries.windows(2).filter_map(|pair| match pair {
        [low, high] => {
            let within: Vec<Document> = vec![compared("$gte", low), compared("$lt", high)];
            Some(
                Document::new()
                    .with("case", named("$and", within))
                    .with("then", literal(low)),
            )
        }
        _ => None,
    });
    let mut switch = named("branches", branches.collect::<Vec<_>>());
    if let Some(default) = &default {
        switch.push("default", literal(default));
    }
    named("$switch", switch)
}

/// Adds the accumulators of the buckets; a count if none are named.
pub(super) fn add_output(spec: &mut Document, output: Option<&Document>) {
    match output {
        None => spec.push("count", named("$sum", 1)),
        Some(fields) => {
            for (name, value) in fields.iter() {
                spec.push(name, value.clone());
            }
        }
    }
}
