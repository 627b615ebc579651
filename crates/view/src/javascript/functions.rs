//! The other functions of a design document: `validate_doc_update`, filters, and those that answer requests.

use super::{Command, List, Program, ScriptError, ScriptLimits, Sources};
use memory::Budget;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// What `validate_doc_update` has against a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nobody may do it.
    Forbidden(String),
    /// This user may not do it.
    Unauthorized(String),
    /// The function threw something else.
    Unknown(String),
}

/// The functions of one version of a design document.
#[derive(Debug)]
pub struct Functions {
    program: Program,
}

impl Functions {
    /// The functions of this design document, given as JSON text with its `_id`. They are compiled when they are first
    /// called; the memory of their threads comes out of the budget.
    pub fn new(id: &str, design: String, limits: ScriptLimits, memory: Budget) -> Functions {
        let sources = Sources {
            name: id.to_owned(),
            design,
            ..Sources::default()
        };
        Functions {
            program: Program::new(sources, limits, memory),
        }
    }

    /// Has them be given as much time as this says when a thread begins.
    pub fn limit_time(&self, time_ms: Arc<AtomicU64>) {
        self.program.limit_time(time_ms);
    }

    /// Asks `validate_doc_update`, given JSON texts: the new document, the present one (`null` for none), the user's
    /// context and the database's security object.
    pub async fn validate(
        &self,
        new: &str,
        present: &str,
        user: &str,
        security: &str,
    ) -> Result<Option<Refusal>, ScriptError> {
        let input = format!("[{new},{present},{user},{security}]");
        let answer = self.program.call(Command::Validate, input).await?;
        let Ok(thrown) = serde_json::from_str::<Value>(&answer) else {
            return Ok(Some(Refusal::Unknown(answer)));
        };
        let message = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Ok(match &thrown {
            Value::Null => None,
            Value::Object(fields) => {
                let refused = |name: &str| fields.get(name).map(message);
                let refusal = refused("forbidden")
                    .map(Refusal::Forbidden)
                    .or_else(|| refused("unauthorized").map(Refusal::Unauthorized));
                // An object that says nothing was thrown all the same.
                Some(refusal.unwrap_or_else(|| {
                    Refusal::Unknown(fields.values().next().map_or_else(|| thrown.to_string(), message))
                }))
            }
            other => Some(Refusal::Unknown(message(other))),
        })
    }

    /// Which documents the filter of this name lets through; documents and request are JSON texts.
    pub async fn filter(
        &self,
        name: &str,
        documents: &[String],
        request: &str,
    ) -> Result<Vec<bool>, ScriptError> {
        let (name, documents) = (Value::from(name), documents.join(","));
        let input = format!(r#"{{"name":{name},"documents":[{documents}],"request":{request}}}"#);
        let answer = self.program.call(Command::Filter, input).await?;
        Ok(serde_json::from_str(&answer).unwrap_or_default())
    }

    /// For which documents the view of this name emits.
    pub async fn filter_by_view(&self, name: &str, documents: &[String]) -> Result<Vec<bool>, ScriptError> {
        let (name, documents) = (Value::from(name), documents.join(","));
        let input = format!(r#"{{"name":{name},"documents":[{documents}]}}"#);
        let answer = self.program.call(Command::FilterView, input).await?;
        Ok(serde_json::from_str(&answer).unwrap_or_default())
    }

    /// What the show function of this name answers, as JSON text; document (`null` for none) and request are JSON texts.
    pub async fn show(&self, name: &str, document: &str, request: &str) -> Result<String, ScriptError> {
        let input = rendered(name, "document", document, request);
        self.program.call(Command::Show, input).await
    }

    /// What the update function of this name makes of a document and answers: JSON text of an array of both.
    pub async fn update(&self, name: &str, document: &str, request: &str) -> Result<String, ScriptError> {
        let input = rendered(name, "document", document, request);
        self.program.call(Command::Update, input).await
    }

    /// Where the function `rewrites` leads a request, as JSON text; `null` is nowhere.
    pub async fn rewrite(&self, request: &str) -> Result<String, ScriptError> {
        let input = format!(r#"{{"request":{request}}}"#);
        self.program.call(Command::Rewrite, input).await
    }

    /// Starts the list function of this name on rows that are still to come; their head and the request are JSON texts.
    pub async fn list(&self, name: &str, head: &str, request: &str) -> Result<List, ScriptError> {
        let input = rendered(name, "head", head, request);
        List::start(&self.program, input).await
    }
}

fn rendered(name: &str, member: &str, value: &str, request: &str) -> String {
    let name = Value::from(name);
    format!(r#"{{"name":{name},"{member}":{value},"request":{request}}}"#)
}
