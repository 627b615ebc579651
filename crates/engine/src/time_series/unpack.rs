//! A bucket taken apart into its measurements.
//!
//! A bucket of MongoDB has the common `meta` of its measurements, and in `data` a column for each other field: of
//! version 1 a document from a measurement's number to its value, of versions 2 and 3 the values compressed.

use super::TimeSeries;
use crate::error::{Error, Result};
use code::Code;
use value::column::COLUMN_SUBTYPE;
use value::{Document, DocumentBuf, DocumentRef, RawDocument, Value, ValueRef};

/// The measurements that a bucket may have: far more than MongoDB puts into one.
pub(super) const MEASUREMENTS_MAX: usize = 20_000;

/// The values of a field, by the number of the measurement.
struct Column<'a> {
    name: &'a str,
    cells: Vec<Option<Value>>,
}

/// The measurements of a bucket in their order, which is that of its columns' numbers.
///
/// Each has its fields in the order of the columns, and the meta field after the time.
pub(super) fn measurements(series: &TimeSeries, bucket: RawDocument<'_>) -> Result<Vec<DocumentBuf>> {
    let control = document(bucket.get("control"), "control")?;
    let data = document(bucket.get("data"), "data")?;
    let version = control.get("version").and_then(ValueRef::as_f64);
    let read = match version {
        Some(1.0) => plain_column,
        Some(2.0 | 3.0) => compressed_column,
        _ => return Err(refused("'control.version' must be 1, 2 or 3")),
    };
    let meta = meta_of(series, bucket)?;
    let columns: Vec<Column<'_>> = data
        .iter()
        .map(|(name, cells)| read(name, cells))
        .collect::<Result<_>>()?;
    let times = columns.iter().find(|column| column.name == series.time_field);
    let count = times.map_or(0, |times| times.cells.len());
    if columns.iter().any(|column| column.cells.len() > count) {
        return Err(refused(format!(
            "there is a measurement without its '{}'",
            series.time_field
        )));
    }
    let measurements = transposed(series, meta.as_ref(), columns, count);
    measurements
        .iter()
        .try_for_each(|measurement| series.check_document(measurement))?;
    Ok(measurements)
}

/// Rows out of columns.
fn transposed(
    series: &TimeSeries,
    meta: Option<&Value>,
    columns: Vec<Column<'_>>,
    count: usize,
) -> Vec<DocumentBuf> {
    let mut rows = vec![Document::with_capacity(columns.len() + 1); count];
    for column in columns {
        let precedes_meta = column.name == series.time_field;
        for (row, cell) in rows.iter_mut().zip(column.cells) {
            if let Some(cell) = cell {
                row.push(column.name, cell);
            }
            if let (true, Some(name), Some(meta)) = (precedes_meta, &series.meta_field, meta) {
                row.push(name, meta.clone());
            }
        }
    }
    rows.iter().map(DocumentBuf::from).collect()
}

fn compressed_column<'a>(name: &'a str, cells: ValueRef<'a>) -> Result<Column<'a>> {
    let ValueRef::Binary {
        subtype: COLUMN_SUBTYPE,
        bytes,
    } = cells
    else {
        return Err(refused(format!("column '{name}' must be a compressed column")));
    };
    let cells = value::column::decode(bytes, MEASUREMENTS_MAX);
    let cells = cells.map_err(|error| refused(format!("column '{name}': {error}")))?;
    Ok(Column { name, cells })
}

fn plain_column<'a>(name: &'a str, cells: ValueRef<'a>) -> Result<Column<'a>> {
    let cells = document(Some(cells), name)?;
    let mut column = Vec::new();
    for (number, cell) in cells.iter() {
        let number = number.parse::<usize>().ok().filter(|n| *n < MEASUREMENTS_MAX);
        let number = number.ok_or_else(|| refused(format!("column '{name}' has a cell without a number")))?;
        if column.len() <= number {
            column.resize(number + 1, None);
        }
        column[number] = Some(cell.to_value());
    }
    Ok(Column { name, cells: column })
}

fn meta_of(series: &TimeSeries, bucket: RawDocument<'_>) -> Result<Option<Value>> {
    let meta = bucket.get("meta").map(ValueRef::to_value);
    if meta.is_some() && series.meta_field.is_none() {
        return Err(refused("it has a 'meta', and the time series no metaField"));
    }
    Ok(meta)
}

fn document<'a>(value: Option<ValueRef<'a>>, name: &str) -> Result<DocumentRef<'a>> {
    value
        .and_then(ValueRef::as_document)
        .ok_or_else(|| refused(format!("'{name}' must be a document")))
}

fn refused(why: impl AsRef<str>) -> Error {
    let why = why.as_ref();
    Error::new(
        Code::BAD_VALUE,
        format!("not a bucket of this time series: {why}"),
    )
}
