//! Aggregation stages over pages of documents.
