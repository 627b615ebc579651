//! Arrays: elements, parts, joining, searching. Apart from them stand `iteration` (`$map`, `$filter`, `$reduce`), `zip`,
//! `sort_array` and `array_ranked` (the first, last, least and greatest n).

use super::search::{BoundCodes, bound};
use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::building::Building;
use crate::expression::evaluated::Evaluated;
use crate::expression::node::Node;
use crate::expression::number::Number;
use crate::expression::parse::Parser;
use crate::expression::size_bytes;
use crate::{Code, Result};
use value::collation::{Collation, compare_in};
use value::{ArrayRef, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$arrayElemAt", Syntax::Two(element_at)),
    operator("$first", Syntax::One(|v| end("$first", &v, 0))),
    operator("$last", Syntax::One(|v| end("$last", &v, -1))),
    operator("$size", Syntax::One(size)),
    operator(
        "$isArray",
        Syntax::One(|v| Ok(Some(Value::Bool(matches!(v.get(), Some(ValueRef::Array(_))))))),
    ),
    operator("$in", Syntax::Collated(2, 2, contains)),
    operator("$concatArrays", Syntax::UntilNull(|_, v| concat(v))),
    operator("$reverseArray", Syntax::One(reverse)),
    operator("$slice", Syntax::Many(2, 3, slice)),
    operator("$range", Syntax::Many(2, 3, range)),
    operator("$indexOfArray", Syntax::Own(parse_index_of)),
];

/// The bytes for which MongoDB counts an element that `$range` makes.
const RANGE_ELEMENT_BYTES: usize = 16;

fn as_array<'a>(operand: &'a Evaluated<'_>) -> Option<ArrayRef<'a>> {
    operand.get().and_then(ValueRef::as_array)
}

/// The element at a position, from the end where it is negative.
fn at(array: ArrayRef<'_>, position: i64) -> Option<Value> {
    let position = if position < 0 {
        position + array.len() as i64
    } else {
        position
    };
    array.get(usize::try_from(position).ok()?).map(ValueRef::to_value)
}

fn element_at(array: Evaluated<'_>, position: Evaluated<'_>) -> Result<Option<Value>> {
    let (Some(_), Some(present)) = (array.present(), position.present()) else {
        return Ok(Some(Value::Null));
    };
    let elements = as_array(&array).ok_or_else(|| {
        error(
            Code::location(28_689),
            format!(
                "$arrayElemAt's first argument must be an array, but is {}",
                type_name(&array)
            ),
        )
    })?;
    let number = Number::of(present).ok_or_else(|| {
        error(
            Code::location(28_690),
            format!(
                "$arrayElemAt's second argument must be a numeric value, but is {}",
                type_name(&position)
            ),
        )
    })?;
    let position = number.to_i32().ok_or_else(|| {
        error(
            Code::location(28_691),
            format!(
                "$arrayElemAt's second argument must be representable as a 32-bit integer: {}",
                number.to_f64()
            ),
        )
    })?;
    Ok(at(elements, position.into()))
}

fn end(name: &str, operand: &Evaluated<'_>, position: i64) -> Result<Option<Value>> {
    if operand.present().is_none() {
        return Ok(Some(Value::Null));
    }
    match as_array(operand) {
        Some(array) => Ok(at(array, position)),
        None => Err(error(
            Code::location(28_689),
            format!(
                "{name}'s argument must be an array, but is {}",
                type_name(operand)
            ),
        )),
    }
}

fn size(operand: Evaluated<'_>) -> Result<Option<Value>> {
    match as_array(&operand) {
        Some(array) => Ok(Some(Value::Int32(array.len() as i32))),
        None => Err(error(
            Code::location(17_124),
            format!(
                "The argument to $size must be an array, but was of type: {}",
                type_name(&operand)
            ),
        )),
    }
}

