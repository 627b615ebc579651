//! Names of figures in paths.

use indices::error::{ElasticError, Result};

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
        let names_of = names.iter().map(String::as_str);
        let unknown: Vec<&str> = names_of.filter(|name| !known.contains(name)).collect();
        match unknown.is_empty() {
            true => Ok(Metrics(Some(names))),
            false => {
                let path = format!("/{path}");
                Err(ElasticError::illegal(search::unrecognized(
                    &path, "metric", unknown, known,
                )))
            }
        }
    }

    /// The same, where a name that is not known means nothing.
    pub(crate) fn known(text: Option<&str>, known: &[&str]) -> Metrics {
        let of = |text: &str| {
            let names = text.split(',').filter(|name| known.contains(name));
            names.map(str::to_owned).collect()
        };
        Metrics(text.filter(|text| *text != "_all").map(of))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0
            .as_ref()
            .is_none_or(|names| names.iter().any(|one| one == name))
    }
}
