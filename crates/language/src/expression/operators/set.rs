//! Arrays as sets: values that compare equal are one element.

use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::ValueSet;
use crate::expression::building::Building;
use crate::expression::evaluated::{Evaluated, is_true};
use crate::expression::node::Node;
use crate::expression::parse::Parser;
use crate::expression::size_bytes;
use crate::{Code, Result};
use value::collation::Collation;
use value::{ArrayRef, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$setUnion", Syntax::UntilNull(union)),
    operator("$setIntersection", Syntax::UntilNull(intersection)),
    operator("$setDifference", Syntax::Collated(2, 2, difference)),
    operator("$setEquals", Syntax::Own(parse_equals)),
    operator("$setIsSubset", Syntax::Own(parse_is_subset)),
    operator(
        "$anyElementTrue",
        Syntax::One(|v| elements_true("$anyElementTrue", Code::location(17_041), &v, true)),
    ),
    operator(
        "$allElementsTrue",
        Syntax::One(|v| elements_true("$allElementsTrue", Code::location(17_040), &v, false)),
    ),
];

/// The operand as an array; an error of this code where it is something else, null included.
fn array<'a>(operand: &'a Evaluated<'_>, code: Code, message: &str) -> Result<ArrayRef<'a>> {
    match operand.get().and_then(ValueRef::as_array) {
        Some(array) => Ok(array),
        None => Err(error(code, format!("{message} {}", type_name(operand)))),
    }
}

fn union(collation: Option<&Collation>, operands: Vec<Evaluated<'_>>) -> Result<Option<Value>> {
    let mut building = Building::new("$setUnion");
    let mut all = ValueSet::new(collation);
    for operand in &operands {
        if operand.present().is_none() {
            return Ok(Some(Value::Null));
        }
        let array = array(
            operand,
            Code::location(17_043),
            "All operands of $setUnion must be arrays. One argument is of type:",
        )?;
        for value in array.iter() {
            if all.insert(value.to_value()) {
                building.add(size_bytes(value))?;
            }
        }
    }
    Ok(Some(all.take()))
}

fn intersection(collation: Option<&Collation>, operands: Vec<Evaluated<'_>>) -> Result<Option<Value>> {
    let mut common: Option<ValueSet> = None;
    for operand in &operands {
        if operand.present().is_none() {
            return Ok(Some(Value::Null));
        }
        let array = array(
            operand,
            Code::location(17_047),
            "All operands of $setIntersection must be arrays. One argument is of type:",
        )?;
        let next = ValueSet::of(collation, array.iter());
        common = Some(match common {
            None => next,
            // Of equal values, those of the smaller set stay.
            Some(common) if common.len() > next.len() => next.intersection(&common),
            Some(common) => common.intersection(&next),
        });
    }
    Ok(Some(common.unwrap_or_default().take()))
}

fn difference(collation: Option<&Collation>, operands: Vec<Evaluated<'_>>) -> Result<Option<Value>> {
    let [left, right] = operands.as_slice() else {
        return Ok(None);
    };
    if left.present().is_none() || right.present().is_none() {
        return Ok(Some(Value::Null));
    }
    let what = "operand of $setDifference must be an array.";
    let kept = array(
        left,
        Code::location(17_048),
        &format!("both operands of $setDifference must be arrays. First {what} First argument is of type:"),
    )?;
    let taken = array(
        right,
        Code::location(17_049),
        &format!("both operands of $setDifference must be arrays. Second {what} Second argument is of type:"),
    )?;
    let mut seen = ValueSet::of(collation, taken.iter());
    let rest = kept.iter().map(ValueRef::to_value);
    Ok(Some(rest.filter(|value| seen.insert(value.clone())).collect()))
}

fn parse_equals(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let operands = parser.operands("$setEquals", argument, 0, usize::MAX)?;
    if operands.len() < 2 {
        return Err(error(
            Code::location(17_045),
            format!("$setEquals needs at least two arguments had: {}", operands.len()),
        ));
    }
    for operand in &operands {
        if let Node::Constant(value) = operand
            && !matches!(value, Some(Value::Array(_)))
        {
            return Err(error(
                Code::location(5_887_502),
                "All operands of $setEquals must be arrays.",
            ));
        }
    }
    Ok(Node::collated(equals, operands, parser.collation()))
}

fn equals(collation: Option<&Collation>, operands: Vec<Evaluated<'_>>) -> Result<Option<Value>> {
    let mut first: Option<ValueSet> = None;
    for operand in &operands {
        let array = array(
            operand,
            Code::location(17_044),
            "All operands of $setEquals must be arrays. One argument is of type:",
        )?;
        let next = ValueSet::of(collation, array.iter());
        match &first {
            None => first = Some(next),
            Some(first) if first.is_subset(&next) && next.is_subset(first) => {}
            // What the others are does not matter, as in MongoDB.
            Some(_) => return Ok(Some(Value::Bool(false))),
        }
    }
    Ok(Some(Value::Bool(true)))
}

fn parse_is_subset(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let operands = parser.operands("$setIsSubset", argument, 2, 2)?;
    // As in MongoDB, which makes a set of a constant before there is any document.
    if let [inner, Node::Constant(outer)] = operands.as_slice()
        && inner.reads_document()
        && !matches!(outer, Some(Value::Array(_)))
    {
        return Err(error(
            Code::location(17_311),
            "both operands of $setIsSubset must be arrays. Second argument is another constant.",
        ));
    }
    Ok(Node::collated(is_subset, operands, parser.collation()))
}

fn is_subset(collation: Option<&Collation>, operands: Vec<Evaluated<'_>>) -> Result<Option<Value>> {
    let [left, right] = operands.as_slice() else {
        return Ok(None);
    };
    let what = "both operands of $setIsSubset must be arrays.";
    let inner = array(
        left,
        Code::location(17_046),
        &format!("{what} First argument is of type:"),
    )?;
    let outer = array(
        right,
        Code::location(17_042),
        &format!("{what} Second argument is of type:"),
    )?;
    let outer = ValueSet::of(collation, outer.iter());
    let inner = ValueSet::of(collation, inner.iter());
    Ok(Some(Value::Bool(inner.is_subset(&outer))))
}

/// Whether any element counts as true (`decisive`), or none as false.
fn elements_true(name: &str, code: Code, operand: &Evaluated<'_>, decisive: bool) -> Result<Option<Value>> {
    let array = array(
        operand,
        code,
        &format!("{name}'s argument must be an array, but is"),
    )?;
    let decided = array.iter().any(|element| is_true(element) == decisive);
    Ok(Some(Value::Bool(decided == decisive)))
}
