//! `$sum` and `$avg`: what is no number does not count.

use super::Removable;
use crate::Result;
use language::expression::accumulator::RemovableTotal;
use language::expression::number::Number;
use value::{Value, ValueRef};

#[derive(Debug, Default)]
pub(super) struct Sum {
    total: RemovableTotal,
}

pub(super) fn number(value: Option<&Value>) -> Option<Number> {
    Number::of(value.map_or(ValueRef::Null, Value::as_ref))
}

impl Removable for Sum {
    fn add(&mut self, value: Option<&Value>) -> Result<()> {
        if let Some(number) = number(value) {
            self.total.add(number);
        }
        Ok(())
    }

    fn remove(&mut self, value: Option<&Value>) {
        if let Some(number) = number(value) {
            self.total.remove(number);
        }
    }

    fn result(&mut self) -> Value {
        self.total.number().into()
    }
}

#[derive(Debug, Default)]
pub(super) struct Average {
    sum: Sum,
}

impl Removable for Average {
    fn add(&mut self, value: Option<&Value>) -> Result<()> {
        self.sum.add(value)
    }

    fn remove(&mut self, value: Option<&Value>) {
        self.sum.remove(value);
    }

    fn result(&mut self) -> Value {
        let count = self.sum.total.count() as i64;
        match (count, self.sum.total.number()) {
            (0, _) => Value::Null,
            (count, Number::Decimal(sum)) => Value::Decimal128(sum.divide(count.into())),
            (count, sum) => Value::Double(sum.to_f64() / count as f64),
        }
    }
}
