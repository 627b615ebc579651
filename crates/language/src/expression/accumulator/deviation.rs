//! `$stdDevPop $stdDevSamp`, by Welford's method; what is no number does not count.

use super::Accumulator;
use crate::Result;
use crate::expression::evaluated::Evaluated;
use crate::expression::number::Number;
use value::{Value, ValueRef};

#[derive(Debug)]
pub(super) struct Deviation {
    /// 1 for a sample, which has one degree of freedom less; otherwise 0.
    taken: u64,
    count: u64,
    mean: f64,
    squares: f64,
}

impl Deviation {
    pub(super) fn of_population() -> Deviation {
        Deviation {
            taken: 0,
            count: 0,
            mean: 0.0,
            squares: 0.0,
        }
    }

    pub(super) fn of_sample() -> Deviation {
        Deviation {
            taken: 1,
            ..Deviation::of_population()
        }
    }
}

impl Accumulator for Deviation {
    fn add(&mut self, value: Evaluated<'_>) -> Result<()> {
        self.see(value.get())
    }

    fn see(&mut self, value: Option<ValueRef<'_>>) -> Result<()> {
        if let Some(number) = value.and_then(Number::of) {
            let number = number.to_f64();
            self.count += 1;
            let distance = number - self.mean;
            self.mean += distance / self.count as f64;
            self.squares += distance * (number - self.mean);
        }
        Ok(())
    }

    fn result(&mut self) -> Option<Value> {
        Some(match self.count.checked_sub(self.taken) {
            None | Some(0) => Value::Null,
            Some(freedom) => Value::Double((self.squares / freedom as f64).sqrt()),
        })
    }
}
