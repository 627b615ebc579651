//! `$minMaxScaler`: numbers moved to where they lie between the smallest and the largest of their frames.

use super::frame::Frame;
use super::slope::divide;
use crate::{Code, QueryError, Result};
use language::expression::Expression;
use language::expression::number::Number;
use value::Value;

/// What is scaled, and to which range.
#[derive(Clone, Debug)]
pub(super) struct Scaling {
    pub(super) input: Expression,
    pub(super) low: Number,
    pub(super) high: Number,
}

impl Scaling {
    /// A value within a frame with these ends. Where they are the same, it is the lower end of the range.
    pub(super) fn scaled(&self, value: &Value, smallest: &Value, largest: &Value) -> Option<Value> {
        let [value, smallest, largest] = [value, smallest, largest].map(|number| Number::of(number.as_ref()));
        let (value, smallest, largest) = (value?, smallest?, largest?);
        if smallest == largest {
            return Some(self.low.into());
        }
        let share = divide(value.subtract(smallest), largest.subtract(smallest));
        let width = self.high.subtract(self.low);
        Some(share.multiply(width).add(self.low).into())
    }
}

/// Refuses what is no number; MongoDB has a code for each way to go over a partition.
pub(super) fn check(values: &[Option<Value>], frame: &Frame) -> Result<()> {
    let is_number = |value: &Option<Value>| value.as_ref().is_some_and(|value| value.type_of().is_number());
    let Some(other) = values.iter().find(|value| !is_number(value)) else {
        return Ok(());
    };
    let code = match (frame.begins_with_partition(), frame) {
        (false, _) => 10_487_000,
        (true, Frame::Documents(..)) => 10_487_001,
        (true, Frame::Range(..)) => 10_487_004,
    };
    let found = other.as_ref().map_or("missing", |value| value.type_of().alias());
    Err(QueryError::new(
        Code::location(code),
        format!("'input' argument to $minMaxScaler must evaluate to a numeric type, got: {found}"),
    ))
}
