//! Names of figures in paths, and what somebody may have meant who misspells one.

use crate::error::{ElasticError, Result};

/// The figures of indices.
pub(crate) const OF_INDICES: &[&str] = &[
    "completion",
    "docs",
    "fielddata",
    "flush",
    "get",
    "indexing",
    "merge",
    "query_cache",
    "recovery",
    "refresh",
    "request_cache",
    "search",
    "segments",
    "store",
    "suggest",
    "translog",
    "warmer",
];

/// Which figures are wanted; all where none is named.
#[derive(Clone, Debug, Default)]
pub(crate) struct Metrics(Option<Vec<String>>);

impl Metrics {
    /// Reads names with commas between them.
    pub(crate) fn parse(text: Option<&str>, known: &[&str], path: &str) -> Result<Metrics> {
        let Some(text) = text else {
            return Ok(Metrics::default());
        };
        let names: Vec<String> = text
            .split(',')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        if names.iter().any(|name| name == "_all") {
            return match names.len() {
                1 => Ok(Metrics::default()),
                _ => Err(ElasticError::illegal(format!(
                    "request [/{path}] contains _all and individual metrics [{text}]"
                ))),
            };
        }
        let unknown: Vec<String> = names
            .iter()
            .filter(|name| !known.contains(&name.as_str()))
            .map(|name| format!("[{name}]{}", meant(name, known)))
            .collect();
        match unknown.is_empty() {
            true => Ok(Metrics(Some(names))),
            false => Err(ElasticError::illegal(format!(
                "request [/{path}] contains unrecognized metric{}: {}",
                if unknown.len() == 1 { "" } else { "s" },
                unknown.join(", ")
            ))),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0
            .as_ref()
            .is_none_or(|names| names.iter().any(|one| one == name))
    }
}

/// The names that somebody may have meant.
pub(crate) fn meant(name: &str, known: &[&str]) -> String {
    let mut near: Vec<(usize, &str)> = known
        .iter()
        .map(|known| (strsim::levenshtein(name, known), *known))
        .filter(|(distance, known)| *distance * 2 < known.len().max(name.len()))
        .collect();
    near.sort();
    match &near[..] {
        [] => String::new(),
        [(_, one)] => format!(" -> did you mean [{one}]?"),
        several => {
            let names: Vec<&str> = several.iter().map(|(_, name)| *name).collect();
            format!(" -> did you mean any of [{}]?", names.join(", "))
        }
    }
}
