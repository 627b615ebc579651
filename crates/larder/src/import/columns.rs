//! Lines of columns without a header, such as logs: the text between blanks, or another delimiter, becomes the fields
//! that `--fields` names.

use super::infer;
use super::input::{Input, NOT_UTF8};
use super::lines::each_line;
use super::options::{ColumnType, ImportOptions};
use super::sink::Sink;
use anyhow::Result;
use std::ops::Range;
use value::Document;

/// What separates columns.
#[derive(Clone, Copy, Debug)]
enum Separator {
    /// Any number of blanks and tabs.
    Blanks,
    /// One byte; two of them have an empty column between them.
    Byte(u8),
}

/// How a line is taken apart.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    /// Names and types, from the left.
    pub fields: &'a [ColumnType],
    separator: Separator,
}

impl<'a> Columns<'a> {
    /// The columns that the options name.
    pub fn of(options: &'a ImportOptions) -> Result<Columns<'a>> {
        let fields = options.fields.as_slice();
        anyhow::ensure!(!fields.is_empty(), "columns need names: --fields NAME[=TYPE],…");
        let separator = match options.delimiter {
            None | Some(b' ') => Separator::Blanks,
            Some(byte) => Separator::Byte(byte),
        };
        Ok(Columns { fields, separator })
    }

    /// Fills `columns` with the ranges of a line's columns. Fails if there are not as many as names.
    pub fn split(&self, line: &[u8], columns: &mut Vec<Range<usize>>) -> Result<(), String> {
        columns.clear();
        match self.separator {
            Separator::Blanks => put_columns(line, columns, memchr::memchr2_iter(b' ', b'\t', line), true),
            Separator::Byte(separator) => {
                put_columns(line, columns, memchr::memchr_iter(separator, line), false);
            }
        }
        if columns.len() == self.fields.len() {
            return Ok(());
        }
        Err(format!(
            "{} columns, but --fields names {}",
            columns.len(),
            self.fields.len()
        ))
    }
}

/// Fills `columns` with the ranges between separators. With `in_runs` several separators in a row count as one.
fn put_columns(
    line: &[u8],
    columns: &mut Vec<Range<usize>>,
    ends: impl Iterator<Item = usize>,
    in_runs: bool,
) {
    let mut start = 0;
    for end in ends {
        if !in_runs || start < end {
            columns.push(start..end);
        }
        start = end + 1;
    }
    if !in_runs || start < line.len() {
        columns.push(start..line.len());
    }
}

/// Each line becomes a document; empty lines are skipped.
pub fn read(input: Input, options: &ImportOptions, sink: &mut Sink<'_>) -> Result<()> {
    let columns = Columns::of(options)?;
    let mut ranges = Vec::new();
    each_line(input, |line, place| {
        if line.is_empty() {
            return Ok(());
        }
        match document(&columns, line, &mut ranges) {
            Ok(document) => sink.document(place.to_string(), document),
            Err(reason) => sink.bad(place.to_string(), reason, line),
        }
    })
}

fn document(columns: &Columns<'_>, line: &[u8], ranges: &mut Vec<Range<usize>>) -> Result<Document, String> {
    columns.split(line, ranges)?;
    let mut document = Document::new();
    for (field, range) in columns.fields.iter().zip(ranges) {
        let text = std::str::from_utf8(&line[range.clone()]).map_err(|_| NOT_UTF8.to_owned())?;
        if let Some(value) = infer::value_of(text, field.kind)? {
            document.push(field.name.as_str(), value);
        }
    }
    Ok(document)
}
