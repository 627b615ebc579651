//! Documents of like fields: a reference document has all of them, and each scalar in it is a series of its own. The
//! blocks of the series stand in the order in which they are needed.

use super::series::Series;
use super::{ColumnError, Part, Reader, ReferenceKind};
use crate::{Document, RawDocument, Value};

pub(super) struct Interleaved {
    reference: Value,
    splits_arrays: bool,
    series: Vec<Series>,
}

/// Where one row stands.
struct Row<'r, 'a> {
    series: std::slice::IterMut<'r, Series>,
    reader: &'r mut Reader<'a>,
    splits_arrays: bool,
    is_first: bool,
    /// Whether the rows are at their end.
    ended: bool,
}

impl Interleaved {
    pub(super) fn new(kind: ReferenceKind, document: RawDocument<'_>) -> Result<Interleaved, ColumnError> {
        let document = document.to_document();
        let (reference, splits_arrays) = match kind {
            ReferenceKind::Documents { splits_arrays } => (Value::Document(document), splits_arrays),
            ReferenceKind::Arrays => (
                Value::Array(document.into_iter().map(|(_, value)| value).collect()),
                true,
            ),
        };
        let mut series = Vec::new();
        add_scalars(&reference, splits_arrays, &mut series);
        if series.is_empty() {
            return Err(ColumnError::Damaged("a reference without fields"));
        }
        Ok(Interleaved {
            reference,
            splits_arrays,
            series,
        })
    }

    /// The next row; the inner `None` is a missing row, the outer one the end of the rows.
    pub(super) fn advance(&mut self, reader: &mut Reader<'_>) -> Result<Option<Option<Value>>, ColumnError> {
        let mut row = Row {
            series: self.series.iter_mut(),
            reader,
            splits_arrays: self.splits_arrays,
            is_first: true,
            ended: false,
        };
        let value = row.value(&self.reference)?;
        Ok((!row.ended).then_some(value))
    }
}

fn add_scalars(value: &Value, splits_arrays: bool, series: &mut Vec<Series>) {
    match value {
        Value::Document(document) => {
            document
                .iter()
                .for_each(|(_, value)| add_scalars(value, splits_arrays, series));
        }
        Value::Array(values) if splits_arrays => {
            values
                .iter()
                .for_each(|value| add_scalars(value, splits_arrays, series));
        }
        scalar => series.push(Series::after(scalar.clone())),
    }
}

impl Row<'_, '_> {
    /// What a place of the reference holds in this row; a document of which nothing is there is not there itself.
    fn value(&mut self, reference: &Value) -> Result<Option<Value>, ColumnError> {
        match reference {
            Value::Document(fields) => {
                let mut row = Document::with_capacity(fields.len());
                for (name, reference) in fields.iter() {
                    if let Some(value) = self.value(reference)? {
                        row.push(name, value);
                    }
                }
                Ok((!row.is_empty() || fields.is_empty()).then_some(Value::Document(row)))
            }
            Value::Array(elements) if self.splits_arrays => {
                let mut row = Vec::with_capacity(elements.len());
                for reference in elements {
                    row.extend(self.value(reference)?);
                }
                Ok((!row.is_empty() || elements.is_empty()).then_some(Value::Array(row)))
            }
            _ => self.scalar(),
        }
    }

    fn scalar(&mut self) -> Result<Option<Value>, ColumnError> {
        let damaged = ColumnError::Damaged("rows that end in their midst");
        let Some(series) = self.series.next() else {
            return Err(damaged);
        };
        if self.ended {
            return Ok(None);
        }
        let is_first = std::mem::take(&mut self.is_first);
        if let Some(value) = series.advance()? {
            return Ok(value);
        }
        match self.reader.part()? {
            Part::End if is_first => {
                self.ended = true;
                Ok(None)
            }
            Part::Literal(value) => {
                *series = Series::after(value.clone());
                Ok(Some(value))
            }
            Part::Blocks { scale, blocks } => {
                series.begin(scale, blocks)?;
                Ok(series.advance()?.flatten())
            }
            Part::End | Part::Reference { .. } => Err(damaged),
        }
    }
}
