//! `$addToSet`: values that are not there yet, by MongoDB's comparison (and the collation).

use super::{COMPARED_MAX, Effect, not_array};
use language::expression::ValueSet;
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
    if values.len() > COMPARED_MAX {
        return add_missing_of_many(elements, values, collation);
    }
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

fn add_missing_of_many(
    elements: &mut Vec<Value>,
    values: &[Value],
    collation: Option<&Collation>,
) -> Result<()> {
    let mut present = ValueSet::new(collation);
    for element in elements.iter() {
        steps(1)?;
        present.insert(element.clone());
    }
    for value in values {
        steps(1)?;
        if present.insert(value.clone()) {
            elements.push(value.clone());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_are_added_as_few_are() {
        let values: Vec<Value> = (0..200).map(|at| Value::Int32(at * 7 % 100)).collect();
        let present = || vec![Value::Double(3.0), Value::from("a"), Value::Double(3.0)];
        let mut one_by_one = present();
        for value in &values {
            add_missing(&mut one_by_one, std::slice::from_ref(value), None).unwrap();
        }
        let mut at_once = present();
        add_missing(&mut at_once, &values, None).unwrap();
        assert_eq!(at_once, one_by_one);
        // The three that is there is the same number.
        assert_eq!(at_once.len(), 3 + 99);
    }
}
