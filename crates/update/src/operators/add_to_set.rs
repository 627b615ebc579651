//! `$addToSet`: values that are not there yet, by MongoDB's comparison (and the collation).

use super::{Effect, not_array};
use language::interruption::{COMPARISONS_PER_STEP, steps};
use language::{Error, Result};
use value::collation::{self, Collation};
use value::{Value, shell};

/// The values to add, each once.
pub(super) fn parse(operand: &Value, collation: Option<&Collation>) -> Result<Vec<Value>> {
    let each = match operand {
        Value::Document(document) => document.iter().next().filter(|(name, _)| *name == "$each"),
        _ => None,
    };
    let Some((_, each)) = each else {
        return Ok(vec![operand.clone()]);
    };
    let Value::Array(values) = each else {
        return Err(Error::type_mismatch(format!(
            "The argument to $each in $addToSet must be an array but it was of type {}",
            each.type_of().alias()
        )));
    };
    if let Value::Document(document) = operand
        && document.len() > 1
    {
        return Err(Error::bad_value(format!(
            "Found unexpected fields after $each in $addToSet: {}",
            shell::document(document.into())
        )));
    }
    let mut distinct = Vec::with_capacity(values.len());
    add_missing(&mut distinct, values, collation)?;
    Ok(distinct)
}

pub(super) fn apply(
    values: &[Value],
    present: &mut Value,
    field: &str,
    collation: Option<&Collation>,
) -> Result<Effect> {
    let Value::Array(elements) = present else {
        return Err(not_array("$addToSet", field, present));
    };
    let before = elements.len();
    add_missing(elements, values, collation)?;
    Ok(if elements.len() == before {
        Effect::Unchanged
    } else {
        Effect::Changed
    })
}

fn add_missing(elements: &mut Vec<Value>, values: &[Value], collation: Option<&Collation>) -> Result<()> {
    for value in values {
        steps(1 + elements.len() / COMPARISONS_PER_STEP)?;
        if !elements
            .iter()
            .any(|element| collation::compare_in(collation, element.as_ref(), value.as_ref()).is_eq())
        {
            elements.push(value.clone());
        }
    }
    Ok(())
}
