//! A bucket taken apart into its measurements.
//!
//! A bucket of MongoDB has the common `meta` of its measurements, and in `data` a column for each other field: of
//! version 1 a document from a measurement's number to its value, of versions 2 and 3 the values compressed.

use super::TimeSeries;
use crate::error::{Error, Result};
use code::Code;
use value::column::{COLUMN_SUBTYPE, cell_bytes};
use value::size::size_bytes;
use value::{Document, DocumentBuf, DocumentRef, RawDocument, Value, ValueRef};

/// The measurements that a bucket may have: far more than MongoDB puts into one.
pub(super) const MEASUREMENTS_MAX: usize = 20_000;

/// What the measurements of a bucket may take in memory: a few bytes can say that each of them has the same long text,
/// and all have the metadata.
const UNPACKED_BYTES_MAX: usize = 64 << 20;

/// The values of a field, by the number of the measurement.
struct Column<'a> {
    name: &'a str,
    cells: Vec<Option<Value>>,
}

/// What is left of [`UNPACKED_BYTES_MAX`].
struct Room {
    bytes: usize,
}

impl Room {
    fn take(&mut self, bytes: usize) -> Result<()> {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.ok_or_else(|| {
            refused(format!(
                "its measurements take more than {UNPACKED_BYTES_MAX} bytes"
            ))
        })?;
        Ok(())
    }
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
    let mut room = Room {
        bytes: UNPACKED_BYTES_MAX,
    };
    let columns: Vec<Column<'_>> = data
        .iter()
        .map(|(name, cells)| read(name, cells, &mut room))
        .collect::<Result<_>>()?;
    let times = columns.iter().find(|column| column.name == series.time_field);
    let count = times.map_or(0, |times| times.cells.len());
    let meta_bytes = meta.as_ref().map_or(0, |meta| size_bytes(meta.as_ref()));
    room.take(meta_bytes.saturating_mul(count))?;
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

fn compressed_column<'a>(name: &'a str, cells: ValueRef<'a>, room: &mut Room) -> Result<Column<'a>> {
    let ValueRef::Binary {
        subtype: COLUMN_SUBTYPE,
        bytes,
    } = cells
    else {
        return Err(refused(format!("column '{name}' must be a compressed column")));
    };
    let cells = value::column::decode(bytes, MEASUREMENTS_MAX, room.bytes);
    let cells = cells.map_err(|error| refused(format!("column '{name}': {error}")))?;
    for cell in &cells {
        room.take(cell_bytes(cell.as_ref()) + name_bytes(name))?;
    }
    Ok(Column { name, cells })
}

fn plain_column<'a>(name: &'a str, cells: ValueRef<'a>, room: &mut Room) -> Result<Column<'a>> {
    let cells = document(Some(cells), name)?;
    let mut column = Vec::new();
    for (number, cell) in cells.iter() {
        let number = number.parse::<usize>().ok().filter(|n| *n < MEASUREMENTS_MAX);
        let number = number.ok_or_else(|| refused(format!("column '{name}' has a cell without a number")))?;
        if column.len() <= number {
            room.take((number + 1 - column.len()) * cell_bytes(None))?;
            column.resize(number + 1, None);
        }
        room.take(size_bytes(cell) + name_bytes(name))?;
        column[number] = Some(cell.to_value());
    }
    Ok(Column { name, cells: column })
}

/// What each measurement has besides a value, to name it.
fn name_bytes(name: &str) -> usize {
    size_of::<String>() + name.len()
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use value::{Binary, doc};

    fn series() -> TimeSeries {
        TimeSeries {
            time_field: "t".to_owned(),
            meta_field: Some("m".to_owned()),
            span_seconds: 3600,
            rounding_seconds: 60,
        }
    }

    /// A value, and as often as the sixteen repetitions of one block say the same again.
    fn repeated(value: &Value) -> Value {
        let mut bytes = vec![value.type_of() as u8, 0];
        value::raw::encode_value_into(&mut bytes, value.as_ref());
        bytes.push(0x80);
        bytes.extend_from_slice(&0xFF_u64.to_le_bytes());
        bytes.push(0);
        Value::Binary(Binary {
            subtype: COLUMN_SUBTYPE,
            bytes,
        })
    }

    fn of(meta: &str, data: Document, version: i32) -> Result<Vec<DocumentBuf>> {
        let bucket = doc! {"control": {"version": version}, "meta": meta, "data": data};
        measurements(&series(), DocumentBuf::from(&bucket).as_raw())
    }

    #[test]
    fn small_buckets_do_not_become_large() {
        let long = "x".repeat(1 << 20);
        let times = repeated(&Value::DateTime(0));
        let small = of(
            "a",
            doc! {"t": times.clone(), "x": repeated(&Value::from("x"))},
            2,
        );
        assert_eq!(small.unwrap().len(), 1 + 16 * 120);
        let many: Document = (0..1000)
            .map(|number| (format!("x{number}"), Value::Document(doc! {"19999": 1})))
            .collect();
        for wrong in [
            of(
                "a",
                doc! {"t": times.clone(), "x": repeated(&Value::from(long.as_str()))},
                2,
            ),
            of(&long, doc! {"t": times.clone()}, 2),
            of("a", doc! {"t": times.clone(), (long.as_str()): times}, 2),
            of("a", many, 1),
        ] {
            let message = wrong.unwrap_err().message;
            assert!(message.contains("more than"), "{message}");
        }
    }
}
