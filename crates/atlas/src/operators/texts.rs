//! Operators whose texts are analyzed: `text`, `phrase`, `autocomplete`.

use super::{Scope, TEXTS_MAX, any_of, check_count};
use crate::error::{Result, of_search, refused, unsupported};
use crate::paths::{self, Path, fields_of, texts_of};
use crate::spec::{Spec, one_or_many};
use search::{Query, parse_query};
use serde_json::{Value as Json, json};
use value::Value;

/// Atlas's scores have no factor of `k1 + 1`, which those of Elasticsearch have.
const SCORE_FACTOR: f64 = 1.0 / 2.2;

/// The member `query`: one text or several.
pub(super) fn texts<'d>(spec: &Spec<'d>) -> Result<Vec<&'d str>> {
    let given = one_or_many(spec.required("query")?);
    let place = spec.path_of("query");
    if given.is_empty() {
        return Err(refused(format!("\"{place}\" cannot be empty")));
    }
    let text = |value: &'d Value| match value {
        Value::String(text) if text.is_empty() => Err(refused(format!("\"{place}\" cannot be empty"))),
        Value::String(text) => Ok(text.as_str()),
        _ => Err(refused(format!("\"{place}\" must be a string"))),
    };
    given.iter().map(text).collect()
}

/// One query for each text and field.
fn each(fields: &[String], texts: &[&str], name: &str, options: &Json) -> Result<Vec<Query>> {
    check_count(fields.len(), texts.len(), TEXTS_MAX)?;
    let mut queries = Vec::with_capacity(fields.len() * texts.len());
    for field in fields {
        for text in texts {
            let mut options = options.clone();
            options["query"] = json!(text);
            options["boost"] = json!(SCORE_FACTOR);
            queries.push(parse_query(&json!({name: {field: options}})).map_err(of_search)?);
        }
    }
    Ok(queries)
}

pub(super) fn text(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    let fields = texts_of(&paths::parse(spec)?, scope.mapping)?;
    let texts = texts(spec)?;
    check_synonyms(spec)?;
    let mut options = fuzzy(spec)?;
    options["operator"] = match spec.text("matchCriteria")? {
        None | Some("any") => json!("or"),
        Some("all") => json!("and"),
        Some(other) => {
            return Err(refused(format!(
                "\"{}\" cannot be \"{other}\"",
                spec.path_of("matchCriteria")
            )));
        }
    };
    Ok(any_of(each(&fields, &texts, "match", &options)?))
}

/// A definition has none, so no name is one of them.
fn check_synonyms(spec: &Spec<'_>) -> Result<()> {
    match spec.text("synonyms")? {
        None => Ok(()),
        Some(name) => Err(refused(format!(
            "\"{}\" cannot be \"{name}\": the index has no such mapping",
            spec.path_of("synonyms")
        ))),
    }
}

/// The option `fuzzy`.
fn fuzzy(spec: &Spec<'_>) -> Result<Json> {
    let Some(fuzzy) = spec.document("fuzzy")? else {
        return Ok(json!({}));
    };
    let options = json!({
        "fuzziness": fuzzy.count("maxEdits", 1, 2)?.unwrap_or(2).to_string(),
        "prefix_length": fuzzy.count("prefixLength", 0, 1 << 20)?.unwrap_or(0),
        "max_expansions": fuzzy.count("maxExpansions", 1, 1_000)?.unwrap_or(50),
    });
    fuzzy.end()?;
    Ok(options)
}

pub(super) fn phrase(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    let fields = texts_of(&paths::parse(spec)?, scope.mapping)?;
    check_synonyms(spec)?;
    let slop = spec.count("slop", 0, 1 << 20)?.unwrap_or(0);
    let queries = each(&fields, &texts(spec)?, "match_phrase", &json!({"slop": slop}))?;
    Ok(any_of(queries))
}

pub(super) fn autocomplete(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    let path = paths::name(spec)?;
    let fields = fields_of(&[Path::Named(path.clone(), None)], "autocomplete", scope.mapping);
    if fields.is_empty() {
        return Err(refused(format!(
            "Path '{path}' needs to be indexed as autocomplete"
        )));
    }
    let texts = texts(spec)?;
    let options = fuzzy(spec)?;
    let queries = match spec.text("tokenOrder")? {
        None | Some("any") => each(&fields, &texts, "match", &options)?,
        Some("sequential") if options.get("fuzziness").is_some() => {
            return Err(unsupported("\"fuzzy\" with a \"tokenOrder\" of \"sequential\""));
        }
        Some("sequential") => each(&fields, &texts, "match_phrase", &json!({}))?,
        Some(other) => {
            return Err(refused(format!(
                "\"{}\" cannot be \"{other}\"",
                spec.path_of("tokenOrder")
            )));
        }
    };
    Ok(any_of(queries))
}
