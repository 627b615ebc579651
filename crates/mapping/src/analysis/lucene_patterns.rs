//! Regular expressions in Lucene's own syntax, of which `simple_pattern` and `simple_pattern_split` are made.

use super::patterns;
use super::tokenizers::Tokenizer;
use crate::error::{Result, SearchError};
use crate::json::Members;
use std::iter::Peekable;
use std::str::Chars;

/// Finds nothing in any text, as an empty pattern of Lucene's does.
const NEVER: &str = r"\z.";

/// What finds the tokens (`simple_pattern`), or what lies between them (`simple_pattern_split`), by the member `pattern`.
pub(super) fn tokenizer(kind: &str, members: &mut Members<'_>) -> Result<Tokenizer> {
    let pattern = match members.text("pattern")? {
        Some(pattern) if !pattern.is_empty() => patterns::regex(&translated(&pattern)?)?,
        _ => patterns::regex(NEVER)?,
    };
    Ok(Tokenizer::Pattern {
        pattern,
        group: (kind == "simple_pattern").then_some(0),
    })
}

/// The same expression as the crate `regex` writes it. Of alternatives the first that fits counts, and not the longest.
fn translated(pattern: &str) -> Result<String> {
    let mut out = String::new();
    let mut rest = pattern.chars().peekable();
    let mut is_repeated = false;
    while let Some(c) = rest.next() {
        let repeats = matches!(c, '?' | '*' | '+' | '{');
        if repeats && is_repeated {
            return Err(SearchError::unsupported(format!(
                "a repetition of a repetition in the pattern [{pattern}]"
            )));
        }
        is_repeated = repeats;
        match c {
            '\\' => literal(&mut out, rest.next().ok_or_else(unexpected_end)?),
            '"' => quoted(&mut out, &mut rest)?,
            '[' => class(&mut out, &mut rest)?,
            '{' => {
                out.push('{');
                until(&mut rest, '}', |c| out.push(c))?;
                out.push('}');
            }
            '(' => out.push_str("(?:"),
            '.' => out.push_str("(?s:.)"),
            '@' => out.push_str("(?s:.*)"),
            ')' | '|' | '?' | '*' | '+' => out.push(c),
            '~' | '&' | '<' | '#' => {
                return Err(SearchError::unsupported(format!(
                    "the operator [{c}] in the pattern [{pattern}]"
                )));
            }
            other => literal(&mut out, other),
        }
    }
    Ok(out)
}

fn literal(out: &mut String, c: char) {
    out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
}

/// What stands between quotation marks.
fn quoted(out: &mut String, rest: &mut Peekable<Chars<'_>>) -> Result<()> {
    out.push_str("(?:");
    until(rest, '"', |c| literal(out, c))?;
    out.push(')');
    Ok(())
}

/// A class of characters, behind its bracket.
fn class(out: &mut String, rest: &mut Peekable<Chars<'_>>) -> Result<()> {
    out.push('[');
    if rest.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    loop {
        match rest.next().ok_or_else(unexpected_end)? {
            ']' => break,
            '-' => out.push('-'),
            '\\' => literal(out, rest.next().ok_or_else(unexpected_end)?),
            c => literal(out, c),
        }
    }
    out.push(']');
    Ok(())
}

fn until(rest: &mut Peekable<Chars<'_>>, end: char, mut each: impl FnMut(char)) -> Result<()> {
    loop {
        match rest.next().ok_or_else(unexpected_end)? {
            c if c == end => return Ok(()),
            c => each(c),
        }
    }
}

fn unexpected_end() -> SearchError {
    SearchError::illegal("unexpected end-of-string")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lucenes_syntax_is_translated() {
        for (given, expected) in [
            ("[0-9]{3}", "[0-9]{3}"),
            ("_", "_"),
            ("a.b", "a(?s:.)b"),
            ("^$", r"\^\$"),
            (r"\d|x", "d|x"),
            (r#""a.b"+"#, r"(?:a\.b)+"),
            ("[^&\\]]", r"[^\&\]]"),
            ("(ab)@", "(?:ab)(?s:.*)"),
        ] {
            assert_eq!(translated(given).expect("a pattern"), expected, "{given}");
        }
        for refused in ["[", "\\", "\"a", "a{2", "a~b", "<1-2>", "a*?"] {
            assert!(translated(refused).is_err(), "{refused}");
        }
    }
}
