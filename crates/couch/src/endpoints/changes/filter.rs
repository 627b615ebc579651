//! Which changes are given.

use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::{ids, query, selector};
use engine::DocumentFilter;
use std::collections::HashSet;
use value::{Document, Value};

/// The built-in filters (`src/couch/src/couch_changes.erl`, `configure_filter`).
#[derive(Debug)]
pub(super) enum Filter {
    /// All changes.
    All,
    /// Those of these documents.
    Ids(HashSet<String>),
    /// Those of design documents.
    Design,
    /// Those of documents that match.
    Selector(DocumentFilter),
}

impl Filter {
    /// Reads the filter out of the parameters and the body.
    pub(super) fn parse(call: &Call, body: &Document) -> Result<Filter> {
        match call.query.get("filter").unwrap_or_default() {
            "" => Ok(Filter::All),
            "_design" => Ok(Filter::Design),
            "_doc_ids" => {
                let in_query = call.query.get("doc_ids").map(query::json).transpose()?;
                let named = body.get("doc_ids").cloned().or(in_query);
                named_ids(named.as_ref()).map(Filter::Ids)
            }
            "_selector" => match body.get("selector") {
                Some(Value::Document(selector)) => Ok(Filter::Selector(selector::filter(selector)?)),
                Some(_) => Err(CouchError::bad_request("Selector error: expected a JSON object")),
                None => Err(CouchError::bad_request(
                    "Selector must be specified in POST payload",
                )),
            },
            "_view" => Err(CouchError::not_implemented(
                "the filter _view is not supported yet",
            )),
            name if name.starts_with('_') => Err(CouchError::bad_request("unknown builtin filter name")),
            _ => Err(CouchError::not_implemented(
                "filters in JavaScript are not supported yet",
            )),
        }
    }

    /// Whether the document of this `_id` and content passes.
    pub(super) fn passes(&self, id: &str, document: &dyn Fn() -> Document) -> bool {
        match self {
            Filter::All => true,
            Filter::Ids(named) => named.contains(id),
            Filter::Design => id.starts_with(ids::DESIGN),
            Filter::Selector(filter) => filter.matches(&document()),
        }
    }
}

fn named_ids(named: Option<&Value>) -> Result<HashSet<String>> {
    let wrong = || CouchError::bad_request("`doc_ids` filter parameter is not a list of doc ids.");
    let Some(Value::Array(named)) = named else {
        return Err(wrong());
    };
    let id = |id: &Value| match id {
        Value::String(id) => Ok(id.clone()),
        _ => Err(wrong()),
    };
    named.iter().map(id).collect()
}
