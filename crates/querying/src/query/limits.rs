//! What one query may have.

use mapping::error::SearchError;

/// Queries within queries at most.
pub const DEPTH_MAX: usize = 30;
/// The clauses of one query, and the values of one `terms`, at most.
pub const CLAUSES_MAX: usize = 65_536;

/// The terms of a text that is searched for at most, and those that stand for a pattern: as many as clauses where Elasticsearch's
/// `indices.query.bool.max_clause_count` says nothing.
pub const TERMS_MAX: usize = 1024;

/// There are more clauses than may be.
pub fn too_many_clauses(most: usize) -> SearchError {
    SearchError::new(
        mapping::error::ErrorKind::TooManyClauses,
        format!("maxClauseCount is set to {most}"),
    )
}
