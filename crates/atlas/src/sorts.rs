//! The option `sort`: by fields, or by how well documents match.

use crate::error::{Result, of_search, refused, unsupported};
use crate::fields;
use crate::paths::below;
use crate::spec::Spec;
use search::{Mapping, SortKey, parse_sort};
use serde_json::{Value as Json, json};
use value::Value;

/// The types of fields by which documents are sorted.
const SORTABLE: [&str; 6] = ["number", "token", "date", "boolean", "objectId", "uuid"];

pub(crate) fn parse(spec: &Spec<'_>, mapping: &Mapping) -> Result<Vec<SortKey>> {
    let mut keys = Vec::new();
    for (path, order) in spec.members() {
        let place = spec.path_of(path);
        let key = match order {
            Value::Document(options) => {
                let options = Spec::new(&place, options);
                let meta = options.text("$meta")?;
                let order = options.any("order");
                match options.text("noData")? {
                    None | Some("lowest") => {}
                    Some(_) => return Err(unsupported("a \"noData\" other than \"lowest\"")),
                }
                options.end()?;
                match meta {
                    Some("searchScore") => json!({"_score": direction(order, &place, "desc")?}),
                    Some(other) => return Err(refused(format!("\"{place}\" cannot sort by \"{other}\""))),
                    None => by_field(path, direction(order, &place, "asc")?, mapping)?,
                }
            }
            order => by_field(path, direction(Some(order), &place, "asc")?, mapping)?,
        };
        keys.push(key);
    }
    if keys.is_empty() {
        return Err(refused("\"sort\" cannot be empty"));
    }
    parse_sort(&json!(keys)).map_err(of_search)
}

fn direction(order: Option<&Value>, place: &str, default: &'static str) -> Result<&'static str> {
    let Some(order) = order else {
        return Ok(default);
    };
    match order.as_ref().as_f64() {
        Some(1.0) => Ok("asc"),
        Some(-1.0) => Ok("desc"),
        _ => Err(refused(format!("\"{place}\" must be 1 or -1"))),
    }
}

/// What has no value is the least.
fn by_field(path: &str, direction: &str, mapping: &Mapping) -> Result<Json> {
    let fields = below(path, mapping).into_iter();
    let mut sortable = fields
        .filter(|name| fields::parts(name).is_some_and(|(kind, at)| at == path && SORTABLE.contains(&kind)));
    let missing = match direction {
        "asc" => "_first",
        _ => "_last",
    };
    let name = match (sortable.next(), sortable.next()) {
        (Some(name), None) => name,
        (None, _) => fields::name("number", path),
        (Some(_), Some(_)) => {
            return Err(unsupported(format!(
                "a sort by \"{path}\", which has values of several types,"
            )));
        }
    };
    Ok(json!({name: {"order": direction, "missing": missing, "unmapped_type": "double"}}))
}
