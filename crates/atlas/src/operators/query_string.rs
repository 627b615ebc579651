//! `queryString`: Lucene's language of queries.

use super::Scope;
use crate::error::{Result, of_search, refused};
use crate::fields;
use crate::paths::below;
use crate::spec::Spec;
use search::{FieldUse, Query, parse_query_string};

pub(super) fn query_string(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    let required = |name: &str| {
        let missing = || refused(format!("\"{}\" is required", spec.path_of(name)));
        spec.text(name)?
            .filter(|text| !text.is_empty())
            .ok_or_else(missing)
    };
    let (path, text) = (required("defaultPath")?, required("query")?);
    let parsed = parse_query_string(text, Some(path), false, true).map_err(of_search)?;
    Ok(parsed.renamed(&|path, asked| named(path, asked, scope)))
}

/// The fields that a path means to a part of the query.
fn named(path: &str, asked: FieldUse, scope: Scope<'_>) -> Vec<String> {
    let kinds: &[&str] = match asked {
        FieldUse::Presence => return below(path, scope.mapping),
        FieldUse::Text => &["string", "number", "boolean", "objectId"],
        FieldUse::Pattern => &["string"],
        FieldUse::Texts => &["string", "token"],
        FieldUse::Numbers => &["number"],
    };
    let names = kinds.iter().map(|kind| fields::name(kind, path));
    names.filter(|name| scope.mapping.has_field(name)).collect()
}
