//! Making the fields of a path that are not there.

use crate::apply::{child_mut, count_look_up};
use crate::context::Context;
use crate::growth::element_bytes;
use crate::path::array_index;
use language::{Code, Error, Result};
use value::{Document, Value, shell};

/// The most nulls that setting an element far after an array's end may add.
const BACKFILL_MAX: usize = 1_500_000;

/// Puts the value at the end of `missing`, the path below the container; `name` is the container's own, if it is
/// not the whole document. Earlier operators may have made a part of the path. Gives the bytes of the nulls before the value.
pub(crate) fn make_path(
    container: &mut Value,
    missing: &[String],
    value: Value,
    name: Option<&str>,
) -> Result<usize> {
    let Some((first, rest)) = missing.split_first() else {
        return Ok(0);
    };
    count_look_up(container)?;
    if !rest.is_empty() && child_mut(container, first).is_some() {
        return match child_mut(container, first) {
            Some(child) => make_path(child, rest, value, Some(first)),
            None => Ok(0),
        };
    }
    let nested = rest.iter().rev().fold(value, |inner, name| {
        Value::Document(Document::new().with(name.as_str(), inner))
    });
    match container {
        Value::Document(document) => {
            document.push(first.as_str(), nested);
            Ok(0)
        }
        Value::Array(elements) => match array_index(first) {
            Some(index) => put_element(elements, index, nested),
            None => Err(cannot_create(container, first, name)),
        },
        _ => Err(cannot_create(container, first, name)),
    }
}

fn put_element(elements: &mut Vec<Value>, index: usize, value: Value) -> Result<usize> {
    if index.saturating_sub(elements.len()) > BACKFILL_MAX {
        return Err(Error::new(
            Code::CANNOT_BACKFILL_ARRAY,
            format!("can't backfill more than {BACKFILL_MAX} elements"),
        ));
    }
    let mut filled_bytes = 0;
    while elements.len() < index {
        filled_bytes += element_bytes(elements.len());
        elements.push(Value::Null);
    }
    elements.push(value);
    Ok(filled_bytes)
}

fn cannot_create(container: &Value, field: &str, name: Option<&str>) -> Error {
    Error::new(
        Code::PATH_NOT_VIABLE,
        format!(
            "Cannot create field '{field}' in element {{{}}}",
            shell::field(name.unwrap_or_default(), container.as_ref())
        ),
    )
}

/// Fails where the path could not be made, for operators that do nothing to a missing field but insist on this.
pub(crate) fn check_path(container: &Value, missing: &[String], context: &Context<'_>) -> Result<()> {
    let Some(first) = missing.first() else {
        return Ok(());
    };
    let viable = match container {
        Value::Document(_) => true,
        Value::Array(_) => array_index(first).is_some(),
        _ => false,
    };
    if viable {
        return Ok(());
    }
    let taken = context
        .path
        .iter()
        .chain(missing)
        .map(String::as_str)
        .collect::<Vec<_>>();
    Err(cannot_traverse(
        first,
        &taken.join("."),
        context.path.last().map_or("", String::as_str),
        container,
    ))
}

/// The error of a path that goes on below a value that has no fields.
pub(crate) fn cannot_traverse(part: &str, path: &str, name: &str, element: &Value) -> Error {
    Error::new(
        Code::PATH_NOT_VIABLE,
        format!(
            "Cannot use the part ({part}) of ({path}) to traverse the element ({{{}}})",
            shell::field(name, element.as_ref())
        ),
    )
}
