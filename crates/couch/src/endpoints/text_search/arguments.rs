//! The arguments of a search, which are parameters of the query or members of the body.

use crate::call::Call;
use access::error::{CouchError, Result};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use clouseau::Form;
use http::Method;
use serde_json::{Map, Value as Json};

/// What a client says, by name. Parameters of a query are texts, some of which are JSON.
#[derive(Debug)]
pub(super) struct Arguments {
    said: Map<String, Json>,
    is_query: bool,
    pub(super) partition: Option<String>,
}

impl Arguments {
    /// Those of a GET or a POST, whose body has to be said to be JSON where it asks an index of Nouveau's kind.
    pub(super) async fn of(call: &mut Call, form: Form) -> Result<Arguments> {
        let mut partition = call.query.get("partition").map(str::to_owned);
        let (said, is_query) = match call.method {
            Method::GET | Method::HEAD => (of_query(call), true),
            Method::POST => {
                if form == Form::Nouveau {
                    call.check_is_json()?;
                }
                (call.json_map().await?, false)
            }
            _ => {
                return Err(CouchError::method_not_allowed(match form {
                    Form::Nouveau => "GET, POST",
                    Form::Search => "GET,POST",
                }));
            }
        };
        // Those of a path come as those of a query.
        if let Some(Json::String(named)) = said.get("partition").filter(|_| !is_query) {
            if partition.as_ref().is_some_and(|partition| partition != named) {
                return Err(CouchError::bad_request(
                    "Multiple conflicting values for `partition` provided",
                ));
            }
            partition = Some(named.clone());
        }
        Ok(Arguments {
            said,
            is_query,
            partition,
        })
    }

    /// The first argument whose name begins like this.
    pub(super) fn first(&self, start: &str) -> Option<&str> {
        self.said
            .keys()
            .map(String::as_str)
            .find(|name| name.starts_with(start))
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>> {
        match self.said.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(other) => Err(invalid(name, other)),
        }
    }

    /// JSON, which within a query is a text.
    pub(super) fn json(&self, name: &str) -> Result<Option<Json>> {
        match self.said.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) if self.is_query => {
                let parsed = serde_json::from_str(text);
                parsed
                    .map(Some)
                    .map_err(|_| CouchError::bad_request("invalid UTF-8 JSON"))
            }
            Some(value) => Ok(Some(value.clone())),
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>> {
        match self.said.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Bool(flag)) => Ok(Some(*flag)),
            Some(Json::String(text)) if text == "true" => Ok(Some(true)),
            Some(Json::String(text)) if text == "false" => Ok(Some(false)),
            Some(other) => Err(invalid(name, other)),
        }
    }

    /// A whole number.
    pub(super) fn number(&self, name: &str) -> Result<Option<i64>> {
        let not_whole = || CouchError::query_parse(format!("{name} parameter must be an integer"));
        match self.said.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => text.parse().map(Some).map_err(|_| not_whole()),
            Some(value) => value.as_i64().map(Some).ok_or_else(not_whole),
        }
    }

    /// A list of texts.
    pub(super) fn texts(&self, name: &str) -> Result<Option<Vec<String>>> {
        let wrong = || CouchError::query_parse(format!("{name} parameter must be a list of strings"));
        let list = self.json(name)?.map(|value| match value {
            Json::Array(values) => {
                let texts = values.into_iter().map(|value| value.as_str().map(str::to_owned));
                texts.collect::<Option<Vec<_>>>().ok_or_else(wrong)
            }
            _ => Err(wrong()),
        });
        list.transpose()
    }

    /// What the last hit of the answer before was sorted by.
    pub(super) fn bookmark(&self) -> Result<Option<Vec<Json>>> {
        let Some(text) = self.text("bookmark")?.filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let decoded = BASE64_URL_SAFE_NO_PAD.decode(text).ok();
        let values = decoded.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        values
            .map(Some)
            .ok_or_else(|| CouchError::bad_request("invalid bookmark"))
    }
}

/// The bookmark after a hit that was sorted by these values.
pub(super) fn bookmark_of(values: &[Json]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Json::Array(values.to_vec()).to_string())
}

fn invalid(name: &str, value: &Json) -> CouchError {
    CouchError::query_parse(format!("Invalid value for {name}: {value}"))
}

fn of_query(call: &Call) -> Map<String, Json> {
    let mut said = Map::new();
    for (name, value) in call.query.iter() {
        // One that may be said several times is a list of all.
        if name == "drilldown" {
            let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
            match said.get_mut(name) {
                Some(Json::Array(values)) => values.push(value),
                _ => drop(said.insert(name.to_owned(), Json::Array(vec![value]))),
            }
        } else {
            said.insert(name.to_owned(), value.into());
        }
    }
    said
}

/// Whether a key of a sort is a descending one, and what it names.
pub(super) fn direction(key: &str) -> (bool, &str) {
    match key.strip_prefix('-') {
        Some(name) => (true, name),
        None => (false, key.strip_prefix('+').unwrap_or(key)),
    }
}
