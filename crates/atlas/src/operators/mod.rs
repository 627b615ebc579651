//! The operators of `$search`, as queries on the fields of an index.

mod compound;
mod query_string;
mod scores;
mod terms;
mod texts;
mod values;

use crate::error::{Result, refused, unsupported};
use crate::spec::Spec;
use search::{BoolQuery, Mapping, Query};
use value::Value;

/// Operators within operators at most.
const DEPTH_MAX: usize = 20;

/// The texts that are searched for in each of the fields at most, together.
const TEXTS_MAX: usize = 1024;

/// Operators of Atlas that are not here.
const UNSUPPORTED: [&str; 9] = [
    "moreLikeThis",
    "geoShape",
    "geoWithin",
    "span",
    "knnBeta",
    "vectorSearch",
    "search",
    "term",
    "hasAncestor",
];

/// The operators that are here.
pub(crate) const OPERATORS: [&str; 13] = [
    "autocomplete",
    "compound",
    "embeddedDocument",
    "equals",
    "exists",
    "in",
    "near",
    "phrase",
    "queryString",
    "range",
    "regex",
    "text",
    "wildcard",
];

/// Whether a member of a search is an operator, here or in Atlas.
pub(crate) fn is_operator(name: &str) -> bool {
    OPERATORS.contains(&name) || UNSUPPORTED.contains(&name)
}

/// What operators are read with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'m> {
    pub(crate) mapping: &'m Mapping,
    pub(crate) depth: usize,
}

/// The query of an operator by its name.
pub(crate) fn query(name: &str, operand: &Value, place: String, scope: Scope<'_>) -> Result<Query> {
    if scope.depth > DEPTH_MAX {
        return Err(refused(format!(
            "operators are nested more than {DEPTH_MAX} deep"
        )));
    }
    if UNSUPPORTED.contains(&name) {
        return Err(unsupported(format!("the operator \"{name}\"")));
    }
    let spec = Spec::of(place, operand)?;
    let found = match name {
        "compound" => compound::compound(&spec, scope)?,
        "embeddedDocument" => compound::embedded(&spec, scope)?,
        "text" => texts::text(&spec, scope)?,
        "phrase" => texts::phrase(&spec, scope)?,
        "autocomplete" => texts::autocomplete(&spec, scope)?,
        "queryString" => query_string::query_string(&spec, scope)?,
        "wildcard" => terms::wildcard(&spec, scope)?,
        "regex" => terms::regex(&spec, scope)?,
        "equals" => values::equals(&spec, scope)?,
        "in" => values::one_of(&spec, scope)?,
        "range" => values::range(&spec, scope)?,
        "near" => values::near(&spec)?,
        "exists" => values::exists(&spec, scope)?,
        other => return Err(refused(format!("unrecognized operator \"{other}\""))),
    };
    let found = match spec.text("doesNotAffect")? {
        None => found,
        Some("score") => Query::ConstantScore {
            filter: Box::new(found),
            boost: 0.0,
        },
        Some(other) => return Err(refused(format!("\"doesNotAffect\" cannot be \"{other}\""))),
    };
    let found = match spec.document("score")? {
        Some(score) => scores::scored(found, &score)?,
        None => found,
    };
    spec.end()?;
    Ok(found)
}

/// The one operator that a document is.
pub(crate) fn only(operand: &Value, place: &str, scope: Scope<'_>) -> Result<Query> {
    let spec = Spec::of(place, operand)?;
    let mut members = spec.members();
    match (members.next(), members.next()) {
        (Some((name, operand)), None) => query(name, operand, format!("{place}.{name}"), scope),
        _ => Err(refused(format!("\"{place}\" must have one operator"))),
    }
}

/// Refuses to look for too many values in too many fields: each of them is a query in each of these.
fn check_count(fields: usize, values: usize, most: usize) -> Result<()> {
    match fields.saturating_mul(values) <= most {
        true => Ok(()),
        false => Err(refused(format!(
            "more than {most} values and fields are searched for"
        ))),
    }
}

/// Any of these; what they are worth is added.
fn any_of(mut queries: Vec<Query>) -> Query {
    match (queries.len(), queries.pop()) {
        (1, Some(only)) => only,
        (_, None) => Query::MatchNone,
        (_, Some(last)) => {
            queries.push(last);
            Query::Bool(BoolQuery {
                should: queries,
                minimum: Some("1".to_owned()),
                ..BoolQuery::default()
            })
        }
    }
}

/// The same, worth one together.
fn constant(queries: Vec<Query>) -> Query {
    Query::ConstantScore {
        filter: Box::new(any_of(queries)),
        boost: 1.0,
    }
}
