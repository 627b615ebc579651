//! A script's words.

use crate::error::{Result, compile};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Name(String),
    Int(i64),
    Double(f64),
    Text(String),
    /// A regular expression with its flags.
    Pattern(String, String),
    /// An operator or a mark.
    Mark(&'static str),
    End,
}

/// Longer ones before those that they begin with.
const MARKS: &[&str] = &[
    "===", "!==", ">>=", "<<=", "==~", "->", "::", "?.", "?:", "==", "!=", "<=", ">=", "&&", "||", "++",
    "--", "+=", "-=", "*=", "/=", "%=", "<<", ">>", "=~", "(", ")", "{", "}", "[", "]", ".", ",", ";", ":",
    "?", "=", "<", ">", "+", "-", "*", "/", "%", "!", "&", "|", "^", "~",
];

pub(crate) fn tokens(source: &str) -> Result<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = source;
    loop {
        rest = after_blanks(rest)?;
        let Some(first) = rest.chars().next() else {
            found.push(Token::End);
            return Ok(found);
        };
        let (token, after) = if first.is_ascii_digit() {
            number(rest)?
        } else if first == '\'' || first == '"' {
            text(rest, first)?
        } else if first == '/' && is_pattern_next(found.last()) {
            pattern(rest)?
        } else if first.is_alphabetic() || first == '_' || first == '$' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
            let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
            (Token::Name(name.to_owned()), after)
        } else {
            match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
                Some(mark) => (Token::Mark(mark), &rest[mark.len()..]),
                None => return compile(format!("unexpected character [{first}]")),
            }
        };
        found.push(token);
        rest = after;
    }
}

/// Whether a `/` after this begins a regular expression: it divides what is a value.
fn is_pattern_next(before: Option<&Token>) -> bool {
    match before {
        Some(Token::Name(name)) => matches!(
            name.as_str(),
            "return" | "in" | "else" | "do" | "throw" | "instanceof"
        ),
        Some(Token::Int(_) | Token::Double(_) | Token::Mark(")" | "]" | "++" | "--")) => false,
        _ => true,
    }
}

/// `/a/i`.
fn pattern(rest: &str) -> Result<(Token, &str)> {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => break,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '/' => {
                let after = &rest[at + 1..];
                let end = after.find(|c: char| !c.is_ascii_alphabetic());
                let (flags, after) = after.split_at(end.unwrap_or(after.len()));
                return Ok((Token::Pattern(rest[1..at].to_owned(), flags.to_owned()), after));
            }
            _ => {}
        }
    }
    compile("a regular expression has no end")
}

fn after_blanks(mut rest: &str) -> Result<&str> {
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            match comment.split_once("*/") {
                Some((_, after)) => rest = after,
                None => return compile("a comment has no end"),
            }
        } else {
            return Ok(rest);
        }
    }
}

fn number(rest: &str) -> Result<(Token, &str)> {
    if let Some(hex) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        return match i64::from_str_radix(&hex[..end], 16) {
            Ok(number) => Ok((Token::Int(number), hex[end..].trim_start_matches(['L', 'l']))),
            Err(_) => compile(format!("invalid number [0x{}]", &hex[..end])),
        };
    }
    let bytes = rest.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    let mut is_double = false;
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        is_double = true;
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            is_double = true;
            end = digits(end + 1 + sign);
        }
    }
    let (text, mut after) = rest.split_at(end);
    match after.as_bytes().first() {
        Some(b'L' | b'l') => after = &after[1..],
        Some(b'f' | b'F' | b'd' | b'D') => {
            is_double = true;
            after = &after[1..];
        }
        _ => {}
    }
    let token = match is_double {
        true => text.parse().ok().map(Token::Double),
        false => text.parse().ok().map(Token::Int),
    };
    match token {
        Some(token) => Ok((token, after)),
        None => compile(format!("invalid number [{text}]")),
    }
}

fn text(rest: &str, quote: char) -> Result<(Token, &str)> {
    let mut out = String::new();
    let mut chars = rest[1..].char_indices();
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Ok((Token::Text(out), &rest[at + 2..]));
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some((_, 'n')) => out.push('\n'),
            Some((_, 't')) => out.push('\t'),
            Some((_, 'r')) => out.push('\r'),
            Some((_, c)) => out.push(c),
            None => break,
        }
    }
    compile("a text has no end")
}
