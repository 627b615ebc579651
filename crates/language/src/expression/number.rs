//! Numbers of the four BSON types as arithmetic sees them.

use value::decimal::Rounding;
use value::{Decimal128, Value, ValueRef};

/// A number of any type. The types are ordered from narrow to wide.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// A 32-bit integer.
    Int(i32),
    /// A 64-bit integer.
    Long(i64),
    /// A double.
    Double(f64),
    /// A decimal128.
    Decimal(Decimal128),
}

/// The first double above every long.
pub const LONG_END: f64 = 9_223_372_036_854_775_808.0;

/// Two numbers brought to the wider of their types.
#[derive(Clone, Copy, Debug)]
pub enum Pair {
    /// Both 32-bit, given as 64-bit.
    Ints(i64, i64),
    /// Both as 64-bit integers.
    Longs(i64, i64),
    /// Both as doubles.
    Doubles(f64, f64),
    /// Both as decimals.
    Decimals(Decimal128, Decimal128),
}

impl PartialEq for Number {
    /// Whether both are the same number, whatever their types.
    fn eq(&self, other: &Number) -> bool {
        value::compare(Value::from(*self).as_ref(), Value::from(*other).as_ref()).is_eq()
    }
}

impl Number {
    /// The number that a value is; `None` for a value that is not a number.
    pub fn of(value: ValueRef<'_>) -> Option<Number> {
        Some(match value {
            ValueRef::Int32(number) => Number::Int(number),
            ValueRef::Int64(number) => Number::Long(number),
            ValueRef::Double(number) => Number::Double(number),
            ValueRef::Decimal128(number) => Number::Decimal(number),
            _ => return None,
        })
    }

