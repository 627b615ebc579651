//! `$sum $avg $min $max $stdDevPop $stdDevSamp` of several operands, or of the elements of one array.

use super::{Operator, Syntax, operator};
use crate::Result;
use crate::expression::accumulator::Kind;
use crate::expression::found::Found;
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$sum", Syntax::Many(0, usize::MAX, |v| accumulate(Kind::Sum, v))),
    operator(
        "$avg",
        Syntax::Many(0, usize::MAX, |v| accumulate(Kind::Average, v)),
    ),
    operator("$min", Syntax::Many(0, usize::MAX, |v| accumulate(Kind::Min, v))),
    operator("$max", Syntax::Many(0, usize::MAX, |v| accumulate(Kind::Max, v))),
    operator(
        "$stdDevPop",
        Syntax::Many(0, usize::MAX, |v| accumulate(Kind::DeviationOfPopulation, v)),
    ),
    operator(
        "$stdDevSamp",
        Syntax::Many(0, usize::MAX, |v| accumulate(Kind::DeviationOfSample, v)),
    ),
];

fn accumulate(kind: Kind, operands: Vec<Found<'_>>) -> Result<Option<Value>> {
    let mut accumulator = kind.start();
    if let [single] = operands.as_slice()
        && let Some(ValueRef::Array(array)) = single.get()
    {
        for element in array.iter() {
            accumulator.add(Found::Borrowed(element))?;
        }
    } else {
        for operand in operands {
            accumulator.add(operand)?;
        }
    }
    Ok(accumulator.result())
}
