//! An index's settings, mapping and aliases, and how a collection keeps them.

use crate::error::Result;
use crate::settings;
use engine::Sequence;
use search::Mapping;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What is kept of an index besides its documents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Present {
    /// What was given at its making and since, below `index`.
    pub(crate) settings: Map<String, Value>,
    /// Its other names, with what is said of each.
    pub(crate) aliases: Map<String, Value>,
    /// Whether it can be neither read nor written until it is opened again.
    pub(crate) is_closed: bool,
    pub(crate) mapping: Arc<Mapping>,
    /// When it was made, in milliseconds since 1970.
    pub(crate) created_ms: i64,
    /// How far its documents are known.
    pub(crate) followed: Sequence,
}

impl Present {
    /// Reads what [`Present::text`] has written.
    pub(crate) fn parse(text: &str) -> Result<Present> {
        let kept: Value = serde_json::from_str(text)?;
        let settings = kept
            .get("settings")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let analysis = settings::analysis(&settings)?;
        let fields_max = settings::fields_max(&settings)?;
        let empty = json!({});
        let mapping = Mapping::parse(kept.get("mappings").unwrap_or(&empty), analysis)?;
        Ok(Present {
            mapping: Arc::new(mapping.with_fields_max(fields_max)),
            settings,
            aliases: kept
                .get("aliases")
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default(),
            is_closed: kept.get("closed").and_then(Value::as_bool).unwrap_or(false),
            created_ms: kept.get("created").and_then(Value::as_i64).unwrap_or(0),
            followed: Sequence::START,
        })
    }

    /// The form in which the collection's options keep it.
    pub(crate) fn text(&self) -> String {
        let kept = json!({
            "settings": self.settings,
            "mappings": self.mapping.source(),
            "aliases": self.aliases,
            "closed": self.is_closed,
            "created": self.created_ms,
        });
        kept.to_string()
    }
}