    /// A 64-bit result as an int where it fits.
    pub fn int_or_long(number: i64) -> Number {
        i32::try_from(number).map_or(Number::Long(number), Number::Int)
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Int(number) => f64::from(number),
            Number::Long(number) => number as f64,
            Number::Double(number) => number,
            Number::Decimal(number) => number.to_f64(),
        }
    }

    /// The number as a decimal.
    pub fn to_decimal(self) -> Decimal128 {
        match self {
            Number::Int(number) => number.into(),
            Number::Long(number) => number.into(),
            Number::Double(number) => Decimal128::from_f64(number),
            Number::Decimal(number) => number,
        }
    }

    /// Both numbers in the wider of their types.
    pub fn pair(self, other: Number) -> Pair {
        match (self, other) {
            (Number::Decimal(_), _) | (_, Number::Decimal(_)) => {
                Pair::Decimals(self.to_decimal(), other.to_decimal())
            }
            (Number::Double(_), _) | (_, Number::Double(_)) => Pair::Doubles(self.to_f64(), other.to_f64()),
            (Number::Int(a), Number::Int(b)) => Pair::Ints(a.into(), b.into()),
            (Number::Int(a), Number::Long(b)) => Pair::Longs(a.into(), b),
            (Number::Long(a), Number::Int(b)) => Pair::Longs(a, b.into()),
            (Number::Long(a), Number::Long(b)) => Pair::Longs(a, b),
        }
    }

    /// The sum in the wider type; integers that overflow go on as long, then as double.
    #[expect(
        clippy::should_implement_trait,
        reason = "named like subtract, divide and the others"
    )]
    pub fn add(self, other: Number) -> Number {
        match self.pair(other) {
            Pair::Ints(a, b) => Number::int_or_long(a + b),
            Pair::Longs(a, b) => a
                .checked_add(b)
                .map_or_else(|| Number::Double(a as f64 + b as f64), Number::Long),
            Pair::Doubles(a, b) => Number::Double(a + b),
            Pair::Decimals(a, b) => Number::Decimal(a.add(b)),
        }
    }

    /// The difference, as [`Number::add`].
    pub fn subtract(self, other: Number) -> Number {
        match self.pair(other) {
            Pair::Ints(a, b) => Number::int_or_long(a - b),
            Pair::Longs(a, b) => a
                .checked_sub(b)
                .map_or_else(|| Number::Double(a as f64 - b as f64), Number::Long),
            Pair::Doubles(a, b) => Number::Double(a - b),
            Pair::Decimals(a, b) => Number::Decimal(a.subtract(b)),
        }
    }

    /// The product, as [`Number::add`].
    pub fn multiply(self, other: Number) -> Number {
        match self.pair(other) {
            Pair::Ints(a, b) => Number::int_or_long(a * b),
            Pair::Longs(a, b) => a
                .checked_mul(b)
                .map_or_else(|| Number::Double(a as f64 * b as f64), Number::Long),
            Pair::Doubles(a, b) => Number::Double(a * b),
            Pair::Decimals(a, b) => Number::Decimal(a.multiply(b)),
        }
    }

    /// The nearest integer, half away from zero, if it fits 64 bits.
    pub fn rounded(self) -> Option<i64> {
        match self {
            Number::Double(number) => Number::Double(number.round()).to_i64(),
            Number::Decimal(number) => number.round_to_place(0, Rounding::HalfEven).to_i64_exact(),
            integer => integer.to_i64(),
        }
    }

    /// Whether it is not a number.
    pub fn is_nan(self) -> bool {
        match self {
            Number::Int(_) | Number::Long(_) => false,
            Number::Double(number) => number.is_nan(),
            Number::Decimal(number) => number.is_nan(),
        }
    }

    /// Whether the number is neither NaN nor infinite.
    pub fn is_finite(self) -> bool {
        match self {
            Number::Int(_) | Number::Long(_) => true,
            Number::Double(number) => number.is_finite(),
            Number::Decimal(number) => number.is_finite(),
        }
    }

    /// Whether it is zero, of either sign.
    pub fn is_zero(self) -> bool {
        match self {
            Number::Int(number) => number == 0,
            Number::Long(number) => number == 0,
            Number::Double(number) => number == 0.0,
            Number::Decimal(number) => number.is_zero(),
        }
    }

    /// Whether the number is below zero.
    pub fn is_negative(self) -> bool {
        match self {
            Number::Decimal(number) => number.is_negative() && !number.is_zero(),
            other => other.to_f64() < 0.0,
        }
    }

    /// Whether the number is above zero.
    pub fn is_positive(self) -> bool {
        !self.is_nan() && !self.is_zero() && !self.is_negative()
    }

    /// The integer, if the number is one that fits 32 bits: what positions and counts must be.
    pub fn to_i32(self) -> Option<i32> {
        self.to_i64().and_then(|number| number.try_into().ok())
    }

    /// The integer without the fraction, if it fits 64 bits.
    pub fn truncated(self) -> Option<i64> {
        match self {
            Number::Double(number) => Number::Double(number.trunc()).to_i64(),
            Number::Decimal(number) => number.to_i64_truncated(),
            integer => integer.to_i64(),
        }
    }

    /// The integer that MongoDB takes an option for: doubles without their fraction, decimals rounded half to even, NaN as
    /// 0, and what does not fit 64 bits as the next that does.
    pub fn to_i64_saturating(self) -> i64 {
        match self {
            Number::Double(number) => number as i64,
            Number::Decimal(number) if number.is_nan() => 0,
            Number::Decimal(number) if number.is_negative() => self.rounded().unwrap_or(i64::MIN),
            other => other.rounded().unwrap_or(i64::MAX),
        }
    }

    /// The integer, if the number is one that fits 64 bits.
    pub fn to_i64(self) -> Option<i64> {
        match self {
            Number::Int(number) => Some(number.into()),
            Number::Long(number) => Some(number),
            Number::Double(number) => {
                let fits = number.trunc() == number && (-LONG_END..LONG_END).contains(&number);
                fits.then_some(number as i64)
            }
            Number::Decimal(number) => number.to_i64_exact(),
        }
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Value {
        match number {
            Number::Int(number) => Value::Int32(number),
            Number::Long(number) => Value::Int64(number),
            Number::Double(number) => Value::Double(number),
            Number::Decimal(number) => Value::Decimal128(number),
        }
    }
}
