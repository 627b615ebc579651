//! What one query may have.

use super::fuzziness::no_query;
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

/// A list has more terms than may be.
pub(crate) fn too_many_terms(count: usize, most: usize) -> SearchError {
    no_query(&format!(
        "The number of terms [{count}] used in the Terms Query request has exceeded the allowed maximum of [{most}]. This maximum can be \
         set by changing the [index.max_terms_count] index level setting."
    ))
}

/// A regular expression is longer than it may be.
pub(crate) fn too_long(length: usize, most: usize) -> SearchError {
    no_query(&format!(
        "The length of regex [{length}] used in the Regexp Query request has exceeded the allowed maximum of [{most}]. This maximum can be \
         set by changing the [index.max_regex_length] index level setting."
    ))
}
