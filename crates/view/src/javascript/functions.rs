//! The other functions of a design document: `validate_doc_update` and filters.

use super::{Command, Program, ScriptError, ScriptLimits, Sources};
use serde_json::Value;

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
    /// called.
    pub fn new(id: &str, design: String, limits: ScriptLimits) -> Functions {
        let sources = Sources {
            name: id.to_owned(),
            design,
            ..Sources::default()
        };
        Functions {
            program: Program::new(sources, limits),
        }
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
                refused("forbidden")
                    .map(Refusal::Forbidden)
                    .or_else(|| refused("unauthorized").map(Refusal::Unauthorized))
                    .or_else(|| {
                        fields
                            .values()
                            .next()
                            .map(|value| Refusal::Unknown(message(value)))
                    })
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
}
