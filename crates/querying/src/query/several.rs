//! Several fields that are asked for a text, and how.

use super::texts::{MatchKind, MultiKind};
use mapping::decimals::java_number;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::json::{Members, check_boost, one_or_many, scalar};

/// How several fields are asked for a text, by its name in a query.
pub(super) fn multi_kind(name: &str) -> Result<(MultiKind, MatchKind)> {
    Ok(match name {
        "best_fields" | "boolean" => (MultiKind::Best, MatchKind::Terms),
        "most_fields" => (MultiKind::Most, MatchKind::Terms),
        "cross_fields" => (MultiKind::Cross, MatchKind::Terms),
        "phrase" => (MultiKind::Best, MatchKind::Phrase),
        "phrase_prefix" => (MultiKind::Best, MatchKind::PhrasePrefix),
        "bool_prefix" => (MultiKind::Most, MatchKind::BoolPrefix),
        other => {
            let reason = format!("failed to parse [multi_match] query type [{other}]. unknown type.");
            return Err(SearchError::new(ErrorKind::Date, reason));
        }
    })
}

/// The member `fields`: names with their factors.
pub(super) fn boosted_fields(members: &mut Members<'_>) -> Result<Vec<(String, f32)>> {
    let named = members.take("fields").map(one_or_many).unwrap_or_default();
    let names = named.into_iter().filter_map(scalar);
    let boosted = |name: String| -> Result<(String, f32)> {
        let Some((field, boost)) = name.split_once('^') else {
            return Ok((name, 1.0));
        };
        let boost = java_number(boost)? as f32;
        check_boost(members.context(), boost)?;
        Ok((field.to_owned(), boost))
    };
    names.map(boosted).collect()
}

/// Whether these fields are all that there are, of which not all can have every value.
pub fn are_all(fields: &[(String, f32)]) -> bool {
    fields.is_empty() || fields.iter().any(|(name, _)| name == "*")
}

/// An operator of this name: whether clauses without one between them must all match.
pub(super) fn is_and(members: &mut Members<'_>, name: &str) -> Result<bool> {
    let operator = members.text(name)?;
    match operator.map(|name| name.to_uppercase()).as_deref() {
        None | Some("OR") => Ok(false),
        Some("AND") => Ok(true),
        Some(other) => Err(SearchError::illegal(format!(
            "No enum constant org.elasticsearch.index.query.Operator.{other}"
        ))),
    }
}

/// Whether the words of a synonym of several must stand together.
pub(super) fn synonym_phrases(members: &mut Members<'_>) -> Result<bool> {
    Ok(members
        .flag("auto_generate_synonyms_phrase_query")?
        .unwrap_or(true))
}

/// A field's name with its factor, as in `title^3`.
pub fn boosted(name: &str) -> (String, f32) {
    match name
        .rsplit_once('^')
        .and_then(|(name, boost)| Some((name, boost.parse().ok()?)))
    {
        Some((name, boost)) => (name.to_owned(), boost),
        None => (name.to_owned(), 1.0),
    }
}
