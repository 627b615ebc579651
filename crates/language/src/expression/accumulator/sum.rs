//! `$sum` and `$avg`: exact in integers, compensated in doubles, in decimals once one came.

use super::Accumulator;
use crate::Result;
use crate::expression::evaluated::Evaluated;
use crate::expression::number::Number;
use value::decimal::{from_double_exactly, without_zeros};
use value::{Decimal128, Value, ValueRef};

/// The widest type that was added.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub(super) enum Width {
    #[default]
    Int,
    Long,
    Double,
    Decimal,
}

/// A sum of numbers of all types.
#[derive(Debug)]
pub struct Total {
    pub(super) width: Width,
    pub(super) integers: i128,
    pub(super) doubles: f64,
    /// What rounding has taken from `doubles` so far.
    pub(super) compensation: f64,
    pub(super) decimals: Decimal128,
}

impl Default for Total {
    fn default() -> Total {
        Total {
            width: Width::Int,
            integers: 0,
            doubles: 0.0,
            compensation: 0.0,
            decimals: Decimal128::ZERO,
        }
    }
}

impl Total {
    /// Adds a number.
    pub fn add(&mut self, number: Number) {
        let width = match number {
            Number::Int(number) => {
                self.integers += i128::from(number);
                Width::Int
            }
            Number::Long(number) => {
                self.integers += i128::from(number);
                Width::Long
            }
            Number::Double(number) => {
                self.add_double(number);
                Width::Double
            }
            Number::Decimal(number) => {
                // NaN stays as it came, its sign included.
                if number.is_nan() && !self.decimals.is_nan() {
                    self.decimals = number;
                } else if !self.decimals.is_nan() {
                    self.decimals = self.decimals.add(number);
                }
                Width::Decimal
            }
        };
        if width > self.width {
            self.width = width;
        }
    }

    /// Neumaier's summation.
    fn add_double(&mut self, number: f64) {
        let sum = self.doubles + number;
        let lost = if self.doubles.abs() >= number.abs() {
            (self.doubles - sum) + number
        } else {
            (number - sum) + self.doubles
        };
        // Past infinity there is nothing left to compensate.
        if lost.is_finite() {
            self.compensation += lost;
        }
        self.doubles = sum;
    }

    /// The sum as a double.
    pub fn as_double(&self) -> f64 {
        if self.doubles.is_finite() {
            let mut total = Total {
                doubles: self.doubles,
                compensation: self.compensation,
                ..Total::default()
            };
            // Both halves of a large integer are exact as doubles.
            let high = self.integers as f64;
            total.add_double(high);
            total.add_double((self.integers - high as i128) as f64);
            total.doubles + total.compensation
        } else {
            self.doubles
        }
    }

    fn as_decimal(&self) -> Decimal128 {
        if self.decimals.is_nan() {
            return self.decimals;
        }
        let mut total = Decimal128::parse_rounded(&self.integers.to_string()).unwrap_or(Decimal128::NAN);
        if self.width >= Width::Double && (self.doubles != 0.0 || self.compensation != 0.0) {
            total = total.add(without_zeros(from_double_exactly(
                self.doubles + self.compensation,
            )));
        }
        total.add(self.decimals)
    }

    /// The sum in the widest type that was added.
    pub fn number(&self) -> Number {
        match self.width {
            Width::Decimal => Number::Decimal(self.as_decimal()),
            Width::Double => Number::Double(self.as_double()),
            width => match i64::try_from(self.integers) {
                Ok(sum) if width == Width::Int => Number::int_or_long(sum),
                Ok(sum) => Number::Long(sum),
                Err(_) => Number::Double(self.integers as f64),
            },
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Sum {
    total: Total,
}

impl Accumulator for Sum {
    fn add(&mut self, value: Evaluated<'_>) -> Result<()> {
        self.see(value.get())
    }

    fn see(&mut self, value: Option<ValueRef<'_>>) -> Result<()> {
        if let Some(number) = value.and_then(Number::of) {
            self.total.add(number);
        }
        Ok(())
    }

    fn result(&mut self) -> Option<Value> {
        Some(self.total.number().into())
    }
}

#[derive(Debug, Default)]
pub(super) struct Average {
    total: Total,
    count: i64,
}

impl Accumulator for Average {
    fn add(&mut self, value: Evaluated<'_>) -> Result<()> {
        self.see(value.get())
    }

    fn see(&mut self, value: Option<ValueRef<'_>>) -> Result<()> {
        if let Some(number) = value.and_then(Number::of) {
            self.total.add(number);
            self.count += 1;
        }
        Ok(())
    }

    fn result(&mut self) -> Option<Value> {
        Some(match (self.count, self.total.width) {
            (0, _) => Value::Null,
            (_, Width::Decimal) if self.total.decimals.is_nan() => Value::Decimal128(self.total.decimals),
            (count, Width::Decimal) => Value::Decimal128(self.total.as_decimal().divide(count.into())),
            (count, _) => Value::Double(self.total.as_double() / count as f64),
        })
    }
}
