//! `index.sort`: the fields by which an index is sorted. What is stored has the order in which it came, so these settings are
//! checked as Elasticsearch checks them, and do nothing else.

use crate::error::{ElasticError, Result};
use search::Mapping;
use serde_json::{Map, Value};

/// The types of fields by which an index can be sorted.
const SORTED_TYPES: [&str; 15] = [
    "keyword",
    "constant_keyword",
    "ip",
    "boolean",
    "date",
    "date_nanos",
    "long",
    "integer",
    "short",
    "byte",
    "double",
    "float",
    "half_float",
    "scaled_float",
    "unsigned_long",
];

/// Refuses values that these settings cannot have.
pub(crate) fn check_values(sort: &Value) -> Result<()> {
    for (name, value) in sort.as_object().into_iter().flatten() {
        if !["field", "order", "mode", "missing"].contains(&name.as_str()) {
            return Err(ElasticError::illegal(format!(
                "unknown setting [index.sort.{name}]"
            )));
        }
        for one in listed(Some(value)) {
            check_value(name, one)?;
        }
    }
    Ok(())
}

fn check_value(name: &str, value: &str) -> Result<()> {
    let large = value.to_ascii_uppercase();
    let reason = match (name, large.as_str()) {
        ("field", _) | ("order", "ASC" | "DESC") | ("mode", "MIN" | "MAX") => return Ok(()),
        ("missing", _) if ["_first", "_last"].contains(&value) => return Ok(()),
        ("order", _) => format!("Illegal sort order:{value}"),
        ("mode", "SUM" | "AVG" | "MEDIAN") => {
            format!("Illegal index sort mode:[{large}], must be one of [MAX, MIN]")
        }
        ("mode", _) => format!("Illegal sort mode: {value}"),
        _ => format!("Illegal missing value:[{value}], must be one of [_last, _first]"),
    };
    Err(ElasticError::illegal(reason))
}

/// The values of a setting that has several, with commas between them or in an array.
fn listed(value: Option<&Value>) -> Vec<&str> {
    let values: Vec<&str> = match value {
        Some(Value::String(text)) => text.split(',').collect(),
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let values = values.into_iter().map(str::trim);
    values.filter(|value| !value.is_empty()).collect()
}

/// Refuses settings that do not fit each other, or not the mapping of the index.
pub fn check(settings: &Map<String, Value>, mapping: &Mapping) -> Result<()> {
    let Some(sort) = settings.get("sort") else {
        return Ok(());
    };
    let fields = listed(sort.get("field"));
    for name in ["order", "mode", "missing"] {
        let values = listed(sort.get(name));
        if sort.get(name).is_some() && values.len() != fields.len() {
            let shown = match name {
                "order" => values.join(", ").to_ascii_lowercase(),
                "mode" => values.join(", ").to_ascii_uppercase(),
                _ => values.join(", "),
            };
            return Err(ElasticError::illegal(format!(
                "index.sort.field:[{}] index.sort.{name}:[{shown}], size mismatch",
                fields.join(", ")
            )));
        }
    }
    if fields.is_empty() {
        return Ok(());
    }
    fields.iter().try_for_each(|name| check_field(name, mapping))?;
    match mapping.fields().any(|(_, field)| field.type_name == "nested") {
        true => Err(ElasticError::illegal(
            "cannot have nested fields when index sort is activated",
        )),
        false => Ok(()),
    }
}

fn check_field(name: &str, mapping: &Mapping) -> Result<()> {
    let what = match mapping.field(name).filter(|field| !field.is_object()) {
        None => "unknown index sort field",
        Some(field) if !field.doc_values => "docvalues not found for index sort field",
        Some(field) if !SORTED_TYPES.contains(&field.type_name.as_str()) => "invalid index sort field",
        Some(_) => return Ok(()),
    };
    Err(ElasticError::illegal(format!("{what}:[{name}]")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::Analysis;
    use serde_json::json;

    fn refusal(sort: Value, properties: Value) -> Option<String> {
        let mapping = Mapping::parse(&json!({"properties": properties}), Analysis::default());
        let settings = Map::from_iter([("sort".to_owned(), sort.clone())]);
        let checked = check_values(&sort).and_then(|()| check(&settings, &mapping.expect("a mapping")));
        checked.err().map(|error| error.reason)
    }

    #[test]
    fn values_are_those_that_a_sort_can_have() {
        let fields = || json!({"a": {"type": "integer"}, "b": {"type": "keyword"}});
        for sort in [
            json!({"field": "a"}),
            json!({"field": "a,b", "order": ["asc", "DESC"], "mode": "min, max", "missing": ["_last", "_first"]}),
            json!({"field": []}),
        ] {
            assert_eq!(refusal(sort, fields()), None);
        }
        for (sort, reason) in [
            (json!({"order": "up"}), "Illegal sort order:up"),
            (
                json!({"mode": "avg"}),
                "Illegal index sort mode:[AVG], must be one of [MAX, MIN]",
            ),
            (json!({"mode": "most"}), "Illegal sort mode: most"),
            (
                json!({"missing": "last"}),
                "Illegal missing value:[last], must be one of [_last, _first]",
            ),
            (json!({"colour": "red"}), "unknown setting [index.sort.colour]"),
            (
                json!({"field": "a,b", "order": "DESC"}),
                "index.sort.field:[a, b] index.sort.order:[desc], size mismatch",
            ),
            (
                json!({"mode": "max"}),
                "index.sort.field:[] index.sort.mode:[MAX], size mismatch",
            ),
        ] {
            assert_eq!(refusal(sort, fields()).as_deref(), Some(reason));
        }
    }

    #[test]
    fn fields_have_columns_with_an_order() {
        let of = |properties: Value| refusal(json!({"field": "a"}), properties);
        assert_eq!(
            of(json!({"b": {"type": "long"}})).as_deref(),
            Some("unknown index sort field:[a]")
        );
        assert_eq!(
            of(json!({"a": {"type": "text"}})).as_deref(),
            Some("docvalues not found for index sort field:[a]")
        );
        assert_eq!(
            of(json!({"a": {"type": "geo_point"}})).as_deref(),
            Some("invalid index sort field:[a]")
        );
        assert_eq!(
            of(json!({"a": {"type": "date"}, "b": {"type": "nested"}})).as_deref(),
            Some("cannot have nested fields when index sort is activated")
        );
    }
}
