//! Patterns of terms: prefixes, wildcards, regular expressions of Lucene, edit distances.

use crate::query::Pattern;
use language::interruption::steps;
use mapping::error::{Result, SearchError};
use regex::{Regex, RegexBuilder};

/// The compiled size of an expression at most.
const SIZE_BYTES_MAX: usize = 1 << 20;
/// The characters of an expression at most.
const LENGTH_MAX: usize = 1000;

/// The bytes that an expression goes through in the time of one step.
const BYTES_PER_STEP: usize = 64;
/// The pairs of characters that are compared in it.
const CHARACTERS_PER_STEP: usize = 32;

/// A pattern that is ready to be asked of terms.
#[derive(Clone, Debug)]
pub(crate) enum TermPattern {
    Prefix(String),
    Expression(Regex),
    Fuzzy {
        word: Vec<char>,
        distance: usize,
        prefix: usize,
        transpositions: bool,
    },
}

impl TermPattern {
    /// Whether a term is one of them. Once the operation must end none is: it learns that from the next of its own steps.
    pub(crate) fn is_match(&self, term: &str) -> bool {
        match self {
            TermPattern::Prefix(prefix) => term.starts_with(prefix.as_str()),
            TermPattern::Expression(expression) => {
                steps(1 + term.len() / BYTES_PER_STEP).is_ok() && expression.is_match(term)
            }
            TermPattern::Fuzzy {
                word,
                distance,
                prefix,
                transpositions,
            } => {
                let compared = term.len().saturating_mul(word.len());
                if term.chars().count().abs_diff(word.len()) > *distance
                    || steps(1 + compared / CHARACTERS_PER_STEP).is_err()
                {
                    return false;
                }
                let term: Vec<char> = term.chars().collect();
                let shared = (*prefix).min(word.len());
                term.len() >= shared
                    && term[..shared] == word[..shared]
                    && is_within(&word[shared..], &term[shared..], *distance, *transpositions)
            }
        }
    }

    /// A pattern whose text is changed as terms are by `normalize`.
    pub(super) fn of(pattern: &Pattern, normalize: impl Fn(&str) -> String) -> Result<TermPattern> {
        Ok(match pattern {
            Pattern::Prefix {
                value,
                case_insensitive: false,
            } => TermPattern::Prefix(normalize(value)),
            Pattern::Prefix { value, .. } => {
                expression(&format!("{}.*", regex::escape(&normalize(value))), true)?
            }
            Pattern::Wildcard {
                value,
                case_insensitive,
            } => expression(&wildcard(value, &normalize), *case_insensitive)?,
            Pattern::Regexp {
                value,
                case_insensitive,
            } => {
                if value.chars().count() > LENGTH_MAX {
                    return Err(SearchError::illegal(format!(
                        "The length of regex [{}] used in the Regexp Query request has exceeded the allowed maximum of [{LENGTH_MAX}].",
                        value.chars().count()
                    )));
                }
                expression(&lucene(value)?, *case_insensitive)?
            }
            Pattern::Fuzzy {
                value,
                fuzziness,
                prefix_length,
                transpositions,
            } => fuzzy(&normalize(value), fuzziness, *prefix_length, *transpositions)?,
        })
    }
}

pub(super) fn fuzzy(word: &str, fuzziness: &str, prefix: usize, transpositions: bool) -> Result<TermPattern> {
    let word: Vec<char> = word.chars().collect();
    Ok(TermPattern::Fuzzy {
        distance: distance(fuzziness, word.len())?,
        word,
        prefix,
        transpositions,
    })
}

/// The edits that `AUTO`, `AUTO:3,6` or a number allow in a word of this length.
fn distance(fuzziness: &str, length: usize) -> Result<usize> {
    let invalid = || SearchError::illegal(format!("[fuzziness] cannot be [{fuzziness}]"));
    let (low, high) = match fuzziness.to_ascii_uppercase().strip_prefix("AUTO") {
        Some("") => (3, 6),
        Some(bounds) => {
            let (low, high) = bounds
                .strip_prefix(':')
                .and_then(|bounds| bounds.split_once(','))
                .ok_or_else(invalid)?;
            (
                low.parse().map_err(|_| invalid())?,
                high.parse().map_err(|_| invalid())?,
            )
        }
        None => {
            let edits: f64 = fuzziness.parse().map_err(|_| invalid())?;
            return Ok((edits as usize).min(2));
        }
    };
    Ok(if length < low {
        0
    } else if length < high {
        1
    } else {
        2
    })
}

