//! Regular expressions with MongoDB's options, compiled by PCRE2.

use crate::interruption::{long_step, steps};
use crate::{Code, Error, Result};
use pcre2::bytes;
use std::fmt;
use std::sync::OnceLock;

/// A pattern of more bytes is refused, as PCRE2's own limit makes MongoDB do.
const PATTERN_BYTES_MAX: usize = 16_384;

/// Steps back that one match may take before it fails: what keeps a hostile pattern from running for hours.
const BACKTRACKS_MAX: u32 = 10_000_000;

/// Steps back that a match takes at first, in half a millisecond. One that needs more begins anew, once others have had the thread.
const BACKTRACKS_FIRST: u32 = 100_000;

/// What PCRE2 returns when a match needs more steps than its limits (pcre2api, "ERROR RETURN VALUES FROM pcre2_match()"):
/// `PCRE2_ERROR_MATCHLIMIT`, and `PCRE2_ERROR_DEPTHLIMIT` where it is not compiled to machine code.
const LIMIT_ERRORS: [i32; 2] = [-47, -53];

/// The stack of compiled patterns; PCRE2's default of 32 KiB is too small for alternatives over long texts.
const JIT_STACK_BYTES_MAX: usize = 512 * 1024;

/// Steps that a search counts for.
const STEPS_PER_SEARCH: usize = 2;

/// MongoDB's code for a search that fails.
const FAILED: Code = Code::location(5_429_102);

/// Where a match and its groups lie in a text, as bytes; the whole match first.
pub(crate) type Captures = Vec<Option<(usize, usize)>>;

/// A compiled regular expression.
#[derive(Clone)]
pub struct Regex {
    pattern: String,
    options: String,
    /// With the limit of a first attempt.
    compiled: bytes::Regex,
    /// With the limit of the last one, once a match has needed it.
    patient: OnceLock<bytes::Regex>,
    /// What the pattern asks, where that is seen without a search.
    beginning: Option<Beginning>,
}

/// What a whole pattern asks of the beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Beginning {
    /// These characters: `^abc`.
    Text(String),
    /// One of these ASCII characters, as bits by their numbers: `^[0-9a]`.
    OneOf(u128),
}

impl Regex {
    /// Compiles. Options are `i`, `m`, `s`, `x` and `u`, in any order.
    pub fn new(pattern: &str, options: &str) -> Result<Regex> {
        if pattern.contains('\0') {
            return Err(Error::bad_value(
                "Regular expression cannot contain an embedded null byte",
            ));
        }
        if pattern.len() > PATTERN_BYTES_MAX {
            return Err(invalid("regular expression is too large"));
        }
        if let Some(flag) = options.chars().find(|flag| !"imsxu".contains(*flag)) {
            return Err(Error::new(
                Code::location(51_108),
                format!("invalid flag in regex options: {flag}"),
            ));
        }
        Ok(Regex {
            pattern: pattern.to_owned(),
            options: options.to_owned(),
            compiled: compile(pattern, options, BACKTRACKS_FIRST)?,
            patient: OnceLock::new(),
            beginning: None,
        }
        .with_beginning())
    }

    fn with_beginning(mut self) -> Regex {
        self.beginning = match self.literal_prefix() {
            Some((prefix, true)) => Some(Beginning::Text(prefix)),
            _ if self.options.contains(['i', 'm', 'x']) => None,
            _ => one_of(&self.pattern).map(Beginning::OneOf),
        };
        self
    }

    /// The pattern as it was given.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// The options as they were given.
    pub fn options(&self) -> &str {
        &self.options
    }

    /// Whether the pattern matches somewhere in the text. Fails when the search goes past its limit.
    pub fn is_match(&self, text: &str) -> Result<bool> {
        match &self.beginning {
            Some(Beginning::Text(prefix)) => return Ok(text.starts_with(prefix.as_str())),
            Some(Beginning::OneOf(set)) => {
                let first = text.bytes().next().filter(u8::is_ascii);
                return Ok(first.is_some_and(|first| *set >> first & 1 == 1));
            }
            None => {}
        }
        self.search(|compiled| compiled.is_match(text.as_bytes()))
    }

    /// Searches; again and with patience where a first attempt gives up, so that only long searches cost the others a wait.
    fn search<T>(&self, attempt: impl Fn(&bytes::Regex) -> Result<T, pcre2::Error>) -> Result<T> {
        steps(STEPS_PER_SEARCH)?;
        match attempt(&self.compiled) {
            Err(error) if LIMIT_ERRORS.contains(&error.code()) => {
                long_step()?;
                let patient = match self.patient.get() {
                    Some(patient) => patient,
                    None => {
                        let compiled = compile(&self.pattern, &self.options, BACKTRACKS_MAX)?;
                        self.patient.get_or_init(|| compiled)
                    }
                };
                attempt(patient)
            }
            found => found,
        }
        .map_err(|error| failed(&error))
    }

