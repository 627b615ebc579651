//! Validations that are Mango selectors: `validate_doc_update` of a design document whose language is `query`.
//!
//! Reference: CouchDB, `src/mango/src/mango_native_proc.erl` and "Validation using Mango selectors" in the documentation of design
//! documents. The selector is asked about one object with `newDoc` and `oldDoc`; who writes is not known to it.

use access::error::{CouchError, Result};
use json::Reader;
use mango::Selector;
use serde_json::{Map, Value as Json};
use value::{Document, Value};

/// The language of design documents that hold selectors.
const LANGUAGE: &str = "query";
/// The member that is the validation.
const MEMBER: &str = "validate_doc_update";

/// The selector of a design document; `None` if it has no validation of that kind. What is no selector refuses every edit, as in
/// CouchDB, until the design document is put right.
pub(super) fn of_design(body: &Map<String, Json>) -> Option<Result<Selector>> {
    let is_query = body.get("language").and_then(Json::as_str) == Some(LANGUAGE);
    let validation = body.get(MEMBER).filter(|_| is_query)?;
    Some(parse(&validation.to_string()))
}

fn parse(text: &str) -> Result<Selector> {
    match Reader::whole(text.as_bytes())? {
        Value::Document(selector) => Ok(Selector::parse(&selector)?),
        _ => Err(CouchError::bad_request("Selector must be a JSON object")),
    }
}

/// Refuses an edit that the selector does not match; both documents are JSON texts, `null` for none.
pub(super) fn check(selector: &Selector, new: &str, present: &str) -> Result<()> {
    let pair = format!(r#"{{"newDoc":{new},"oldDoc":{present}}}"#);
    let pair = match Reader::whole(pair.as_bytes())? {
        Value::Document(pair) => pair,
        _ => Document::new(),
    };
    match selector.matches((&pair).into()) {
        true => Ok(()),
        false => Err(CouchError::forbidden("document is not valid")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn selector(design: Json) -> Option<Result<Selector>> {
        of_design(design.as_object().unwrap())
    }

    #[test]
    fn the_new_and_the_old_document_are_matched() {
        let design = json!({
            "language": "query",
            "validate_doc_update": {"newDoc.year": {"$lt": 2026}, "oldDoc": {"$type": "null"}},
        });
        let selector = selector(design).unwrap().unwrap();
        assert!(check(&selector, r#"{"year":1994}"#, "null").is_ok());
        let refused = check(&selector, r#"{"year":2094}"#, "null").unwrap_err();
        assert_eq!(refused.reason, "document is not valid");
        assert!(check(&selector, r#"{"year":1994}"#, r#"{"year":1994}"#).is_err());
    }

    #[test]
    fn functions_are_none_and_other_values_are_refused() {
        assert!(selector(json!({"validate_doc_update": "function () {}"})).is_none());
        assert!(selector(json!({"language": "query"})).is_none());
        let wrong = json!({"language": "query", "validate_doc_update": "function () {}"});
        assert!(selector(wrong).unwrap().is_err());
    }
}
