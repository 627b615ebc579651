//! Numbers and truth of values of any type.

use super::Number;
use crate::{Decimal128, Value, ValueRef};

impl ValueRef<'_> {
    /// The number, if it is one of any type.
    pub(crate) fn number(self) -> Option<Number> {
        match self {
            ValueRef::Int32(int) => Some(Number::Int(i64::from(int))),
            ValueRef::Int64(int) => Some(Number::Int(int)),
            ValueRef::Double(double) => Some(Number::Double(double)),
            ValueRef::Decimal128(decimal) => Some(Number::Decimal(decimal)),
            _ => None,
        }
    }

    /// The nearest double of a number of any type.
    pub fn as_f64(self) -> Option<f64> {
        self.number().map(|number| match number {
            Number::Int(int) => int as f64,
            Number::Double(double) => double,
            Number::Decimal(decimal) => decimal.to_f64(),
        })
    }

    /// The integer that a number of any type is exactly; `None` for fractions and beyond the range.
    pub fn as_i64_exact(self) -> Option<i64> {
        match self.number()? {
            Number::Int(int) => Some(int),
            Number::Double(double) => double_to_i64(double).filter(|int| *int as f64 == double),
            Number::Decimal(decimal) => decimal.to_i64_exact(),
        }
    }

    /// The whole part of a number of any type, the nearest end of the range beyond it, and 0 for NaN, as
    /// MongoDB reads numbers in commands.
    pub fn as_i64_lossy(self) -> Option<i64> {
        self.number().map(|number| match number {
            Number::Int(int) => int,
            // The language's conversion does just that.
            Number::Double(double) => double as i64,
            Number::Decimal(decimal) => decimal.to_i64_truncated().unwrap_or_else(|| {
                if decimal.is_nan() {
                    0
                } else if decimal.is_negative() {
                    i64::MIN
                } else {
                    i64::MAX
                }
            }),
        })
    }

    /// A number of any type as a decimal, a double rounded to 15 digits as MongoDB does.
    pub fn as_decimal(self) -> Option<Decimal128> {
        self.number().map(|number| match number {
            Number::Int(int) => int.into(),
            Number::Double(double) => Decimal128::from_f64(double),
            Number::Decimal(decimal) => decimal,
        })
    }

    /// MongoDB's truth: false, null, undefined and zero of any type are false, all else is true.
    pub fn as_bool_truthy(self) -> bool {
        match self {
            ValueRef::Bool(value) => value,
            ValueRef::Null | ValueRef::Undefined => false,
            ValueRef::Int32(int) => int != 0,
            ValueRef::Int64(int) => int != 0,
            ValueRef::Double(double) => double != 0.0,
            ValueRef::Decimal128(decimal) => !decimal.is_zero(),
            _ => true,
        }
    }
}

/// The whole part, if it is within the range.
fn double_to_i64(double: f64) -> Option<i64> {
    let range = i64::MIN as f64..-(i64::MIN as f64);
    range.contains(&double).then_some(double as i64)
}

impl Value {
    /// An int if it is one, else a long.
    pub fn integer(number: i64) -> Value {
        i32::try_from(number).map_or(Value::Int64(number), Value::Int32)
    }

    /// A count or size as MongoDB shows them: an int if it is one, else a long.
    pub fn count(number: u64) -> Value {
        Value::integer(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// See [`ValueRef::as_f64`].
    pub fn as_f64(&self) -> Option<f64> {
        self.as_ref().as_f64()
    }

    /// See [`ValueRef::as_i64_exact`].
    pub fn as_i64_exact(&self) -> Option<i64> {
        self.as_ref().as_i64_exact()
    }

    /// See [`ValueRef::as_i64_lossy`].
    pub fn as_i64_lossy(&self) -> Option<i64> {
        self.as_ref().as_i64_lossy()
    }

    /// See [`ValueRef::as_decimal`].
    pub fn as_decimal(&self) -> Option<Decimal128> {
        self.as_ref().as_decimal()
    }

    /// See [`ValueRef::as_bool_truthy`].
    pub fn as_bool_truthy(&self) -> bool {
        self.as_ref().as_bool_truthy()
    }

    /// Whether the value is a number of any type.
    pub fn is_number(&self) -> bool {
        self.type_of().is_number()
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        self.as_ref().as_str()
    }

    /// The embedded document, if it is one.
    pub fn as_document(&self) -> Option<&crate::Document> {
        match self {
            Value::Document(document) => Some(document),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }
}
