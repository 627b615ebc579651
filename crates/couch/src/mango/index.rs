//! One index as clients see it.

use super::sort::Sort;
use engine::CollatedDefinition;
use mango::Selector;
use value::{Document, Value, doc};

/// The name of the index that every database has.
pub(crate) const ALL_DOCS: &str = "_all_docs";

/// The field that every document has, but no index of the store.
pub(crate) const REVISION: &str = "_rev";

/// An index of a design document, or the one of all documents. Ordered as CouchDB lists them.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// The design document; none for the index of all documents.
    pub(crate) ddoc: Option<String>,
    pub(crate) name: String,
    pub(crate) sort: Sort,
    /// Which documents are in it; empty for all.
    pub(crate) partial: Document,
    /// Whether it is read partition by partition.
    pub(crate) partitioned: bool,
}

impl Index {
    /// The index of all documents by their ids.
    pub(crate) fn all_docs() -> Index {
        Index {
            ddoc: None,
            name: ALL_DOCS.to_owned(),
            sort: Sort {
                fields: vec!["_id".to_owned()],
                descending: false,
            },
            partial: Document::new(),
            partitioned: false,
        }
    }

    /// What stands under `map` in a design document, taken apart; none where it is no index.
    pub(crate) fn of_view(ddoc: &str, name: &str, view: &Document, partitioned: bool) -> Option<Index> {
        let (Some(Value::Document(map)), Some(Value::Document(_))) = (view.get("map"), view.get("options"))
        else {
            return None;
        };
        let Some(Value::Document(fields)) = map.get("fields") else {
            return None;
        };
        let descending = fields
            .iter()
            .next()
            .is_some_and(|(_, direction)| matches!(direction, Value::String(text) if text == "desc"));
        let selector = |name: &str| match map.get(name) {
            Some(Value::Document(selector)) => selector.clone(),
            _ => Document::new(),
        };
        let partial = match map.contains("partial_filter_selector") {
            true => selector("partial_filter_selector"),
            false => selector("selector"),
        };
        Selector::parse(&partial).ok()?;
        Some(Index {
            ddoc: Some(ddoc.to_owned()),
            name: name.to_owned(),
            sort: Sort {
                fields: fields.iter().map(|(name, _)| name.to_owned()).collect(),
                descending,
            },
            partial,
            partitioned,
        })
    }

    /// Whether it is the index of all documents.
    pub(crate) fn is_special(&self) -> bool {
        self.ddoc.is_none()
    }

    /// Whether only documents that match a selector are in it.
    pub(crate) fn is_partial(&self) -> bool {
        !self.partial.is_empty()
    }

    pub(crate) fn columns(&self) -> &[String] {
        &self.sort.fields
    }

    /// What tells it from the others, and orders it among them.
    pub(crate) fn key(&self) -> (Option<&str>, &str) {
        (self.ddoc.as_deref(), &self.name)
    }

    /// Whether it is the one, or one of those, that `use_index` names.
    pub(crate) fn is_named(&self, use_index: &[String]) -> bool {
        let Some((design, rest)) = use_index.split_first() else {
            return false;
        };
        self.ddoc.as_deref() == Some(&super::design::id(design))
            && rest.first().is_none_or(|name| *name == self.name)
    }

    /// The fields in front of the revision, which can be bounded.
    pub(crate) fn bounded(&self) -> usize {
        self.columns()
            .iter()
            .take_while(|column| *column != REVISION)
            .count()
    }

    /// The store's index that it stands for; without fields, it is that of the ids.
    pub(crate) fn definition(&self) -> CollatedDefinition {
        let fields = self.columns().iter().filter(|column| *column != REVISION);
        CollatedDefinition {
            fields: fields.cloned().collect(),
            selector: self.partial.clone(),
            partitioned: self.partitioned,
        }
    }

    /// Whether its fields, and the id, are all of these.
    pub(crate) fn covers<'a>(&self, mut fields: impl Iterator<Item = &'a str>) -> bool {
        !self.is_special()
            && fields.all(|field| field == "_id" || self.columns().iter().any(|own| own == field))
    }

    /// As it is listed.
    pub(crate) fn to_document(&self) -> Document {
        let mut definition = doc! {"fields": self.sort.to_array()};
        if self.is_partial() {
            definition.push("partial_filter_selector", self.partial.clone());
        }
        let Some(ddoc) = &self.ddoc else {
            return doc! {"ddoc": Value::Null, "name": self.name.as_str(), "type": "special", "def": definition};
        };
        doc! {
            "ddoc": ddoc.as_str(),
            "name": self.name.as_str(),
            "type": "json",
            "partitioned": self.partitioned,
            "def": definition,
        }
    }
}