fn contains(collation: Option<&Collation>, operands: Vec<Evaluated<'_>>) -> Result<Option<Value>> {
    let [wanted, array] = operands.as_slice() else {
        return Ok(None);
    };
    let elements = as_array(array).ok_or_else(|| {
        error(
            Code::location(40_081),
            format!(
                "$in requires an array as a second argument, found: {}",
                type_name(array)
            ),
        )
    })?;
    let found = wanted.get().is_some_and(|wanted| {
        elements
            .iter()
            .any(|element| compare_in(collation, element, wanted).is_eq())
    });
    Ok(Some(Value::Bool(found)))
}

fn concat(operands: Vec<Evaluated<'_>>) -> Result<Option<Value>> {
    let mut building = Building::new("$concatArrays");
    let mut all = Vec::new();
    for operand in operands {
        if operand.present().is_none() {
            return Ok(Some(Value::Null));
        }
        operand
            .get()
            .map_or(Ok(()), |value| building.add(size_bytes(value)))?;
        match operand {
            Evaluated::Owned(Value::Array(elements)) => all.extend(elements),
            Evaluated::Borrowed(ValueRef::Array(elements)) => {
                all.extend(elements.iter().map(ValueRef::to_value));
            }
            other => {
                return Err(error(
                    Code::location(28_664),
                    format!("$concatArrays only supports arrays, not {}", type_name(&other)),
                ));
            }
        }
    }
    Ok(Some(Value::Array(all)))
}

fn reverse(operand: Evaluated<'_>) -> Result<Option<Value>> {
    if operand.present().is_none() {
        return Ok(Some(Value::Null));
    }
    match operand.into_value() {
        Some(Value::Array(mut elements)) => {
            elements.reverse();
            Ok(Some(Value::Array(elements)))
        }
        other => Err(error(
            Code::location(34_435),
            format!(
                "The argument to $reverseArray must be an array, but was of type: {}",
                type_name(&Evaluated::from(other))
            ),
        )),
    }
}

fn slice(operands: Vec<Evaluated<'_>>) -> Result<Option<Value>> {
    if operands.iter().any(|operand| operand.present().is_none()) {
        return Ok(Some(Value::Null));
    }
    let [array, rest @ ..] = operands.as_slice() else {
        return Ok(None);
    };
    let elements = as_array(array).ok_or_else(|| {
        error(
            Code::location(28_724),
            format!(
                "First argument to $slice must be an array, but is of type: {}",
                type_name(array)
            ),
        )
    })?;
    let length = elements.len();
    let from_end = |position: i32| length.saturating_sub(position.unsigned_abs() as usize);
    let (start, count) = match rest {
        [count] => match slice_number(count, "Second", Code::location(28_725), Code::location(28_726))? {
            count @ 0.. => (0, count as usize),
            count => (from_end(count), length),
        },
        [position, count] => {
            let position = slice_number(position, "Second", Code::location(28_725), Code::location(28_726))?;
            let count = slice_number(count, "Third", Code::location(28_727), Code::location(28_728))?;
            if count <= 0 {
                return Err(error(
                    Code::location(28_729),
                    format!("Third argument to $slice must be positive: {count}"),
                ));
            }
            (
                if position < 0 {
                    from_end(position)
                } else {
                    position as usize
                },
                count as usize,
            )
        }
        _ => return Ok(None),
    };
    Ok(Some(
        elements
            .iter()
            .skip(start)
            .take(count)
            .map(ValueRef::to_value)
            .collect(),
    ))
}

fn slice_number(operand: &Evaluated<'_>, place: &str, not_number: Code, not_whole: Code) -> Result<i32> {
    let number = operand.get().and_then(Number::of).ok_or_else(|| {
        error(
            not_number,
            format!(
                "{place} argument to $slice must be numeric, but is of type: {}",
                type_name(operand)
            ),
        )
    })?;
    number.to_i32().ok_or_else(|| {
        error(
            not_whole,
            format!(
                "{place} argument to $slice can't be represented as a 32-bit integer: {}",
                number.to_f64()
            ),
        )
    })
}

