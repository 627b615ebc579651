//! What queries of many members say.

#![allow(missing_docs, reason = "Elasticsearch's names")]

use super::{GeoArea, InnerHits, Match, MultiKind, NestedMode, Pattern, Query};
use crate::script::DocumentScript;
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

/// What stands somewhere in a text.
#[derive(Clone, Debug)]
pub enum Span {
    /// A term of a field.
    Term { field: String, value: String },
    /// The terms of a pattern.
    Multi { field: String, pattern: Pattern },
    /// Several near each other.
    Near {
        /// What is near.
        clauses: Vec<Span>,
        /// How many places may be between them.
        slop: i64,
        /// Whether they stand in their order.
        in_order: bool,
    },
    /// So many places between others.
    Gap(i64),
    /// Any of several.
    Or(Vec<Span>),
    /// One near which another does not stand.
    Not {
        /// What is found.
        include: Box<Span>,
        /// What must not be there.
        exclude: Box<Span>,
        /// How many places before it.
        before: i64,
        /// How many places behind it.
        after: i64,
    },
    /// One that ends here at the latest.
    First(Box<Span>, i64),
    /// The first, where it has the second within it.
    Containing(Box<Span>, Box<Span>),
    /// The second, where it is within the first.
    Within(Box<Span>, Box<Span>),
    /// One that counts as one of another field.
    Masked(Box<Span>, String),
}

impl Span {
    /// The field that it is of.
    pub(crate) fn field(&self) -> Option<&str> {
        match self {
            Span::Term { field, .. } | Span::Multi { field, .. } | Span::Masked(_, field) => Some(field),
            Span::Near { clauses, .. } | Span::Or(clauses) => clauses.iter().find_map(Span::field),
            Span::Not { include: inner, .. }
            | Span::First(inner, _)
            | Span::Containing(inner, _)
            | Span::Within(_, inner) => inner.field(),
            Span::Gap(_) => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct TermsSetQuery {
    pub(crate) field: String,
    pub(crate) terms: Vec<Value>,
    pub(crate) least: Least,
    pub(crate) boost: f32,
}

/// What says how many of the terms a document must have.
#[derive(Clone, Debug)]
pub(crate) enum Least {
    Field(String),
    Script(DocumentScript),
}
