//! An index's settings, mapping and aliases, and how a collection keeps them.

use crate::error::Result;
use crate::settings;
use engine::{RevisionedCollection, Sequence};
use indexing::uuid_text;
use search::Mapping;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What is kept of an index besides its documents.
#[derive(Clone, Debug, Default)]
pub struct Present {
    /// What was given at its making and since, below `index`.
    pub settings: Map<String, Value>,
    /// Its other names, with what is said of each.
    pub aliases: Arc<Map<String, Value>>,
    /// Whether it can be neither read nor written until it is opened again.
    pub is_closed: bool,
    /// The mapping of its documents.
    pub mapping: Arc<Mapping>,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
    /// How far its documents are known.
    pub followed: Sequence,
}

impl Present {
    /// Reads what [`Present::text`] has written of the collection.
    pub fn parse(text: &str, collection: &RevisionedCollection) -> Result<Present> {
        let kept: Value = serde_json::from_str(text)?;
        let settings = kept
            .get("settings")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let analysis = settings::analysis(&settings)?;
        let rules = settings::mapping_rules(&settings)?;
        let empty = json!({});
        let mapping = Mapping::kept(kept.get("mappings").unwrap_or(&empty), analysis, rules)?;
        Ok(Present {
            mapping: Arc::new(mapping),
            settings,
            aliases: kept
                .get("aliases")
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default()
                .into(),
            is_closed: kept.get("closed").and_then(Value::as_bool).unwrap_or(false),
            created_ms: kept.get("created").and_then(Value::as_i64).unwrap_or(0),
            followed: followed(&kept, collection).unwrap_or(Sequence::START),
        })
    }

    /// The form in which the collection's options keep it.
    pub fn text(&self, collection: &RevisionedCollection) -> String {
        let kept = json!({
            "settings": self.settings,
            "mappings": self.mapping.source(),
            "aliases": *self.aliases,
            "closed": self.is_closed,
            "created": self.created_ms,
            "followed": {"collection": uuid_text(&collection.uuid()), "to": self.followed.to_string()},
        });
        kept.to_string()
    }
}

/// How far the documents were known when this was kept, if it was of this collection and not of one that it is a copy of.
fn followed(kept: &Value, collection: &RevisionedCollection) -> Option<Sequence> {
    let followed = kept.get("followed")?;
    let to: Sequence = followed.get("to")?.as_str()?.parse().ok()?;
    let is_own = followed.get("collection")?.as_str()? == uuid_text(&collection.uuid());
    (is_own && to <= collection.head()).then_some(to)
}