fn range(operands: Vec<Evaluated<'_>>) -> Result<Option<Value>> {
    let bound = |operand: Option<&Evaluated<'_>>, what, codes: [Code; 2]| match operand {
        None => Ok(1),
        Some(operand) => range_bound(operand, what, codes),
    };
    let start = bound(
        operands.first(),
        "starting",
        [Code::location(34_443), Code::location(34_444)],
    )?;
    let end = bound(
        operands.get(1),
        "ending",
        [Code::location(34_445), Code::location(34_446)],
    )?;
    let step = bound(
        operands.get(2),
        "step",
        [Code::location(34_447), Code::location(34_448)],
    )?;
    if step == 0 {
        return Err(error(
            Code::location(34_449),
            "$range requires a non-zero step value",
        ));
    }
    let (distance, stride) = if step > 0 {
        (end - start, step)
    } else {
        (start - end, -step)
    };
    let count = if distance <= 0 {
        0
    } else {
        (distance + stride - 1) / stride
    };
    let mut building = Building::new("$range");
    building.add(count as usize * RANGE_ELEMENT_BYTES)?;
    Ok(Some(
        (0..count)
            .map(|at| Value::Int32((start + at * step) as i32))
            .collect(),
    ))
}

fn range_bound(operand: &Evaluated<'_>, what: &str, codes: [Code; 2]) -> Result<i64> {
    let number = operand.get().and_then(Number::of).ok_or_else(|| {
        error(
            codes[0],
            format!(
                "$range requires a numeric {what} value, found value of type: {}",
                type_name(operand)
            ),
        )
    })?;
    number.to_i32().map(i64::from).ok_or_else(|| {
        error(
            codes[1],
            format!(
                "$range requires a {what} value that can be represented as a 32-bit integer, found value: {}",
                number.to_f64()
            ),
        )
    })
}

fn parse_index_of(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let operands = parser.operands("$indexOfArray", argument, 2, 4)?;
    // As in MongoDB, which looks through a constant before there is any document.
    if let [Node::Constant(Some(constant)), rest @ ..] = operands.as_slice()
        && !matches!(constant, Value::Array(_) | Value::Null | Value::Undefined)
        && rest.iter().any(Node::reads_document)
    {
        return Err(error(
            Code::location(50_809),
            format!(
                "First operand of $indexOfArray must be an array. First argument is of type: {}",
                constant.type_of().alias()
            ),
        ));
    }
    Ok(Node::collated(index_of, operands, parser.collation()))
}

fn index_of(collation: Option<&Collation>, operands: Vec<Evaluated<'_>>) -> Result<Option<Value>> {
    let [array, wanted, bounds @ ..] = operands.as_slice() else {
        return Ok(None);
    };
    if array.present().is_none() {
        return Ok(Some(Value::Null));
    }
    let elements = as_array(array).ok_or_else(|| {
        error(
            Code::location(40_090),
            format!(
                "$indexOfArray requires an array as a first argument, found: {}",
                type_name(array)
            ),
        )
    })?;
    let position = |at: usize, what| {
        bound(
            "$indexOfArray",
            bounds.get(at),
            what,
            BoundCodes {
                not_integral: Code::location(9_711_600),
                negative: Code::location(9_711_601),
            },
        )
    };
    let start = position(0, "starting")?.unwrap_or(0);
    let end = position(1, "ending")?.unwrap_or(usize::MAX);
    let found = wanted.get().and_then(|wanted| {
        let mut candidates = elements
            .iter()
            .enumerate()
            .skip(start)
            .take(end.saturating_sub(start));
        candidates.find(|(_, element)| compare_in(collation, *element, wanted).is_eq())
    });
    Ok(Some(Value::Int32(found.map_or(-1, |(at, _)| at as i32))))
}
