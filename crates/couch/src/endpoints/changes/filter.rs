//! Which changes are given.

use super::row;
use crate::call::Call;
use crate::design::Design;
use crate::outgoing::Shown;
use crate::query;
use crate::query::Query;
use crate::script_request::{self, BodySeen};
use access::database::Database;
use access::error::{CouchError, Result};
use engine::{Change, RevisionedSnapshot};
use mango::Selector;
use std::collections::HashSet;
use std::sync::Arc;
use value::{Document, Value};

/// The filters (`src/couch/src/couch_changes.erl`, `configure_filter`).
#[derive(Debug)]
pub(super) enum Filter {
    /// All changes.
    All,
    /// Those of these documents.
    Ids(HashSet<String>),
    /// Those of design documents.
    Design,
    /// Those of documents that match.
    Selector {
        selector: Selector,
        /// What is shown of documents that come with their changes; none for all.
        fields: Option<Vec<String>>,
    },
    /// Those that a filter function of a design document lets through, which is given the request.
    Function {
        design: Arc<Design>,
        name: String,
        request: String,
    },
    /// Those for which the map function of a view emits.
    View { design: Arc<Design>, name: String },
}

impl Filter {
    /// Reads the filter out of the parameters and the body.
    pub(super) async fn parse(call: &Call, database: &Database, body: &Document) -> Result<Filter> {
        if let Some(filter) = Filter::built_in(&call.query, body)? {
            return Ok(filter);
        }
        match call.query.get("filter").unwrap_or_default() {
            "_view" => {
                let named = call.query.get("view").unwrap_or_default();
                let wrong = || CouchError::bad_request("`view` filter parameter is not provided.");
                let (design, name) = named.split_once('/').ok_or_else(wrong)?;
                Ok(Filter::View {
                    design: with_functions(call, database, design).await?,
                    name: name.to_owned(),
                })
            }
            named => {
                let wrong = || {
                    CouchError::bad_request("filter parameter must be of the form `designname/filtername`")
                };
                let (design, name) = named.split_once('/').ok_or_else(wrong)?;
                Ok(Filter::Function {
                    design: with_functions(call, database, design).await?,
                    name: name.to_owned(),
                    request: script_request::object(call, database, None, BodySeen::Unread).await?,
                })
            }
        }
    }

    /// Reads a filter that needs no design document; `None` if one is needed.
    pub(super) fn built_in(query: &Query, body: &Document) -> Result<Option<Filter>> {
        let filter = match query.get("filter").unwrap_or_default() {
            "" => Filter::All,
            "_design" => Filter::Design,
            "_doc_ids" => {
                let in_query = query.get("doc_ids").map(query::json).transpose()?;
                let named = body.get("doc_ids").cloned().or(in_query);
                Filter::Ids(named_ids(named.as_ref())?)
            }
            "_selector" => match body.get("selector") {
                Some(Value::Document(selector)) => Filter::Selector {
                    selector: Selector::parse(selector)
                        .map_err(|wrong| CouchError::bad_request(wrong.to_string()))?,
                    fields: fields(body.get("fields"))?,
                },
                Some(_) => return Err(CouchError::bad_request("Selector error: expected a JSON object")),
                None => {
                    return Err(CouchError::bad_request(
                        "Selector must be specified in POST payload",
                    ));
                }
            },
            "_view" => return Ok(None),
            name if name.starts_with('_') => {
                return Err(CouchError::bad_request("unknown builtin filter name"));
            }
            _ => return Ok(None),
        };
        Ok(Some(filter))
    }

    /// Which of these changes a function lets through, all asked in one call; `None` if no function is to be asked. What it is shown of
    /// each document besides its body is `shown`.
    pub(super) async fn ask(
        &self,
        snapshot: &RevisionedSnapshot,
        changes: &[Change],
        shown: Shown,
    ) -> Result<Option<Vec<bool>>> {
        Ok(match self {
            Filter::Function {
                design,
                name,
                request,
            } => {
                let documents = documents(snapshot, changes, shown).await?;
                Some(design.functions()?.filter(name, &documents, request).await?)
            }
            Filter::View { design, name } => {
                let documents = documents(snapshot, changes, shown).await?;
                Some(design.functions()?.filter_by_view(name, &documents).await?)
            }
            _ => None,
        })
    }
}

/// The design document of this name. Fails if its functions cannot run, since a feed that has begun cannot report that any more.
async fn with_functions(call: &Call, database: &Database, name: &str) -> Result<Arc<Design>> {
    let design = call.server.designs.named(database, name).await?;
    design.functions()?;
    Ok(design)
}

/// The documents of changes as functions are given them.
async fn documents(snapshot: &RevisionedSnapshot, changes: &[Change], shown: Shown) -> Result<Vec<String>> {
    let mut documents = Vec::with_capacity(changes.len());
    for change in changes {
        documents.push(row::seen_by_functions(snapshot, change, shown).await?);
    }
    Ok(documents)
}

/// The fields that are shown, where they are named.
fn fields(named: Option<&Value>) -> Result<Option<Vec<String>>> {
    match named {
        None | Some(Value::Null) => Ok(None),
        Some(named @ Value::Array(_)) => {
            mango::options::fields(named).map_err(|wrong| CouchError::bad_request(wrong.to_string()))
        }
        Some(_) => Err(CouchError::bad_request(
            "Selector error: fields must be JSON array",
        )),
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
