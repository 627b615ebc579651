//! Reads the filters that look at words one by one.

use super::patterns::regex;
use super::word_filters::{Marked, WordFilter};
use super::word_list::{WordList, words};
use crate::error::{Result, SearchError};
use crate::json::{Members, one_or_many, scalar};
use serde_json::Value;
use std::collections::HashMap;

/// The patterns of one filter at most.
const PATTERNS_MAX: usize = 32;

/// The filter of this type; `None` where there is none.
pub(super) fn word_filter(kind: &str, members: &mut Members<'_>) -> Result<Option<WordFilter>> {
    Ok(Some(match kind {
        "keyword_marker" => WordFilter::Mark(marked(members)?),
        "keyword_repeat" => WordFilter::Repeat,
        "remove_duplicates" => WordFilter::Distinct,
        "stemmer_override" => WordFilter::Override(stems(members)?),
        "keep_types" => WordFilter::Kinds {
            kinds: match members.take("types") {
                Some(kinds) => words(Some(kinds)).into_iter().collect(),
                None => {
                    let reason = "keep_types requires `types` to be configured";
                    return Err(SearchError::illegal(reason));
                }
            },
            keeps: match members.text("mode")?.as_deref() {
                None | Some("include") => true,
                Some("exclude") => false,
                Some(other) => {
                    return Err(SearchError::illegal(format!(
                        "`keep_types` tokenfilter mode can only be [include] or [exclude] but was [{other}]."
                    )));
                }
            },
        },
        "pattern_capture" => WordFilter::Groups {
            patterns: patterns(members)?,
            keeps_word: members.flag("preserve_original")?.unwrap_or(true),
        },
        _ => return Ok(None),
    }))
}

/// Words that stemmers leave as they are.
pub(super) fn excluded(words: Vec<String>) -> WordFilter {
    WordFilter::Mark(Marked::Words(WordList::new(words, false)))
}

fn marked(members: &mut Members<'_>) -> Result<Marked> {
    let ignores_case = members.flag("ignore_case")?.unwrap_or(false);
    let pattern = members.text("keywords_pattern")?;
    match (members.take("keywords"), pattern) {
        (Some(_), Some(_)) => Err(SearchError::illegal(
            "cannot specify both `keywords_pattern` and `keywords` or `keywords_path`",
        )),
        (None, None) => Err(SearchError::illegal(
            "keyword filter requires either `keywords`, `keywords_path`, or `keywords_pattern` to be configured",
        )),
        (None, Some(pattern)) => Ok(Marked::Pattern(regex(&format!(r"\A(?:{pattern})\z"))?)),
        (given, None) => Ok(Marked::Words(WordList::new(words(given), ignores_case))),
    }
}

/// Rules such as `running, runs => run`. What is said first of a word counts.
fn stems(members: &mut Members<'_>) -> Result<HashMap<String, String>> {
    let rules = members.take("rules").map(one_or_many).unwrap_or_default();
    if rules.is_empty() {
        return Err(SearchError::illegal(
            "stemmer override filter requires either `rules` or `rules_path` to be configured",
        ));
    }
    let mut stems = HashMap::new();
    for rule in rules.into_iter().filter_map(scalar) {
        let wrong = || SearchError::illegal(format!("Invalid Keyword override Rule:{rule}"));
        let (given, stem) = rule.split_once("=>").ok_or_else(wrong)?;
        let stem = stem.trim();
        if stem.is_empty() || stem.contains("=>") {
            return Err(wrong());
        }
        for word in given.split(',').map(str::trim) {
            if word.is_empty() {
                return Err(wrong());
            }
            stems.entry(word.to_owned()).or_insert_with(|| stem.to_owned());
        }
    }
    Ok(stems)
}

fn patterns(members: &mut Members<'_>) -> Result<Vec<regex::Regex>> {
    let given: Vec<&Value> = members.take("patterns").map(one_or_many).unwrap_or_default();
    match given.len() {
        0 => Err(SearchError::illegal(
            "required setting 'patterns' is missing for token filter [pattern_capture]",
        )),
        1..=PATTERNS_MAX => given
            .into_iter()
            .map(|pattern| regex(&scalar(pattern).unwrap_or_default()))
            .collect(),
        _ => Err(SearchError::illegal(format!(
            "[patterns] must not have more than [{PATTERNS_MAX}] patterns"
        ))),
    }
}
