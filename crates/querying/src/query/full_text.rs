//! Queries whose text is analyzed.

use super::fuzziness::{expansions, fuzziness, prefix_length};
use super::term_level::field_of;
use super::{EXPANSIONS, Fuzzy, Match, MatchKind, MultiKind, MultiMatchQuery, Query, Rewrite, ZeroTerms};
use mapping::decimals::java_number;
use mapping::error::{Kind, Result, SearchError};
use mapping::json::{Members, check_boost, one_or_many, scalar, token_of};
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
        members.flag("auto_generate_synonyms_phrase_query")?;
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
            return Err(SearchError::new(Kind::Date, reason));
        }
    })
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
