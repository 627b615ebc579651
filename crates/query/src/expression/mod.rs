//! The aggregation expression language.
