//! Queries whose text is analyzed.

use super::term_level::field_of;
use super::{Match, MatchKind, MultiKind, Query};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, one_or_many, scalar};
use serde_json::Value;

pub(super) fn parse(name: &str, body: &Value) -> Result<Query> {
    let mut members = Members::of(name, body)?;
    let kind = match name {
        "match_phrase" => MatchKind::Phrase,
        "match_phrase_prefix" => MatchKind::PhrasePrefix,
        "match_bool_prefix" => MatchKind::BoolPrefix,
        _ => MatchKind::Terms,
    };
    if name == "multi_match" {
        return multi(members);
    }
    let (field, body) = field_of(name, &mut members)?;
    let (text, boost) = match body {
        Value::Object(object) => {
            let mut members = Members::of_object(name, object);
            let missing = || SearchError::parsing("No text specified for text query");
            let text = members.take("query").ok_or_else(missing)?.clone();
            let boost = members.boost()?;
            let text = options(name, &mut members, text, kind)?;
            members.end()?;
            (text, boost)
        }
        Value::Array(_) => {
            return Err(SearchError::parsing(format!(
                "[{name}] unknown token [START_ARRAY] after [{field}]"
            )));
        }
        text => (
            options(
                name,
                &mut Members::of_object(name, &serde_json::Map::new()),
                text.clone(),
                kind,
            )?,
            1.0,
        ),
    };
    Ok(Query::Match {
        field: field.to_owned(),
        text,
        boost,
    })
}

fn options(name: &str, members: &mut Members<'_>, text: Value, kind: MatchKind) -> Result<Match> {
    members.take("_name");
    if text.is_null() {
        return Err(SearchError::illegal(format!("[{name}] requires query value")));
    }
    let mut options = Match {
        text,
        kind,
        all: false,
        minimum: members.take("minimum_should_match").and_then(scalar),
        analyzer: members.text("analyzer")?,
        fuzziness: None,
        prefix_length: 0,
        slop: 0,
        zero_terms_all: false,
        lenient: members.flag("lenient")?.unwrap_or(false),
    };
    if kind != MatchKind::Phrase {
        // How many terms a prefix or a fuzzy term becomes is not limited here: all are matched.
        members.integer("max_expansions")?;
    }
    if matches!(kind, MatchKind::Phrase | MatchKind::PhrasePrefix) || name == "multi_match" {
        options.slop = members.integer("slop")?.unwrap_or(0).clamp(0, 1 << 20) as u32;
    }
    if matches!(kind, MatchKind::Terms | MatchKind::BoolPrefix) || name == "multi_match" {
        options.all = match members.text("operator")?.as_deref() {
            None | Some("or" | "OR" | "Or") => false,
            Some("and" | "AND" | "And") => true,
            Some(other) => {
                return Err(SearchError::illegal(format!(
                    "No enum constant of [operator] for [{other}]"
                )));
            }
        };
        options.fuzziness = members.text("fuzziness")?;
        options.prefix_length = members.integer("prefix_length")?.unwrap_or(0).max(0) as usize;
        members.text("fuzzy_rewrite")?;
        members.flag("fuzzy_transpositions")?;
        members.flag("auto_generate_synonyms_phrase_query")?;
        members.number("cutoff_frequency")?;
    }
    options.zero_terms_all = match members.text("zero_terms_query")?.as_deref() {
        None => false,
        Some(text) if text.eq_ignore_ascii_case("none") => false,
        Some(text) if text.eq_ignore_ascii_case("all") => true,
        Some(other) => {
            return Err(SearchError::parsing(format!(
                "Unsupported zero_terms_query value [{other}]"
            )));
        }
    };
    Ok(options)
}

fn multi(mut members: Members<'_>) -> Result<Query> {
    let missing = || SearchError::parsing("No text specified for multi_match query");
    let text = members.take("query").ok_or_else(missing)?.clone();
    let fields = boosted_fields(&mut members);
    let (kind, match_kind) = match members.text("type")?.as_deref() {
        None | Some("best_fields") => (MultiKind::Best, MatchKind::Terms),
        Some("most_fields") => (MultiKind::Most, MatchKind::Terms),
        Some("cross_fields") => (MultiKind::Cross, MatchKind::Terms),
        Some("phrase") => (MultiKind::Best, MatchKind::Phrase),
        Some("phrase_prefix") => (MultiKind::Best, MatchKind::PhrasePrefix),
        Some("bool_prefix") => (MultiKind::Most, MatchKind::BoolPrefix),
        Some(other) => {
            return Err(SearchError::parsing(format!(
                "failed to parse [multi_match] query type [{other}]. unknown type."
            )));
        }
    };
    let boost = members.boost()?;
    let tie_breaker = members.number("tie_breaker")?.map(|tie| tie as f32);
    let text = options("multi_match", &mut members, text, match_kind)?;
    members.end()?;
    Ok(Query::MultiMatch {
        fields,
        kind,
        tie_breaker,
        text,
        boost,
    })
}

/// The member `fields`: names with their factors.
pub(super) fn boosted_fields(members: &mut Members<'_>) -> Vec<(String, f32)> {
    let named = members.take("fields").map(one_or_many).unwrap_or_default();
    let names = named.into_iter().filter_map(scalar);
    names.map(|name| boosted(&name)).collect()
}

/// The member `default_operator`: whether clauses without an operator between them must all match.
pub(super) fn is_and_default(members: &mut Members<'_>) -> Result<bool> {
    let operator = members.text("default_operator")?;
    match operator.map(|name| name.to_ascii_lowercase()).as_deref() {
        None | Some("or") => Ok(false),
        Some("and") => Ok(true),
        Some(other) => Err(SearchError::illegal(format!(
            "[default_operator] cannot be [{other}]"
        ))),
    }
}

/// A field's name with its factor, as in `title^3`.
pub(crate) fn boosted(name: &str) -> (String, f32) {
    match name
        .rsplit_once('^')
        .and_then(|(name, boost)| Some((name, boost.parse().ok()?)))
    {
        Some((name, boost)) => (name.to_owned(), boost),
        None => (name.to_owned(), 1.0),
    }
}
