//! Regular expressions of settings.

use crate::error::{Result, SearchError};
use crate::json::Members;
use regex::Regex;

/// A regular expression of bounded size.
pub(super) fn regex(pattern: &str) -> Result<Regex> {
    regex::RegexBuilder::new(pattern)
        .size_limit(1 << 20)
        .build()
        .map_err(|error| SearchError::illegal(format!("the pattern [{pattern}] cannot be used: {error}")))
}

/// The expression of the member `pattern`, with what Java's `flags` say of it.
pub(super) fn taken(members: &mut Members<'_>, usual: &str) -> Result<Regex> {
    let mut pattern = members.text("pattern")?.unwrap_or_else(|| usual.to_owned());
    let mut letters = String::new();
    for flag in members.text("flags")?.unwrap_or_default().split('|') {
        match flag.trim() {
            "CASE_INSENSITIVE" => letters.push('i'),
            "MULTILINE" => letters.push('m'),
            "DOTALL" => letters.push('s'),
            "COMMENTS" => letters.push('x'),
            // Letters of all scripts are compared without case, and known as letters, in any case.
            "" | "UNICODE_CASE" | "UNICODE_CHAR_CLASS" => {}
            "LITERAL" => pattern = regex::escape(&pattern),
            other => {
                return Err(SearchError::unsupported(format!(
                    "the flag [{other}] of a pattern"
                )));
            }
        }
    }
    match letters.is_empty() {
        true => regex(&pattern),
        false => regex(&format!("(?{letters}){pattern}")),
    }
}
