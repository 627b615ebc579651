//! What a search asks: a query, which of its hits, in which order.

use crate::aggregations::{Aggregations, BUCKETS_MAX};
use crate::hit::Hit;
use crate::sort::{SortKey, parse_sort};
use mapping::error::{Result, SearchError};
use mapping::json::Members;
use mapping::{FieldKind, Mapping};
use querying::{Query, parse_query};
use serde_json::{Map, Value};

/// `from` and `size` together at most.
pub const WINDOW_MAX: usize = 10_000;

/// What a search asks of documents.
#[derive(Clone, Debug)]
pub struct Request {
    /// What they must match; all where there is none.
    pub query: Option<Query>,
    /// What hits must match besides, after aggregations.
    pub post_filter: Option<Query>,
    /// What is wanted of all that matches, besides hits.
    pub aggregations: Aggregations,
    /// Hits to pass by.
    pub from: usize,
    /// Hits wanted.
    pub size: usize,
    /// The order; by score where there is none.
    pub sort: Vec<SortKey>,
    /// The sort values of the hit after which to go on.
    pub search_after: Option<Vec<Value>>,
    /// The hit after which to go on, whichever those are that sort alike.
    pub after: Option<Box<Hit>>,
    /// The least score of a hit.
    pub min_score: Option<f32>,
    /// How many hits are counted: all, none, or up to a number.
    pub track_total_hits: Option<u64>,
    /// Whether scores are wanted although something else is sorted by.
    pub track_scores: bool,
    /// Documents after which to stop.
    pub terminate_after: Option<u64>,
    /// The buckets of aggregations at most.
    pub buckets_max: usize,
    /// `from` and `size` together at most.
    pub window_max: usize,
    /// Whether nobody looks at the documents of hits, which are left out then.
    pub is_bare: bool,
}

impl Default for Request {
    fn default() -> Request {
        Request {
            query: None,
            post_filter: None,
            aggregations: Aggregations::default(),
            from: 0,
            size: 10,
            sort: Vec::new(),
            search_after: None,
            after: None,
            min_score: None,
            track_total_hits: Some(10_000),
            track_scores: false,
            terminate_after: None,
            buckets_max: BUCKETS_MAX,
            window_max: WINDOW_MAX,
            is_bare: false,
        }
    }
}

impl Request {
    /// Reads the members of a body that say what is asked, and gives those that say how it is shown.
    pub fn parse(body: &Map<String, Value>) -> Result<(Request, Map<String, Value>)> {
        let mut request = Request::default();
        let mut rest = Map::new();
        for (name, value) in body {
            let mut one = Map::new();
            one.insert(name.clone(), value.clone());
            let mut member = Members::of_object("search", &one);
            match name.as_str() {
                "query" => request.query = Some(parse_query(value)?),
                "post_filter" => request.post_filter = Some(parse_query(value)?),
                "aggs" | "aggregations" => {
                    request.aggregations = Aggregations::parse(value)?;
                }
                "from" => request.from = count(name, member.integer(name)?)?.unwrap_or(0),
                "size" => request.size = count(name, member.integer(name)?)?.unwrap_or(10),
                "sort" => request.sort = parse_sort(value)?,
                "search_after" => {
                    request.search_after = value.as_array().cloned();
                    if request.search_after.is_none() {
                        return Err(SearchError::parsing("[search_after] must be an array"));
                    }
                }
                "min_score" => request.min_score = member.number(name)?.map(|score| score as f32),
                "track_total_hits" => request.track_total_hits = total_hits(value)?,
                "track_scores" => request.track_scores = member.flag(name)?.unwrap_or(false),
                "terminate_after" => {
                    let count = count(name, member.integer(name)?)?.unwrap_or(0) as u64;
                    request.terminate_after = (count > 0).then_some(count);
                }
                _ => {
                    rest.insert(name.clone(), value.clone());
                }
            }
        }
        Ok((request, rest))
    }

    /// Refuses what goes beyond limits or contradicts itself.
    pub fn check(&self) -> Result<()> {
        let most = self.window_max;
        if self.from.saturating_add(self.size) > most {
            return Err(SearchError::illegal(format!(
                "Result window is too large, from + size must be less than or equal to: [{most}] but was [{}]. See the scroll \
                 api for a more efficient way to request large data sets. This limit can be set by changing the [index.max_result_window] \
                 index level setting.",
                self.from + self.size
            )));
        }
        if let Some(after) = &self.search_after {
            if self.from > 0 {
                return Err(SearchError::illegal(
                    "`from` parameter must be set to 0 when `search_after` is used.",
                ));
            }
            let sorted = self.sort.len().max(1);
            if after.len() != sorted {
                return Err(SearchError::illegal(format!(
                    "search_after has {} value(s) but sort has {}.",
                    after.len(),
                    self.sort.len()
                )));
            }
        }
        Ok(())
    }

    /// Whether it does not matter in which order documents are shown.
    pub fn is_any_order(&self) -> bool {
        self.terminate_after.is_none()
    }

    /// Whether hits are shown with their scores.
    pub fn shows_scores(&self) -> bool {
        let by_score = self.sort.iter().any(|key| matches!(key, SortKey::Score(_)));
        self.is_by_score() || self.track_scores || by_score
    }

    /// Whether hits are sorted by their scores alone.
    pub fn is_by_score(&self) -> bool {
        self.sort.is_empty()
    }
}

fn count(name: &str, number: Option<i64>) -> Result<Option<usize>> {
    match number {
        // As where nothing is said.
        Some(-1) => Ok(None),
        Some(negative) if negative < 0 => Err(SearchError::illegal(format!(
            "[{name}] parameter cannot be negative, found [{negative}]"
        ))),
        number => Ok(number.map(|number| number as usize)),
    }
}

fn total_hits(value: &Value) -> Result<Option<u64>> {
    match value {
        Value::Bool(true) => Ok(Some(u64::MAX)),
        Value::Bool(false) => Ok(None),
        other => match mapping::json::as_i64(other) {
            Some(-1) => Ok(None),
            Some(count) if count >= 0 => Ok(Some(count as u64)),
            _ => Err(SearchError::illegal(format!(
                "[track_total_hits] parameter must be positive or equals to -1, got {other}"
            ))),
        },
    }
}

impl Request {
    /// The fields of text whose values are sorted by or aggregated, and so read one by one.
    pub fn columns(&self, mapping: &Mapping) -> Vec<String> {
        let is_of = |name: &String, kinds: &[FieldKind]| {
            mapping
                .field(name)
                .is_some_and(|field| kinds.contains(&field.kind))
        };
        let sorted = self.sort.iter().filter_map(SortKey::field).map(str::to_owned);
        let sorted = sorted.filter(|name| is_of(name, &[FieldKind::Text]));
        let aggregated = self.aggregations.fields().into_iter();
        let aggregated = aggregated.filter(|name| is_of(name, &[FieldKind::Text, FieldKind::Keyword]));
        sorted.chain(aggregated).collect()
    }
}
