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
        self.get(name).map(|text| number(name, text)).transpose()
    }
}

/// Reads a value that is JSON.
pub fn json(text: &str) -> Result<Value> {
    Ok(Reader::whole(text.as_bytes())?)
}

/// Reads a whole number, at least 0.
pub fn number(name: &str, text: &str) -> Result<u64> {
    let is_negative = text
        .strip_prefix('-')
        .is_some_and(|rest| rest.parse::<u64>().is_ok());
    text.parse().map_err(|_| {
        let wanted = if is_negative {
            "Positive integer"
        } else {
            "Integer"
        };
        CouchError::query_parse(format!(
            "Invalid value for {}: {text:?} ({name})",
            wanted.to_lowercase()
        ))
    })
}