    /// The first match at or after byte `start`.
    pub(crate) fn captures_at(&self, text: &str, start: usize) -> Result<Option<Captures>> {
        let captures: Option<Captures> = self.search(|compiled| {
            let mut locations = compiled.capture_locations();
            let found = compiled.captures_read_at(&mut locations, text.as_bytes(), start)?;
            Ok(found.map(|_| (0..locations.len()).map(|group| locations.get(group)).collect()))
        })?;
        // `\C` takes a byte, whatever character that is a part of: what is left of one is no text.
        let is_text = |&(from, to): &(usize, usize)| text.get(from..to).is_some();
        match captures {
            Some(captures) if !captures.iter().flatten().all(is_text) => Err(Error::new(
                FAILED,
                "Error occurred while executing the regular expression: a match begins or ends within a character",
            )),
            captures => Ok(captures),
        }
    }

    /// The text that every match must start with, where the pattern says so by `^` and literal characters;
    /// and whether nothing else is asked of the value (`/^abc/`). Index bounds come from it.
    pub fn literal_prefix(&self) -> Option<(String, bool)> {
        if self.options.contains(['i', 'm', 'x']) {
            return None;
        }
        let rest = self
            .pattern
            .strip_prefix('^')
            .or_else(|| self.pattern.strip_prefix("\\A"))?;
        // An alternative at any depth could match without the prefix.
        if rest.contains('|') {
            return None;
        }
        let (prefix, whole) = leading_literal(rest);
        (!prefix.is_empty()).then_some((prefix, whole))
    }
}

/// Compiles a pattern. A match fails after this many steps back.
fn compile(pattern: &str, options: &str, backtracks_max: u32) -> Result<bytes::Regex> {
    let has = |flag: char| options.contains(flag);
    // Patterns are UTF-8 in any case.
    let compiled = bytes::RegexBuilder::new()
        .utf(true)
        .jit_if_available(true)
        .max_jit_stack_size(Some(JIT_STACK_BYTES_MAX))
        .caseless(has('i'))
        .multi_line(has('m'))
        .dotall(has('s'))
        .extended(has('x'))
        .build(&format!(
            "(*LIMIT_MATCH={backtracks_max})(*LIMIT_DEPTH={backtracks_max}){pattern}"
        ));
    compiled.map_err(|error| invalid(&error.to_string()))
}

/// The literal characters that a pattern starts with, and whether there is nothing after them.
fn leading_literal(pattern: &str) -> (String, bool) {
    let mut prefix = String::new();
    let mut rest = pattern.chars();
    while let Some(next) = rest.next() {
        match next {
            '*' | '?' | '{' => {
                // The character before may be absent.
                prefix.pop();
                return (prefix, false);
            }
            '\\' => match rest.next() {
                Some(escaped) if escaped.is_ascii_punctuation() => prefix.push(escaped),
                _ => return (prefix, false),
            },
            '.' | '+' | '(' | ')' | '[' | '^' | '$' => return (prefix, false),
            literal => prefix.push(literal),
        }
    }
    (prefix, true)
}

/// The set, as bits, of a pattern that is `^` and one set of ASCII letters, digits and ranges of them.
fn one_of(pattern: &str) -> Option<u128> {
    let set = pattern.strip_prefix("^[")?.strip_suffix(']')?;
    let mut bits = 0;
    let mut rest = set.as_bytes();
    loop {
        let (low, high) = match *rest {
            [] => return (bits != 0).then_some(bits),
            [low, b'-', high, ref behind @ ..] => {
                rest = behind;
                (low, high)
            }
            [one, ref behind @ ..] => {
                rest = behind;
                (one, one)
            }
        };
        if !(low.is_ascii_alphanumeric() && high.is_ascii_alphanumeric() && low <= high) {
            return None;
        }
        bits |= (low..=high).fold(0, |bits, one| bits | 1 << one);
    }
}

fn invalid(reason: &str) -> Error {
    Error::new(
        Code::location(51_091),
        format!("Regular expression is invalid: {reason}"),
    )
}

fn failed(error: &pcre2::Error) -> Error {
    Error::new(
        FAILED,
        format!("Error occurred while executing the regular expression. Result code: {error}"),
    )
}

impl fmt::Debug for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/{}", self.pattern, self.options)
    }
}

/// Equal by pattern and options.
impl PartialEq for Regex {
    fn eq(&self, other: &Regex) -> bool {
        self.pattern == other.pattern && self.options == other.options
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[test]
    fn what_is_seen_without_a_search_is_what_the_search_finds() {
        let patterns = [
            "^abc", "^a", "^[0-9]", "^[a-cx]", "^[a-c]x", "^[^a]", "^[a-]", "^[-a]", "^[]a]", "^[b-a0]",
            "^[é]", "^a.c", "^a*", "^[a]]", "^\\.a", "^[\\d]", "[0-9]", "^[A-z]", "^[a-c-e]",
        ];
        let texts = [
            "", "abc", "abcd", "a", "A", "x", "9", "é", "-", "]", ".a", "^", "\nabc", "a\nb", "b", "_",
            "\u{0}",
        ];
        for (pattern, options) in patterns
            .iter()
            .flat_map(|pattern| ["", "i", "m", "s", "x"].map(|o| (pattern, o)))
        {
            let Ok(regex) = Regex::new(pattern, options) else {
                continue;
            };
            let searched = Regex {
                beginning: None,
                ..regex.clone()
            };
            for text in texts {
                let found = regex.is_match(text).unwrap();
                assert_eq!(
                    found,
                    searched.is_match(text).unwrap(),
                    "/{pattern}/{options} in {text:?}"
                );
            }
        }
        assert!(Regex::new("^[0-9]", "").unwrap().beginning.is_some());
    }
}
