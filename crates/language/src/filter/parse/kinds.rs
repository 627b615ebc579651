//! Sets of types: a number, an alias, or an array of them.

use crate::filter::{TypeSet, number};
use crate::{Error, Result};
use value::{Type, Value};

use super::shown;

/// The set that `$type` (or `bsonType`) names.
pub(in crate::filter) fn type_set(operator: &str, value: &Value) -> Result<TypeSet> {
    let mut set = TypeSet::default();
    match value {
        Value::Array(entries) => {
            if entries.is_empty() {
                return Err(Error::failed_to_parse(format!(
                    "{operator} must match at least one type"
                )));
            }
            for entry in entries {
                add(&mut set, operator, entry)?;
            }
        }
        single => add(&mut set, operator, single)?,
    }
    Ok(set)
}

fn add(set: &mut TypeSet, operator: &str, value: &Value) -> Result<()> {
    match value {
        Value::String(alias) if alias == "number" => set.insert_number(),
        Value::String(alias) => {
            let kind = Type::from_alias(alias)
                .ok_or_else(|| Error::bad_value(format!("Unknown type name alias: {alias}")))?;
            set.insert(kind);
        }
        number if number.as_ref().is_number() => {
            let code = number::exact(number.as_ref());
            if code == Some(0) {
                return Err(Error::bad_value(
                    "Invalid numerical type code: 0. Instead use {$exists:false}.",
                ));
            }
            let kind = code.and_then(Type::from_number).ok_or_else(|| {
                Error::bad_value(format!(
                    "Invalid numerical type code: {}",
                    shown(operator, number)
                ))
            })?;
            set.insert(kind);
        }
        _ => {
            return Err(Error::type_mismatch(
                "type must be represented as a number or a string",
            ));
        }
    }
    Ok(())
}
