//! Regular expressions with MongoDB's options, compiled by PCRE2.

mod classes;
mod encoding;
mod search;

use crate::interruption::{count_pattern, memory};
use crate::{Code, Error, Result};
use ::memory::{Holder, Share};
use pcre2::bytes;
use search::{FAILED, Searcher, invalid};
use std::fmt;
use std::sync::Arc;

/// A pattern of more bytes is refused, as PCRE2's own limit makes MongoDB do.
const PATTERN_BYTES_MAX: usize = 16_384;

/// So many patterns of an operation are not counted in the memory of long commands; each of the others is, with what it takes once it is
/// compiled and used: a million fit into one command.
const PATTERNS_FEW: usize = 100;
const PATTERN_ROOM_BYTES: usize = 32 * 1024;

/// Where a match and its groups lie in a text, as bytes; the whole match first.
pub(crate) type Captures = Vec<Option<(usize, usize)>>;

/// A compiled regular expression.
#[derive(Clone)]
pub struct Regex {
    searcher: Box<Searcher>,
    /// What the pattern asks, where that is seen without a search.
    beginning: Option<Beginning>,
    /// The memory of one among many.
    _room: Option<Arc<Share>>,
}

/// One search after another in the same text.
pub(crate) struct Matches<'r> {
    searcher: &'r Searcher,
    text: &'r str,
    searches: usize,
}

/// From this many searches on in a text that is not short, it is worth a compilation that none of them checks all that is left of the
/// text: together they would take time by the square of its length.
const SEARCHES_FEW: usize = 16;
const TEXT_BYTES_FEW: usize = 1_000;

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
            searcher: Box::new(Searcher::new(pattern, options)?),
            beginning: None,
            _room: room()?,
        }
        .with_beginning())
    }

    fn with_beginning(mut self) -> Regex {
        self.beginning = match self.literal_prefix() {
            Some((prefix, true)) => Some(Beginning::Text(prefix)),
            _ if self.options().contains(['i', 'm', 'x']) => None,
            _ => one_of(self.pattern()).map(Beginning::OneOf),
        };
        self
    }

    /// The pattern as it was given.
    pub fn pattern(&self) -> &str {
        self.searcher.pattern()
    }

    /// The options as they were given.
    pub fn options(&self) -> &str {
        self.searcher.options()
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
        let is_match =
            |pattern: &bytes::Regex, at: usize| Ok(pattern.is_match_at(text.as_bytes(), at)?.then_some(()));
        Ok(self.searcher.search(text, 0, is_match)?.is_some())
    }

    /// The matches in a text.
    pub(crate) fn matches<'r>(&'r self, text: &'r str) -> Matches<'r> {
        Matches {
            searcher: &self.searcher,
            text,
            searches: 0,
        }
    }

    /// The text that every match must start with, if the pattern begins with `^` and literal characters;
    /// and whether the pattern requires nothing else (`/^abc/`). Index bounds come from it.
    pub fn literal_prefix(&self) -> Option<(String, bool)> {
        if self.options().contains(['i', 'm', 'x']) {
            return None;
        }
        let rest = self
            .pattern()
            .strip_prefix('^')
            .or_else(|| self.pattern().strip_prefix("\\A"))?;
        // An alternative at any depth could match without the prefix.
        if rest.contains('|') {
            return None;
        }
        let (prefix, whole) = leading_literal(rest);
        (!prefix.is_empty()).then_some((prefix, whole))
    }
}

/// The memory of a pattern, if the operation has many.
fn room() -> Result<Option<Arc<Share>>> {
    if count_pattern() <= PATTERNS_FEW {
        return Ok(None);
    }
    let mut room = memory().share(Holder::Commands);
    match room.set(PATTERN_ROOM_BYTES) {
        Ok(()) => Ok(Some(Arc::new(room))),
        Err(full) => Err(Error::new(Code::EXCEEDED_MEMORY_LIMIT, full.to_string())),
    }
}

impl Matches<'_> {
    /// The first match at or after byte `start`.
    pub(crate) fn at(&mut self, start: usize) -> Result<Option<Captures>> {
        let text = self.text;
        self.searches += 1;
        if self.searches == SEARCHES_FEW && text.len() >= TEXT_BYTES_FEW {
            self.searcher = self.searcher.for_many(text);
        }
        let captures = self.searcher.search(text, start, |pattern, at| {
            let mut locations = pattern.capture_locations();
            let found = pattern.captures_read_at(&mut locations, text.as_bytes(), at)?;
            let groups = (0..locations.len()).map(|group| locations.get(group));
            Ok(found.map(|_| groups.collect::<Captures>()))
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

impl fmt::Debug for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/{}", self.pattern(), self.options())
    }
}

/// Equal by pattern and options.
impl PartialEq for Regex {
    fn eq(&self, other: &Regex) -> bool {
        self.pattern() == other.pattern() && self.options() == other.options()
    }
}
