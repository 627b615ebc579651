//! CSV with a header (RFC 4180): each record becomes a document; `a.b` in the header makes an embedded document.

use super::infer;
use super::input::Input;
use super::options::{ColumnType, Kind};
use super::sink::Sink;
use anyhow::{Context, Result, bail};
use csv::{ReaderBuilder, StringRecord};
use value::{Document, Value};

struct Column {
    path: Vec<String>,
    kind: Kind,
}

/// Reads all records.
pub fn read(input: Input, types: &[ColumnType], sink: &mut Sink<'_>) -> Result<()> {
    let mut reader = ReaderBuilder::new()
        .delimiter(input.delimiter)
        .flexible(true)
        .from_reader(input.text);
    let header = reader
        .headers()
        .with_context(|| format!("cannot read the header of {}", input.name))?
        .clone();
    let columns = columns(&header, types, &input.name)?;
    let mut record = csv::ByteRecord::new();
    loop {
        let line = reader.position().line();
        let place = format!("{}:{line}", input.name);
        match reader.read_byte_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) => match StringRecord::from_byte_record(record.clone()) {
                Ok(text) => take(&columns, &text, place, input.delimiter, sink)?,
                Err(_) => sink.bad(
                    place,
                    "not UTF-8".to_owned(),
                    &joined(record.iter(), input.delimiter),
                )?,
            },
            Err(error) if error.is_io_error() => {
                return Err(error).with_context(|| format!("cannot read {}", input.name));
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
            .map_or(Kind::Auto, |t| t.kind)
    };
    Ok(header
        .iter()
        .map(|name| Column {
            path: name.split('.').map(str::to_owned).collect(),
            kind: kind_of(name),
        })
        .collect())
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

fn joined<'a>(fields: impl Iterator<Item = &'a [u8]>, delimiter: u8) -> Vec<u8> {
    fields.collect::<Vec<_>>().join(&delimiter)
}
