//! The rules of `rewrites`: which of them fits a request, and where it leads.
//!
//! A rule has `from` and `to`, paths of which a part `:name` stands for any one part, and `*` at the end for all that follow; `method`,
//! `query`, and `formats` of what the query takes over.

use access::error::{CouchError, Result};
use http::{Method, StatusCode, percent_encode};
use serde_json::{Map, Value as Json};

/// The parameters whose values are JSON.
const JSON_PARAMETERS: [&str; 6] = ["key", "startkey", "start_key", "endkey", "end_key", "keys"];

/// The part of a path that stands for all that follow.
const ALL: &str = "*";

/// Where a rule leads, both parts encoded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Led {
    pub(super) path: String,
    pub(super) query: String,
}

/// What names stand for, the first of several of a name counting.
type Bindings = Vec<(String, Json)>;

/// Where the first rule that fits leads; `None` if none fits.
pub(super) fn rewritten(
    rules: &[Json],
    method: &Method,
    path: &[&str],
    query: &[(&str, &str)],
    secure: bool,
) -> Result<Option<Led>> {
    // All rules are read before one is chosen.
    let rules: Vec<Rule<'_>> = rules
        .iter()
        .filter_map(Json::as_object)
        .map(|rule| Rule::read(rule, secure))
        .collect::<Result<_>>()?;
    let query: Bindings = query.iter().map(decoded).collect::<Result<_>>()?;
    for rule in rules {
        let is_meant = rule.method == ALL || rule.method == method.as_str();
        let Some((bound, rest)) = is_meant.then(|| bind(&rule.from, path)).flatten() else {
            continue;
        };
        let bindings = rule.bindings(bound, &query);
        return Ok(Some(Led {
            path: rule.path(&bindings, rest),
            query: encoded(&bindings),
        }));
    }
    Ok(None)
}

struct Rule<'r> {
    method: &'r str,
    from: Vec<&'r str>,
    to: Vec<&'r str>,
    query: Option<&'r Map<String, Json>>,
    formats: Option<&'r Map<String, Json>>,
}

impl<'r> Rule<'r> {
    fn read(rule: &'r Map<String, Json>, secure: bool) -> Result<Rule<'r>> {
        let text = |name: &str| rule.get(name).and_then(Json::as_str);
        let to = text("to").ok_or_else(|| {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            CouchError::new(status, "error", "invalid_rewrite_target")
        })?;
        Ok(Rule {
            method: text("method").unwrap_or(ALL),
            from: match text("from") {
                Some(from) => parts(from, secure)?,
                None => vec![ALL],
            },
            to: parts(to, secure)?,
            query: rule.get("query").and_then(Json::as_object),
            formats: rule.get("formats").and_then(Json::as_object),
        })
    }

    /// What names stand for: those of the rule's query, then those of the path and of the request's query.
    fn bindings(&self, bound: Bindings, query: &Bindings) -> Bindings {
        let mut given = bound;
        given.extend(query.iter().cloned());
        let own = self.query.into_iter().flatten();
        let mut all: Bindings = own
            .map(|(name, value)| (name.clone(), self.filled(value, &given)))
            .collect();
        let own = all.len();
        for (name, value) in given {
            if !all[..own].iter().any(|(known, _)| *known == name) {
                all.push((name, value));
            }
        }
        all
    }

    /// A value of the rule's query with what its variables stand for.
    fn filled(&self, value: &Json, given: &Bindings) -> Json {
        match value {
            Json::String(text) if text == ALL => self.value_of(ALL, value, given),
            Json::String(text) => match text.strip_prefix(':') {
                Some(name) => self.value_of(name, value, given),
                None => value.clone(),
            },
            Json::Array(values) => values
                .iter()
                .map(
                    |value| match value.as_str().and_then(|text| text.strip_prefix(':')) {
                        Some(name) => self.value_of(name, value, given),
                        None => value.clone(),
                    },
                )
                .collect(),
            other => other.clone(),
        }
    }

    fn value_of(&self, name: &str, default: &Json, given: &Bindings) -> Json {
        let value = find(given, name).unwrap_or(default).clone();
        let format = self.formats.and_then(|formats| formats.get(name)?.as_str());
        match (format, value.as_str()) {
            (Some("int"), Some(text)) => text.parse::<i64>().map_or(value, Json::from),
            (Some("bool"), Some(text)) => match text.to_ascii_lowercase().as_str() {
                "true" => Json::Bool(true),
                "false" => Json::Bool(false),
                _ => value,
            },
            _ => value,
        }
    }

    fn path(&self, bindings: &Bindings, rest: &[&str]) -> String {
        let mut path: Vec<String> = Vec::new();
        for part in &self.to {
            match part.strip_prefix(':') {
                _ if *part == ALL => {
                    path.extend(rest.iter().map(|part| percent_encode(part)));
                    break;
                }
                Some(name) => path.push(match find(bindings, name) {
                    Some(value) => percent_encode(&plain(value)),
                    None => "undefined".to_owned(),
                }),
                None => path.push(percent_encode(part)),
            }
        }
        path.join("/")
    }
}

/// The parts of a rule's path. One that leads out of the database is refused unless the settings allow it.
fn parts(path: &str, secure: bool) -> Result<Vec<&str>> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if secure && parts.iter().filter(|part| **part == "..").count() > 2 {
        return Err(CouchError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "insecure_rewrite_rule",
            "too many ../.. segments",
        ));
    }
    Ok(parts)
}

/// What the variables of a rule's path stand for in a path, and what is left of it for `*`; `None` if it does not fit.
fn bind<'p>(from: &[&str], path: &'p [&'p str]) -> Option<(Bindings, &'p [&'p str])> {
    let mut bound = Bindings::new();
    let mut rest = path;
    for (place, part) in from.iter().enumerate() {
        if *part == ALL && place + 1 == from.len() {
            return Some((bound, rest));
        }
        let (first, others) = rest.split_first()?;
        match part.strip_prefix(':').or((*part == ALL).then_some(ALL)) {
            Some(name) => bound.insert(0, (name.to_owned(), Json::from(*first))),
            None if part == first => {}
            None => return None,
        }
        rest = others;
    }
    rest.is_empty().then_some((bound, rest))
}

fn find<'b>(bindings: &'b Bindings, name: &str) -> Option<&'b Json> {
    let found = bindings.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value)
}

/// A parameter of the request.
fn decoded(&(name, value): &(&str, &str)) -> Result<(String, Json)> {
    let value = match JSON_PARAMETERS.contains(&name) {
        true => serde_json::from_str(value).map_err(|_| CouchError::bad_request("invalid UTF-8 JSON"))?,
        false => value.into(),
    };
    Ok((name.to_owned(), value))
}

fn encoded(bindings: &Bindings) -> String {
    let pairs = bindings.iter().filter(|(name, _)| name != ALL);
    let pairs = pairs.map(|(name, value)| {
        let value = match JSON_PARAMETERS.contains(&name.as_str()) {
            true => value.to_string(),
            false => plain(value),
        };
        format!("{}={}", percent_encode(name), percent_encode(&value))
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// A value as text: strings as they are, arrays of them one after the other.
fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(values) => values.iter().map(plain).collect(),
        other => other.to_string(),
    }
}
