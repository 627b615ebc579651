//! Lines of text: whole, or taken apart by a pattern.

use super::infer;
use super::input::{Input, NOT_UTF8};
use super::options::ImportOptions;
use super::sink::Sink;
use anyhow::{Context, Result, bail};
use logline::{Format, Joined, Joiner, Parser};
use regex::Regex;
use std::fmt;
use std::io::BufRead;
use value::Document;

/// A line, or an element of an array, longer than this is refused: no document could hold it.
pub const TEXT_BYTES_MAX: u64 = 64 << 20;

/// Each line becomes `{line: text}`, or the named groups of the pattern; lines that it does not match are rejected.
pub fn read(input: Input, options: &ImportOptions, sink: &mut Sink<'_>) -> Result<()> {
    each_record(input, options, sink, |text| match &options.pattern {
        None => Ok(Document::new().with("line", text)),
        Some(pattern) => apart(pattern, text, options),
    })
}

/// Each line becomes the document of a log's format; lines that have another form are rejected.
pub fn read_log(input: Input, format: Format, options: &ImportOptions, sink: &mut Sink<'_>) -> Result<()> {
    let parser = Parser::new(format);
    let now_ms = value::date::now_ms();
    each_record(input, options, sink, |text| {
        parser
            .parse(text, now_ms)
            .map_err(|mismatch| mismatch.to_string())
    })
}

/// Makes a document of each line, or of the lines that belong together. Empty ones are skipped.
fn each_record(
    input: Input,
    options: &ImportOptions,
    sink: &mut Sink<'_>,
    parse: impl Fn(&str) -> Result<Document, String>,
) -> Result<()> {
    let file = input.name.clone();
    let add = |line: u64, text: &str, sink: &mut Sink<'_>| {
        if text.is_empty() {
            return Ok(());
        }
        let place = LinePlace { file: &file, line }.to_string();
        match parse(text) {
            Ok(document) => sink.document(place, document),
            Err(reason) => sink.bad(place, reason, text.as_bytes()),
        }
    };
    let mut joiner = options.rule().map(Joiner::new);
    each_line(input, |line, place| {
        let Ok(text) = std::str::from_utf8(line) else {
            return sink.bad(place.to_string(), NOT_UTF8.to_owned(), line);
        };
        match &mut joiner {
            None => add(place.line, text, sink),
            Some(joiner) => match joiner.push(text.to_owned(), place.line) {
                Some(joined) => add(first_line(&joined), &joined.text, sink),
                None => Ok(()),
            },
        }
    })?;
    match joiner.and_then(|mut joiner| joiner.flush()) {
        Some(joined) => add(first_line(&joined), &joined.text, sink),
        None => Ok(()),
    }
}

/// Where a record begins whose last line is known.
fn first_line(joined: &Joined<u64>) -> u64 {
    joined.tag - joined.text.matches('\n').count() as u64
}

fn apart(pattern: &Regex, text: &str, options: &ImportOptions) -> Result<Document, String> {
    let groups = pattern
        .captures(text)
        .ok_or("the line does not match --pattern")?;
    let mut document = Document::new();
    for name in pattern.capture_names().flatten() {
        let Some(group) = groups.name(name) else { continue };
        let kind = options.kind_of(name);
        if let Some(value) = infer::value_of(group.as_str(), kind)? {
            document.push(name, value);
        }
    }
    Ok(document)
}

/// Calls back with each line, without its end, and its number. Lines lie where they were read; only those that go beyond the end
/// of a buffer are copied.
pub fn each_line(mut input: Input, mut take: impl FnMut(&[u8], LinePlace<'_>) -> Result<()>) -> Result<()> {
    let mut place = LinePlace {
        file: &input.name,
        line: 0,
    };
    // The beginning of a line whose end was not read yet.
    let mut begun = Vec::new();
    loop {
        let read = input.text.fill_buf();
        let buffer = read.with_context(|| format!("cannot read {}", input.name))?;
        if buffer.is_empty() {
            break;
        }
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', buffer) {
            place.line += 1;
            if begun.is_empty() {
                take(without_end(&buffer[start..end]), place)?;
            } else {
                begun.extend_from_slice(&buffer[start..end]);
                take(without_end(&begun), place)?;
                begun.clear();
            }
            start = end + 1;
        }
        begun.extend_from_slice(&buffer[start..]);
        if begun.len() as u64 > TEXT_BYTES_MAX {
            let line = place.line + 1;
            bail!("{}:{line} is longer than {TEXT_BYTES_MAX} bytes", input.name);
        }
        let read = buffer.len();
        input.text.consume(read);
    }
    if !begun.is_empty() {
        place.line += 1;
        take(without_end(&begun), place)?;
    }
    Ok(())
}

/// A line without the carriage returns at its end.
fn without_end(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}

/// The position of a line; `file:line` as text.
#[derive(Clone, Copy, Debug)]
pub struct LinePlace<'a> {
    file: &'a str,
    line: u64,
}

impl fmt::Display for LinePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}
