//! Fields with directions: what a query sorts by, and what an index has (`src/mango/src/mango_sort.erl`).

use crate::error::{Error, Result, shown};
use value::{Document, Value};

/// Fields, all in one direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    /// The fields, most significant first.
    pub fields: Vec<String>,
    /// Whether all are descending.
    pub descending: bool,
}

impl Sort {
    /// Reads an array of names and of objects with one name each.
    pub fn parse(value: &Value) -> Result<Sort> {
        let Value::Array(specs) = value else {
            let reason = format!("Sort must be an array of sort specs, not: {}", shown(value));
            return Err(Error::refused("invalid_sort_json", reason));
        };
        let parsed: Vec<(String, bool)> = specs.iter().map(field).collect::<Result<_>>()?;
        let descending = parsed.first().is_some_and(|(_, descending)| *descending);
        if parsed.iter().any(|(_, other)| *other != descending) {
            return Err(Error::refused(
                "unsupported_mixed_sort",
                "Sorts currently only support a single direction for all fields.",
            ));
        }
        Ok(Sort {
            fields: parsed.into_iter().map(|(field, _)| field).collect(),
            descending,
        })
    }

    fn direction(&self) -> &'static str {
        match self.descending {
            true => "desc",
            false => "asc",
        }
    }

    /// `{field: direction, …}`.
    pub fn to_object(&self) -> Document {
        let direction = self.direction();
        self.fields
            .iter()
            .map(|field| (field.clone(), Value::from(direction)))
            .collect()
    }

    /// `[{field: direction}, …]`.
    pub fn to_array(&self) -> Value {
        let direction = self.direction();
        self.fields
            .iter()
            .map(|field| Value::from(Document::new().with(field.as_str(), direction)))
            .collect()
    }
}

fn field(spec: &Value) -> Result<(String, bool)> {
    let invalid = || {
        Error::refused(
            "invalid_sort_field",
            format!("Invalid sort field: {}", shown(spec)),
        )
    };
    match spec {
        Value::String(name) if !name.is_empty() => Ok((name.clone(), false)),
        Value::Document(one) if one.len() == 1 => {
            let (name, direction) = one.iter().next().ok_or_else(invalid)?;
            match direction {
                Value::String(direction) if direction == "asc" => Ok((name.to_owned(), false)),
                Value::String(direction) if direction == "desc" => Ok((name.to_owned(), true)),
                _ => Err(invalid()),
            }
        }
        _ => Err(invalid()),
    }
}
