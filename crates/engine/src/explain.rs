//! Explaining a command: which plan it runs by, and what that examined.

use crate::{
    AggregateRequest, AggregateSource, CountRequest, DeleteStatement, DistinctRequest, FindAndModifyRequest,
    FindRequest, UpdateStatement,
};
use store::Namespace;

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
