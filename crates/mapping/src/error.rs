//! Why a request or a document cannot be taken, in Elasticsearch's words.

use code::Code;
use std::fmt;

/// What the crate's functions give back.
pub type Result<T, E = SearchError> = std::result::Result<T, E>;

/// The kinds of errors, which Elasticsearch names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
    /// A script that cannot be compiled or run.
    Script,
    /// It was told to end, for what this says.
    Ended(Code),
    /// There is no memory for it.
    Memory,
    /// A part of Elasticsearch that is not here.
    Unsupported,
}

impl Kind {
    /// The name that clients see as the error's type.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Parsing => "parsing_exception",
            Kind::Date => "parse_exception",
            Kind::IllegalArgument => "illegal_argument_exception",
            Kind::Content => "x_content_parse_exception",
            Kind::NumberFormat => "number_format_exception",
            Kind::MapperParsing => "mapper_parsing_exception",
            Kind::StrictMapping => "strict_dynamic_mapping_exception",
            Kind::QueryShard => "query_shard_exception",
            Kind::TooManyBuckets => "too_many_buckets_exception",
            Kind::TooManyClauses => "too_many_clauses",
            Kind::Validation => "action_request_validation_exception",
            Kind::Aggregation => "aggregation_execution_exception",
            Kind::AggregationStart => "aggregation_initialization_exception",
            Kind::Script => "script_exception",
            Kind::Ended(_) => "task_cancelled_exception",
            Kind::Memory => "circuit_breaking_exception",
            Kind::Unsupported => "unsupported_operation_exception",
        }
    }
}

/// A refusal: its kind, and what was wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SearchError {
    /// Of which kind it is.
    pub kind: Kind,
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
    pub fn new(kind: Kind, reason: impl Into<String>) -> SearchError {
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
        SearchError::new(Kind::Content, reason)
    }

    /// The body of a request is not of its form.
    pub fn parsing(reason: impl Into<String>) -> SearchError {
        SearchError::new(Kind::Parsing, reason)
    }

    /// A value cannot be given.
    pub fn illegal(reason: impl Into<String>) -> SearchError {
        SearchError::new(Kind::IllegalArgument, reason)
    }

    /// A mapping cannot be taken, or a document does not fit it.
    pub fn mapper(reason: impl Into<String>) -> SearchError {
        SearchError::new(Kind::MapperParsing, reason)
    }

    /// A part of Elasticsearch that is not here.
    pub fn unsupported(what: impl fmt::Display) -> SearchError {
        SearchError::new(Kind::Unsupported, format!("{what} is not supported"))
    }
}
