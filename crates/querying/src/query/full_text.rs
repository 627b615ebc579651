//! Queries whose text is analyzed.

use super::fuzziness::{expansions, fuzziness, prefix_length};
use super::several::{boosted_fields, is_and, multi_kind, synonym_phrases};
use super::term_level::field_of;
use super::{EXPANSIONS, Fuzzy, Match, MatchKind, MultiKind, MultiMatchQuery, Query, Rewrite, ZeroTerms};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, scalar, token_of};
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
            let text = text_of(name, members.take("query"))?;
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
        Value::Null => return Err(no_text(name)),
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

/// The text of a query: a scalar.
fn text_of(query: &str, given: Option<&Value>) -> Result<Value> {
    match given {
        None => Err(no_text(query)),
        Some(other @ (Value::Null | Value::Array(_) | Value::Object(_))) => Err(SearchError::parsing(
            format!("[{query}] unknown token [{}] after [query]", token_of(other)),
        )),
        Some(text) => Ok(text.clone()),
    }
}

fn no_text(query: &str) -> SearchError {
    match query {
        "match" => SearchError::parsing("No text specified for text query"),
        "multi_match" => SearchError::parsing("No text specified for multi_match query"),
        _ => SearchError::illegal(format!("[{query}] requires query value")),
    }
}

fn options(name: &str, members: &mut Members<'_>, text: Value, kind: MatchKind) -> Result<Match> {
    members.take("_name");
    let is_multi = name == "multi_match";
    let mut options = Match {
        minimum: members.take("minimum_should_match").and_then(scalar),
        analyzer: members.text("analyzer")?,
        lenient: members.flag("lenient")?.unwrap_or(false),
        ..Match::of(text, kind)
    };
    if kind != MatchKind::Phrase || is_multi {
        let count = expansions(name, members, "max_expansions")?;
        // One at least, where nothing may be said.
        options.expansions_max = count.unwrap_or(EXPANSIONS).max(1);
    }
    if matches!(kind, MatchKind::Phrase | MatchKind::PhrasePrefix) || is_multi {
        let slop = members.integer("slop")?.unwrap_or(0);
        if slop < 0 {
            return Err(SearchError::illegal("No negative slop allowed."));
        }
        options.slop = slop.min(1 << 20) as u32;
    }
    if matches!(kind, MatchKind::Terms | MatchKind::BoolPrefix) || is_multi {
        options.all = is_and(members, "operator")?;
        let fuzzy = Fuzzy {
            prefix_length: prefix_length(name, members, "prefix_length")?,
            transpositions: members.flag("fuzzy_transpositions")?.unwrap_or(true),
            expansions_max: options.expansions_max,
            ..Fuzzy::default()
        };
        options.fuzzy = fuzziness(members)?.map(|fuzziness| Fuzzy { fuzziness, ..fuzzy });
        options.rewrite = Rewrite::parse(members.text("fuzzy_rewrite")?.as_deref())?;
        options.synonym_phrases = synonym_phrases(members)?;
        members.number("cutoff_frequency")?;
    }
    options.zero_terms = match members.text("zero_terms_query")?.as_deref() {
        None => ZeroTerms::Nothing,
        Some(text) if text.eq_ignore_ascii_case("none") => ZeroTerms::Nothing,
        Some(text) if text.eq_ignore_ascii_case("all") => ZeroTerms::All,
        Some(other) => {
            return Err(SearchError::parsing(format!(
                "Unsupported zero_terms_query value [{other}]"
            )));
        }
    };
    Ok(options)
}

fn multi(mut members: Members<'_>) -> Result<Query> {
    let text = text_of("multi_match", members.take("query"))?;
    let fields = boosted_fields(&mut members)?;
    let type_name = members.text("type")?.unwrap_or_else(|| "best_fields".to_owned());
    let (kind, match_kind) = multi_kind(&type_name)?;
    let boost = members.boost()?;
    let tie_breaker = members.number("tie_breaker")?.map(|tie| tie as f32);
    let text = options("multi_match", &mut members, text, match_kind)?;
    let is_in_order = matches!(match_kind, MatchKind::Phrase | MatchKind::PhrasePrefix);
    if text.fuzzy.is_some() && (is_in_order || kind == MultiKind::Cross) {
        let reason = format!("Fuzziness not allowed for type [{type_name}]");
        return Err(SearchError::parsing(reason));
    }
    if text.slop > 0 && match_kind == MatchKind::BoolPrefix {
        let reason = format!("[slop] not allowed for type [{type_name}]");
        return Err(SearchError::parsing(reason));
    }
    members.end()?;
    Ok(Query::MultiMatch(MultiMatchQuery {
        fields,
        kind,
        tie_breaker,
        text,
        boost,
    }))
}
