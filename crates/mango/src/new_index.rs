//! The index that a body of `_index` asks for, and the design documents that a body of `_index/_bulk_delete` names
//! (`src/mango/src/mango_opts.erl`, `mango_idx_view.erl`).

use crate::Selector;
use crate::error::{Error, Result, shown};
use crate::index::VIEWS;
use crate::name::{Asked, unnamed};
use crate::options::{flag, invalid_key, positive, use_index};
use crate::sort::Sort;
use crate::text::{Service, TextDefinition};
use value::{Document, Value, doc};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct NewIndex {
    wanted: Wanted,
    /// The definition as it was given.
    given: Value,
    /// Its name; of one that is given none, [`NewIndex::hashed_name`].
    pub name: Option<String>,
    /// Its design document, named likewise.
    pub ddoc: Option<String>,
    /// Whether it is to be read partition by partition, where that is said.
    pub partitioned: Option<bool>,
    /// Copies to be written, which is told the hash of its name.
    w: u64,
}

/// The copies of clients that name no number.
const W_DEFAULT: u64 = 2;

/// An index by its type.
#[derive(Clone, Debug)]
enum Wanted {
    Json { sort: Sort, partial: Document },
    Text(TextDefinition),
}

impl NewIndex {
    /// Reads a body.
    pub fn parse(body: &Document) -> Result<NewIndex> {
        let mut given = None;
        let (mut name, mut ddoc, mut partitioned) = (None, None, None);
        let mut w = W_DEFAULT;
        let mut kind = "json".to_owned();
        for (option, value) in body.iter() {
            match option {
                "index" => given = Some(value),
                "type" => kind = text(value)?,
                "name" => name = Some(non_empty(value)?),
                "ddoc" => ddoc = Some(non_empty(value)?),
                // One copy is written, and all of it.
                "w" => w = positive(value)?,
                "partitioned" => partitioned = Some(flag(value)?),
                unknown => return Err(invalid_key(unknown)),
            }
        }
        let given =
            given.ok_or_else(|| Error::refused("missing_required_key", "Missing required key: index"))?;
        let wanted = match (kind.as_str(), given) {
            ("json", Value::Document(given)) => {
                let (sort, partial) = definition(given)?;
                Wanted::Json { sort, partial }
            }
            ("json", given) => {
                let reason = format!("JSON indexes must be an object, not: {}", shown(given));
                return Err(Error::refused("invalid_index", reason));
            }
            (kind, given) => {
                let service = Service::of_kind(kind);
                let invalid = || Error::refused("invalid_index", format!("Invalid type for index: {kind}"));
                Wanted::Text(TextDefinition::parse(given, service.ok_or_else(invalid)?)?)
            }
        };
        Ok(NewIndex {
            wanted,
            given: given.clone(),
            name,
            ddoc,
            partitioned,
            w,
        })
    }

    /// Whether it is of the type `json`, whose entries are in the store.
    pub fn is_json(&self) -> bool {
        matches!(self.wanted, Wanted::Json { .. })
    }

    /// Whether all fields of documents are to be searched.
    pub fn is_of_all_fields(&self) -> bool {
        matches!(&self.wanted, Wanted::Text(definition) if definition.is_of_all_fields())
    }

    fn kind(&self) -> &'static str {
        match &self.wanted {
            Wanted::Json { .. } => "json",
            Wanted::Text(definition) => definition.service.kind(),
        }
    }

    /// What stands in the design document, and in which member of it.
    pub fn member(&self) -> (&'static str, Document) {
        match &self.wanted {
            Wanted::Text(definition) => (definition.service.member(), definition.to_index()),
            Wanted::Json { sort, partial } => {
                let view = doc! {
                    "map": {"fields": sort.to_object(), "partial_filter_selector": partial.clone()},
                    "reduce": "_count",
                    "options": {"def": self.given.clone()},
                };
                (VIEWS, view)
            }
        }
    }

    /// The name of an index, or of its design document, that is given none: the same for the same request.
    pub fn hashed_name(&self) -> String {
        unnamed(&Asked {
            definition: &self.given,
            kind: self.kind(),
            name: self.name.as_deref(),
            ddoc: self.ddoc.as_deref(),
            partitioned: self.partitioned,
            w: self.w,
        })
    }
}

fn definition(given: &Document) -> Result<(Sort, Document)> {
    let (mut sort, mut partial) = (None, Document::new());
    for (option, value) in given.iter() {
        match (option, value) {
            ("fields", fields) => sort = Some(Sort::parse(fields)?),
            ("partial_filter_selector", Value::Document(selector)) => {
                partial = Selector::parse(selector)?.to_document();
            }
            ("partial_filter_selector", other) => {
                let reason = format!("Selector must be a JSON object, not: {}", shown(other));
                return Err(Error::refused("invalid_selector_json", reason));
            }
            (unknown, _) => return Err(invalid_key(unknown)),
        }
    }
    let sort = sort.ok_or_else(|| Error::refused("missing_required_key", "Missing required key: fields"))?;
    Ok((sort, partial))
}

fn text(value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(Error::refused(
            "invalid_string",
            format!("Invalid string: {}", shown(other)),
        )),
    }
}

fn non_empty(value: &Value) -> Result<String> {
    let text = text(value)?;
    match text.is_empty() {
        true => Err(Error::refused(
            "invalid_empty_string",
            "Index name or ddoc cannot be empty string",
        )),
        false => Ok(text),
    }
}

/// The design documents whose indexes a body wants removed.
pub fn bulk_designs(body: &Document) -> Result<Vec<String>> {
    let mut designs = None;
    for (option, value) in body.iter() {
        match (option, value) {
            ("docids", Value::Array(ids)) => {
                ids.iter().try_for_each(|id| use_index(id).map(drop))?;
                designs = Some(ids.iter().map(text).collect::<Result<Vec<String>>>()?);
            }
            ("docids", other) => {
                let reason = format!(
                    "Bulk Delete requires an array of non-null docids. Docids: {}",
                    shown(other)
                );
                return Err(Error::refused("invalid_bulk_docs", reason));
            }
            ("w", value) => drop(positive(value)?),
            (unknown, _) => return Err(invalid_key(unknown)),
        }
    }
    designs.ok_or_else(|| Error::refused("missing_required_key", "Missing required key: docids"))
}
