//! Explaining a command: which plan it runs by, and what that examined.

use crate::{
    Context, Engine, Error, Result,
    AggregateRequest, AggregateSource, CountRequest, DeleteStatement, DistinctRequest, FindAndModifyRequest,
    FindRequest, UpdateStatement,
};
use query::Code;
use store::Namespace;
use value::Document;

/// How much is told.
pub use query::explain::Verbosity;

/// A command to be explained; it changes nothing.
#[derive(Clone, Debug)]
pub enum Explained {
    /// `find`.
    Find(Namespace, FindRequest),
    /// `count`.
    Count(Namespace, CountRequest),
    /// `distinct`.
    Distinct(Namespace, DistinctRequest),
    /// `aggregate`.
    Aggregate(AggregateSource, AggregateRequest),
    /// One statement of `update`.
    Update(Namespace, UpdateStatement),
    /// One statement of `delete`.
    Delete(Namespace, DeleteStatement),
    /// `findAndModify`.
    FindAndModify(Namespace, FindAndModifyRequest),
}

impl Engine {
    /// Which plan a command would run by; with a verbosity above the least, what that examined.
    pub async fn explain(&self, _context: &Context, _what: &Explained, _verbosity: Verbosity) -> Result<Document> {
        Err(Error::new(Code(238), "explain is not supported yet"))
    }
}
