//! How much a search may ask of an index, where the index's settings say so, and how long it may take.

use indices::error::{ElasticError, Result};
use indices::scan::IndexSnapshot;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// Refuses a body whose aggregations ask for more than one of the indices allows.
pub(super) fn check(body: &Map<String, Value>, places: &[IndexSnapshot]) -> Result<()> {
    for place in places {
        look(body, place.index.limit("max_adjacency_matrix_filters")?)?;
    }
    Ok(())
}

/// Looks through the aggregations of a body, or of another aggregation.
fn look(body: &Map<String, Value>, filters_max: usize) -> Result<()> {
    let members = ["aggs", "aggregations"].iter().filter_map(|name| body.get(*name));
    let all = members.filter_map(Value::as_object).flat_map(Map::values);
    for aggregation in all.filter_map(Value::as_object) {
        let filters = aggregation
            .get("adjacency_matrix")
            .and_then(|matrix| matrix.get("filters")?.as_object());
        if let Some(filters) = filters.filter(|filters| filters.len() > filters_max) {
            return Err(ElasticError::illegal(format!(
                "Number of filters is too large, must be less than or equal to: [{filters_max}] but was [{}].This limit can be set by \
                 changing the [index.max_adjacency_matrix_filters] index level setting.",
                filters.len()
            )));
        }
        look(aggregation, filters_max)?;
    }
    Ok(())
}

/// `500ms`, `2s`: until when a search may go on. -1 is for ever, as is nothing.
pub(super) fn deadline(timeout: Option<&Value>) -> Result<Option<Instant>> {
    let Some(value) = timeout else { return Ok(None) };
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if text == "-1" {
        return Ok(None);
    }
    let limit = match text.as_str() {
        "0" => Duration::ZERO,
        text => search::parse_time(text, "timeout")?,
    };
    Ok(Instant::now().checked_add(limit))
}
