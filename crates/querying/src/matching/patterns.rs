//! Patterns of terms: prefixes, wildcards, regular expressions of Lucene, edit distances.

use super::Clauses;
use crate::query::{Fuzzy, Pattern, edits, too_long};
use language::interruption::steps;
use mapping::error::{Result, SearchError};
use regex::{Regex, RegexBuilder};
use std::iter::Peekable;
use std::str::Chars;

/// The sizes that are tried for a compiled expression, of which the last is the most: most expressions are small, and only those
/// that are not count as such.
const SIZES_BYTES: [usize; 3] = [1 << 14, 1 << 17, 1 << 20];
/// The characters of an expression at most.
const LENGTH_MAX: usize = 1000;

/// The bytes that an expression goes through in the time of one step.
const BYTES_PER_STEP: usize = 64;
/// The characters of a term that are compared in it with a word.
const CHARACTERS_PER_STEP: usize = 8;
/// Edits at most.
const DISTANCE_MAX: usize = 2;

/// A pattern that is ready to be asked of terms.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the variants are those of a pattern of a query")]
pub enum TermPattern {
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
    pub fn is_match(&self, term: &str) -> bool {
        self.answer(term).unwrap_or(false)
    }

    /// The same; `None` once the operation must end.
    pub fn answer(&self, term: &str) -> Option<bool> {
        Some(match self {
            TermPattern::Prefix(prefix) => {
                steps(1).ok()?;
                term.starts_with(prefix.as_str())
            }
            TermPattern::Expression(expression) => {
                steps(1 + term.len() / BYTES_PER_STEP).ok()?;
                expression.is_match(term)
            }
            TermPattern::Fuzzy {
                word,
                distance,
                prefix,
                transpositions,
            } => {
                steps(1 + term.len() / CHARACTERS_PER_STEP).ok()?;
                // A term has at least as many bytes as characters, so this one is too short.
                if term.len() + distance < word.len() {
                    return Some(false);
                }
                let (shared, rest) = word.split_at((*prefix).min(word.len()));
                let mut term = term.chars();
                shared.iter().all(|c| term.next() == Some(*c))
                    && is_within(term, rest, *distance, *transpositions)
            }
        })
    }

    /// The terms that are near to a word.
    pub(super) fn near(word: &str, fuzzy: &Fuzzy) -> Result<TermPattern> {
        let word: Vec<char> = word.chars().collect();
        Ok(TermPattern::Fuzzy {
            distance: edits(&fuzzy.fuzziness, word.len(), DISTANCE_MAX)?,
            word,
            prefix: fuzzy.prefix_length,
            transpositions: fuzzy.transpositions,
        })
    }

    /// The word itself, where it is the only term.
    pub(super) fn only(&self) -> Option<String> {
        match self {
            TermPattern::Fuzzy {
                word,
                distance,
                prefix,
                ..
            } if *distance == 0 || *prefix >= word.len() => Some(word.iter().collect()),
            _ => None,
        }
    }

    /// How near a term is to what was asked for, from 0 to 1; `None` if it is none of them.
    pub fn nearness(&self, term: &str) -> Option<f32> {
        if !self.is_match(term) {
            return None;
        }
        let TermPattern::Fuzzy {
            word,
            distance,
            prefix,
            transpositions,
        } = self
        else {
            return Some(1.0);
        };
        let shared = (*prefix).min(word.len());
        let (_, rest) = word.split_at(shared);
        let is_so_near = |edits: &usize| is_within(term.chars().skip(shared), rest, *edits, *transpositions);
        let edits = (0..*distance).find(is_so_near).unwrap_or(*distance);
        let length = term.chars().count().min(word.len());
        Some(match edits {
            0 => 1.0,
            edits => (1.0 - edits as f32 / length as f32).max(0.0),
        })
    }

    /// How all of its terms begin.
    pub fn beginning(&self) -> String {
        match self {
            TermPattern::Prefix(prefix) => prefix.clone(),
            TermPattern::Expression(_) => String::new(),
            TermPattern::Fuzzy { word, prefix, .. } => word.iter().take(*prefix).collect(),
        }
    }

    /// A pattern whose text is changed as terms are by `normalize`.
    pub(super) fn of(
        pattern: &Pattern,
        clauses: &Clauses,
        normalize: impl Fn(&str) -> String,
    ) -> Result<TermPattern> {
        let expression = |pattern: &str, case_insensitive: bool| {
            let pattern = format!("^(?:{pattern})$");
            clauses
                .expression(&pattern, case_insensitive)
                .map(TermPattern::Expression)
        };
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
                let length = value.chars().count();
                if length > LENGTH_MAX {
                    return Err(too_long(length, LENGTH_MAX));
                }
                expression(&lucene(value)?, *case_insensitive)?
            }
            Pattern::Fuzzy { value, fuzzy } => TermPattern::near(&normalize(value), fuzzy)?,
        })
    }
}

