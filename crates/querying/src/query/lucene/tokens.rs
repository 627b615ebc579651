//! The words and signs of a query of Lucene.

use serde_json::Value;

/// A word as it stands there, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    /// With its escapes.
    pub(super) raw: String,
    pub(super) has_wildcard: bool,
}

impl Word {
    /// What it begins with, where a wildcard for all that may follow is at its end and there is no other.
    pub(super) fn beginning(&self) -> Option<Word> {
        let beginning = self.raw.strip_suffix('*')?;
        let mut chars = beginning.chars();
        while let Some(c) = chars.next() {
            match c {
                '*' | '?' => return None,
                // The wildcard itself may be what is escaped.
                '\\' => chars.next().map(drop)?,
                _ => {}
            }
        }
        Some(Word {
            raw: beginning.to_owned(),
            has_wildcard: false,
        })
    }

    /// Without its escapes.
    pub(super) fn plain(&self) -> String {
        let mut out = String::with_capacity(self.raw.len());
        let mut chars = self.raw.chars();
        while let Some(c) = chars.next() {
            out.push(if c == '\\' {
                chars.next().unwrap_or('\\')
            } else {
                c
            });
        }
        out
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(Word),
    Phrase(String),
    Regex(String),
    /// From where to where; each end with whether it is part of it.
    Range {
        low: Option<(Value, bool)>,
        high: Option<(Value, bool)>,
    },
    Colon,
    Open,
    Close,
    And,
    Or,
    Not,
    Plus,
    Minus,
    /// A sign with nothing after it, which is a word.
    Bare(char),
    Tilde(String),
    Boost(f32),
}

impl Token {
    /// Whether it may be something that is looked for.
    pub(super) fn is_term(&self) -> bool {
        matches!(
            self,
            Token::Word(_) | Token::Bare(_) | Token::Phrase(_) | Token::Regex(_) | Token::Range { .. }
        )
    }
}

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        let next = chars.get(at).copied();
        match c {
            c if c.is_whitespace() => {}
            '(' => out.push(Token::Open),
            ')' => out.push(Token::Close),
            ':' => out.push(Token::Colon),
            '+' | '-' | '!' if next.is_some_and(char::is_whitespace) => out.push(Token::Bare(c)),
            '+' => out.push(Token::Plus),
            '-' => out.push(Token::Minus),
            '!' => out.push(Token::Not),
            '&' if next == Some('&') => {
                at += 1;
                out.push(Token::And);
            }
            '|' if next == Some('|') => {
                at += 1;
                out.push(Token::Or);
            }
            '"' => out.push(Token::Phrase(
                until(&chars, &mut at, '"').ok_or("a '\"' has no end")?,
            )),
            '/' => out.push(Token::Regex(
                until(&chars, &mut at, '/').ok_or("a '/' has no end")?,
            )),
            '[' | '{' => out.push(range(&chars, &mut at, c == '[')?),
            '~' => out.push(Token::Tilde(number(&chars, &mut at))),
            '^' => out.push(Token::Boost(
                number(&chars, &mut at)
                    .parse()
                    .map_err(|_| "a number is expected behind '^'")?,
            )),
            '>' | '<' if matches!(out.last(), Some(Token::Colon)) => {
                let includes = next == Some('=');
                at += usize::from(includes);
                let end = Some((Value::String(word(&chars, &mut at).plain()), includes));
                out.push(match c {
                    '>' => Token::Range { low: end, high: None },
                    _ => Token::Range { low: None, high: end },
                });
            }
            _ => {
                at -= 1;
                let word = word(&chars, &mut at);
                out.push(match word.raw.as_str() {
                    "AND" => Token::And,
                    "OR" => Token::Or,
                    "NOT" => Token::Not,
                    _ => Token::Word(word),
                });
            }
        }
    }
    Ok(out)
}

/// The text up to a closing sign, without escapes.
fn until(chars: &[char], at: &mut usize, end: char) -> Option<String> {
    let mut out = String::new();
    loop {
        let c = *chars.get(*at)?;
        *at += 1;
        match c {
            '\\' if chars.get(*at) == Some(&end) || end == '"' => {
                out.push(*chars.get(*at)?);
                *at += 1;
            }
            c if c == end => return Some(out),
            c => out.push(c),
        }
    }
}

fn word(chars: &[char], at: &mut usize) -> Word {
    let mut word = Word {
        raw: String::new(),
        has_wildcard: false,
    };
    while let Some(&c) = chars.get(*at) {
        if c.is_whitespace() || "()[]{}:\"^~".contains(c) {
            break;
        }
        *at += 1;
        word.raw.push(c);
        word.has_wildcard |= matches!(c, '*' | '?');
        if c == '\\'
            && let Some(&escaped) = chars.get(*at)
        {
            word.raw.push(escaped);
            *at += 1;
        }
    }
    // What can begin no word is one by itself, so that reading goes on.
    if word.raw.is_empty()
        && let Some(&c) = chars.get(*at)
    {
        word.raw.push(c);
        *at += 1;
    }
    word
}

fn number(chars: &[char], at: &mut usize) -> String {
    let mut out = String::new();
    while let Some(&c) = chars.get(*at).filter(|c| c.is_ascii_digit() || **c == '.') {
        out.push(c);
        *at += 1;
    }
    out
}

/// `[a TO b]`, `{a TO b}`, `[a TO *}`.
fn range(chars: &[char], at: &mut usize, includes_low: bool) -> Result<Token, String> {
    let mut parts = Vec::new();
    loop {
        while chars.get(*at).is_some_and(|c| c.is_whitespace()) {
            *at += 1;
        }
        match chars.get(*at) {
            None => return Err("a range has no end".to_owned()),
            Some(&(']' | '}')) => break,
            Some('"') => {
                *at += 1;
                parts.push(until(chars, at, '"').ok_or("a '\"' has no end")?);
            }
            Some(_) => {
                let rest = &chars[*at..];
                let length = rest
                    .iter()
                    .take_while(|c| !c.is_whitespace() && !"]}".contains(**c))
                    .count();
                parts.push(rest[..length].iter().collect());
                *at += length;
            }
        }
    }
    let includes_high = chars.get(*at) == Some(&']');
    *at += 1;
    let end = |text: &str, includes: bool| (text != "*").then(|| (Value::String(text.to_owned()), includes));
    match &parts[..] {
        [low, to, high] if to == "TO" => Ok(Token::Range {
            low: end(low, includes_low),
            high: end(high, includes_high),
        }),
        _ => Err("a range is written [low TO high]".to_owned()),
    }
}
