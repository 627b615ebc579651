//! `$sum $avg $min $max $stdDevPop $stdDevSamp` of several operands, or of the elements of one array.

use super::{Operator, Syntax, operator};
use crate::Result;
use crate::expression::accumulator::AccumulatorKind;
use crate::expression::evaluated::Evaluated;
use value::collation::Collation;
use value::{Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator(
        "$sum",
        Syntax::Collated(0, usize::MAX, |c, v| accumulate(AccumulatorKind::Sum, c, v)),
    ),
    operator(
        "$avg",
        Syntax::Collated(0, usize::MAX, |c, v| accumulate(AccumulatorKind::Average, c, v)),
    ),
    operator(
        "$min",
        Syntax::Collated(0, usize::MAX, |c, v| accumulate(AccumulatorKind::Min, c, v)),
    ),
    operator(
        "$max",
        Syntax::Collated(0, usize::MAX, |c, v| accumulate(AccumulatorKind::Max, c, v)),
    ),
    operator(
        "$stdDevPop",
        Syntax::Collated(0, usize::MAX, |c, v| {
            accumulate(AccumulatorKind::DeviationOfPopulation, c, v)
        }),
    ),
    operator(
        "$stdDevSamp",
        Syntax::Collated(0, usize::MAX, |c, v| {
            accumulate(AccumulatorKind::DeviationOfSample, c, v)
        }),
    ),
];

fn accumulate(
    kind: AccumulatorKind,
    collation: Option<&Collation>,
    operands: Vec<Evaluated<'_>>,
) -> Result<Option<Value>> {
    let mut accumulator = kind.start(collation);
    if let [single] = operands.as_slice()
        && let Some(ValueRef::Array(array)) = single.get()
    {
        for element in array.iter() {
            accumulator.add(Evaluated::Borrowed(element))?;
        }
    } else {
        for operand in operands {
            accumulator.add(operand)?;
        }
    }
    Ok(accumulator.result())
}
