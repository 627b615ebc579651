//! Which indices may have what somebody looks for: `index_filter` of field capabilities.
//!
//! It is not asked of documents: as with Elasticsearch, an index is left out only where a range of dates lies beyond all that it
//! has, or where a query matches nothing whatever the documents are.

use mapping::Mapping;
use mapping::error::Result;
use mapping::fields::simple_match;
use search::parse_query;
use serde_json::Value;

/// A query, as far as it can leave out indices.
#[derive(Debug)]
pub struct IndexFilter {
    root: Part,
    ranges: Vec<(String, Value)>,
}

#[derive(Debug)]
enum Part {
    Anything,
    Nothing,
    /// One of these indices.
    Indices(Vec<String>),
    /// What a range finds.
    Range(usize),
    Every(Vec<Part>),
    Some(Vec<Part>),
}

impl IndexFilter {
    /// Reads a query.
    pub fn parse(query: &Value) -> Result<IndexFilter> {
        parse_query(query)?;
        let mut ranges = Vec::new();
        Ok(IndexFilter {
            root: part(query, &mut ranges),
            ranges,
        })
    }

    /// The ranges on which it depends whether an index is left out; each is to be looked for by itself where the field has dates.
    pub fn ranges(&self) -> &[(String, Value)] {
        &self.ranges
    }

    /// Whether a range is to be looked for; else what is known of it without.
    pub fn is_known(field: &str, mapping: &Mapping) -> Option<bool> {
        match mapping.field(field) {
            None => Some(false),
            Some(field) => (!field.is_date()).then_some(true),
        }
    }

    /// Whether an index may have documents that match, by what is known of the ranges.
    pub fn may_match(&self, index: &str, ranges: &[bool]) -> bool {
        self.root.may_match(index, ranges)
    }
}

impl Part {
    fn may_match(&self, index: &str, ranges: &[bool]) -> bool {
        match self {
            Part::Anything => true,
            Part::Nothing => false,
            Part::Indices(names) => names.iter().any(|name| simple_match(name, index)),
            Part::Range(at) => ranges.get(*at).copied().unwrap_or(true),
            Part::Every(parts) => parts.iter().all(|part| part.may_match(index, ranges)),
            Part::Some(parts) => parts.iter().any(|part| part.may_match(index, ranges)),
        }
    }
}

/// A query that was read without an error.
fn part(query: &Value, ranges: &mut Vec<(String, Value)>) -> Part {
    let Some((kind, body)) = query.as_object().and_then(|query| query.iter().next()) else {
        return Part::Anything;
    };
    let member = body.as_object().and_then(|body| body.iter().next());
    match (kind.as_str(), member) {
        ("match_none", _) => Part::Nothing,
        ("range", Some((field, _))) => {
            ranges.push((field.clone(), query.clone()));
            Part::Range(ranges.len() - 1)
        }
        ("term", Some((field, wanted))) if field == "_index" => {
            let value = wanted.get("value").unwrap_or(wanted);
            Part::Indices(value.as_str().map(str::to_owned).into_iter().collect())
        }
        ("terms", Some((field, Value::Array(names)))) if field == "_index" => {
            let names = names.iter().filter_map(Value::as_str);
            Part::Indices(names.map(str::to_owned).collect())
        }
        ("constant_score", _) => body
            .get("filter")
            .map_or(Part::Anything, |inner| part(inner, ranges)),
        ("bool", _) => both(body, ranges),
        _ => Part::Anything,
    }
}

/// What must be and, where nothing must be, some of what should be.
fn both(body: &Value, ranges: &mut Vec<(String, Value)>) -> Part {
    let mut clauses = |names: &[&str]| {
        let mut parts = Vec::new();
        for clause in names.iter().filter_map(|name| body.get(*name)) {
            match clause {
                Value::Array(list) => parts.extend(list.iter().map(|one| part(one, ranges))),
                one => parts.push(part(one, ranges)),
            }
        }
        parts
    };
    let (every, some) = (clauses(&["must", "filter"]), clauses(&["should"]));
    match every.is_empty() && !some.is_empty() {
        true => Part::Some(some),
        false => Part::Every(every),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn indices_are_left_out_by_ranges_and_what_matches_nothing() {
        let range = |field: &str| json!({"range": {field: {"gte": 1}}});
        for (query, ranges, wanted) in [
            (json!({"match_all": {}}), vec![], true),
            (json!({"match_none": {}}), vec![], false),
            (json!({"term": {"k": "x"}}), vec![], true),
            (range("at"), vec![false], false),
            (
                json!({"bool": {"filter": [range("a"), range("b")]}}),
                vec![true, false],
                false,
            ),
            (
                json!({"bool": {"should": [range("a"), range("b")]}}),
                vec![true, false],
                true,
            ),
            (
                json!({"bool": {"must": range("a"), "should": [range("b")]}}),
                vec![true, false],
                true,
            ),
            (json!({"bool": {"must_not": range("a")}}), vec![], true),
            (
                json!({"constant_score": {"filter": {"term": {"_index": "other"}}}}),
                vec![],
                false,
            ),
            (json!({"terms": {"_index": ["other", "log*"]}}), vec![], true),
        ] {
            let filter = IndexFilter::parse(&query).expect("a query");
            assert_eq!(filter.ranges().len(), ranges.len(), "{query}");
            assert_eq!(filter.may_match("logs", &ranges), wanted, "{query}");
        }
        assert!(IndexFilter::parse(&json!({"none such": {}})).is_err());
    }
}
