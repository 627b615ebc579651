//! Reading `intervals`: rules for where the terms of a text stand.

use super::fuzziness::fuzziness;
use super::{Fuzzy, Pattern, Query};
use mapping::error::{Result, SearchError};
use mapping::json::Members;
use serde_json::Value;

/// Rules within rules at most.
const DEPTH_MAX: usize = 20;
/// The rules of one list at most.
const RULES_MAX: usize = 1024;

/// Where in a text something stands.
#[derive(Clone, Debug)]
pub struct Rule {
    pub(crate) kind: RuleKind,
    /// How it must stand to another.
    pub(crate) filter: Option<(Relation, Box<Rule>)>,
}

#[derive(Clone, Debug)]
pub(crate) enum RuleKind {
    /// The terms of a text.
    Match {
        text: String,
        max_gaps: i64,
        ordered: bool,
        analyzer: Option<String>,
        field: Option<String>,
    },
    /// Terms of a pattern.
    Pattern {
        pattern: Pattern,
        analyzer: Option<String>,
        field: Option<String>,
    },
    All {
        rules: Vec<Rule>,
        max_gaps: i64,
        ordered: bool,
    },
    Any(Vec<Rule>),
}

/// How two intervals stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    After,
    Before,
    ContainedBy,
    Containing,
    NotContainedBy,
    NotContaining,
    NotOverlapping,
    Overlapping,
}

pub(super) fn parse(body: &Value) -> Result<Query> {
    let mut members = Members::of("intervals", body)?;
    let missing = || SearchError::parsing("[intervals] query malformed, it names no field");
    let (field, definition) = members.take_first().ok_or_else(missing)?;
    members.end()?;
    let mut inner = Members::of("intervals", definition)?;
    let boost = inner.boost()?;
    inner.take("_name");
    let rule = one_rule(&mut inner, 0)?;
    inner.end()?;
    Ok(Query::Intervals {
        field: field.to_owned(),
        rule: Box::new(rule),
        boost,
    })
}

fn one_rule(members: &mut Members<'_>, depth: usize) -> Result<Rule> {
    if depth > DEPTH_MAX {
        return Err(SearchError::illegal(format!(
            "[intervals] has rules that are nested more than {DEPTH_MAX} deep"
        )));
    }
    let missing = || SearchError::parsing("Missing intervals from interval query definition");
    let (name, body) = members.take_first().ok_or_else(missing)?;
    let mut inner = Members::of(name, body)?;
    let kind = match name {
        "match" => RuleKind::Match {
            text: required(&mut inner, name, "query")?,
            max_gaps: inner.integer("max_gaps")?.unwrap_or(-1),
            ordered: ordered(&mut inner)?,
            analyzer: inner.text("analyzer")?,
            field: inner.text("use_field")?,
        },
        "prefix" | "wildcard" | "fuzzy" => RuleKind::Pattern {
            pattern: pattern(name, &mut inner)?,
            analyzer: inner.text("analyzer")?,
            field: inner.text("use_field")?,
        },
        "all_of" => RuleKind::All {
            max_gaps: inner.integer("max_gaps")?.unwrap_or(-1),
            ordered: ordered(&mut inner)?,
            rules: rules(&mut inner, name, depth)?,
        },
        "any_of" => RuleKind::Any(rules(&mut inner, name, depth)?),
        other => {
            return Err(SearchError::parsing(format!(
                "Unknown interval type [{other}], expecting one of [match, any_of, all_of, prefix, wildcard, fuzzy]"
            )));
        }
    };
    let filter = inner.take("filter").map(|filter| relation(filter, depth));
    let filter = filter.transpose()?;
    inner.end()?;
    Ok(Rule { kind, filter })
}

/// `mode` is how later versions say it.
fn ordered(members: &mut Members<'_>) -> Result<bool> {
    match members.text("mode")?.as_deref() {
        None => Ok(members.flag("ordered")?.unwrap_or(false)),
        Some("ordered") => Ok(true),
        Some("unordered" | "unordered_no_overlap") => Ok(false),
        Some(other) => Err(SearchError::parsing(format!("[intervals] has no mode [{other}]"))),
    }
}

fn required(members: &mut Members<'_>, rule: &str, name: &str) -> Result<String> {
    let text = members.text(name)?;
    text.ok_or_else(|| SearchError::parsing(format!("Required [{name}] in [{rule}] of [intervals]")))
}

fn rules(members: &mut Members<'_>, name: &str, depth: usize) -> Result<Vec<Rule>> {
    let list = members.take("intervals").and_then(Value::as_array);
    let list = list.ok_or_else(|| SearchError::parsing(format!("Required [intervals] in [{name}]")))?;
    if list.len() > RULES_MAX {
        return Err(SearchError::illegal(format!(
            "[{name}] of [intervals] has more than {RULES_MAX} rules"
        )));
    }
    let one = |value: &Value| {
        let mut members = Members::of("intervals", value)?;
        let rule = one_rule(&mut members, depth + 1)?;
        members.end()?;
        Ok(rule)
    };
    list.iter().map(one).collect()
}

fn pattern(name: &str, members: &mut Members<'_>) -> Result<Pattern> {
    Ok(match name {
        "prefix" => Pattern::Prefix {
            value: required(members, name, "prefix")?,
            case_insensitive: false,
        },
        "wildcard" => Pattern::Wildcard {
            value: required(members, name, "pattern")?,
            case_insensitive: false,
        },
        _ => {
            let default = Fuzzy::default();
            let fuzzy = Fuzzy {
                fuzziness: fuzziness(members)?.unwrap_or(default.fuzziness),
                prefix_length: members.integer("prefix_length")?.unwrap_or(0).max(0) as usize,
                transpositions: members.flag("transpositions")?.unwrap_or(true),
                expansions_max: usize::MAX,
                normalizes: true,
            };
            Pattern::Fuzzy {
                value: required(members, name, "term")?,
                fuzzy,
            }
        }
    })
}

fn relation(body: &Value, depth: usize) -> Result<(Relation, Box<Rule>)> {
    let mut members = Members::of("filter", body)?;
    let missing = || SearchError::parsing("[filter] of [intervals] is empty");
    let (name, rule) = members.take_first().ok_or_else(missing)?;
    members.end()?;
    let relation = match name {
        "after" => Relation::After,
        "before" => Relation::Before,
        "contained_by" => Relation::ContainedBy,
        "containing" => Relation::Containing,
        "not_contained_by" => Relation::NotContainedBy,
        "not_containing" => Relation::NotContaining,
        "not_overlapping" => Relation::NotOverlapping,
        "overlapping" => Relation::Overlapping,
        "script" => return Err(SearchError::unsupported("a [script] in a filter of [intervals]")),
        other => return Err(SearchError::parsing(format!("Unknown filter type [{other}]"))),
    };
    let mut inner = Members::of(name, rule)?;
    let rule = one_rule(&mut inner, depth + 1)?;
    inner.end()?;
    Ok((relation, Box::new(rule)))
}
