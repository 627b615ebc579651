//! The parameters of a URL.

use access::error::{CouchError, Result};
use http::query_pairs;
use json::Reader;
use value::Value;

/// The parameters of a request in their order.
#[derive(Clone, Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads what stands after the question mark.
    pub fn parse(query: &str) -> Result<Query> {
        let invalid = || CouchError::bad_request("invalid_url_encoding");
        // A semicolon parts parameters as well, as it did in the web's first years.
        query_pairs(&query.replace(';', "&"))
            .map(|pair| pair.map(|(name, value)| (name.into_owned(), value.into_owned())))
            .collect::<Option<Vec<_>>>()
            .map(Query)
            .ok_or_else(invalid)
    }

    /// The parameters in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter()
            .find(|(found, _)| *found == name)
            .map(|(_, value)| value)
    }

    /// Adds a parameter.
    pub fn push(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }

    /// Whether a flag is set to `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }

    /// The value of a parameter that is a number, at least 0.
    pub fn number(&self, name: &str) -> Result<Option<u64>> {
        self.get(name).map(number).transpose()
    }
}

/// Reads a value that is JSON.
pub fn json(text: &str) -> Result<Value> {
    Ok(Reader::whole(text.as_bytes())?)
}

/// Reads a whole number, at least 0 (`src/couch_mrview/src/couch_mrview_http.erl`, `parse_pos_int`).
pub fn number(text: &str) -> Result<u64> {
    let wrong = |wanted: &str| CouchError::query_parse(format!("Invalid value for {wanted}: {text:?}"));
    match text.parse::<i64>() {
        Ok(number) => u64::try_from(number).map_err(|_| wrong("positive integer")),
        Err(_) => Err(wrong("integer")),
    }
}
