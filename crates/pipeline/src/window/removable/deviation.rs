//! `$stdDevPop` and `$stdDevSamp` over a moving frame: Welford's method, run backwards for what goes out.

use super::Removable;
use super::sum::number;
use crate::Result;
use language::expression::accumulator::Total;
use language::expression::number::Number;
use value::Value;

#[derive(Debug, Default)]
pub(super) struct Deviation {
    /// 1 for a sample, which estimates with one degree of freedom less.
    taken: i64,
    count: i64,
    /// Numbers that are NaN or infinite: with them there is no deviation.
    not_finite: i64,
    sum: Total,
    /// The sum of the squared distances from the mean.
    squares: Total,
}

impl Deviation {
    pub(super) fn new(taken: i64) -> Deviation {
        Deviation {
            taken,
            ..Deviation::default()
        }
    }

    fn update(&mut self, number: Number, quantity: i64) {
        if !number.is_finite() {
            self.not_finite += quantity;
            self.count += quantity;
            return;
        }
        let number = number.to_f64();
        if self.count == 0 {
            self.count = 1;
            self.sum.add(Number::Double(number));
            return;
        }
        if self.count + quantity == 0 {
            *self = Deviation::new(self.taken);
            return;
        }
        let distance = self.count as f64 * number - self.sum.as_double();
        self.count += quantity;
        self.sum.add(Number::Double(number * quantity as f64));
        let weight = (self.count * (self.count - quantity)) as f64;
        self.squares
            .add(Number::Double(distance * distance * quantity as f64 / weight));
    }
}

impl Removable for Deviation {
    fn add(&mut self, value: Option<&Value>) -> Result<()> {
        if let Some(number) = number(value) {
            self.update(number, 1);
        }
        Ok(())
    }

    fn remove(&mut self, value: Option<&Value>) {
        if let Some(number) = number(value) {
            self.update(number, -1);
        }
    }

    fn result(&mut self) -> Value {
        let freedom = self.count - self.taken;
        if self.not_finite > 0 || freedom <= 0 {
            return Value::Null;
        }
        let squares = self.squares.as_double();
        // Rounding may leave less than nothing.
        if squares < 0.0 || (self.taken == 0 && self.count == 1) {
            return Value::Int32(0);
        }
        Value::Double((squares / freedom as f64).sqrt())
    }
}
