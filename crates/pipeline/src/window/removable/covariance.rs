//! `$covariancePop` and `$covarianceSamp` over a moving frame: sums and the co-moment, kept up to date.
//!
//! The order of the steps is MongoDB's, so that rounding is too: of a pair that comes in or goes out the distance of x is from
//! the mean without it, that of y from the mean with it.

use super::Removable;
use crate::Result;
use language::expression::accumulator::{RemovableTotal, Total};
use language::expression::number::Number;
use value::{Decimal128, Value};

#[derive(Debug, Default)]
pub(super) struct Covariance {
    /// 1 for a sample, which estimates with one degree of freedom less.
    taken: i64,
    /// The pairs of finite numbers.
    count: i64,
    /// The sum of the pairs that are NaN or infinite, which is then the result.
    not_finite: RemovableTotal,
    sum_x: RemovableTotal,
    sum_y: RemovableTotal,
    /// The sum of the products of the distances from both means.
    moment: Total,
}

/// Two numbers in an array; anything else does not count.
fn pair(value: Option<&Value>) -> Option<(Number, Number)> {
    match value {
        Some(Value::Array(values)) => match values.as_slice() {
            [x, y] => Some((Number::of(x.as_ref())?, Number::of(y.as_ref())?)),
            _ => None,
        },
        _ => None,
    }
}

/// What a pair counts for that is not finite: NaN if one of both is or they are infinite to both sides, else infinite. It is a
/// decimal if one of both is and is a number, as in MongoDB.
fn endless(x: Number, y: Number) -> Number {
    let infinite = |is_negative: bool| {
        let mut numbers = [x, y].into_iter();
        numbers.any(|number| !number.is_finite() && !number.is_nan() && number.is_negative() == is_negative)
    };
    let value = match (x.is_nan() || y.is_nan(), infinite(false), infinite(true)) {
        (true, ..) | (_, true, true) => f64::NAN,
        (_, true, _) => f64::INFINITY,
        _ => f64::NEG_INFINITY,
    };
    let is_decimal = |number: Number| matches!(number, Number::Decimal(_)) && !number.is_nan();
    match is_decimal(x) || is_decimal(y) {
        true => Number::Decimal(Decimal128::from_f64(value)),
        false => Number::Double(value),
    }
}

/// The count is taken as a double, which in decimals has 15 digits.
fn divide(number: Number, count: i64) -> Number {
    match number {
        Number::Decimal(number) => Number::Decimal(number.divide(Decimal128::from_f64(count as f64))),
        other => Number::Double(other.to_f64() / count as f64),
    }
}

fn mean(sum: &mut RemovableTotal, count: i64) -> Number {
    match (sum.number(), count) {
        (_, 0) => Number::Int(0),
        (Number::Decimal(sum), count) => Number::Decimal(sum.divide(count.into())),
        (sum, count) => Number::Double(sum.to_f64() / count as f64),
    }
}

impl Covariance {
    pub(super) fn new(taken: i64) -> Covariance {
        Covariance {
            taken,
            ..Covariance::default()
        }
    }
}

impl Removable for Covariance {
    fn add(&mut self, value: Option<&Value>) -> Result<()> {
        let Some((x, y)) = pair(value) else {
            return Ok(());
        };
        if !x.is_finite() || !y.is_finite() {
            self.not_finite.add(endless(x, y));
            return Ok(());
        }
        let before_x = x.subtract(mean(&mut self.sum_x, self.count));
        self.sum_x.add(x);
        self.sum_y.add(y);
        self.count += 1;
        let after_y = y.subtract(mean(&mut self.sum_y, self.count));
        self.moment.add(before_x.multiply(after_y));
        Ok(())
    }

    fn remove(&mut self, value: Option<&Value>) {
        let Some((x, y)) = pair(value) else {
            return;
        };
        if !x.is_finite() || !y.is_finite() {
            self.not_finite.remove(endless(x, y));
            return;
        }
        let before_y = y.subtract(mean(&mut self.sum_y, self.count));
        self.sum_x.remove(x);
        self.sum_y.remove(y);
        self.count -= 1;
        if self.count == 0 {
            self.moment = Total::default();
            return;
        }
        let after_x = x.subtract(mean(&mut self.sum_x, self.count));
        self.moment.add(match after_x.multiply(before_y) {
            Number::Decimal(product) => Number::Decimal(product.negate()),
            product => Number::Double(-product.to_f64()),
        });
    }

    fn result(&mut self) -> Value {
        let freedom = self.count - self.taken;
        let finite = [self.sum_x.number(), self.sum_y.number()];
        let has_decimal = finite.iter().any(|sum| matches!(sum, Number::Decimal(_)));
        let narrowed = |number: Number| match has_decimal {
            true => Number::Decimal(number.to_decimal()),
            false => Number::Double(number.to_f64()),
        };
        match (freedom, self.taken) {
            (..=0, _) => Value::Null,
            // One pair is where its mean is.
            (1, 0) => Value::Double(0.0),
            _ if self.not_finite.count() > 0 => match self.not_finite.number() {
                Number::Decimal(number) => Value::Decimal128(number),
                number => narrowed(number).into(),
            },
            // No decimal is left of those that went out.
            _ => divide(narrowed(self.moment.number()), freedom).into(),
        }
    }
}
