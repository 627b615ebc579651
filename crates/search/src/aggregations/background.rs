//! Searches that count values in other documents than those that are found.
//!
//! Some aggregations tell of documents that the query does not find: whoever shows documents to a search asks which
//! counts they need ([`Aggregations::backgrounds`]), makes them by searches of their own, and hands them over before the end.

use super::counts::{Background, Counted, Counts};
use super::values::Source;
use super::{Aggregations, Collected, Named, Spec, State};
use crate::request::Request;
use querying::Query;

/// A search that makes counts.
#[derive(Clone, Debug)]
pub struct Counting {
    counted: Counted,
    /// What is to be searched for.
    pub request: Request,
}

impl Background {
    /// Adds what a search has counted.
    pub fn add(&mut self, counting: Counting, counts: Counts) {
        self.0.push((counting.counted, counts));
    }
}

impl Aggregations {
    /// The searches whose counts these need.
    pub fn backgrounds(&self) -> Vec<Counting> {
        let mut found: Vec<Counting> = Vec::new();
        self.add_backgrounds(None, &mut found);
        found
    }

    /// `path` is that of the nested objects whose values these are.
    fn add_backgrounds(&self, path: Option<&str>, out: &mut Vec<Counting>) {
        for named in &self.named {
            if let Some((source, query)) = named.spec.background() {
                let counted = Counted::new(source, query);
                match out.iter_mut().find(|known| known.counted == counted) {
                    None => out.push(Counting {
                        counted,
                        request: request(source, query, path),
                    }),
                    // Outside of its objects the field has no values that could be counted.
                    Some(known) if path.is_some() => known.request = request(source, query, path),
                    Some(_) => {}
                }
            }
            let path = match &named.spec {
                Spec::Nested(path) => Some(path.as_str()),
                Spec::ReverseNested(path) => path.as_deref(),
                _ => path,
            };
            named.inner.add_backgrounds(path, out);
        }
    }
}

fn request(source: &Source, query: Option<&Query>, path: Option<&str>) -> Request {
    let unnamed = |spec, inner: Option<Named>| Named {
        name: String::new(),
        spec,
        inner: Aggregations {
            named: inner.into_iter().collect(),
            ..Aggregations::default()
        },
        meta: None,
    };
    let values = unnamed(Spec::Values(source.clone()), None);
    let asked = match path {
        None => values,
        Some(path) => unnamed(Spec::Nested(path.to_owned()), Some(values)),
    };
    let mut named = vec![asked];
    if query.is_none() {
        named.push(unnamed(Spec::Objects, None));
    }
    Request {
        query: query.cloned(),
        aggregations: Aggregations {
            named,
            ..Aggregations::default()
        },
        size: 0,
        track_total_hits: Some(u64::MAX),
        ..Request::default()
    }
}

impl Spec {
    /// The field whose values are counted in other documents, and in which.
    fn background(&self) -> Option<(&Source, Option<&Query>)> {
        match self {
            Spec::Significant(source, spec) => Some((source, spec.background.as_deref())),
            Spec::Terms(source, spec) if spec.least == 0 => Some((source, None)),
            _ => None,
        }
    }
}

impl Collected {
    /// The counts of the first aggregation; the second one, where there is one, has counted all nested objects.
    pub(crate) fn counts(self, total: u64) -> Counts {
        let mut all = self.0.into_iter().filter_map(|state| match state {
            State::Buckets(buckets) => Some(buckets),
            _ => None,
        });
        let Some(mut buckets) = all.next() else {
            return Counts::default();
        };
        // In Elasticsearch nested objects are documents of their own.
        let nested = buckets.fixed.pop();
        let total = total
            + match (all.next(), &nested) {
                (Some(objects), _) => objects.seen,
                (None, Some(nested)) => nested.count,
                (None, None) => 0,
            };
        if let Some(nested) = nested {
            return nested.inner.counts(total);
        }
        let by_key = buckets.by_key.into_iter();
        Counts {
            total,
            by_key: by_key.map(|(key, bucket)| (key, bucket.count)).collect(),
        }
    }
}
