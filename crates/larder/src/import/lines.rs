//! Lines of text: whole, or taken apart by a pattern.

use super::infer;
use super::input::Input;
use super::options::{ImportOptions, Kind};
use super::reader::Sink;
use anyhow::{Context, Result, bail};
use regex::Regex;
use std::io::{BufRead, Read};
use value::Document;

/// A line, or an element of an array, longer than this is refused: no document could hold it.
pub const TEXT_BYTES_MAX: u64 = 64 << 20;

/// Each line becomes `{line: text}`, or the named groups of the pattern; lines that it does not match are rejected.
pub fn read(input: Input, options: &ImportOptions, sink: &mut Sink<'_>) -> Result<()> {
    each_line(input, sink, |line, place, sink| {
        let Ok(text) = std::str::from_utf8(line) else {
            return sink.bad(place, "not UTF-8".to_owned(), line);
        };
        if text.is_empty() {
            return Ok(());
        }
        let document = match &options.pattern {
            None => Ok(Document::new().with("line", text)),
            Some(pattern) => apart(pattern, text, options),
        };
        match document {
            Ok(document) => sink.document(place, document),
            Err(reason) => sink.bad(place, reason, line),
        }
    })
}

fn apart(pattern: &Regex, text: &str, options: &ImportOptions) -> Result<Document, String> {
    let groups = pattern
        .captures(text)
        .ok_or("the line does not match --pattern")?;
    let mut document = Document::new();
    for name in pattern.capture_names().flatten() {
        let Some(group) = groups.name(name) else { continue };
        let kind = options
            .types
            .iter()
            .find(|t| t.name == name)
            .map_or(Kind::Auto, |t| t.kind);
        if let Some(value) = infer::value_of(group.as_str(), kind)? {
            document.push(name, value);
        }
    }
    Ok(document)
}

/// Gives each line, without its end, and its place.
pub fn each_line(
    mut input: Input,
    sink: &mut Sink<'_>,
    mut take: impl FnMut(&[u8], String, &mut Sink<'_>) -> Result<()>,
) -> Result<()> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let mut limited = (&mut input.text).take(TEXT_BYTES_MAX);
        let read = limited
            .read_until(b'\n', &mut line)
            .with_context(|| format!("cannot read {}", input.name))?;
        if read == 0 {
            break;
        }
        if read as u64 == TEXT_BYTES_MAX && line.last() != Some(&b'\n') {
            bail!("{}:{number} is longer than {TEXT_BYTES_MAX} bytes", input.name);
        }
        while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            line.pop();
        }
        take(&line, format!("{}:{number}", input.name), sink)?;
    }
    Ok(())
}
