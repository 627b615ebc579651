//! logfmt: `name=value name="value with \"blanks\"" flag`, as many Go programs write.

use crate::gathered::Gathered;
use crate::infer::inferred;
use crate::parser::Mismatch;
use value::{Document, Value};

/// A field for each pair; a name alone is true, and one that comes again has all of its values.
pub fn parse(line: &str) -> Result<Document, Mismatch> {
    let mut fields = Gathered::default();
    let mut rest = line.trim();
    let mut has_pair = false;
    while !rest.is_empty() {
        let end = rest.find(['=', ' ', '\t']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.is_empty() || name.contains(['"', '\0']) {
            return Err(Mismatch(format!("no name stands before '{after}'")));
        }
        let (value, after) = match after.strip_prefix('=') {
            Some(value) => {
                has_pair = true;
                value_of(value)?
            }
            None => (Value::Bool(true), after),
        };
        fields.add(name, value);
        rest = after.trim_start();
    }
    match has_pair {
        true => Ok(fields.into()),
        false => Err(Mismatch(
            "no pair of the form name=value is in the line".to_owned(),
        )),
    }
}

/// The value that a text begins with, and what follows it.
fn value_of(text: &str) -> Result<(Value, &str), Mismatch> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([' ', '\t']).unwrap_or(text.len());
        let (value, after) = text.split_at(end);
        return Ok((inferred(value), after));
    };
    let mut value = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok((Value::from(value), &quoted[at + 1..])),
            '\\' => {
                let Some((_, kind)) = letters.next() else { break };
                let behind = quoted.get(at + 1 + kind.len_utf8()..).unwrap_or_default();
                match code_point(kind, behind) {
                    Some((letter, digits)) => {
                        value.push(letter);
                        letters.nth(digits - 1);
                    }
                    None => push_escaped(kind, &mut value),
                }
            }
            other => value.push(other),
        }
    }
    Err(Mismatch("a quotation mark has no end".to_owned()))
}

/// Appends the character that a letter after a backslash stands for; if it stands for none, both are kept.
fn push_escaped(kind: char, value: &mut String) {
    match kind {
        '"' | '\\' | '\'' | '/' => value.push(kind),
        'n' => value.push('\n'),
        't' => value.push('\t'),
        'r' => value.push('\r'),
        'a' => value.push('\u{7}'),
        'b' => value.push('\u{8}'),
        'v' => value.push('\u{b}'),
        'f' => value.push('\u{c}'),
        other => value.extend(['\\', other]),
    }
}

/// The character of `\x1b`, `\u00e9` or `\U0001f600`, as Go writes what cannot be shown, and how many digits it has.
fn code_point(kind: char, behind: &str) -> Option<(char, usize)> {
    let count = match kind {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let digits = behind.get(..count)?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let letter = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    // A byte beyond ASCII is no character by itself.
    (kind != 'x' || letter.is_ascii()).then_some((letter, count))
}
