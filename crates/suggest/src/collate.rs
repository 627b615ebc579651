//! Queries that phrases are asked with before they are suggested: `collate`.

use mapping::error::{Result, SearchError};
use mapping::json::{Members, token_of};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// A query, and what became of it.
#[derive(Clone, Debug)]
pub(super) struct Collate {
    /// Its template, in Mustache.
    source: String,
    params: Map<String, Value>,
    /// Whether phrases that match nothing are suggested, too, each with whether it does.
    pub(super) is_told: bool,
    /// The phrases that match something.
    pub(super) matching: HashSet<String>,
}

/// A query that is to be asked of the indices, for one phrase.
#[derive(Clone, Debug)]
pub struct Collated {
    /// The place of the suggestion that it is for.
    pub(super) at: usize,
    pub(super) phrase: String,
    /// The template, in Mustache.
    pub source: String,
    /// The parameters of the template.
    pub params: Value,
}

impl Collate {
    pub(super) fn parse(given: &Value) -> Result<Collate> {
        let mut members = Members::of("collate", given)?;
        let (query, params, prune) = (
            members.take("query"),
            members.take("params"),
            members.take("prune"),
        );
        if let Some((other, _)) = members.take_first() {
            return Err(SearchError::parsing(format!(
                "suggester[phrase][collate] doesn't support field [{other}]"
            )));
        }
        let missing = || SearchError::illegal("suggester[phrase][collate] needs a [query]");
        Ok(Collate {
            source: template(query.ok_or_else(missing)?)?,
            params: params.and_then(Value::as_object).cloned().unwrap_or_default(),
            is_told: match prune {
                None => false,
                Some(Value::Bool(flag)) => *flag,
                Some(_) => {
                    return Err(SearchError::parsing(
                        "suggester[phrase][collate] prune must be either 'true' or 'false'",
                    ));
                }
            },
            matching: HashSet::new(),
        })
    }

    /// The query for a phrase.
    pub(super) fn of(&self, at: usize, phrase: String) -> Collated {
        let mut params = self.params.clone();
        params.insert("suggestion".to_owned(), phrase.as_str().into());
        Collated {
            at,
            phrase,
            source: self.source.clone(),
            params: Value::Object(params),
        }
    }
}

/// A template: its text, or `{"source"}` with that, or with what it is the JSON of.
fn template(query: &Value) -> Result<String> {
    let object = match query {
        Value::String(text) => return Ok(text.clone()),
        Value::Object(object) => object,
        other => {
            return Err(SearchError::parsing(format!(
                "unexpected token [{}] of a template",
                token_of(other)
            )));
        }
    };
    let mut members = Members::of_object("script", object);
    let source = members.take("source");
    members.take("params");
    match members.text("lang")?.as_deref() {
        None | Some("mustache") => {}
        Some(other) => {
            return Err(SearchError::unsupported(format!(
                "a [query] of [collate] in [{other}]"
            )));
        }
    }
    if members.take("id").is_some() {
        return Err(SearchError::unsupported("a stored [query] of [collate]"));
    }
    if let Some((other, _)) = members.take_first() {
        return Err(SearchError::parsing(format!("[script] unknown field [{other}]")));
    }
    let missing = || {
        SearchError::illegal("must specify either [source] for an inline script or [id] for a stored script")
    };
    Ok(match source.ok_or_else(missing)? {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}