/// A regular expression of the `regex` crate with the bytes that it takes at most. Errors: it is none, or too large.
pub(super) fn expression(pattern: &str, case_insensitive: bool) -> Result<(Regex, usize)> {
    let built = SIZES_BYTES.iter().find_map(|bytes| {
        let mut builder = RegexBuilder::new(pattern);
        builder
            .case_insensitive(case_insensitive)
            .dot_matches_new_line(true)
            .size_limit(*bytes);
        Some((builder.build().ok()?, *bytes))
    });
    built.ok_or_else(|| SearchError::illegal(format!("the pattern [{pattern}] is not one, or is too large")))
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

/// The same of an expression of Lucene, which a term must match from its beginning, and `to_end` as a whole.
pub fn lucene_expression(pattern: &str, to_end: bool) -> Result<Regex> {
    let end = if to_end { "$" } else { "" };
    let (made, _) = expression(&format!("^(?:{}){end}", lucene(pattern)?), false)?;
    Ok(made)
}

/// An expression of Lucene as one of ours: there `^` and `$` are letters, `~`, `&`, `<>` and `@` mean what is not here.
fn lucene(value: &str) -> Result<String> {
    let mut out = String::new();
    let mut chars = value.chars().peekable();
    // Where something begins, signs of repetition are letters.
    let mut begins = true;
    while let Some(c) = chars.next() {
        let is_first = std::mem::replace(&mut begins, matches!(c, '(' | '|'));
        match c {
            '\\' => put_letter(chars.next().unwrap_or('\\'), &mut out),
            '[' => put_class(&mut chars, &mut out).ok_or_else(|| no_end(']', value))?,
            '?' | '*' | '+' | '{' | '|' if is_first => {
                put_letter(c, &mut out);
                begins = false;
            }
            '~' | '<' | '&' => {
                return Err(SearchError::unsupported(format!(
                    "the operator [{c}] of [regexp]"
                )));
            }
            '@' => out.push_str(".*"),
            '#' => out.push_str("[^\\s\\S]"),
            '^' | '$' => put_letter(c, &mut out),
            '"' => {
                out.push_str("(?:");
                loop {
                    match chars.next().ok_or_else(|| no_end('"', value))? {
                        '"' => break,
                        c => put_letter(c, &mut out),
                    }
                }
                out.push(')');
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

fn no_end(sign: char, value: &str) -> SearchError {
    SearchError::illegal(format!("expected '{sign}' at position {}", value.chars().count()))
}

/// A character that is nothing but itself.
fn put_letter(c: char, out: &mut String) {
    out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
}

/// The characters up to the end of their class, of which the first one may be what ends it; `None` where it has no end.
fn put_class(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Option<()> {
    out.push('[');
    out.extend(chars.next_if_eq(&'^'));
    let mut is_first = true;
    loop {
        match chars.next()? {
            ']' if !is_first => {
                out.push(']');
                return Some(());
            }
            '\\' => put_letter(chars.next()?, out),
            '-' => out.push('-'),
            c => put_letter(c, out),
        }
        is_first = false;
    }
}

/// Whether this many edits, [`DISTANCE_MAX`] at most, make one word of the other (optimal string alignment). Of the table of
/// distances between their beginnings only the cells near the diagonal are computed: others are more edits apart (E. Ukkonen,
/// Algorithms for approximate string matching, 1985).
fn is_within(a: impl Iterator<Item = char>, b: &[char], distance_max: usize, transpositions: bool) -> bool {
    const CELLS: usize = 2 * DISTANCE_MAX + 1;
    const FAR: usize = usize::MAX / 2;
    // Cell `at` of row `i` is of the first `i` characters of `a` and the first `i + at - DISTANCE_MAX` of `b`.
    let mut before = [FAR; CELLS];
    let mut last: [usize; CELLS] = std::array::from_fn(|at| at.checked_sub(DISTANCE_MAX).unwrap_or(FAR));
    let (mut i, mut previous) = (0, None);
    for x in a {
        i += 1;
        let mut row = [FAR; CELLS];
        for at in 0..CELLS {
            let Some(j) = (i + at).checked_sub(DISTANCE_MAX).filter(|j| *j <= b.len()) else {
                continue;
            };
            let removed = last.get(at + 1).map_or(FAR, |distance| distance + 1);
            let Some(y) = j.checked_sub(1).map(|j| b[j]) else {
                row[at] = removed;
                continue;
            };
            let added = at.checked_sub(1).map_or(FAR, |at| row[at] + 1);
            let mut least = removed.min(added).min(last[at] + usize::from(x != y));
            if transpositions && previous == Some(y) && j > 1 && b[j - 2] == x {
                least = least.min(before[at] + 1);
            }
            row[at] = least;
        }
        // A swap goes on from the row before.
        if row.iter().chain(&last).all(|distance| *distance > distance_max) {
            return false;
        }
        (before, last, previous) = (last, row, Some(x));
    }
    let end = (b.len() + DISTANCE_MAX).checked_sub(i);
    end.and_then(|at| last.get(at))
        .is_some_and(|distance| *distance <= distance_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_so_many_edits_apart() {
        let near = |word: &str, fuzziness: &str| {
            let fuzzy = Fuzzy {
                fuzziness: fuzziness.to_owned(),
                ..Fuzzy::default()
            };
            TermPattern::near(word, &fuzzy).expect("valid")
        };
        let is_match = |word: &str, fuzziness: &str, term: &str| near(word, fuzziness).is_match(term);
        let nearness = |word: &str, term: &str| near(word, "2").nearness(term);
        assert_eq!(nearness("quick", "quick"), Some(1.0));
        assert_eq!(nearness("quick", "quikc"), Some(0.8));
        assert_eq!(nearness("ab", "c"), Some(0.0));
        assert_eq!(nearness("quick", "cat"), None);
        assert!(is_match("quick", "AUTO", "quikc"));
        assert!(is_match("quick", "1", "quck"));
        assert!(!is_match("quick", "1", "qck"));
        assert!(!is_match("ab", "AUTO", "ac"));
        assert!(is_match("ab", "2", ""));
        assert!(!is_match("abc", "2", ""));
        assert!(is_match("naïveté", "1", "naïvete"));
    }

    /// All of the table, as it is usually written.
    fn distance_between(a: &[char], b: &[char], transpositions: bool) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, j) in (0..=a.len()).flat_map(|i| (0..=b.len()).map(move |j| (i, j))) {
            table[i][j] = match (i, j) {
                (0, j) => j,
                (i, 0) => i,
                _ => {
                    let changed = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let mut least = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if transpositions && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                }
            };
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn cells_far_from_the_diagonal_are_not_needed() {
        // All words of up to five characters, of two letters.
        let words: Vec<Vec<char>> = (1_u32..64)
            .map(|bits| {
                let length = bits.ilog2();
                (0..length)
                    .map(|at| if bits >> at & 1 == 1 { 'a' } else { 'b' })
                    .collect()
            })
            .collect();
        for (a, b) in words.iter().flat_map(|a| words.iter().map(move |b| (a, b))) {
            for transpositions in [false, true] {
                let between = distance_between(a, b, transpositions);
                for distance in 0..=DISTANCE_MAX {
                    assert_eq!(
                        is_within(a.iter().copied(), b, distance, transpositions),
                        between <= distance,
                        "{a:?} {b:?} {distance} {transpositions}"
                    );
                }
            }
        }
    }

    #[test]
    fn expressions_of_lucene_match_whole_terms() {
        let of = |value: &str| {
            let pattern = Pattern::Regexp {
                value: value.to_owned(),
                case_insensitive: false,
            };
            TermPattern::of(&pattern, &Clauses::default(), str::to_owned)
        };
        assert!(of("a.*c").expect("valid").is_match("abc"));
        assert!(!of("b").expect("valid").is_match("abc"));
        for wrong in ["(a{1000}){1000}", "a~b", "a<1-2>", "[a", "\"a", "(a", "a)"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
        for (expression, term, is_match) in [
            ("\"ab\"*c", "ababc", true),
            ("\"a.\"", "ab", false),
            ("[a&&b]", "&", true),
            ("[[]x", "[x", true),
            ("[]a]", "]", true),
            ("[^a-c~]", "~", false),
            ("*a", "*a", true),
            ("(?:a)", "?:a", true),
            ("(|a)", "|a", true),
            ("a|+b", "+b", true),
            ("a>b", "a>b", true),
            ("\\d", "d", true),
            ("^a$", "^a$", true),
            ("a@d", "abcd", true),
            ("()", "", true),
        ] {
            assert_eq!(
                of(expression).expect("valid").is_match(term),
                is_match,
                "{expression} {term}"
            );
        }
    }

    #[test]
    fn wildcards_stand_anywhere() {
        let pattern = Pattern::Wildcard {
            value: "*a?c*\\*".to_owned(),
            case_insensitive: false,
        };
        let pattern = TermPattern::of(&pattern, &Clauses::default(), str::to_owned).expect("valid");
        assert!(pattern.is_match("xxabcyy*"));
        assert!(!pattern.is_match("xxabcyy"));
    }
}
