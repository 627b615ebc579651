//! Design documents: their views, filters and validations.
//!
//! What they hold is found anew for each request, compiled functions are kept as long as the design document stays the same.

mod render;
mod selector;

use crate::outgoing;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use clouseau::views_of;
use engine::{Order, PageLimit, Record, Sequence};
use http::StatusCode;
use mango::Selector;
use memory::Budget;
use parking_lot::Mutex;
use render::Rendered;
use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use std::sync::Arc;
use value::Value;
use view::{Functions, Group, Refusal, ScriptLimits, Views, check_design, check_language};

/// The design documents whose functions are kept; past it all are forgotten, and compiled again when they are called.
const KEPT_MAX: usize = 512;

/// One version of a design document.
#[derive(Debug)]
pub(crate) struct Design {
    /// With `_design/`.
    pub(crate) id: String,
    /// Its members, `_id` and `_rev` with them.
    pub(crate) body: Map<String, Json>,
    functions: Functions,
    /// The validation, where it is a selector.
    selector: Option<Result<Selector>>,
    sequence: Sequence,
}

impl Design {
    /// Its functions; refused where they are in a language that is not run.
    pub(crate) fn functions(&self) -> Result<&Functions> {
        check_language(&self.body)?;
        Ok(&self.functions)
    }

    /// Refuses a function of a kind (`filters`, `shows`, …) that it does not have (`src/couch/src/couch_util.erl`,
    /// `get_nested_json_value`).
    pub(crate) fn require(&self, kind: &str, name: &str) -> Result<()> {
        let missing = |key: &str| CouchError::not_found(format!("missing json key: {key}"));
        let functions = self.body.get(kind).ok_or_else(|| missing(kind))?;
        functions.get(name).map(drop).ok_or_else(|| missing(name))
    }

    /// Refuses an edit that the validation refuses. All are JSON texts, `present` is `null` if there is no document yet.
    pub(crate) async fn validate(&self, new: &str, present: &str, user: &str, security: &str) -> Result<()> {
        if let Some(selector) = &self.selector {
            return selector::check(selector.as_ref().map_err(Clone::clone)?, new, present);
        }
        if !self.body.contains_key("validate_doc_update") {
            return Ok(());
        }
        match self.functions()?.validate(new, present, user, security).await? {
            None => Ok(()),
            Some(Refusal::Forbidden(reason)) => Err(CouchError::forbidden(reason)),
            Some(Refusal::Unauthorized(reason)) => Err(CouchError::unauthorized(reason)),
            Some(Refusal::Unknown(reason)) => {
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                Err(CouchError::new(status, "unknown_error", reason))
            }
        }
    }
}

/// The collection's UUID and the id.
type DesignKey = ([u8; 16], String);

/// The design documents of all databases that are in use.
#[derive(Debug)]
pub(crate) struct Designs {
    views: Views,
    memory: Budget,
    kept: Mutex<HashMap<DesignKey, Arc<Design>>>,
}

impl Designs {
    /// None is in use yet.
    pub(crate) fn new(memory: Budget) -> Designs {
        let views = Views::new(Arc::new(Rendered), ScriptLimits::default());
        Designs {
            views: views.within(memory.clone()),
            memory,
            kept: Mutex::default(),
        }
    }

    pub(crate) fn views(&self) -> &Views {
        &self.views
    }

    /// The design document of this name (what stands after `_design/`).
    pub(crate) async fn named(&self, database: &Database, name: &str) -> Result<Arc<Design>> {
        let id = format!("{}{name}", ids::DESIGN);
        let snapshot = database.snapshot().await?;
        let key = Value::from(id.as_str());
        if let Some(record) = snapshot.document(key.as_ref()).await? {
            return self.of_record(database, id, &record);
        }
        Err(match snapshot.deletion(key.as_ref()).await? {
            Some(_) => CouchError::not_found("deleted"),
            None => CouchError::missing(),
        })
    }

    /// All design documents of a database.
    pub(crate) async fn all(&self, database: &Database) -> Result<Vec<Arc<Design>>> {
        let snapshot = database.snapshot().await?;
        let mut found = Vec::new();
        let mut after = None;
        loop {
            let (records, next) = snapshot
                .documents(
                    ids::of_designs(),
                    after.as_ref(),
                    Order::Forward,
                    PageLimit::default(),
                )
                .await?;
            for record in records {
                if let Some(id) = record
                    .document
                    .as_raw()
                    .get("_id")
                    .and_then(value::ValueRef::as_str)
                {
                    found.push(self.of_record(database, id.to_owned(), &record)?);
                }
            }
            if next.is_none() {
                return Ok(found);
            }
            after = next;
        }
    }

    /// Refuses what cannot be a design document.
    pub(crate) async fn check(&self, id: &str, body: &Map<String, Json>) -> Result<()> {
        let checked = check_design(id, body, self.views.limits(), &self.memory).await;
        // What a request for such a view would fail with is here a mistake of the request.
        checked.map_err(|error| CouchError {
            status: StatusCode::BAD_REQUEST,
            ..error.into()
        })
    }

    /// The views of a design document.
    pub(crate) async fn group(&self, database: &Database, design: &Design) -> Result<Arc<Group>> {
        Ok(database
            .collection
            .view_group(&self.views, &design.id, &design.body)
            .await?)
    }

    /// Removes the rows of views that no design document of a database defines any more.
    pub(crate) async fn clean_up(&self, database: &Database) -> Result<()> {
        let designs = self.all(database).await?;
        let kept = designs.iter().flat_map(|design| {
            let bodies = [design.body.clone()].into_iter().chain(views_of(&design.body));
            bodies.map(|body| (design.id.clone(), body))
        });
        let kept: Vec<_> = kept.collect();
        Ok(database.collection.clean_up_views(&self.views, &kept).await?)
    }

    fn of_record(&self, database: &Database, id: String, record: &Record) -> Result<Arc<Design>> {
        let key = (database.collection.uuid(), id);
        let mut kept = self.kept.lock();
        if let Some(design) = kept.get(&key)
            && design.sequence == record.sequence()
        {
            return Ok(design.clone());
        }
        let mut text = String::new();
        outgoing::write(
            record.document.as_raw(),
            &record.revision(),
            false,
            None,
            &mut text,
        );
        let body = serde_json::from_str(&text);
        let body = body.map_err(|error| CouchError::bad_request(format!("{}: {error}", key.1)))?;
        let functions = Functions::new(&key.1, text, self.views.limits(), self.memory.clone());
        functions.limit_time(self.views.time_ms());
        let design = Arc::new(Design {
            functions,
            id: key.1.clone(),
            selector: selector::of_design(&body),
            body,
            sequence: record.sequence(),
        });
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.insert(key, design.clone());
        Ok(design)
    }
}
