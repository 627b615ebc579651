//! Fields whose names are not their places in documents.

use super::{Field, Mapping};
use crate::analysis::Analysis;
use crate::error::Result;
use crate::value_kind::ValueKind;
use serde_json::Value;
use std::sync::Arc;

/// A field, and where documents have its values.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Its name, by which queries know it.
    pub name: String,
    /// Where its values are.
    pub path: String,
    /// What it is, as a mapping says it.
    pub definition: Value,
    /// The nested object that it is part of.
    pub nested: Option<String>,
    /// The type of values that it has alone.
    pub only: Option<ValueKind>,
}

impl Mapping {
    /// A mapping without a form that clients see: its fields come by [`Mapping::place`].
    pub fn of_places(analysis: Analysis) -> Mapping {
        Mapping {
            analysis,
            ..Mapping::default()
        }
    }

    /// Adds a field.
    pub fn place(&mut self, placed: Placed) -> Result<()> {
        let nested = placed.nested.as_deref();
        let field = Field::parse(&placed.name, &placed.definition, &self.analysis, nested)?;
        let field = Field {
            path: placed.path,
            only: placed.only,
            ..field
        };
        self.fields.insert(placed.name, Arc::new(field));
        Ok(())
    }

    /// Whether there is a field of this name.
    pub fn has_field(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// How many fields there are.
    pub fn fields_count(&self) -> usize {
        self.fields.len()
    }
}
