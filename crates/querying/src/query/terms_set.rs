//! Reading `terms_set`: as many of some terms as a document says itself.

use super::{CLAUSES_MAX, Least, Parser, Query, TermsSetQuery, too_many_clauses};
use crate::query::term_level::field_of;
use crate::script::DocumentScript;
use mapping::error::{Result, SearchError};
use mapping::json::{Members, scalar};
use serde_json::{Value, json};

impl Parser {
    pub(super) fn terms_set(body: &Value) -> Result<Query> {
        let mut members = Members::of("terms_set", body)?;
        let (field, given) = field_of("terms_set", &mut members)?;
        let mut inner = Members::of("terms_set", given)?;
        let boost = inner.boost()?;
        inner.take("_name");
        let terms = inner.take("terms").and_then(Value::as_array);
        let missing = || SearchError::parsing("[terms_set] needs a list of [terms]");
        let terms = terms.ok_or_else(missing)?.clone();
        if terms.len() > CLAUSES_MAX {
            return Err(too_many_clauses(CLAUSES_MAX));
        }
        let by_field = inner.take("minimum_should_match_field").and_then(scalar);
        let by_script = inner.take("minimum_should_match_script");
        inner.end()?;
        let least = match (by_field, by_script) {
            (Some(field), None) => Least::Field(field),
            (None, Some(script)) => Least::Script(with_count(script, terms.len())?),
            (Some(_), Some(_)) => {
                return Err(SearchError::illegal(
                    "A script has already been specified. Cannot specify both a field and script",
                ));
            }
            (None, None) => return Err(SearchError::illegal("No minimum should match has been specified")),
        };
        Ok(Query::TermsSet(Box::new(TermsSetQuery {
            field: field.to_owned(),
            terms,
            least,
            boost,
        })))
    }
}

/// A script that knows how many terms there are.
fn with_count(script: &Value, count: usize) -> Result<DocumentScript> {
    let mut script = match script {
        Value::String(source) => json!({"source": source}),
        other => other.clone(),
    };
    if script.is_object() {
        if !script["params"].is_object() {
            script["params"] = json!({});
        }
        script["params"]["num_terms"] = json!(count);
    }
    DocumentScript::parse(&script)
}
