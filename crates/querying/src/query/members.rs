//! What queries of many members say.

#![allow(missing_docs, reason = "Elasticsearch's names")]

use super::{GeoArea, InnerHits, Match, MultiKind, NestedMode, Query};
use serde_json::Value;

#[derive(Clone, Debug)]
pub struct BoolQuery {
    pub must: Vec<Query>,
    pub filter: Vec<Query>,
    pub should: Vec<Query>,
    pub must_not: Vec<Query>,
    pub minimum: Option<String>,
    /// Whether all others are found where it only says what must not match: `adjust_pure_negative`.
    pub finds_others: bool,
    pub boost: f32,
}

impl Default for BoolQuery {
    fn default() -> BoolQuery {
        BoolQuery {
            must: Vec::new(),
            filter: Vec::new(),
            should: Vec::new(),
            must_not: Vec::new(),
            minimum: None,
            finds_others: true,
            boost: 1.0,
        }
    }
}

impl BoolQuery {
    pub(crate) fn clauses(&self) -> impl Iterator<Item = &Query> {
        let clauses = self.must.iter().chain(&self.filter);
        clauses.chain(&self.should).chain(&self.must_not)
    }

    pub(crate) fn clauses_mut(&mut self) -> impl Iterator<Item = &mut Query> {
        let clauses = self.must.iter_mut().chain(&mut self.filter);
        clauses.chain(&mut self.should).chain(&mut self.must_not)
    }
}

#[derive(Clone, Debug)]
pub struct BoostingQuery {
    pub positive: Box<Query>,
    pub negative: Box<Query>,
    pub negative_boost: f32,
    pub boost: f32,
}

#[derive(Clone, Debug)]
pub struct NestedQuery {
    pub path: String,
    pub query: Box<Query>,
    pub mode: NestedMode,
    pub ignore_unmapped: bool,
    pub inner: Option<Box<InnerHits>>,
    pub boost: f32,
}

#[derive(Clone, Debug)]
pub struct GeoDistanceQuery {
    pub field: String,
    pub point: Value,
    pub metres: f64,
    pub ignore_unmapped: bool,
    pub boost: f32,
}

#[derive(Clone, Debug)]
pub struct GeoWithinQuery {
    pub field: String,
    pub area: GeoArea,
    pub ignore_unmapped: bool,
    pub boost: f32,
}

#[derive(Clone, Debug)]
pub struct DistanceFeatureQuery {
    pub field: String,
    pub origin: Value,
    pub pivot: String,
    pub boost: f32,
}

/// What has a number or a time, worth the more the nearer it is to `origin`; half at the pivot.
#[derive(Clone, Debug)]
pub struct NearnessQuery {
    pub field: String,
    pub origin: f64,
    pub pivot: f64,
    pub boost: f32,
}

#[derive(Clone, Debug)]
pub struct MultiMatchQuery {
    pub fields: Vec<(String, f32)>,
    pub kind: MultiKind,
    pub tie_breaker: Option<f32>,
    pub text: Match,
    pub boost: f32,
}