fn expression(pattern: &str, case_insensitive: bool) -> Result<TermPattern> {
    RegexBuilder::new(&format!("^(?:{pattern})$"))
        .case_insensitive(case_insensitive)
        .dot_matches_new_line(true)
        .size_limit(SIZE_BYTES_MAX)
        .build()
        .map(TermPattern::Expression)
        .map_err(|_| SearchError::illegal(format!("the pattern [{pattern}] is not one, or is too large")))
}

fn wildcard(value: &str, normalize: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut literal = String::new();
    let mut chars = value.chars();
    let flush = |literal: &mut String, out: &mut String| {
        out.push_str(&regex::escape(&normalize(literal)));
        literal.clear();
    };
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' => {
                flush(&mut literal, &mut out);
                out.push_str(if c == '*' { ".*" } else { "." });
            }
            '\\' => literal.push(chars.next().unwrap_or('\\')),
            c => literal.push(c),
        }
    }
    flush(&mut literal, &mut out);
    out
}

/// A text as an expression of Lucene that matches it alone.
pub(super) fn quoted(text: &str) -> String {
    text.chars()
        .flat_map(|c| [Some('\\'), Some(c)])
        .flatten()
        .collect()
}

/// An expression of Lucene as one of ours: there `^` and `$` are letters, `~`, `&`, `<>` and `@` mean what is not here.
fn lucene(value: &str) -> Result<String> {
    let mut out = String::new();
    let mut chars = value.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let escaped = chars.next().unwrap_or('\\');
                out.push_str(&regex::escape(&escaped.to_string()));
            }
            '[' if !in_class => {
                in_class = true;
                out.push('[');
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            '~' | '<' | '>' | '&' if !in_class => {
                return Err(SearchError::unsupported(format!(
                    "the operator [{c}] of [regexp]"
                )));
            }
            '@' if !in_class => out.push_str(".*"),
            '#' if !in_class => out.push_str("[^\\s\\S]"),
            '^' | '$' if !in_class => {
                out.push('\\');
                out.push(c);
            }
            '"' if !in_class => {
                let literal: String = chars.by_ref().take_while(|c| *c != '"').collect();
                out.push_str(&regex::escape(&literal));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

/// Whether this many edits make one word of the other (optimal string alignment).
fn is_within(a: &[char], b: &[char], most: usize, transpositions: bool) -> bool {
    if a.len().abs_diff(b.len()) > most {
        return false;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (last[j] + usize::from(x != y))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if transpositions && i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().is_some_and(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_so_many_edits_apart() {
        let is_match = |word: &str, fuzziness: &str, term: &str| {
            fuzzy(word, fuzziness, 0, true).expect("valid").is_match(term)
        };
        assert!(is_match("quick", "AUTO", "quikc"));
        assert!(is_match("quick", "1", "quck"));
        assert!(!is_match("quick", "1", "qck"));
        assert!(!is_match("ab", "AUTO", "ac"));
    }

    #[test]
    fn expressions_of_lucene_match_whole_terms() {
        let of = |value: &str| {
            let pattern = Pattern::Regexp {
                value: value.to_owned(),
                case_insensitive: false,
            };
            TermPattern::of(&pattern, str::to_owned)
        };
        assert!(of("a.*c").expect("valid").is_match("abc"));
        assert!(!of("b").expect("valid").is_match("abc"));
        assert!(of("(a{1000}){1000}").is_err());
        assert!(of("a~b").is_err());
    }

    #[test]
    fn wildcards_stand_anywhere() {
        let pattern = Pattern::Wildcard {
            value: "*a?c*\\*".to_owned(),
            case_insensitive: false,
        };
        let pattern = TermPattern::of(&pattern, str::to_owned).expect("valid");
        assert!(pattern.is_match("xxabcyy*"));
        assert!(!pattern.is_match("xxabcyy"));
    }
}
