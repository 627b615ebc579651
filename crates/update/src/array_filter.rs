//! `arrayFilters`: which elements `$[name]` means.

use language::filter::{Filter, FilterScope};
use language::{Error, Result};
use std::collections::BTreeMap;
use value::{Document, Value};

/// All of an update, by the names that paths use.
pub(crate) type ArrayFilters = BTreeMap<String, ArrayFilter>;

#[derive(Clone, Debug)]
pub(crate) struct ArrayFilter {
    name: String,
    /// Matches a document whose only field has the filter's name and is the element.
    filter: Filter,
}

impl ArrayFilter {
    pub(crate) fn parse_all(documents: &[Document], scope: &FilterScope<'_>) -> Result<ArrayFilters> {
        let mut filters = ArrayFilters::new();
        for document in documents {
            let filter = ArrayFilter::parse(document, scope)?;
            if let Some(known) = filters.insert(filter.name.clone(), filter) {
                return Err(Error::failed_to_parse(format!(
                    "Found multiple array filters with the same top-level field name {}",
                    known.name
                )));
            }
        }
        Ok(filters)
    }

    fn parse(document: &Document, scope: &FilterScope<'_>) -> Result<ArrayFilter> {
        let filter = Filter::parse(document, scope).map_err(|error| in_array_filter(&error))?;
        let mut names = Vec::new();
        top_level_names(document, &mut names);
        match names.as_slice() {
            [] => Err(Error::failed_to_parse(
                "Cannot use an expression without a top-level field name in arrayFilters",
            )),
            [name] if is_valid_name(name) => Ok(ArrayFilter {
                name: (*name).to_owned(),
                filter,
            }),
            [name] => Err(in_array_filter(&Error::bad_value(format!(
                "The top-level field name must be an alphanumeric string beginning with a lowercase letter, found \
                 '{name}'"
            )))),
            [first, second, ..] => Err(in_array_filter(&Error::failed_to_parse(format!(
                "Expected a single top-level field name, found '{first}' and '{second}'"
            )))),
        }
    }

    pub(crate) fn matches(&self, element: &Value) -> Result<bool> {
        self.filter.matches_value(&self.name, element.as_ref())
    }
}

fn in_array_filter(error: &Error) -> Error {
    Error::new(
        error.code,
        format!("Error parsing array filter :: caused by :: {}", error.message),
    )
}

fn is_valid_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The different first parts of the paths in a condition, those within `$and`, `$or` and `$nor` too; two at most.
fn top_level_names<'d>(condition: &'d Document, names: &mut Vec<&'d str>) {
    for (path, value) in condition.iter() {
        match (path, value) {
            ("$and" | "$or" | "$nor", Value::Array(branches)) => {
                for branch in branches {
                    if let Value::Document(branch) = branch {
                        top_level_names(branch, names);
                    }
                }
            }
            _ if path.starts_with('$') => {}
            _ => {
                let name = path.split('.').next().unwrap_or(path);
                if names.len() < 2 && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
}
