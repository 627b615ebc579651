//! What a query says besides its text.

use crate::query::fuzziness::{expansions, fuzziness, no_query, prefix_length};
use crate::query::several::{are_all, boosted, boosted_fields, is_and, multi_kind, synonym_phrases};
use crate::query::{Fuzzy, MatchKind, MultiKind, Rewrite};
use mapping::error::{Result, SearchError};
use mapping::json::Members;

/// What terms without a field mean.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) fields: Vec<(String, f32)>,
    pub(super) and: bool,
    pub(super) analyzer: Option<String>,
    /// The analyzer of phrases, where it is another.
    pub(super) quote_analyzer: Option<String>,
    /// The zone of dates in ranges.
    pub(super) time_zone: Option<String>,
    pub(super) slop: u32,
    pub(super) lenient: bool,
    /// How near fuzzy terms must be, where they do not say it.
    pub(super) fuzzy: Fuzzy,
    /// What the terms of patterns are worth.
    pub(super) rewrite: Rewrite,
    pub(super) tie_breaker: Option<f32>,
    pub(super) kind: (MultiKind, MatchKind),
    /// Whether what a word begins with is cut into terms, of which the last is a beginning. Other wildcards are normalized alone, as
    /// Elasticsearch has it, and may always stand in front.
    pub(super) analyzes_beginnings: bool,
    pub(super) synonym_phrases: bool,
}

impl Options {
    /// Takes those of a `query_string`.
    pub(super) fn take(members: &mut Members<'_>) -> Result<Options> {
        let mut fields = boosted_fields(members)?;
        if let Some(name) = members.text("default_field")? {
            if !fields.is_empty() {
                return Err(no_query(
                    "Validation Failed: 1: cannot use [fields] parameter in conjunction with [default_field];",
                ));
            }
            fields.extend((name != "*").then(|| boosted(&name)));
        }
        let default = Fuzzy::default();
        let options = Options {
            lenient: members.flag("lenient")?.unwrap_or_else(|| are_all(&fields)),
            fields,
            and: is_and(members, "default_operator")?,
            analyzer: members.text("analyzer")?,
            quote_analyzer: members.text("quote_analyzer")?,
            time_zone: members.text("time_zone")?,
            slop: members.integer("phrase_slop")?.unwrap_or(0).clamp(0, 1 << 20) as u32,
            fuzzy: Fuzzy {
                fuzziness: fuzziness(members)?.unwrap_or(default.fuzziness),
                prefix_length: prefix_length("query_string", members, "fuzzy_prefix_length")?,
                transpositions: members.flag("fuzzy_transpositions")?.unwrap_or(true),
                expansions_max: expansions("query_string", members, "fuzzy_max_expansions")?
                    .unwrap_or(default.expansions_max),
                normalizes: true,
            },
            rewrite: Rewrite::parse(members.text("rewrite")?.as_deref())?,
            tie_breaker: members.number("tie_breaker")?.map(|tie| tie as f32),
            kind: kind(members)?,
            analyzes_beginnings: members.flag("analyze_wildcard")?.unwrap_or(false),
            synonym_phrases: synonym_phrases(members)?,
        };
        // As Elasticsearch has it, this changes nothing; but it must be a name.
        Rewrite::parse(members.text("fuzzy_rewrite")?.as_deref())?;
        members.integer("max_determinized_states")?;
        for (name, is_here) in [
            (
                "quote_field_suffix",
                members.text("quote_field_suffix")?.is_none(),
            ),
            (
                "enable_position_increments",
                members.flag("enable_position_increments")? != Some(false),
            ),
        ] {
            if !is_here {
                return Err(SearchError::unsupported(format!(
                    "this [{name}] of [query_string]"
                )));
            }
        }
        Ok(options)
    }

    /// Those of the parameters of a request.
    pub(super) fn of(field: Option<&str>, and: bool, lenient: bool) -> Options {
        let fields: Vec<(String, f32)> = field.map(boosted).into_iter().collect();
        Options {
            lenient: lenient || are_all(&fields),
            fields,
            and,
            analyzer: None,
            quote_analyzer: None,
            time_zone: None,
            slop: 0,
            fuzzy: Fuzzy {
                normalizes: true,
                ..Fuzzy::default()
            },
            rewrite: Rewrite::Usual,
            tie_breaker: None,
            kind: (MultiKind::Best, MatchKind::Terms),
            analyzes_beginnings: false,
            synonym_phrases: true,
        }
    }
}

/// How several fields are asked for a text: the member `type`.
fn kind(members: &mut Members<'_>) -> Result<(MultiKind, MatchKind)> {
    let name = members.text("type")?;
    multi_kind(name.as_deref().unwrap_or("best_fields"))
}
