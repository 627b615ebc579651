//! One index as clients see it.

use crate::Selector;
use crate::sort::Sort;
use crate::text::{Service, TextDefinition};
use value::{Document, Value, doc};

/// The name of the index that every database has.
pub const ALL_DOCS: &str = "_all_docs";

/// The field that every document has, but no index of the store.
pub const REVISION: &str = "_rev";

/// An index of a design document, or the one of all documents.
#[derive(Clone, Debug)]
pub struct Index {
    /// The design document; `None` for the index of all documents.
    pub ddoc: Option<String>,
    /// Its name within the design document.
    pub name: String,
    /// Its fields, and their direction; none of a text index.
    pub sort: Sort,
    /// The definition of a text index.
    pub text: Option<TextDefinition>,
    /// Which documents are in it; empty for all.
    pub partial: Document,
    /// Whether it is read partition by partition.
    pub partitioned: bool,
}

/// The member of design documents that has their views, and so the indexes of the type `json`.
pub const VIEWS: &str = "views";

/// The members of design documents that have indexes.
pub const MEMBERS: [&str; 3] = [VIEWS, Service::Clouseau.member(), Service::Nouveau.member()];

/// What every design document's id begins with.
pub const DESIGN: &str = "_design/";

/// The id of a design document that is named with or without its prefix.
pub fn design_id(name: &str) -> String {
    if name.starts_with(DESIGN) {
        name.to_owned()
    } else {
        format!("{DESIGN}{name}")
    }
}

impl Index {
    /// The index of all documents by their ids.
    pub fn all_docs() -> Index {
        Index {
            ddoc: None,
            name: ALL_DOCS.to_owned(),
            sort: Sort {
                fields: vec!["_id".to_owned()],
                descending: false,
            },
            text: None,
            partial: Document::new(),
            partitioned: false,
        }
    }

    /// Parses what stands under a name in one of [`MEMBERS`] of a design document; `None` if it is no index of Mango.
    pub fn of_member(
        member: &str,
        (ddoc, name): (&str, &str),
        index: &Document,
        partitioned: bool,
    ) -> Option<Index> {
        match Service::of_member(member) {
            None => Index::of_view(ddoc, name, index, partitioned),
            Some(service) => Index::of_text(service, (ddoc, name), index, partitioned),
        }
    }

    fn of_view(ddoc: &str, name: &str, view: &Document, partitioned: bool) -> Option<Index> {
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
            text: None,
            partial,
            partitioned,
        })
    }

    fn of_text(
        service: Service,
        (ddoc, name): (&str, &str),
        index: &Document,
        partitioned: bool,
    ) -> Option<Index> {
        let text = TextDefinition::parse(index.get("index")?, service).ok()?;
        Some(Index {
            ddoc: Some(ddoc.to_owned()),
            name: name.to_owned(),
            sort: Sort::default(),
            partial: text.partial.clone(),
            text: Some(text),
            partitioned,
        })
    }

    /// Its type, as clients name it.
    pub fn kind(&self) -> &'static str {
        match (&self.ddoc, &self.text) {
            (None, _) => "special",
            (_, Some(text)) => text.service.kind(),
            _ => "json",
        }
    }

    /// The member of its design document that it stands in.
    pub fn member(&self) -> &'static str {
        let service = self.text.as_ref().map(|text| text.service);
        service.map_or(VIEWS, Service::member)
    }

    /// Whether it is the index of all documents.
    pub fn is_special(&self) -> bool {
        self.ddoc.is_none()
    }

    /// Whether only documents that match a selector are in it.
    pub fn is_partial(&self) -> bool {
        !self.partial.is_empty()
    }

    /// The names of its fields, in order.
    pub fn columns(&self) -> &[String] {
        &self.sort.fields
    }

    /// What distinguishes it from other indexes, and orders it among them.
    pub fn key(&self) -> (Option<&str>, &str) {
        (self.ddoc.as_deref(), &self.name)
    }

    /// Whether it is the one, or one of those, that `use_index` names.
    pub fn is_named(&self, use_index: &[String]) -> bool {
        let Some((design, rest)) = use_index.split_first() else {
            return false;
        };
        self.ddoc.as_deref() == Some(&design_id(design)) && rest.first().is_none_or(|name| *name == self.name)
    }

    /// The fields in front of the revision, which can be bounded.
    pub fn bounded(&self) -> usize {
        self.columns()
            .iter()
            .take_while(|column| *column != REVISION)
            .count()
    }

    /// Whether its fields, and the id, are all of these.
    pub fn covers<'a>(&self, mut fields: impl Iterator<Item = &'a str>) -> bool {
        !self.is_special()
            && fields.all(|field| field == "_id" || self.columns().iter().any(|own| own == field))
    }

    /// The index as `_index` lists it.
    pub fn to_document(&self) -> Document {
        let mut definition = match &self.text {
            Some(text) => text.shown(),
            None => doc! {"fields": self.sort.to_array()},
        };
        if self.is_partial() && self.text.is_none() {
            definition.push("partial_filter_selector", self.partial.clone());
        }
        let Some(ddoc) = &self.ddoc else {
            return doc! {"ddoc": Value::Null, "name": self.name.as_str(), "type": "special", "def": definition};
        };
        doc! {
            "ddoc": ddoc.as_str(),
            "name": self.name.as_str(),
            "type": self.kind(),
            "partitioned": self.partitioned,
            "def": definition,
        }
    }
}
