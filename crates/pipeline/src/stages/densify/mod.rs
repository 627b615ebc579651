//! `$densify`: documents for the steps of a range at which there are none.

mod generating;
mod parse;

pub(crate) use parse::parse;

use crate::stage::{Run, Stage, named};
use crate::step::Work;
use language::expression::date::{self, Unit, Zone};
use language::expression::number::Number;
use value::path::FieldPath;
use value::{Document, Value, ValueRef};

/// A parsed `$densify`.
#[derive(Clone, Debug)]
struct Densify {
    operand: Document,
    field: FieldPath,
    partition_fields: Vec<FieldPath>,
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
    /// The value this many steps after another; `None` if it cannot be reached.
    fn from(&self, base: &Value, steps: i64, last: Option<&Value>) -> Option<Value> {
        match (base.as_ref(), self.unit) {
            (ValueRef::DateTime(ms), Some(unit)) => {
                // Counted from the base, so that the day of the month does not drift.
                let amount = self.length.to_i64()?.checked_mul(steps)?;
                date::add(ms, unit, amount, &Zone::UTC).map(Value::DateTime)
            }
            (base, None) => {
                let number = match last {
                    Some(last) => Number::of(last.as_ref())?.add(self.length),
                    None => Number::of(base)?,
                };
                Some(number.into())
            }
            _ => None,
        }
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
