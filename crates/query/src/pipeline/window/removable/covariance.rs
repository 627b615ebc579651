//! `$covariancePop` and `$covarianceSamp` over a moving frame: the means and the co-moment, kept up to date.

use super::Removable;
use crate::Result;
use crate::expression::accumulator::RemovableTotal;
use crate::expression::number::Number;
use value::Value;

#[derive(Debug, Default)]
pub(super) struct Covariance {
    /// 1 for a sample, which estimates with one degree of freedom less.
    taken: i64,
    count: i64,
    /// Pairs with a NaN or an infinity: with them there is no covariance.
    not_finite: i64,
    mean_x: RemovableTotal,
    mean_y: RemovableTotal,
    /// The sum of the products of the distances from both means.
    moment: RemovableTotal,
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

fn is_finite(number: Number) -> bool {
    match number {
        Number::Int(_) | Number::Long(_) => true,
        Number::Double(number) => number.is_finite(),
        Number::Decimal(number) => number.is_finite(),
    }
}

fn divide(number: Number, count: i64) -> Number {
    match number {
        Number::Decimal(number) => Number::Decimal(number.divide(count.into())),
        other => Number::Double(other.to_f64() / count as f64),
    }
}

fn negative(number: Number) -> Number {
    match number {
        Number::Decimal(number) => Number::Decimal(number.negate()),
        other => Number::Double(-other.to_f64()),
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
        if !is_finite(x) || !is_finite(y) {
            self.not_finite += 1;
            return Ok(());
        }
        self.count += 1;
        let distance_x = x.subtract(self.mean_x.number());
        self.mean_x.add(divide(distance_x, self.count));
        let distance_y = y.subtract(self.mean_y.number());
        self.mean_y.add(divide(distance_y, self.count));
        let rest_y = y.subtract(self.mean_y.number());
        self.moment.add(distance_x.multiply(rest_y));
        Ok(())
    }

    fn remove(&mut self, value: Option<&Value>) {
        let Some((x, y)) = pair(value) else {
            return;
        };
        if !is_finite(x) || !is_finite(y) {
            self.not_finite -= 1;
            return;
        }
        self.count -= 1;
        if self.count == 0 {
            *self = Covariance {
                not_finite: self.not_finite,
                ..Covariance::new(self.taken)
            };
            return;
        }
        let distance_x = x.subtract(self.mean_x.number());
        self.mean_x.add(negative(divide(distance_x, self.count)));
        let distance_y = y.subtract(self.mean_y.number());
        self.mean_y.add(negative(divide(distance_y, self.count)));
        let before_x = x.subtract(self.mean_x.number());
        self.moment.add(negative(before_x.multiply(distance_y)));
    }

    fn result(&mut self) -> Value {
        if self.not_finite > 0 {
            return Value::Double(f64::NAN);
        }
        let freedom = self.count - self.taken;
        if freedom <= 0 {
            return Value::Null;
        }
        divide(self.moment.number(), freedom).into()
    }
}
