//! `compound` and `embeddedDocument`: operators made of others.

use super::{Scope, only};
use crate::error::{Result, refused};
use crate::paths;
use crate::spec::{Spec, one_or_many};
use search::{BoolQuery, NestedMode, NestedQuery, Query};
use value::Value;

pub(super) fn compound(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    let within = Scope {
        depth: scope.depth + 1,
        ..scope
    };
    let clauses = |name: &str| -> Result<Vec<Query>> {
        let Some(given) = spec.any(name) else {
            return Ok(Vec::new());
        };
        let place = spec.path_of(name);
        let given = one_or_many(given);
        if given.is_empty() {
            return Err(refused(format!("\"{place}\" cannot be empty")));
        }
        given.iter().map(|clause| only(clause, &place, within)).collect()
    };
    let (must, filter) = (clauses("must")?, clauses("filter")?);
    let (should, must_not) = (clauses("should")?, clauses("mustNot")?);
    if [&must, &filter, &should, &must_not]
        .iter()
        .all(|clauses| clauses.is_empty())
    {
        return Err(refused(format!(
            "\"{}\" must have at least one clause",
            spec.path_of("").trim_end_matches('.')
        )));
    }
    let most = i64::try_from(should.len()).unwrap_or(i64::MAX);
    let minimum = spec.count("minimumShouldMatch", 0, most)?;
    // Without other clauses one of those that should match has to.
    let minimum = minimum.filter(|minimum| *minimum > 0 || !must.is_empty() || !filter.is_empty());
    Ok(Query::Bool(BoolQuery {
        must,
        filter,
        should,
        must_not,
        minimum: minimum.map(|minimum| minimum.to_string()),
        ..BoolQuery::default()
    }))
}

pub(super) fn embedded(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    let path = paths::name(spec)?;
    let within = Scope {
        depth: scope.depth + 1,
        ..scope
    };
    let operator = spec.required("operator")?;
    let query = only(operator, &spec.path_of("operator"), within)?;
    let mode = match spec.any("score") {
        Some(Value::Document(score)) => match score.get("embedded") {
            Some(embedded) => aggregate(&Spec::of(spec.path_of("score.embedded"), embedded)?)?,
            None => NestedMode::Sum,
        },
        _ => NestedMode::Sum,
    };
    Ok(Query::Nested(NestedQuery {
        path,
        query: Box::new(query),
        mode,
        ignore_unmapped: true,
        inner: None,
        boost: 1.0,
    }))
}

/// How what the objects are worth becomes one number.
fn aggregate(spec: &Spec<'_>) -> Result<NestedMode> {
    let mode = match spec.text("aggregate")? {
        None | Some("sum") => NestedMode::Sum,
        Some("maximum") => NestedMode::Max,
        Some("minimum") => NestedMode::Min,
        Some("mean") => NestedMode::Avg,
        Some(other) => {
            return Err(refused(format!(
                "\"{}\" cannot be \"{other}\"",
                spec.path_of("aggregate")
            )));
        }
    };
    spec.end()?;
    Ok(mode)
}
