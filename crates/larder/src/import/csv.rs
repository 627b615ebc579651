//! CSV with a header (RFC 4180): each record becomes a document; `a.b` in the header makes an embedded document.

use super::infer;
use super::input::{Input, NOT_UTF8};
use super::options::{ColumnType, FieldType};
use super::sink::Sink;
use anyhow::{Context, Result, bail};
use csv::{ReaderBuilder, StringRecord};
use std::io::{self, Read};
use value::{Document, Value};

/// The most bytes of a record. A longer one lacks the pair of a quotation mark: all that follows would come into memory as one
/// field.
const RECORD_BYTES_MAX: usize = 64 << 20;

/// The input, which ends once a record has too many bytes.
struct Bounded<R> {
    text: R,
    /// Bytes that may still be read of the present record.
    left: usize,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            let what =
                format!("a record has more than {RECORD_BYTES_MAX} bytes: a quotation mark lacks its pair");
            return Err(io::Error::other(what));
        }
        let bytes = self.text.read(buffer)?;
        self.left = self.left.saturating_sub(bytes);
        Ok(bytes)
    }
}

struct Column {
    path: Vec<String>,
    kind: FieldType,
}

/// Reads all records.
pub fn read(input: Input, types: &[ColumnType], sink: &mut Sink<'_>) -> Result<()> {
    let mut reader = ReaderBuilder::new()
        .delimiter(input.delimiter)
        .flexible(true)
        .from_reader(Bounded {
            text: input.text,
            left: RECORD_BYTES_MAX,
        });
    let header = reader
        .headers()
        .with_context(|| format!("cannot read the header of {}", input.name))?
        .clone();
    let columns = columns(&header, types, &input.name)?;
    let mut record = csv::ByteRecord::new();
    loop {
        reader.get_mut().left = RECORD_BYTES_MAX;
        let line = reader.position().line();
        let place = format!("{}:{line}", input.name);
        match reader.read_byte_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) => match StringRecord::from_byte_record(record.clone()) {
                Ok(text) => take(&columns, &text, place, input.delimiter, sink)?,
                Err(_) => sink.bad(
                    place,
                    NOT_UTF8.to_owned(),
                    &joined(record.iter(), input.delimiter),
                )?,
            },
            Err(error) if error.is_io_error() => {
                return Err(error).with_context(|| format!("cannot read {place}"));
            }
            Err(error) => sink.bad(place, error.to_string(), b"")?,
        }
    }
}

fn columns(header: &StringRecord, types: &[ColumnType], file: &str) -> Result<Vec<Column>> {
    if let Some(unknown) = types.iter().find(|t| !header.iter().any(|name| name == t.name)) {
        let known: Vec<_> = header.iter().collect();
        bail!(
            "--types names '{}', but the columns of {file} are {}",
            unknown.name,
            known.join(", ")
        );
    }
    let kind_of = |name: &str| {
        types
            .iter()
            .find(|t| t.name == name)
            .map_or(FieldType::Auto, |t| t.kind)
    };
    let columns: Vec<_> = header
        .iter()
        .map(|name| Column {
            path: name.split('.').map(str::to_owned).collect(),
            kind: kind_of(name),
        })
        .collect();
    if let Some((one, other)) = overlapping(&columns) {
        bail!(
            "the columns '{}' and '{}' of {file} cannot both be kept in one document: name them otherwise in the header",
            one.path.join("."),
            other.path.join(".")
        );
    }
    Ok(columns)
}

/// Two columns of which one lies at or below the other's place in the document.
fn overlapping(columns: &[Column]) -> Option<(&Column, &Column)> {
    let mut sorted: Vec<_> = columns.iter().collect();
    // What begins with a path comes right after it.
    sorted.sort_by(|one, other| one.path.cmp(&other.path));
    let neighbours = sorted.iter().zip(sorted.iter().skip(1));
    let mut overlapping = neighbours.filter(|(one, other)| other.path.starts_with(&one.path));
    overlapping.next().map(|(one, other)| (*one, *other))
}

fn take(
    columns: &[Column],
    record: &StringRecord,
    place: String,
    delimiter: u8,
    sink: &mut Sink<'_>,
) -> Result<()> {
    match document(columns, record) {
        Ok(document) => sink.document(place, document),
        Err(reason) => sink.bad(
            place,
            reason,
            &joined(record.iter().map(str::as_bytes), delimiter),
        ),
    }
}

fn document(columns: &[Column], record: &StringRecord) -> Result<Document, String> {
    if record.len() != columns.len() {
        return Err(format!(
            "{} fields, but the header has {}",
            record.len(),
            columns.len()
        ));
    }
    let mut document = Document::new();
    for (column, field) in columns.iter().zip(record) {
        if let Some(value) = infer::value_of(field, column.kind)? {
            set(&mut document, &column.path, value);
        }
    }
    Ok(document)
}

fn set(document: &mut Document, path: &[String], value: Value) {
    match path {
        [] => {}
        [name] => document.set(name.as_str(), value),
        [name, rest @ ..] => {
            if !matches!(document.get(name), Some(Value::Document(_))) {
                document.set(name.as_str(), Document::new());
            }
            if let Some(Value::Document(inner)) = document.get_mut(name) {
                set(inner, rest, value);
            }
        }
    }
}

/// A record as CSV again, so that it can be mended and imported: quoted where a field holds what separates fields or records.
fn joined<'a>(fields: impl Iterator<Item = &'a [u8]>, delimiter: u8) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(delimiter)
        .from_writer(Vec::new());
    let written = writer.write_record(fields);
    // Writing to memory cannot fail.
    let mut line = match written {
        Ok(()) => writer.into_inner().unwrap_or_default(),
        Err(_) => Vec::new(),
    };
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(header: &[&str]) -> Option<String> {
        columns(&StringRecord::from(header), &[], "a.csv")
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn a_quotation_mark_without_its_pair_does_not_bring_the_file_into_memory() {
        let text = io::Cursor::new("a\n1\n\"").chain(io::repeat(b'x'));
        let mut reader = ReaderBuilder::new().from_reader(Bounded {
            text,
            left: RECORD_BYTES_MAX,
        });
        let mut record = csv::ByteRecord::new();
        assert!(
            reader
                .read_byte_record(&mut record)
                .is_ok_and(|is_there| is_there)
        );
        reader.get_mut().left = 100_000;
        let refused = reader.read_byte_record(&mut record);
        assert!(refused.is_err_and(|error| error.is_io_error()));
    }

    #[test]
    fn rejected_lines_are_still_csv() {
        let fields = [b"a".as_slice(), b"b;c", b"d\ne", b"f\"g", b"\xe9"];
        let line = joined(fields.into_iter(), b';');
        assert_eq!(line, b"a;\"b;c\";\"d\ne\";\"f\"\"g\";\xe9");
    }

    #[test]
    fn columns_that_would_lose_values_are_refused() {
        for (header, named) in [
            (["a", "b", "a"].as_slice(), "'a' and 'a'"),
            (&["a.b", "x", "a"], "'a' and 'a.b'"),
            (&["a.b.c", "a.b", "ab"], "'a.b' and 'a.b.c'"),
            (&["", ""], "'' and ''"),
        ] {
            let error = refused(header).unwrap_or_else(|| panic!("{header:?}"));
            assert!(error.contains(named), "{error}");
        }
        for header in [["a", "ab", "a-b"].as_slice(), &["a.b", "a.c", "a.bc"], &["", "b"]] {
            assert_eq!(refused(header), None, "{header:?}");
        }
    }
}
