//! logfmt: `name=value name="value with \"blanks\"" flag`, as many Go programs write.

use crate::infer::inferred;
use crate::parser::Mismatch;
use value::{Document, Value};

/// A field for each pair; a name alone is true.
pub fn parse(line: &str) -> Result<Document, Mismatch> {
    let mut document = Document::new();
    let mut rest = line.trim();
    let mut pairs = 0;
    while !rest.is_empty() {
        let end = rest.find(['=', ' ', '\t']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.is_empty() || name.contains('"') {
            return Err(Mismatch(format!("no name stands before '{after}'")));
        }
        let (value, after) = match after.strip_prefix('=') {
            Some(value) => value_of(value)?,
            None => (Value::Bool(true), after),
        };
        pairs += usize::from(value != Value::Bool(true));
        document.set(name, value);
        rest = after.trim_start();
    }
    match pairs {
        0 => Err(Mismatch(
            "no pair of the form name=value is in the line".to_owned(),
        )),
        _ => Ok(document),
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
            '\\' => match letters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, 'r')) => value.push('\r'),
                Some((_, other)) => value.push(other),
                None => break,
            },
            other => value.push(other),
        }
    }
    Err(Mismatch("a quotation mark has no end".to_owned()))
}
