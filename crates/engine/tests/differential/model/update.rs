//! What an update makes of a document.

use super::order::{compare, number};
use value::{Document, Value};

/// The document as an update leaves it; `None` if MongoDB refuses the update on this document.
pub fn updated(document: &Document, update: &Document) -> Option<Document> {
    let Some((operator, fields)) = update.iter().next().filter(|(name, _)| name.starts_with('$')) else {
        return Some(replaced(document, update));
    };
    let Value::Document(fields) = fields else {
        panic!("no fields: {fields:?}");
    };
    let mut updated = document.clone();
    for (path, operand) in fields.iter() {
        change(&mut updated, path, operator, operand)?;
    }
    Some(updated)
}

fn replaced(document: &Document, replacement: &Document) -> Document {
    let mut replaced = Document::new();
    replaced.push("_id", document.get("_id").cloned().expect("an _id"));
    replacement
        .iter()
        .for_each(|(name, value)| replaced.push(name, value.clone()));
    replaced
}

fn change(document: &mut Document, path: &str, operator: &str, operand: &Value) -> Option<()> {
    let Some((first, rest)) = path.split_once('.') else {
        return change_field(document, path, operator, operand);
    };
    let makes = !matches!(operator, "$unset" | "$pull" | "$pop");
    match document.get_mut(first) {
        Some(Value::Document(inner)) => change(inner, rest, operator, operand),
        // Names do not lead into arrays or other values.
        Some(_) if operator == "$unset" => Some(()),
        Some(_) => None,
        None if makes => {
            let mut inner = Document::new();
            change(&mut inner, rest, operator, operand)?;
            document.push(first, inner);
            Some(())
        }
        None => Some(()),
    }
}

fn change_field(document: &mut Document, name: &str, operator: &str, operand: &Value) -> Option<()> {
    let present = document.get(name).cloned();
    let new = match (operator, present) {
        ("$set", _) | ("$min" | "$max" | "$inc", None) => operand.clone(),
        ("$unset", _) => {
            document.remove(name);
            return Some(());
        }
        ("$min", Some(present)) if compare(operand, &present).is_ge() => present,
        ("$max", Some(present)) if compare(operand, &present).is_le() => present,
        ("$min" | "$max", Some(_)) => operand.clone(),
        ("$inc", Some(present)) => sum(&present, operand)?,
        ("$push", None) => Value::Array(vec![operand.clone()]),
        ("$push", Some(Value::Array(mut elements))) => {
            elements.push(operand.clone());
            Value::Array(elements)
        }
        ("$addToSet", None) => Value::Array(vec![operand.clone()]),
        ("$addToSet", Some(Value::Array(mut elements))) => {
            if !elements.iter().any(|element| compare(element, operand).is_eq()) {
                elements.push(operand.clone());
            }
            Value::Array(elements)
        }
        ("$pull", Some(Value::Array(mut elements))) => {
            elements.retain(|element| compare(element, operand).is_ne());
            Value::Array(elements)
        }
        ("$pop", Some(Value::Array(mut elements))) => {
            elements.pop();
            Value::Array(elements)
        }
        ("$pull" | "$pop", None) => return Some(()),
        ("$push" | "$addToSet" | "$pull" | "$pop", Some(_)) => return None,
        (other, _) => panic!("an operator that the model does not know: {other}"),
    };
    document.set(name, new);
    Some(())
}

/// The sum of a number and an int, in the type that MongoDB gives it; `None` for what is no number.
fn sum(number_present: &Value, addend: &Value) -> Option<Value> {
    let Value::Int32(addend) = addend else {
        panic!("only ints are added: {addend:?}");
    };
    match number_present {
        Value::Int32(present) => Some(Value::Int32(present + addend)),
        Value::Int64(present) => Some(Value::Int64(present + i64::from(*addend))),
        Value::Double(present) => Some(Value::Double(present + f64::from(*addend))),
        // Decimals keep their digits, which the model does not know.
        other => {
            debug_assert!(number(other).is_none() || matches!(other, Value::Decimal128(_)));
            None
        }
    }
}
