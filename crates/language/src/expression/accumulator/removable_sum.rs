//! A sum from which numbers can be removed again, for moving window frames.

use super::sum::{Total, Width};
use crate::expression::number::Number;
use value::Decimal128;

/// A sum of the numbers that were added and not removed. Numbers that are not finite are counted, since they cannot be subtracted.
#[derive(Debug, Default)]
pub struct RemovableTotal {
    finite: Total,
    doubles: u64,
    decimals: u64,
    count: u64,
    nans: u64,
    infinities: u64,
    negative_infinities: u64,
}

impl RemovableTotal {
    /// The number of numbers in it.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds a number.
    pub fn add(&mut self, number: Number) {
        self.count += 1;
        if let Some(kind) = self.kind(number) {
            *kind += 1;
        }
        match self.special(number) {
            Some(special) => *special += 1,
            None => self.finite.add(number),
        }
    }

    /// Removes a number that was added before.
    pub fn remove(&mut self, number: Number) {
        self.count -= 1;
        if let Some(kind) = self.kind(number) {
            *kind -= 1;
        }
        match self.special(number) {
            Some(special) => *special -= 1,
            None => match number {
                Number::Int(number) => self.finite.integers -= i128::from(number),
                Number::Long(number) => self.finite.integers -= i128::from(number),
                Number::Double(number) => self.finite.add(Number::Double(-number)),
                Number::Decimal(number) => self.finite.add(Number::Decimal(number.negate())),
            },
        }
        // Without numbers of a kind nothing of them is left, whatever rounding says.
        if self.doubles == 0 {
            self.finite.doubles = 0.0;
            self.finite.compensation = 0.0;
        }
        if self.decimals == 0 {
            self.finite.decimals = Decimal128::ZERO;
        }
    }

    /// The sum, in the widest type that is in it; a long only where an int is too small, as MongoDB narrows it.
    pub fn number(&mut self) -> Number {
        let special = match (self.nans, self.infinities, self.negative_infinities) {
            (0, 0, 0) => None,
            (0, _, 0) => Some(f64::INFINITY),
            (0, 0, _) => Some(f64::NEG_INFINITY),
            _ => Some(f64::NAN),
        };
        if let Some(special) = special {
            return match self.decimals {
                0 => Number::Double(special),
                _ => Number::Decimal(Decimal128::from_f64(special)),
            };
        }
        self.finite.width = match (self.decimals, self.doubles) {
            (0, 0) => Width::Int,
            (0, _) => Width::Double,
            _ => Width::Decimal,
        };
        self.finite.number()
    }

    /// The counter of numbers of this type; integers need none.
    fn kind(&mut self, number: Number) -> Option<&mut u64> {
        match number {
            Number::Int(_) | Number::Long(_) => None,
            Number::Double(_) => Some(&mut self.doubles),
            Number::Decimal(_) => Some(&mut self.decimals),
        }
    }

    /// The counter for a number that is not finite.
    fn special(&mut self, number: Number) -> Option<&mut u64> {
        let (is_finite, is_nan) = match number {
            Number::Int(_) | Number::Long(_) => return None,
            Number::Double(number) => (number.is_finite(), number.is_nan()),
            Number::Decimal(number) => (number.is_finite(), number.is_nan()),
        };
        match (is_finite, is_nan) {
            (true, _) => None,
            (_, true) => Some(&mut self.nans),
            _ if number.is_negative() => Some(&mut self.negative_infinities),
            _ => Some(&mut self.infinities),
        }
    }
}
