//! The order of buckets, and the numbers that it goes by.

use super::path::{self, Step};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, scalar, token};
use serde_json::Value;
use std::cmp::Ordering;

/// What buckets are ordered by.
#[derive(Clone, Debug)]
pub(super) enum By {
    Count,
    Key,
    /// The number at the end of a path, as the request has it.
    Number(String, Vec<Step>),
}

/// In which order buckets come.
#[derive(Clone, Debug)]
pub(super) struct BucketOrder {
    pub(super) by: By,
    pub(super) ascending: bool,
}

impl BucketOrder {
    /// The most documents first.
    pub(super) const BY_COUNT: BucketOrder = BucketOrder {
        by: By::Count,
        ascending: false,
    };
}

/// Takes `order`: an object, or a list of them.
pub(super) fn take(members: &mut Members<'_>) -> Result<Vec<BucketOrder>> {
    let listed = match members.take("order") {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) if list.iter().any(Value::is_array) || list.is_empty() => {
            let reason = "a list of orders has an object for each";
            let error = SearchError::illegal(reason);
            return Err(SearchError::of_member(members.context(), "order", error));
        }
        Some(Value::Array(list)) => list.iter().collect(),
        Some(one @ Value::Object(_)) => vec![one],
        Some(other) => return Err(members.wrong_type("order", other)),
    };
    let read = |one: &Value| one_order(one, members.context());
    listed.into_iter().map(read).collect()
}

fn one_order(value: &Value, context: &str) -> Result<BucketOrder> {
    let Value::Object(object) = value else {
        let reason = format!("Unexpected token [{}] for [order]", token(value));
        return Err(SearchError::parsing(reason));
    };
    // Of several the last one counts, as in Elasticsearch.
    let Some((by, direction)) = object.iter().next_back() else {
        let reason = "Must specify at least one field for [order]";
        return Err(SearchError::parsing(reason));
    };
    let ascending = match direction.as_str().map(str::to_ascii_lowercase).as_deref() {
        Some("asc") => true,
        Some("desc") => false,
        Some(_) => {
            let given = scalar(direction).unwrap_or_default();
            return Err(SearchError::parsing(format!("Unknown order direction [{given}]")));
        }
        None => {
            let reason = format!("Unexpected token [{}] for [order]", token(direction));
            return Err(SearchError::parsing(reason));
        }
    };
    let by = match by.as_str() {
        "_count" => By::Count,
        "_key" | "_term" | "_time" => By::Key,
        text => {
            let none = || SearchError::illegal(format!("Invalid path [{text}]"));
            let steps = path::parse(text).and_then(|steps| steps.ok_or_else(none));
            let steps = steps.map_err(|error| SearchError::of_member(context, "order", error))?;
            By::Number(text.to_owned(), steps)
        }
    };
    Ok(BucketOrder { by, ascending })
}

/// What is no number comes last, however the others are ordered.
pub(super) fn compare_numbers(a: f64, b: f64, ascending: bool) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) if ascending => a.total_cmp(&b),
        (false, false) => b.total_cmp(&a),
        (a, b) => a.cmp(&b),
    }
}
