//! `$slice` of a find projection.

use value::Value;
use value::decimal::Rounding;

/// Which part of an array is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    /// Elements skipped; negative counts from the end.
    skip: Option<i64>,
    /// Elements kept; negative (without a skip) means the last ones.
    limit: i64,
}

impl Slice {
    /// The slice, if the operand has the form that only find projections have. Anything else is an expression.
    pub(super) fn parse(operand: &Value) -> Option<Slice> {
        match operand {
            Value::Array(values) => match values.as_slice() {
                [skip, limit] => {
                    let (skip, limit) = (truncated(skip)?, truncated(limit)?);
                    (limit > 0).then_some(Slice {
                        skip: Some(skip),
                        limit,
                    })
                }
                _ => None,
            },
            number => Some(Slice {
                skip: None,
                limit: truncated(number)?,
            }),
        }
    }

    /// The elements kept of an array of this length.
    pub(super) fn range(self, length: usize) -> std::ops::Range<usize> {
        let clamp = |number: i64| {
            usize::try_from(number.unsigned_abs())
                .unwrap_or(usize::MAX)
                .min(length)
        };
        let (start, count) = match self.skip {
            None if self.limit < 0 => (length - clamp(self.limit), length),
            None => (0, clamp(self.limit)),
            Some(skip) if skip < 0 => (length - clamp(skip), clamp(self.limit)),
            Some(skip) => (clamp(skip), clamp(self.limit)),
        };
        start..start.saturating_add(count).min(length)
    }
}

/// The number as a whole one, within 32 bits as MongoDB clamps it.
fn truncated(value: &Value) -> Option<i64> {
    let number = match value {
        Value::Int32(number) => i64::from(*number),
        Value::Int64(number) => *number,
        Value::Double(number) => *number as i64,
        // Decimals are rounded, half to even.
        Value::Decimal128(number) => number.round_to_place(0, Rounding::HalfEven).to_f64() as i64,
        _ => return None,
    };
    Some(number.clamp(i32::MIN.into(), i32::MAX.into()))
}
