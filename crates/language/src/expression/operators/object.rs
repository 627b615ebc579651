//! Documents: merging, fields by computed name, arrays of pairs.

use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::building::Building;
use crate::expression::evaluated::Evaluated;
use crate::interruption::{COMPARISONS_PER_STEP, steps};
use crate::{Code, Result};
use std::collections::HashMap;
use value::{ArrayRef, Document, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$mergeObjects", Syntax::Many(0, usize::MAX, merge)),
    operator("$objectToArray", Syntax::One(to_array)),
    operator("$arrayToObject", Syntax::One(from_array)),
];

/// Several documents, or the elements of one array.
fn merge(operands: Vec<Evaluated<'_>>) -> Result<Option<Value>> {
    let mut building = Building::new("$mergeObjects");
    let mut merged = Document::new();
    let mut add = |input: ValueRef<'_>| match input {
        ValueRef::Null | ValueRef::Undefined => Ok(()),
        ValueRef::Document(document) => {
            for (name, value) in document.iter() {
                // A field is looked for among those before it.
                steps(merged.len() / COMPARISONS_PER_STEP)?;
                merged.set(name, building.copy(value)?);
            }
            Ok(())
        }
        other => Err(error(
            Code::location(40_400),
            format!(
                "$mergeObjects requires object inputs, but input is of type {}",
                other.type_of().alias()
            ),
        )),
    };
    match operands.as_slice() {
        [Evaluated::Borrowed(ValueRef::Array(elements))] => elements.iter().try_for_each(&mut add)?,
        [Evaluated::Owned(Value::Array(elements))] => {
            elements.iter().map(Value::as_ref).try_for_each(&mut add)?;
        }
        several => several.iter().filter_map(Evaluated::get).try_for_each(&mut add)?,
    }
    Ok(Some(Value::Document(merged)))
}

/// What a document of two fields takes beside their values.
const PAIR_BYTES: usize = 2 * (size_of::<(String, Value)>() + 16);

fn to_array(operand: Evaluated<'_>) -> Result<Option<Value>> {
    match operand.present() {
        None => Ok(Some(Value::Null)),
        Some(ValueRef::Document(document)) => {
            let mut building = Building::new("$objectToArray");
            let pairs = document.iter().map(|(name, value)| {
                building.add(PAIR_BYTES + name.len())?;
                let value = building.copy(value)?;
                Ok(Value::Document(Document::new().with("k", name).with("v", value)))
            });
            pairs.collect::<Result<Value>>().map(Some)
        }
        Some(_) => Err(error(
            Code::location(40_390),
            format!(
                "$objectToArray requires a document input, found: {}",
                type_name(&operand)
            ),
        )),
    }
}

/// The two ways to write a field: `["name", value]` and `{k: "name", v: value}`. One array has only one of them.
#[derive(Clone, Copy, PartialEq)]
enum PairForm {
    Array,
    Object,
}

fn from_array(operand: Evaluated<'_>) -> Result<Option<Value>> {
    let array = match operand.present() {
        None => return Ok(Some(Value::Null)),
        Some(ValueRef::Array(array)) => array,
        Some(_) => {
            return Err(error(
                Code::location(40_386),
                format!(
                    "$arrayToObject requires an array input, found: {}",
                    type_name(&operand)
                ),
            ));
        }
    };
    let mut fields: Vec<(String, Value)> = Vec::new();
    // Where each name stands: they may be many.
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut form = None;
    for element in array.iter() {
        steps(1)?;
        let (name, value) = pair(element, &mut form)?;
        match places.get(&name).and_then(|at| fields.get_mut(*at)) {
            // The last value counts, in the place of the first.
            Some((_, present)) => *present = value,
            None => {
                places.insert(name.clone(), fields.len());
                fields.push((name, value));
            }
        }
    }
    Ok(Some(Value::Document(fields.into_iter().collect())))
}

/// A name and its value, in the form that those before it have.
fn pair(element: ValueRef<'_>, form: &mut Option<PairForm>) -> Result<(String, Value)> {
    match (element, *form) {
        (ValueRef::Array(_), Some(PairForm::Object)) => {
            Err(mixed(Code::location(40_391), "an object", "array"))
        }
        (ValueRef::Document(_), Some(PairForm::Array)) => {
            Err(mixed(Code::location(40_396), "an array", "object"))
        }
        (ValueRef::Array(pair), _) => {
            *form = Some(PairForm::Array);
            pair_of_array(pair)
        }
        (ValueRef::Document(pair), _) => {
            *form = Some(PairForm::Object);
            pair_of_object(pair.to_document())
        }
        (_, Some(PairForm::Array)) => Err(mixed(Code::location(40_396), "an array", "another type")),
        (_, Some(PairForm::Object)) => Err(mixed(Code::location(40_391), "an object", "another type")),
        (other, None) => Err(error(
            Code::location(40_398),
            format!(
                "Unrecognised input type format for $arrayToObject: {}",
                other.type_of().alias()
            ),
        )),
    }
}

fn mixed(code: Code, expected: &str, found: &str) -> crate::Error {
    error(
        code,
        format!(
            "$arrayToObject requires a consistent input format. Elements must all be arrays or all be objects. Expected {expected}, found {found}"
        ),
    )
}

fn pair_of_array(pair: ArrayRef<'_>) -> Result<(String, Value)> {
    let (2, Some(name), Some(value)) = (pair.len(), pair.get(0), pair.get(1)) else {
        return Err(error(
            Code::location(40_397),
            format!(
                "$arrayToObject requires an array of size 2 arrays, found array of size: {}",
                pair.len()
            ),
        ));
    };
    let ValueRef::String(name) = name else {
        return Err(error(
            Code::location(40_395),
            format!(
                "$arrayToObject requires an array of key-value pairs, where the key must be of type string. Found key type: {}",
                name.type_of().alias()
            ),
        ));
    };
    if name.contains('\0') {
        return Err(error(
            Code::location(4_940_400),
            "Key field cannot contain an embedded null byte",
        ));
    }
    Ok((name.to_owned(), value.to_value()))
}

fn pair_of_object(mut pair: Document) -> Result<(String, Value)> {
    if pair.len() != 2 {
        return Err(error(
            Code::location(40_392),
            format!(
                "$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys:{}",
                pair.len()
            ),
        ));
    }
    let (Some(name), Some(value)) = (pair.remove("k"), pair.remove("v")) else {
        return Err(error(
            Code::location(40_393),
            "$arrayToObject requires an object with keys 'k' and 'v'.",
        ));
    };
    let Value::String(name) = name else {
        return Err(error(
            Code::location(40_394),
            format!(
                "$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must be of type string. Found type: {}",
                name.type_of().alias()
            ),
        ));
    };
    if name.contains('\0') {
        return Err(error(
            Code::location(4_940_401),
            "Key field cannot contain an embedded null byte",
        ));
    }
    Ok((name, value))
}
