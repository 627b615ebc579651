//! A search over what an index function said: the documents that match, in order, and what is counted of all of them.

use crate::definition::TextIndex;
use crate::error::{Error, Result};
use crate::groups::Grouping;
use crate::highlights::{Highlights, Marker, found_hit};
use crate::run::{IndexRows, Reading};
use crate::said::{FieldType, Fields, facet};
use crate::sort::{SortBy, distances, keys};
use memory::Budget;
use search::{Hit, Request, WINDOW_MAX};
use serde_json::{Map, Value as Json, json};
use std::cmp::Reverse;

/// The most hits of one answer.
pub const HITS_MAX: usize = WINDOW_MAX;

/// The field of terms that name none.
const DEFAULT_FIELD: &str = "default";

/// A field, and queries of it by the labels of their ranges.
pub type FieldRanges = (String, Vec<(String, Json)>);

/// What is asked of an index.
#[derive(Clone, Debug, Default)]
pub struct TextSearch {
    /// In Lucene's syntax.
    pub query: String,
    /// The partition that is searched, of an index that has them.
    pub partition: Option<String>,
    /// Hits at most; within groups, hits of each.
    pub limit: usize,
    /// The order of hits.
    pub sort: Vec<SortBy>,
    /// Whether of several values of a field the greatest is sorted by, as Clouseau does.
    pub by_greatest: bool,
    /// What the hit was sorted by after which to go on.
    pub after: Option<Vec<Json>>,
    /// Fields whose values are counted.
    pub counts: Option<Vec<String>>,
    /// How many values of each, and ranges of each of the fields in `ranges`.
    pub counts_max: usize,
    /// Conditions in Lucene's syntax or as ranges whose hits are counted, by field and label.
    pub ranges: Option<Vec<FieldRanges>>,
    /// Fields with the values of which a hit has one.
    pub drilldown: Vec<(String, Vec<String>)>,
    /// How hits are grouped.
    pub grouping: Option<Grouping>,
    /// What is marked in hits.
    pub highlights: Option<Highlights>,
}

/// A document that was found.
#[derive(Debug)]
pub struct FoundHit {
    /// The document, as the index holds it.
    pub hit: Hit,
    /// The parts of its texts in which what was searched for stands, by field.
    pub highlights: Option<Map<String, Json>>,
}

/// What was found.
#[derive(Debug)]
pub struct SearchOutcome {
    /// The documents that match.
    pub total: u64,
    /// Those that were asked for.
    pub hits: Vec<FoundHit>,
    /// How many hits have each value, by field.
    pub counts: Option<Map<String, Json>>,
    /// How many hits are in each range, by field.
    pub ranges: Option<Map<String, Json>>,
}

impl TextSearch {
    /// Looks at all that the index holds.
    pub async fn find(&self, index: &TextIndex, memory: &Budget) -> Result<SearchOutcome> {
        let distances = distances(&[&self.sort]);
        let reading = Reading {
            partition: self.partition.as_deref(),
            distances: &distances,
            group_field: None,
        };
        let entries = IndexRows::read(index, reading, memory).await?;
        let sort = keys(&self.sort, &entries.fields, &distances, self.by_greatest);
        let mut body = self.body(&sort, self.limit);
        body["aggs"] = self.aggregations(&entries.fields)?;
        if let Some(after) = &self.after {
            body["search_after"] = after.clone().into();
        }
        let request = parsed(&body)?;
        let mapping = entries.mapping(index, distances.len())?;
        let outcome = entries.run(&request, &mapping, |_| true)?;
        let aggregations = outcome.aggregations.unwrap_or_default();
        let counts = self.counts.as_deref();
        let ranges = self.ranges.as_deref();
        let marker = Marker::of(self.highlights.as_ref(), &request, &mapping, index)?;
        let hits = outcome.hits.into_iter();
        let hits = hits.map(|hit| found_hit(hit, marker.as_ref()));
        Ok(SearchOutcome {
            total: outcome.total,
            hits: hits.collect::<Result<_>>()?,
            counts: counts.map(|names| counted(names, &aggregations)),
            ranges: ranges.map(|ranges| counted_ranges(ranges, self.counts_max, &aggregations)),
        })
    }

    /// Returns the body of a request for `size` hits in the order of `sort`.
    pub(crate) fn body(&self, sort: &Json, size: usize) -> Json {
        let query = json!({"query_string": {"query": self.query, "default_field": DEFAULT_FIELD}});
        let drilled = self.drilldown.iter();
        let drilled: Vec<Json> = drilled
            .map(|(name, values)| json!({"terms": {facet(name): values}}))
            .collect();
        json!({
            "query": {"bool": {"must": [query], "filter": drilled}},
            "size": size,
            "sort": sort,
            "track_total_hits": true,
            "track_scores": true,
        })
    }

    fn aggregations(&self, fields: &Fields) -> Result<Json> {
        let mut asked = Map::new();
        for name in self.counts.iter().flatten() {
            fields.require_facet(name)?;
            let terms = json!({"terms": {"field": facet(name), "size": self.counts_max}});
            asked.insert(format!("c{name}"), terms);
        }
        for (name, ranges) in self
            .ranges
            .iter()
            .flatten()
            .filter(|(_, ranges)| !ranges.is_empty())
        {
            if fields.types.get(name) != Some(&FieldType::Number) {
                return Err(no_field(name));
            }
            let filters: Map<String, Json> = ranges.iter().cloned().collect();
            asked.insert(format!("r{name}"), json!({"filters": {"filters": filters}}));
        }
        Ok(asked.into())
    }
}

/// The request that a body is.
pub(crate) fn parsed(body: &Json) -> Result<Request> {
    let body = body.as_object().cloned().unwrap_or_default();
    let (request, _) = Request::parse(&body)?;
    Ok(request)
}

fn counted(names: &[String], aggregations: &Map<String, Json>) -> Map<String, Json> {
    let of = |name: &String| {
        let buckets = &aggregations.get(&format!("c{name}")).unwrap_or(&Json::Null)["buckets"];
        let count = |bucket: &Json| {
            let key = bucket["key"]
                .as_str()
                .map_or_else(|| bucket["key"].to_string(), str::to_owned);
            (key, bucket["doc_count"].clone())
        };
        let counts: Map<String, Json> = buckets.as_array().into_iter().flatten().map(count).collect();
        (name.clone(), counts.into())
    };
    names.iter().map(of).collect()
}

/// The most frequent ranges of each field, as many as of counted values.
fn counted_ranges(ranges: &[FieldRanges], max: usize, aggregations: &Map<String, Json>) -> Map<String, Json> {
    let of = |(name, labels): &FieldRanges| {
        let buckets = &aggregations.get(&format!("r{name}")).unwrap_or(&Json::Null)["buckets"];
        let count = |(label, _): &(String, Json)| (label.clone(), buckets[label]["doc_count"].clone());
        let mut counts: Vec<(String, Json)> = labels.iter().map(count).collect();
        if counts.len() > max {
            counts.sort_by_key(|(_, count)| Reverse(count.as_u64()));
            counts.truncate(max);
        }
        (name.clone(), counts.into_iter().collect::<Map<_, _>>().into())
    };
    ranges.iter().map(of).collect()
}

impl Fields {
    fn require_facet(&self, name: &str) -> Result<()> {
        match self.facets.contains_key(name) {
            true => Ok(()),
            false => Err(no_field(name)),
        }
    }
}

fn no_field(name: &str) -> Error {
    Error::BadRequest(format!("The {name} does not exist."))
}
