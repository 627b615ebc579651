//! The search for a regular expression in a string, match by match.

use super::compiled::{MatchPlace, Pattern};
use crate::error::{Result, failed};
use crate::limits::BYTES_MAX;
use std::sync::Arc;

/// The places of a match and of its groups.
type Groups = Vec<Option<(usize, usize)>>;

/// An expression that searches a string.
#[derive(Debug)]
pub(crate) struct Matcher {
    pattern: Arc<Pattern>,
    text: Arc<str>,
    /// What was found last.
    found: Option<Groups>,
    /// Where the next search begins; `None` after the end.
    next: Option<usize>,
}

impl Matcher {
    pub(super) fn new(pattern: &Arc<Pattern>, text: Arc<str>) -> Matcher {
        Matcher {
            pattern: pattern.clone(),
            text,
            found: None,
            next: Some(0),
        }
    }

    pub(super) fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Looks for the expression; what is found is kept.
    pub(super) fn look(&mut self, place: MatchPlace) -> Result<bool> {
        let from = match place {
            MatchPlace::From(from) => from,
            MatchPlace::Leading | MatchPlace::Whole => 0,
        };
        let regex = self.pattern.at(place)?;
        let mut places = regex.capture_locations();
        let found = regex.captures_read_at(&mut places, self.text.as_bytes(), from);
        let found = found.or_else(|error| {
            failed(format!(
                "the regular expression [{}] takes too long: {error}",
                self.pattern.source()
            ))
        })?;
        let found: Option<Groups> = found.map(|_| (0..places.len()).map(|group| places.get(group)).collect());
        // `\C` takes a byte, whatever character that is a part of, and `\K` may begin a match after its end: neither is a text.
        let is_text = |&(start, end): &(usize, usize)| self.text.get(start..end).is_some();
        if !found.iter().flatten().flatten().all(is_text) {
            return failed(format!(
                "a match of the regular expression [{}] is no text",
                self.pattern.source()
            ));
        }
        self.found = found;
        self.next = self.whole().and_then(|(start, end)| {
            // After an empty match, the search goes on one character later.
            let after = self.text[end..].chars().next().map(char::len_utf8);
            if start < end {
                Some(end)
            } else {
                after.map(|length| end + length)
            }
        });
        Ok(self.found.is_some())
    }

    /// Looks for the next match.
    pub(super) fn find(&mut self) -> Result<bool> {
        match self.next {
            Some(from) => self.look(MatchPlace::From(from)),
            None => {
                self.found = None;
                Ok(false)
            }
        }
    }

    /// Begins anew.
    pub(super) fn reset(&mut self) {
        self.found = None;
        self.next = Some(0);
    }

    /// The place of the last match.
    pub(super) fn whole(&self) -> Option<(usize, usize)> {
        self.found.as_ref()?.first().copied().flatten()
    }

    /// The place of a group of the last match; `None` where it took no part in it.
    pub(super) fn group(&self, at: usize) -> Result<Option<(usize, usize)>> {
        match &self.found {
            None => failed("No match found"),
            Some(groups) => match groups.get(at) {
                Some(place) => Ok(*place),
                None => failed(format!("No group {at}")),
            },
        }
    }

    /// What stands at a place of the text.
    pub(super) fn shown(&self, place: (usize, usize)) -> &str {
        self.text.get(place.0..place.1).unwrap_or_default()
    }

    /// A text in which `$1` and `${name}` stand for groups and `\` for what comes after it.
    pub(super) fn expanded(&self, replacement: &str) -> Result<String> {
        let mut out = String::new();
        let mut rest = replacement.chars();
        while let Some(c) = rest.next() {
            match c {
                '\\' => match rest.next() {
                    Some(next) => out.push(next),
                    None => return failed("character to be escaped is missing"),
                },
                '$' => {
                    let after = rest.as_str();
                    let group = if let Some(named) = after.strip_prefix('{') {
                        let Some((name, behind)) = named.split_once('}') else {
                            return failed("named capturing group is missing trailing '}'");
                        };
                        rest = behind.chars();
                        self.pattern.group(name)?
                    } else {
                        let (number, behind) = self.reference(after)?;
                        rest = behind.chars();
                        number
                    };
                    if let Some(place) = self.group(group)? {
                        out.push_str(self.shown(place));
                    }
                }
                other => out.push(other),
            }
            if out.len() > BYTES_MAX {
                return failed("the text that a regular expression makes is too long");
            }
        }
        Ok(out)
    }

    /// Searches another string from now on.
    pub(super) fn set_text(&mut self, text: Arc<str>) {
        self.text = text;
        self.reset();
    }

    /// The number that a text begins with, of as many digits as there is a group for, and what comes after it.
    fn reference<'t>(&self, text: &'t str) -> Result<(usize, &'t str)> {
        let groups = self.pattern.groups();
        let mut found = None;
        for length in 1..=text.bytes().take_while(u8::is_ascii_digit).count() {
            let Ok(number) = text[..length].parse::<usize>() else {
                break;
            };
            if number >= groups && length > 1 {
                break;
            }
            found = Some((number, &text[length..]));
        }
        found.map_or_else(|| failed("Illegal group reference"), Ok)
    }
}
