//! The option `score` of operators.

use crate::error::{Result, of_search, refused, unsupported};
use crate::fields;
use crate::spec::Spec;
use search::{BoolQuery, Query, parse_query};
use serde_json::json;

/// The query with what its option `score` says.
pub(super) fn scored(query: Query, score: &Spec<'_>) -> Result<Query> {
    // Read by the operator that has it.
    score.any("embedded");
    let boost = score.document("boost")?;
    let constant = score.document("constant")?;
    if score.any("function").is_some() {
        return Err(unsupported("\"score.function\""));
    }
    score.end()?;
    match (boost, constant) {
        (None, None) => Ok(query),
        (Some(boost), None) => boosted(query, &boost),
        (None, Some(constant)) => {
            let value = positive(&constant, "value")?;
            constant.end()?;
            Ok(Query::ConstantScore {
                filter: Box::new(query),
                boost: value,
            })
        }
        (Some(_), Some(_)) => Err(refused("\"score\" can have one option")),
    }
}

fn positive(spec: &Spec<'_>, name: &str) -> Result<f32> {
    let number = spec.number(name)?;
    let number = number.ok_or_else(|| refused(format!("\"{}\" is required", spec.path_of(name))))?;
    match number > 0.0 {
        true => Ok(number as f32),
        false => Err(refused(format!("\"{}\" must be positive", spec.path_of(name)))),
    }
}

fn boosted(query: Query, boost: &Spec<'_>) -> Result<Query> {
    let path = boost.text("path")?;
    let made = match path {
        None => Query::Bool(BoolQuery {
            must: vec![query],
            boost: positive(boost, "value")?,
            ..BoolQuery::default()
        }),
        Some(path) => by_field(query, path, boost.number("undefined")?.unwrap_or(0.0))?,
    };
    boost.end()?;
    Ok(made)
}

/// The query, worth as many times as a field says.
fn by_field(query: Query, path: &str, undefined: f64) -> Result<Query> {
    let asked = json!({"function_score": {
        "field_value_factor": {"field": fields::name("number", path), "missing": undefined},
        "boost_mode": "multiply",
    }});
    match parse_query(&asked).map_err(of_search)? {
        Query::FunctionScore { scoring, boost, .. } => Ok(Query::FunctionScore {
            query: Box::new(query),
            scoring,
            boost,
        }),
        other => Ok(other),
    }
}
