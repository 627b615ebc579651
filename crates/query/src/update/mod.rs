//! How a document is changed: update operators, replacement, pipeline.
