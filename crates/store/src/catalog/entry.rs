//! What the catalog keeps of one collection: a BSON document under a checksum.

use super::{CappedOptions, CollectionOptions};
use crate::IndexSpec;
use crate::seal::{seal, unseal};
use kv::ShardId;
use value::{Binary, Document, DocumentBuf, RawDocument, Value, doc};

/// One collection or view.
#[derive(Clone, Debug)]
pub(crate) struct CatalogEntry {
    pub(crate) shard: ShardId,
    pub(crate) uuid: [u8; 16],
    pub(crate) options: CollectionOptions,
    /// The indexes besides `_id_`, by number.
    pub(crate) indexes: Vec<(u32, IndexSpec)>,
    /// The number of the next index. No number is used twice, so that old entries cannot be taken for new ones.
    pub(crate) next_index: u32,
    /// Dropped indexes whose entries are still to be removed.
    pub(crate) clearing: Vec<u32>,
    /// The name and the shard of each set of derived pages.
    pub(crate) derived: Vec<(String, ShardId)>,
}

const BINARY_UUID: u8 = 4;

/// Stands for the shard of a collection whose entry cannot be read; no collection has this number.
pub(crate) const NO_SHARD: ShardId = ShardId(u64::MAX);

impl CatalogEntry {
    /// What stands for an entry that cannot be read.
    pub(crate) fn lost() -> CatalogEntry {
        CatalogEntry {
            shard: NO_SHARD,
            uuid: [0; 16],
            options: CollectionOptions::default(),
            indexes: Vec::new(),
            next_index: 1,
            clearing: Vec::new(),
            derived: Vec::new(),
        }
    }

    /// The bytes that are stored.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let indexes = self
            .indexes
            .iter()
            .map(|(id, spec)| Value::from(index_document(*id, spec)));
        let clearing = self.clearing.iter().map(|&id| Value::Int64(i64::from(id)));
        let uuid = Binary {
            subtype: BINARY_UUID,
            bytes: self.uuid.to_vec(),
        };
        let mut document = doc! {
            "shard": self.shard.0 as i64,
            "uuid": uuid,
            "options": self.options.kept.clone(),
            "indexes": indexes.collect::<Value>(),
            "nextIndex": i64::from(self.next_index),
            "clearing": clearing.collect::<Value>(),
        };
        if !self.options.properties.is_empty() {
            document.push("properties", self.options.properties.clone());
        }
        if let Some(capped) = self.options.capped {
            let most = capped.documents_max.map(|most| most as i64);
            document.push(
                "capped",
                doc! {"sizeBytes": capped.size_bytes as i64, "documentsMax": most},
            );
        }
        if !self.derived.is_empty() {
            let derived = self
                .derived
                .iter()
                .map(|(name, shard)| Value::from(doc! {"name": name.as_str(), "shard": shard.0 as i64}));
            document.push("derived", derived.collect::<Value>());
        }
        let mut out = vec![0; 4];
        out.extend_from_slice(DocumentBuf::from(&document).bytes());
        seal(&mut out);
        out
    }

    /// Reads what was stored; `None` if checksum or form is wrong.
    pub(crate) fn decode(bytes: &[u8]) -> Option<CatalogEntry> {
        let document = RawDocument::new(unseal(bytes)?).ok()?.to_document();
        let Value::Binary(uuid) = document.get("uuid")? else {
            return None;
        };
        let indexes = array(&document, "indexes")?.iter().map(index_of);
        let clearing = array(&document, "clearing")?
            .iter()
            .map(|id| u32::try_from(integer(id)?).ok());
        Some(CatalogEntry {
            shard: ShardId(u64::try_from(integer(document.get("shard")?)?).ok()?),
            uuid: uuid.bytes.as_slice().try_into().ok()?,
            options: CollectionOptions {
                capped: document.get("capped").and_then(capped_of),
                kept: embedded(&document, "options")?.clone(),
                properties: embedded(&document, "properties").cloned().unwrap_or_default(),
            },
            indexes: indexes.collect::<Option<_>>()?,
            next_index: u32::try_from(integer(document.get("nextIndex")?)?).ok()?,
            clearing: clearing.collect::<Option<_>>()?,
            derived: derived_of(&document)?,
        })
    }
}

fn index_document(id: u32, spec: &IndexSpec) -> Document {
    let document = doc! {
        "id": i64::from(id),
        "name": spec.name.as_str(),
        "key": spec.key.clone(),
        "unique": spec.unique,
        "prepareUnique": spec.prepare_unique,
        "madeUnique": spec.made_unique,
        "sparse": spec.sparse,
        "hidden": spec.hidden,
        "partialFilter": spec.partial_filter.clone(),
        "expireAfterSeconds": spec.expire_after_seconds,
        "kept": spec.kept.clone(),
    };
    match kept_since(spec) {
        Some(mark) if !spec.outdated => document.with(mark, true),
        _ => document,
    }
}

/// The mark of an index whose entries earlier versions kept in another form, or not at all.
fn kept_since(spec: &IndexSpec) -> Option<&'static str> {
    if spec.has_places() {
        return Some("cells");
    }
    spec.is_text().then_some("words")
}

fn index_of(value: &Value) -> Option<(u32, IndexSpec)> {
    let Value::Document(document) = value else {
        return None;
    };
    let flag = |name| matches!(document.get(name), Some(Value::Bool(true)));
    let Value::String(name) = document.get("name")? else {
        return None;
    };
    let mut spec = IndexSpec {
        name: name.clone(),
        key: embedded(document, "key")?.clone(),
        unique: flag("unique"),
        prepare_unique: flag("prepareUnique"),
        made_unique: flag("madeUnique"),
        sparse: flag("sparse"),
        hidden: flag("hidden"),
        partial_filter: embedded(document, "partialFilter").cloned(),
        expire_after_seconds: document.get("expireAfterSeconds").and_then(integer),
        outdated: false,
        kept: embedded(document, "kept")?.clone(),
    };
    spec.outdated = kept_since(&spec).is_some_and(|mark| !flag(mark));
    Some((u32::try_from(integer(document.get("id")?)?).ok()?, spec))
}

/// The derived pages. Entries of collections without any lack the field.
fn derived_of(document: &Document) -> Option<Vec<(String, ShardId)>> {
    let Some(derived) = array(document, "derived") else {
        return Some(Vec::new());
    };
    let read = |value: &Value| {
        let Value::Document(one) = value else {
            return None;
        };
        let Value::String(name) = one.get("name")? else {
            return None;
        };
        Some((
            name.clone(),
            ShardId(u64::try_from(integer(one.get("shard")?)?).ok()?),
        ))
    };
    derived.iter().map(read).collect()
}

fn capped_of(value: &Value) -> Option<CappedOptions> {
    let Value::Document(document) = value else {
        return None;
    };
    Some(CappedOptions {
        size_bytes: integer(document.get("sizeBytes")?)? as u64,
        documents_max: document
            .get("documentsMax")
            .and_then(integer)
            .map(|most| most as u64),
    })
}

fn embedded<'a>(document: &'a Document, name: &str) -> Option<&'a Document> {
    match document.get(name)? {
        Value::Document(inner) => Some(inner),
        _ => None,
    }
}

fn array<'a>(document: &'a Document, name: &str) -> Option<&'a [Value]> {
    match document.get(name)? {
        Value::Array(elements) => Some(elements),
        _ => None,
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int64(number) => Some(*number),
        _ => None,
    }
}
