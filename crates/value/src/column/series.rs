//! Values that follow each other by differences, or by differences of differences: of one type, that of the literal
//! before.

use super::simple8b::Numbers;
use super::{ColumnError, Scale};
use crate::{Binary, Decimal128, ObjectId, Timestamp, Value};

/// Texts and bytes longer than this have no differences.
const WIDE_BYTES: usize = 16;

/// Where the bytes of an ObjectId's time and count stand in the number that it becomes, the lowest first. The five
/// bytes between are those of the literal.
const OBJECT_ID_BYTES: [usize; 7] = [11, 3, 10, 2, 9, 1, 0];

/// A value, and what is known of those that follow it.
#[derive(Clone, Debug)]
pub(super) struct Series {
    /// `None` if the value is missing: then others can only be missing too.
    last: Option<Value>,
    numbers: Numbers,
    scale: Scale,
    /// The last value as a number; of differences of differences, the last difference.
    encoded: u128,
    /// The last value as a number, of differences of differences.
    base: i64,
}

impl Series {
    /// What follows a value out of other parts, which is the same or missing: the start of a column, rows of documents.
    pub(super) fn repeating(value: Option<Value>) -> Series {
        Series {
            last: value,
            numbers: Numbers::none(),
            scale: Scale::Bits,
            encoded: 0,
            base: 0,
        }
    }

    /// What follows a literal.
    pub(super) fn after(literal: Value) -> Series {
        let number = encode(&literal, Scale::Bits);
        let mut series = Series::repeating(None);
        match is_second_order(&literal) {
            true => series.base = number as i64,
            false => series.encoded = number,
        }
        series.last = Some(literal);
        series
    }

    /// Goes on with these blocks.
    pub(super) fn begin(&mut self, scale: Scale, blocks: &[u8]) -> Result<(), ColumnError> {
        self.scale = scale;
        if let Some(Value::Double(double)) = self.last {
            if let Scale::Times(times) = scale
                && !(double * times).is_finite()
            {
                return Err(ColumnError::Damaged("a double that cannot be scaled"));
            }
            self.encoded = encode(&Value::Double(double), scale);
        }
        self.numbers.begin(blocks);
        Ok(())
    }

    /// The next value; the inner `None` is a missing value, the outer one the end of the blocks.
    pub(super) fn advance(&mut self) -> Result<Option<Option<Value>>, ColumnError> {
        let Some(number) = self.numbers.advance()? else {
            return Ok(None);
        };
        let Some(delta) = number else {
            return Ok(Some(None));
        };
        self.last = match self.last.take() {
            Some(last) => Some(self.following(last, delta)?),
            None if delta == 0 => None,
            None => return Err(ColumnError::Damaged("a difference to nothing")),
        };
        Ok(Some(self.last.clone()))
    }

    fn following(&mut self, last: Value, delta: u128) -> Result<Value, ColumnError> {
        let is_second_order = is_second_order(&last);
        if delta == 0 && !is_second_order {
            return Ok(last);
        }
        if is_wide(&last) {
            let signed = (delta >> 1) ^ (delta & 1).wrapping_neg();
            self.encoded = self.encoded.wrapping_add(signed);
        } else {
            let delta = delta as u64;
            let signed = (delta >> 1) ^ (delta & 1).wrapping_neg();
            self.encoded = u128::from((self.encoded as u64).wrapping_add(signed));
        }
        let number = match is_second_order {
            true => {
                self.base = self.base.wrapping_add(self.encoded as i64);
                u128::from(self.base as u64)
            }
            false => self.encoded,
        };
        decode(&last, number, self.scale)
    }
}

/// Whether differences of differences are kept of values of this type.
fn is_second_order(value: &Value) -> bool {
    matches!(
        value,
        Value::ObjectId(_) | Value::DateTime(_) | Value::Timestamp(_)
    )
}

/// Whether values of this type are numbers of 128 bits.
fn is_wide(value: &Value) -> bool {
    matches!(
        value,
        Value::String(_) | Value::JavaScript(_) | Value::Binary(_) | Value::Decimal128(_)
    )
}

/// The number that a value is; zero for one of a type that has no differences.
fn encode(value: &Value, scale: Scale) -> u128 {
    match value {
        Value::Double(double) => match scale {
            Scale::Bits => u128::from(double.to_bits()),
            Scale::Times(times) => u128::from((double * times).round() as i64 as u64),
        },
        Value::String(text) | Value::JavaScript(text) => text_number(text),
        Value::Binary(binary) if binary.bytes.len() <= WIDE_BYTES => little_endian(binary.bytes.iter()),
        Value::Decimal128(decimal) => u128::from_le_bytes(*decimal.bytes()),
        Value::ObjectId(id) => little_endian(OBJECT_ID_BYTES.iter().map(|at| &id.bytes()[*at])),
        Value::Bool(flag) => u128::from(*flag),
        Value::DateTime(number) | Value::Int64(number) => u128::from(*number as u64),
        Value::Int32(number) => u128::from(i64::from(*number) as u64),
        Value::Timestamp(time) => u128::from(time.seconds) << 32 | u128::from(time.increment),
        _ => 0,
    }
}

/// The value of the type of the last one that a number is.
fn decode(last: &Value, number: u128, scale: Scale) -> Result<Value, ColumnError> {
    let narrow = number as u64;
    Ok(match last {
        Value::Double(_) => Value::Double(match scale {
            Scale::Bits => f64::from_bits(narrow),
            Scale::Times(times) => narrow as i64 as f64 / times,
        }),
        Value::String(_) => Value::String(text_of(number)?),
        Value::JavaScript(_) => Value::JavaScript(text_of(number)?),
        Value::Binary(binary) => Value::Binary(Binary {
            subtype: binary.subtype,
            bytes: (number.to_le_bytes().get(..binary.bytes.len()))
                .ok_or(ColumnError::Damaged("a difference of long bytes"))?
                .to_vec(),
        }),
        Value::Decimal128(_) => Value::Decimal128(Decimal128::from_bytes(number.to_le_bytes())),
        Value::ObjectId(id) => {
            let mut bytes = *id.bytes();
            let places = OBJECT_ID_BYTES.iter().zip(number.to_le_bytes());
            places.for_each(|(at, byte)| bytes[*at] = byte);
            Value::ObjectId(ObjectId::from_bytes(bytes))
        }
        Value::Bool(_) => Value::Bool(narrow != 0),
        Value::DateTime(_) => Value::DateTime(narrow as i64),
        Value::Int64(_) => Value::Int64(narrow as i64),
        Value::Int32(_) => Value::Int32(narrow as i32),
        Value::Timestamp(_) => Value::Timestamp(Timestamp {
            seconds: (narrow >> 32) as u32,
            increment: narrow as u32,
        }),
        _ => return Err(ColumnError::Damaged("a difference of values that have none")),
    })
}

/// A text as a number, its last byte the lowest. One that is long or begins with NUL is none.
fn text_number(text: &str) -> u128 {
    match text.len() <= WIDE_BYTES && !text.starts_with('\0') {
        true => little_endian(text.as_bytes().iter().rev()),
        false => 0,
    }
}

fn text_of(number: u128) -> Result<String, ColumnError> {
    let bytes = number.to_be_bytes();
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    let text = bytes.get(start..).unwrap_or_default().to_vec();
    String::from_utf8(text).map_err(|_| ColumnError::Damaged("a text that is not UTF-8"))
}

fn little_endian<'a>(bytes: impl Iterator<Item = &'a u8>) -> u128 {
    let mut whole = [0; WIDE_BYTES];
    whole.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u128::from_le_bytes(whole)
}
