//! `$densify`: documents for the steps of a range at which there are none.

mod generating;
mod parse;
mod partitions;

pub(crate) use parse::parse;

use crate::stage::{Run, Stage, named};
use crate::step::Work;
use calendar::{Unit, Zone};
use language::expression::Expression;
use language::expression::number::Number;
use value::path::FieldPath;
use value::{Document, Value, ValueRef};

/// A parsed `$densify`.
#[derive(Clone, Debug)]
struct Densify {
    operand: Document,
    field: FieldPath,
    partition_fields: Vec<FieldPath>,
    /// The fields that identify a partition, as they are in new documents; `None` if all documents are one partition.
    partition: Option<Expression>,
    step: Stride,
    bounds: Bounds,
}

/// From where to where there is to be a document at each step.
#[derive(Clone, Debug)]
enum Bounds {
    /// Between the extremes of all documents.
    Full,
    /// Between the extremes of each partition.
    Partition,
    /// From the first value (included) to the second.
    Explicit(Value, Value),
}

/// The distance between two steps.
#[derive(Clone, Copy, Debug)]
struct Stride {
    length: Number,
    /// With a unit the values are dates.
    unit: Option<Unit>,
}

impl Stride {
    /// The value this many lengths further; `None` if it cannot be reached. As in MongoDB a step of months goes on from the
    /// last one, so that the day stays as early in the month as a short one has made it.
    fn moved(&self, from: &Value, sign: i64) -> Option<Value> {
        match (from.as_ref(), self.unit) {
            (ValueRef::DateTime(ms), Some(unit)) => {
                let amount = self.length.to_i64()?.checked_mul(sign)?;
                calendar::add(ms, unit, amount, &Zone::UTC).map(Value::DateTime)
            }
            (from, None) => {
                let number = Number::of(from)?;
                Some(match sign {
                    1 => number.add(self.length).into(),
                    _ => number.subtract(self.length).into(),
                })
            }
            _ => None,
        }
    }

    /// The value one step further.
    fn forward(&self, from: &Value) -> Option<Value> {
        self.moved(from, 1)
    }

    /// A value as MongoDB comes to it: from the step before. It has the type of a sum, and may be another day of the month.
    fn back_and_forward(&self, from: &Value) -> Option<Value> {
        match self.moved(from, -1) {
            Some(before) => self.forward(&before),
            None => Some(from.clone()),
        }
    }

    /// As [`Stride::back_and_forward`], but nothing before the value.
    fn first_from(&self, low: &Value) -> Value {
        self.back_and_forward(low)
            .filter(|first| value::compare(first.as_ref(), low.as_ref()).is_ge())
            .unwrap_or_else(|| low.clone())
    }
}

impl Stage for Densify {
    fn start(&self, run: &Run) -> Work {
        Work::local(generating::Densifying::new(self.clone(), run))
    }

    fn to_document(&self) -> Document {
        named("$densify", self.operand.clone())
    }
}
