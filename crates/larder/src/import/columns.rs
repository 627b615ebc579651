//! Lines of columns without a header, such as logs: what stands between blanks, or another delimiter, becomes the fields
//! that `--fields` names.

use super::infer;
use super::input::Input;
use super::lines::each_line;
use super::options::{ColumnType, ImportOptions};
use super::reader::Sink;
use anyhow::{Context, Result};
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
            None | Some(' ') => Separator::Blanks,
            Some(byte) => Separator::Byte(u8::try_from(byte).context("the delimiter must be one byte")?),
        };
        Ok(Columns { fields, separator })
    }

    /// Fills `columns` with those of a line; why not, where they are not as many as there are names.
    pub fn split<'l>(&self, line: &'l [u8], columns: &mut Vec<&'l [u8]>) -> Result<(), String> {
        columns.clear();
        match self.separator {
            Separator::Blanks => split_at_blanks(line, columns),
            Separator::Byte(byte) => columns.extend(line.split(|at| *at == byte)),
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

fn split_at_blanks<'l>(line: &'l [u8], columns: &mut Vec<&'l [u8]>) {
    let mut start = 0;
    for end in memchr::memchr2_iter(b' ', b'\t', line) {
        if end > start {
            columns.push(&line[start..end]);
        }
        start = end + 1;
    }
    if start < line.len() {
        columns.push(&line[start..]);
    }
}

/// Each line becomes a document; empty lines are passed by.
pub fn read(input: Input, options: &ImportOptions, sink: &mut Sink<'_>) -> Result<()> {
    let columns = Columns::of(options)?;
    each_line(input, |line, place| {
        if line.is_empty() {
            return Ok(());
        }
        match document(&columns, line) {
            Ok(document) => sink.document(place.to_string(), document),
            Err(reason) => sink.bad(place.to_string(), reason, line),
        }
    })
}

fn document(columns: &Columns<'_>, line: &[u8]) -> Result<Document, String> {
    let mut texts = Vec::with_capacity(columns.fields.len());
    columns.split(line, &mut texts)?;
    let mut document = Document::new();
    for (field, text) in columns.fields.iter().zip(texts) {
        let text = std::str::from_utf8(text).map_err(|_| "not UTF-8".to_owned())?;
        if let Some(value) = infer::value_of(text, field.kind)? {
            document.push(field.name.as_str(), value);
        }
    }
    Ok(document)
}
