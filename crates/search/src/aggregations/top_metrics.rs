//! `top_metrics`: values of the documents that come first in an order.

use super::context::{Context, Finish};
use super::takes::Takes;
use super::values::{Source, number_of};
use crate::hit::{Hit, SortValue};
use crate::order::{check, compare, sort_values};
use crate::sort::{SortKey, parse_sort, unfiltered};
use mapping::Mapping;
use mapping::error::{Result, SearchError};
use mapping::fields::{Term, View};
use mapping::json::{Members, one_or_many};
use mapping::short::is_short;
use serde_json::{Map, Value, json};
use value::{Document, DocumentBuf};

/// The documents whose values are shown at most, as Elasticsearch has it.
const SIZE_MAX: i64 = 10;

/// What is asked of the first documents.
#[derive(Clone, Debug)]
pub(super) struct TopMetricsSpec {
    metrics: Vec<Source>,
    /// One key; by score where there is none.
    sort: Vec<SortKey>,
    size: usize,
}

impl TopMetricsSpec {
    pub(super) fn parse(members: &mut Members<'_>) -> Result<TopMetricsSpec> {
        let given = members.take("metrics").map(one_or_many).unwrap_or_default();
        if given.is_empty() {
            return Err(SearchError::parsing("Required [metrics]"));
        }
        let mut metrics = Vec::with_capacity(given.len());
        for one in given {
            let mut metric = Members::of("metrics", one)?;
            let field = metric.text("field")?;
            let field = field.ok_or_else(|| SearchError::parsing("Required [field]"))?;
            metrics.push(Source {
                missing: metric.take("missing").cloned(),
                ..Source::of_field(field)
            });
            metric.end()?;
        }
        let sort = members
            .take("sort")
            .ok_or_else(|| SearchError::parsing("Required [sort]"))?;
        let several = sort.as_array().is_some_and(|list| list.len() != 1)
            || sort.as_object().is_some_and(|object| object.len() != 1);
        if several {
            return Err(SearchError::parsing("[top_metrics] takes exactly one [sort]"));
        }
        let size = members.integer("size")?.unwrap_or(1);
        match size {
            1..=SIZE_MAX => Ok(TopMetricsSpec {
                metrics,
                sort: unfiltered(parse_sort(sort)?)?,
                size: size as usize,
            }),
            ..=0 => Err(SearchError::illegal(format!(
                "[size] must be more than 0 but was [{size}]"
            ))),
            _ => Err(SearchError::illegal(format!(
                "[top_metrics.size] must not be more than [{SIZE_MAX}] but was [{size}]. This limit can be set by changing the \
                 [index.top_metrics_max_size] index level setting."
            ))),
        }
    }

    pub(super) fn resolve(&mut self, mappings: &[&Mapping], now_ms: i64) -> Result<()> {
        for mapping in mappings {
            self.sort.iter().try_for_each(|key| check(key, mapping))?;
        }
        let mut metrics = self.metrics.iter_mut();
        metrics.try_for_each(|metric| metric.resolve(mappings, Takes::Terms, "top_metrics", now_ms))
    }

    /// The values that a document is sorted by, as they are shown.
    fn shown(&self, hit: &Hit, view: &View<'_>) -> Vec<Value> {
        let values = hit.sort.iter().zip(&self.sort).map(|(value, key)| {
            let field = key.field().and_then(|name| view.mapping.field(name));
            match (value, field) {
                (SortValue::Term(Term::Date(ms)), Some(field)) if field.is_date() => {
                    json!(field.formats.write(*ms, &jiff::tz::TimeZone::UTC))
                }
                (SortValue::Term(Term::Integer(i64::MIN | i64::MAX)), _) => Value::Null,
                (SortValue::Term(Term::Float(number)), _) if number.is_infinite() => Value::Null,
                // With all digits here, unlike beside hits.
                (SortValue::Term(Term::Float(number)), Some(field)) if is_short(&field.type_name) => {
                    number_of(f64::from(*number as f32))
                }
                (value, _) => value.shown(),
            }
        });
        match (self.sort.is_empty(), hit.score) {
            (true, Some(score)) => vec![number_of(f64::from(score))],
            _ => values.collect(),
        }
    }
}

/// A document that is among the first.
#[derive(Clone, Debug)]
struct Top {
    /// Where it stands, without the document.
    hit: Hit,
    sort: Vec<Value>,
    metrics: Vec<(String, Value)>,
}

/// The first documents so far.
#[derive(Clone, Debug, Default)]
pub(super) struct TopMetrics(Vec<Top>);

impl TopMetrics {
    /// About the bytes that it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|top| size_of::<Top>() + top.hit.bytes()).sum()
    }

    pub(super) fn collect(
        &mut self,
        spec: &TopMetricsSpec,
        view: &View<'_>,
        context: &Context<'_>,
    ) -> Result<()> {
        let hit = Hit {
            index: view.index_at,
            id: String::new(),
            sequence: view.sequence,
            version: view.version,
            score: Some(context.score),
            document: DocumentBuf::from(&Document::new()),
            nested: Vec::new(),
            ignored: Vec::new(),
            matched: Vec::new(),
            counted: None,
            sort: sort_values(&spec.sort, view, Some(context.score), view.sequence)?,
        };
        let place = self
            .0
            .partition_point(|top| compare(&spec.sort, &top.hit, &hit).is_le());
        if place >= spec.size {
            return Ok(());
        }
        let metrics = spec.metrics.iter().map(|metric| -> Result<(String, Value)> {
            let mut terms = metric.terms(view)?;
            terms.sort_by(Term::compare);
            let value = terms.first().map(|term| metric.shown(term));
            let value = value.unwrap_or(Value::Null);
            Ok((metric.field.clone(), value))
        });
        let top = Top {
            sort: spec.shown(&hit, view),
            metrics: metrics.collect::<Result<_>>()?,
            hit,
        };
        context.held.add(size_of::<Top>() + top.hit.bytes())?;
        self.0.insert(place, top);
        if self.0.len() > spec.size
            && let Some(last) = self.0.pop()
        {
            context.held.give_back(size_of::<Top>() + last.hit.bytes());
        }
        Ok(())
    }

    /// The number that buckets are ordered by.
    pub(super) fn number(&self, name: Option<&str>) -> f64 {
        let metrics = self.0.first().map(|top| &top.metrics);
        let mut named = metrics.into_iter().flatten();
        let found = named.find(|(metric, _)| name.is_none_or(|name| name == metric));
        found.and_then(|(_, value)| value.as_f64()).unwrap_or(f64::NAN)
    }

    pub(super) fn finish(self, finish: &Finish<'_>) -> Result<Map<String, Value>> {
        let mut shown = Vec::with_capacity(self.0.len());
        for top in self.0 {
            let metrics: Map<String, Value> = top.metrics.into_iter().collect();
            let one = json!({"sort": top.sort, "metrics": metrics});
            finish.held.add_shown(&one)?;
            shown.push(one);
        }
        Ok(Map::from_iter([("top".to_owned(), Value::Array(shown))]))
    }
}
