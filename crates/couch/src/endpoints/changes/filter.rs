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
                if named.is_empty() {
                    return Err(CouchError::bad_request(
                        "`view` filter parameter is not provided.",
                    ));
                }
                let wrong = "`view` must be of the form `designname/viewname`";
                let (design, name) = named_function(named, wrong)?;
                Ok(Filter::View {
                    design: with_function(call, database, design, ("views", name)).await?,
                    name: name.to_owned(),
                })
            }
            named => {
                let wrong = "`filter` must be of the form `designname/filtername`";
                let (design, name) = named_function(named, wrong)?;
                Ok(Filter::Function {
                    design: with_function(call, database, design, ("filters", name)).await?,
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

    /// Which revisions of each of these changes a function lets through, all asked in one call; `None` if no function is to be asked.
    /// What it is shown of each document besides its body is `shown`; with `all_leaves` it is asked about each leaf, else about the
    /// winner.
    pub(super) async fn ask(
        &self,
        snapshot: &RevisionedSnapshot,
        changes: &[Change],
        (shown, all_leaves): (Shown, bool),
    ) -> Result<Option<Vec<Vec<bool>>>> {
        if !matches!(self, Filter::Function { .. } | Filter::View { .. }) {
            return Ok(None);
        }
        let (mut documents, mut counts) = (
            Vec::with_capacity(changes.len()),
            Vec::with_capacity(changes.len()),
        );
        for change in changes {
            let seen = row::seen_by_functions(snapshot, change, (shown, all_leaves)).await?;
            counts.push(seen.len());
            documents.extend(seen);
        }
        let passed = match self {
            Filter::Function {
                design,
                name,
                request,
            } => design.functions()?.filter(name, &documents, request).await?,
            Filter::View { design, name } => design.functions()?.filter_by_view(name, &documents).await?,
            _ => return Ok(None),
        };
        let mut passed = passed.into_iter();
        let of_change = |count: usize| passed.by_ref().take(count).collect();
        Ok(Some(counts.into_iter().map(of_change).collect()))
    }
}

/// A design document and a function of it, between which is a slash.
fn named_function<'n>(named: &'n str, wrong: &'static str) -> Result<(&'n str, &'n str)> {
    let mut parts = named.split('/').filter(|part| !part.is_empty());
    match (parts.next(), parts.next(), parts.next()) {
        (Some(design), Some(name), None) => Ok((design, name)),
        _ => Err(CouchError::bad_request(wrong)),
    }
}

/// The design document of this name. Fails if it has no such function, or its functions cannot run, since a feed that has begun
/// cannot report that any more.
async fn with_function(
    call: &Call,
    database: &Database,
    name: &str,
    (kind, function): (&str, &str),
) -> Result<Arc<Design>> {
    let design = call.server.designs.named(database, name).await?;
    design.functions()?;
    design.require(kind, function)?;
    Ok(design)
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
