//! Regular expressions with MongoDB's options, compiled by PCRE2.

use crate::interruption::steps;
use crate::{Code, Error, Result};
use pcre2::bytes;
use std::fmt;

/// A pattern of more bytes is refused, as PCRE2's own limit makes MongoDB do.
const PATTERN_BYTES_MAX: usize = 16_384;

/// Steps back that one match may take before it fails: what keeps a hostile pattern from running for hours.
const BACKTRACKS_MAX: u32 = 10_000_000;

/// The stack of compiled patterns; PCRE2's default of 32 KiB is too small for alternatives over long texts.
const JIT_STACK_BYTES_MAX: usize = 512 * 1024;

/// Steps that a search counts for: those that go to the limit take some 50 ms each, and a few are let pass between two looks.
const STEPS_PER_SEARCH: usize = 250;

/// Where a match and its groups lie in a text, as bytes; the whole match first.
pub(crate) type Captures = Vec<Option<(usize, usize)>>;

/// A compiled regular expression.
#[derive(Clone)]
pub struct Regex {
    pattern: String,
    options: String,
    compiled: bytes::Regex,
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
        let mut builder = bytes::RegexBuilder::new();
        builder
            .utf(true)
            .jit_if_available(true)
            .max_jit_stack_size(Some(JIT_STACK_BYTES_MAX));
        for option in options.chars() {
            match option {
                'i' => builder.caseless(true),
                'm' => builder.multi_line(true),
                's' => builder.dotall(true),
                'x' => builder.extended(true),
                // Patterns are UTF-8 in any case.
                'u' => &mut builder,
                _ => {
                    return Err(Error::new(
                        Code::location(51_108),
                        format!("invalid flag in regex options: {option}"),
                    ));
                }
            };
        }
        let limited = format!("(*LIMIT_MATCH={BACKTRACKS_MAX})(*LIMIT_DEPTH={BACKTRACKS_MAX}){pattern}");
        let compiled = builder
            .build(&limited)
            .map_err(|error| invalid(&error.to_string()))?;
        Ok(Regex {
            pattern: pattern.to_owned(),
            options: options.to_owned(),
            compiled,
        })
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
        steps(STEPS_PER_SEARCH)?;
        self.compiled
            .is_match(text.as_bytes())
            .map_err(|error| failed(&error))
    }

    /// The first match at or after byte `start`.
    pub(crate) fn captures_at(&self, text: &str, start: usize) -> Result<Option<Captures>> {
        steps(STEPS_PER_SEARCH)?;
        let mut locations = self.compiled.capture_locations();
        let found = self
            .compiled
            .captures_read_at(&mut locations, text.as_bytes(), start)
            .map_err(|error| failed(&error))?;
        Ok(found.map(|_| (0..locations.len()).map(|group| locations.get(group)).collect()))
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

fn invalid(reason: &str) -> Error {
    Error::new(
        Code::location(51_091),
        format!("Regular expression is invalid: {reason}"),
    )
}

fn failed(error: &pcre2::Error) -> Error {
    Error::new(
        Code::location(5_429_102),
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
