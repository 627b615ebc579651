//! What is wanted of the nested objects by which documents are found.

use mapping::error::{Result, SearchError};
use mapping::json::scalar;
use serde_json::{Map, Value};

/// The option `inner_hits` of a query.
#[derive(Clone, Debug)]
pub struct InnerHits {
    /// Their name in the answer, where it is not the path.
    pub name: Option<String>,
    /// How many, in which order, and how they are shown.
    pub body: Map<String, Value>,
}

impl InnerHits {
    pub(super) fn parse(value: &Value) -> Result<InnerHits> {
        let object = value.as_object();
        let mut body = object
            .cloned()
            .ok_or_else(|| SearchError::parsing("[inner_hits] must be an object"))?;
        let name = body.shift_remove("name").as_ref().and_then(scalar);
        body.shift_remove("ignore_unmapped");
        Ok(InnerHits { name, body })
    }
}
