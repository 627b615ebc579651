//! Why a request or a document cannot be taken, in Elasticsearch's words.

use code::Code;
use std::fmt;

/// What the crate's functions give back.
pub type Result<T, E = SearchError> = std::result::Result<T, E>;

/// The kinds of errors, which Elasticsearch names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The body of a request is not of its form.
    Parsing,
    /// A date, or a text of several parts, is not of its form.
    Date,
    /// A value is not one of those that can be given.
    IllegalArgument,
    /// An object of a request is not of its form.
    Content,
    /// A text is no number.
    NumberFormat,
    /// A mapping, or a document that does not fit it.
    MapperParsing,
    /// A document has a field that a strict mapping does not name.
    StrictMapping,
    /// A query cannot be executed on a collection.
    QueryShard,
    /// Aggregations have more buckets than the limit.
    TooManyBuckets,
    /// A query has more clauses than the limit.
    TooManyClauses,
    /// Parts of a request that do not go together.
    Validation,
    /// An aggregation that cannot be made of such values.
    Aggregation,
    /// An aggregation that cannot be put together.
    AggregationStart,
    /// A number that a histogram has no place for.
    OutOfBounds,
    /// A script that cannot be compiled or run.
    Script,
    /// It was told to end, for what this says.
    Ended(Code),
    /// There is no memory for it.
    Memory,
    /// A part of Elasticsearch that is not here.
    Unsupported,
}

impl ErrorKind {
    /// The name that clients see as the error's type.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Parsing => "parsing_exception",
            ErrorKind::Date => "parse_exception",
            ErrorKind::IllegalArgument => "illegal_argument_exception",
            ErrorKind::Content => "x_content_parse_exception",
            ErrorKind::NumberFormat => "number_format_exception",
            ErrorKind::MapperParsing => "mapper_parsing_exception",
            ErrorKind::StrictMapping => "strict_dynamic_mapping_exception",
            ErrorKind::QueryShard => "query_shard_exception",
            ErrorKind::TooManyBuckets => "too_many_buckets_exception",
            ErrorKind::TooManyClauses => "too_many_clauses",
            ErrorKind::Validation => "action_request_validation_exception",
            ErrorKind::Aggregation => "aggregation_execution_exception",
            ErrorKind::AggregationStart => "aggregation_initialization_exception",
            ErrorKind::OutOfBounds => "array_index_out_of_bounds_exception",
            ErrorKind::Script => "script_exception",
            ErrorKind::Ended(_) => "task_cancelled_exception",
            ErrorKind::Memory => "circuit_breaking_exception",
            ErrorKind::Unsupported => "unsupported_operation_exception",
        }
    }
}

/// A refusal: its kind, and what was wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SearchError {
    /// Of which kind it is.
    pub kind: ErrorKind,
    /// What was wrong, with what.
    pub reason: String,
    /// What led to it.
    pub cause: Option<Box<SearchError>>,
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.reason)
    }
}

impl SearchError {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, reason: impl Into<String>) -> SearchError {
        SearchError {
            kind,
            reason: reason.into(),
            cause: None,
        }
    }

    /// A member of an object of a request cannot have its value, for this reason.
    pub fn of_member(object: &str, member: &str, cause: SearchError) -> SearchError {
        SearchError {
            cause: Some(Box::new(cause)),
            ..SearchError::content(format!("[{object}] failed to parse field [{member}]"))
        }
    }

    /// An object of a request is not of its form.
    pub fn content(reason: impl Into<String>) -> SearchError {
        SearchError::new(ErrorKind::Content, reason)
    }

    /// The body of a request is not of its form.
    pub fn parsing(reason: impl Into<String>) -> SearchError {
        SearchError::new(ErrorKind::Parsing, reason)
    }

    /// A value cannot be given.
    pub fn illegal(reason: impl Into<String>) -> SearchError {
        SearchError::new(ErrorKind::IllegalArgument, reason)
    }

    /// A mapping cannot be taken, or a document does not fit it.
    pub fn mapper(reason: impl Into<String>) -> SearchError {
        SearchError::new(ErrorKind::MapperParsing, reason)
    }

    /// A part of Elasticsearch that is not here.
    pub fn unsupported(what: impl fmt::Display) -> SearchError {
        SearchError::new(ErrorKind::Unsupported, format!("{what} is not supported"))
    }
}
