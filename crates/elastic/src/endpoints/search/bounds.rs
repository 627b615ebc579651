//! How much a search may ask of an index, where the index's settings say so.

use super::expensive::within;
use indices::error::{ElasticError, Result};
use indices::scan::IndexSnapshot;
use serde_json::{Map, Value};

/// The bounds of one index.
struct Bounds {
    terms: usize,
    pattern_chars: usize,
    filters: usize,
}

/// Refuses a body that asks for more than one of the indices allows.
pub(super) fn check(body: &Map<String, Value>, places: &[IndexSnapshot]) -> Result<()> {
    for place in places {
        let bounds = Bounds {
            terms: place.index.limit("max_terms_count")?,
            pattern_chars: place.index.limit("max_regex_length")?,
            filters: place.index.limit("max_adjacency_matrix_filters")?,
        };
        body.get("query").map_or(Ok(()), |query| bounds.look(query))?;
        bounds.look_at_aggregations(body)?;
    }
    Ok(())
}

impl Bounds {
    /// Looks through a query and those within it.
    fn look(&self, query: &Value) -> Result<()> {
        let mut members = query.as_object().into_iter().flatten();
        let Some((name, body)) = members.next() else {
            return Ok(());
        };
        let fields = body.as_object().into_iter().flat_map(Map::values);
        match name.as_str() {
            "terms" => {
                let lengths = fields.filter_map(|value| Some(value.as_array()?.len()));
                match lengths.max().filter(|length| *length > self.terms) {
                    None => Ok(()),
                    Some(length) => Err(ElasticError::illegal(format!(
                        "The number of terms [{length}] used in the Terms Query request has exceeded the allowed maximum of [{}]. This \
                         maximum can be set by changing the [index.max_terms_count] index level setting.",
                        self.terms
                    ))),
                }
            }
            "regexp" => {
                let texts = fields.filter_map(|value| value.get("value").unwrap_or(value).as_str());
                let lengths = texts.map(|text| text.chars().count());
                match lengths.max().filter(|length| *length > self.pattern_chars) {
                    None => Ok(()),
                    Some(length) => Err(ElasticError::illegal(format!(
                        "The length of regex [{length}] used in the Regexp Query request has exceeded the allowed maximum of [{}]. This \
                         maximum can be set by changing the [index.max_regex_length] index level setting.",
                        self.pattern_chars
                    ))),
                }
            }
            _ => within(body).try_for_each(|inner| self.look(inner)),
        }
    }

    /// Looks through the aggregations of a body, or of another aggregation.
    fn look_at_aggregations(&self, body: &Map<String, Value>) -> Result<()> {
        let members = ["aggs", "aggregations"].iter().filter_map(|name| body.get(*name));
        let all = members.filter_map(Value::as_object).flat_map(Map::values);
        for aggregation in all.filter_map(Value::as_object) {
            let filters = aggregation
                .get("adjacency_matrix")
                .and_then(|matrix| matrix.get("filters")?.as_object());
            if let Some(filters) = filters.filter(|filters| filters.len() > self.filters) {
                return Err(ElasticError::illegal(format!(
                    "Number of filters is too large, must be less than or equal to: [{}] but was [{}].This limit can be set by changing \
                     the [index.max_adjacency_matrix_filters] index level setting.",
                    self.filters,
                    filters.len()
                )));
            }
            self.look_at_aggregations(aggregation)?;
        }
        Ok(())
    }
}
