//! Compressed columns of values (binary subtype 7), as MongoDB keeps the fields of its time-series buckets: read, never
//! written.
//!
//! A column is a sequence of parts, each after a control byte: a literal (a BSON element without a name), blocks of
//! differences to the value before (`simple8b`, `series`), or a reference document with the blocks of its fields
//! between each other (`interleaved`). A zero byte ends it.
//!
//! Source: MongoDB's `src/mongo/bson/column/README.md` and the format's constants beside it.

mod interleaved;
mod series;
mod simple8b;

use crate::size::size_bytes;
use crate::{RawDocument, RawError, Type, Value};
use interleaved::Interleaved;
use series::Series;

/// The subtype of binary values that hold a column.
pub const COLUMN_SUBTYPE: u8 = 7;

/// Why bytes are not a column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// A part is cut off, or nothing says that the column is at its end.
    #[error("the compressed column is cut off")]
    CutOff,
    /// A control byte, a selector or a difference that means nothing.
    #[error("the compressed column is damaged: {0}")]
    Damaged(&'static str),
    /// A literal or a reference that is no BSON.
    #[error("the compressed column is damaged: {0}")]
    Bson(#[from] RawError),
    /// More values than the reader takes.
    #[error("the compressed column has more than {0} values")]
    TooLong(usize),
    /// Values of more bytes than the reader takes.
    #[error("the values of the compressed column take more than {0} bytes")]
    TooLarge(usize),
}

/// The values of a column in order; `None` stands for one that is missing. At most `values_max` of them, which take at
/// most `bytes_max` in memory: few bytes say that a long text is repeated thousands of times.
pub fn decode(bytes: &[u8], values_max: usize, bytes_max: usize) -> Result<Vec<Option<Value>>, ColumnError> {
    let mut reader = Reader { rest: bytes };
    let mut values = Values {
        list: Vec::new(),
        values_max,
        bytes: 0,
        bytes_max,
    };
    let mut series = Series::repeating(None);
    loop {
        match reader.part()? {
            Part::End if reader.rest.is_empty() => return Ok(values.list),
            Part::End => return Err(ColumnError::Damaged("bytes behind its end")),
            Part::Literal(value) => {
                series = Series::after(value.clone());
                values.push(Some(value))?;
            }
            Part::Blocks { scale, blocks } => {
                series.begin(scale, blocks)?;
                while let Some(value) = series.advance()? {
                    values.push(value)?;
                }
            }
            Part::Reference { kind, document } => {
                let mut rows = Interleaved::new(kind, document)?;
                while let Some(row) = rows.advance(&mut reader)? {
                    values.push(row)?;
                }
                series = Series::repeating(values.list.last().cloned().flatten());
            }
        }
    }
}

/// About the bytes that a value of a column takes in memory, or the place of a missing one.
pub fn cell_bytes(value: Option<&Value>) -> usize {
    value.map_or(size_of::<Value>(), |value| size_bytes(value.as_ref()))
}

/// The values so far, within their limits.
struct Values {
    list: Vec<Option<Value>>,
    values_max: usize,
    bytes: usize,
    bytes_max: usize,
}

impl Values {
    fn push(&mut self, value: Option<Value>) -> Result<(), ColumnError> {
        if self.list.len() >= self.values_max {
            return Err(ColumnError::TooLong(self.values_max));
        }
        self.bytes += cell_bytes(value.as_ref());
        if self.bytes > self.bytes_max {
            return Err(ColumnError::TooLarge(self.bytes_max));
        }
        self.list.push(value);
        Ok(())
    }
}

/// How doubles are made whole numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    /// Their bits.
    Bits,
    /// Their product with a power of ten.
    Times(f64),
}

/// Whether a reference stands for documents or arrays, and whether arrays in it are taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReferenceKind {
    Documents { splits_arrays: bool },
    Arrays,
}

enum Part<'a> {
    End,
    Literal(Value),
    Blocks {
        scale: Scale,
        blocks: &'a [u8],
    },
    Reference {
        kind: ReferenceKind,
        document: RawDocument<'a>,
    },
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ColumnError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(ColumnError::CutOff)?;
        self.rest = rest;
        Ok(taken)
    }

    fn part(&mut self) -> Result<Part<'a>, ColumnError> {
        let control = *self.rest.first().ok_or(ColumnError::CutOff)?;
        let kind = match control {
            0 => {
                self.take(1)?;
                return Ok(Part::End);
            }
            0xF0 => ReferenceKind::Documents { splits_arrays: false },
            0xF1 => ReferenceKind::Documents { splits_arrays: true },
            0xF2 => ReferenceKind::Arrays,
            control if control & 0xE0 == 0 || Type::from_byte(control).is_some() => return self.literal(),
            control => return self.blocks(control),
        };
        self.take(1)?;
        let length = self.rest.first_chunk::<4>().ok_or(ColumnError::CutOff)?;
        let length = usize::try_from(i32::from_le_bytes(*length)).map_err(|_| ColumnError::CutOff)?;
        let document = RawDocument::new(self.take(length)?)?;
        Ok(Part::Reference { kind, document })
    }

    fn literal(&mut self) -> Result<Part<'a>, ColumnError> {
        let (size, value) = crate::raw::read_element(self.rest)?;
        self.take(size)?;
        Ok(Part::Literal(value))
    }

    /// The upper half of the control byte says how doubles are scaled, the lower how many blocks there are.
    fn blocks(&mut self, control: u8) -> Result<Part<'a>, ColumnError> {
        let scale = match control >> 4 {
            0x8 => Scale::Bits,
            0x9 => Scale::Times(1.0),
            0xA => Scale::Times(10.0),
            0xB => Scale::Times(100.0),
            0xC => Scale::Times(10_000.0),
            0xD => Scale::Times(100_000_000.0),
            _ => return Err(ColumnError::Damaged("an unknown control byte")),
        };
        self.take(1)?;
        let blocks = self.take((usize::from(control & 0x0F) + 1) * simple8b::BLOCK_BYTES)?;
        Ok(Part::Blocks { scale, blocks })
    }
}
